/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_screen.c - the bar fits its width; plain lines where there is no terminal. */
#include "server/screen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "server/table.h"

static const struct progress half = {
	.phase = PHASE_MEASURE,
	.done = 2,
	.total = 36,
	.percent = 50,
	.seconds_left = 200,
	.workload = "Exchange",
	.cell = "bs=8k",
	.repeat = 1,
};

static void test_bar(void **state)
{
	struct progress early = half;
	char *line = screen_bar(&half, 80);

	(void)state;
	assert_string_equal(line,
			    "[##########..........]  50 %  3 min 20 s left  3/36 Exchange, bs=8k");
	free(line);
	early.at_most = true;
	line = screen_bar(&early, 88);
	assert_string_equal(line, "[###########...........]  50 %  at most 3 min 20 s left  3/36 "
				  "Exchange, bs=8k");
	free(line);
	for (size_t width = 20; width < 200; width++) {
		struct progress progress = half;

		memset(progress.workload, 'w', sizeof(progress.workload) - 1);
		line = screen_bar(&progress, width);
		assert_non_null(line);
		if (width >= 45)
			assert_true(table_width(line) <= width);
		if (width == 60)
			assert_string_equal(line + strlen(line) - 4, "w...");
		free(line);
	}
}

static void test_ends(void **state)
{
	struct progress progress = {.phase = PHASE_PREPARE, .total = 1};
	char *line = screen_bar(&progress, 80);

	(void)state;
	assert_string_equal(line, "[....................]   0 %  0 s left  preparing");
	free(line);
	progress =
		(struct progress){.phase = PHASE_TEARDOWN, .done = 1, .total = 1, .percent = 100};
	line = screen_bar(&progress, 80);
	assert_string_equal(line, "[####################] 100 %  0 s left  cleaning up");
	free(line);
	progress = half;
	progress.phase = PHASE_RAMP;
	line = screen_bar(&progress, 80);
	assert_non_null(strstr(line, "warming up 3/36 Exchange"));
	free(line);
}

static void test_plain(void **state)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	struct progress progress = half;
	struct screen screen;

	(void)state;
	assert_non_null(out);
	screen_init(&screen, out, false);
	assert_false(screen.terminal);
	progress.phase = PHASE_FILL;
	progress.workload[0] = '\0';
	screen_progress(&screen, &progress);
	screen_progress(&screen, &progress);
	screen_progress(&screen, &half);
	screen_line(&screen, "%d done", 1);
	screen_end(&screen);
	screen_init(&screen, out, true);
	screen_line(&screen, "nothing");
	screen_progress(&screen, &progress);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(text, "filling the target\n1 done\n");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bar),
		cmocka_unit_test(test_ends),
		cmocka_unit_test(test_plain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
