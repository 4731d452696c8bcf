/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_chart.c - charts are drawn by the real gnuplot in its sandbox, whatever the labels say, and
 * what cannot be drawn leaves the rest.
 *
 * The sandbox starts this program again, so main() knows that command.
 * Length: every kind of chart stands the same texts and numbers.
 */
#include "web/chart.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "engine/base/child.h"
#include "tests/unit/web/hostile.h"
#include "tests/unit/web/xml.h"
#include "web/chart_script.h"

/* Upright, then lying. */
static size_t add_bars(struct chart_set *set, const char *label, const char *axis, double value)
{
	struct chart_bar bars[3] = {
		{.label = label, .strong = true}, {.label = "8k"}, {.label = "gone"}};
	const struct chart_bars chart = {.title = label,
					 .axis = axis,
					 .segment_count = 2,
					 .segment_names = {label, "write"},
					 .count = ARRAY_SIZE(bars),
					 .bars = bars,
					 .format = numbers_count};
	struct chart_bars lying = chart;
	size_t index, lying_index;

	for (size_t i = 0; i < 2; i++, value /= 2)
		bars[i].segments[0] =
			(struct chart_segment){value, value * 0.9, value * 1.1, true, true};
	assert_int_equal(chart_add_bars(set, &chart, &index), 0);
	lying.lying = true;
	assert_int_equal(chart_add_bars(set, &lying, &lying_index), 0);
	assert_int_equal(lying_index, index + 1);
	return index;
}

/* Figures of many bars beside each other would run into each other: every second has one. */
static void test_many_bars(void **state)
{
	static const char *const labels[] = {"a", "b", "c", "d", "e", "f", "g", "h",
					     "i", "j", "k", "l", "m", "n", "o"};
	struct chart_set *set;
	struct chart_bar bars[ARRAY_SIZE(labels)] = {0};
	struct chart_bars chart = {.title = "many",
				   .axis = "bs",
				   .segment_count = 1,
				   .segment_names = {"read"},
				   .count = ARRAY_SIZE(bars),
				   .bars = bars,
				   .format = numbers_count};
	size_t index, size;
	char text[16];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bars); i++) {
		bars[i].label = labels[i];
		bars[i].strong = i != 7; /* h: pale, so that i begins anew */
		bars[i].segments[0] =
			(struct chart_segment){.value = 101 + (double)i, .present = true};
	}
	assert_int_equal(chart_set_new(&set), 0);
	assert_int_equal(chart_add_bars(set, &chart, &index), 0);
	assert_int_equal(chart_set_draw(set), 0);
	for (size_t i = 0; i < ARRAY_SIZE(bars); i++) {
		bool told = i < 7 ? i % 2 == 0 : i % 2 == 0 && i > 7;

		(void)snprintf(text, sizeof(text), ">%zu<", 101 + i);
		assert_int_equal(strstr(chart_svg(set, index, CHART_LIGHT, &size), text) != NULL,
				 told);
	}
	chart_set_free(set);
}

static size_t add_lines(struct chart_set *set, const char *label, enum chart_axis axis)
{
	static const double x[] = {0.301, 1, 2, 3}, y[] = {1e5, 2e5, 1e6, 2e7};
	const struct chart_line lines[] = {{label, 0, 4, x, y, 4, x, y, y},
					   {NULL, 0, 4, x, y, 0, NULL, NULL, NULL},
					   {label, 1, 0, x, y, 0, x, y, y}};
	const struct chart_lines chart = {label,
					  axis,
					  2,
					  {{0, 1.5, label, false}, {1.5, INFINITY, label, true}},
					  ARRAY_SIZE(lines),
					  lines};
	size_t index;

	assert_int_equal(chart_add_lines(set, &chart, &index), 0);
	return index;
}

#define MAPS 6 /* that add_maps() adds */

/* A heat map, curves of every scale, and pairs; then the same of nothing. */
static void add_maps(struct chart_set *set, const char *label, double value)
{
	const struct chart_heat_cell cells[] = {
		{value, true, true}, {0.5, true, false}, {.present = false}};
	const char *const names[] = {label, "8k", "16k"};
	const struct chart_heat_row rows[] = {{label, false, cells}, {label, true, cells}};
	const struct chart_heat heat = {label, label, 3, names, 2, rows};
	const double ticks[] = {value, 2, 4};
	const struct chart_point points[] = {{value, value, value, value, true},
					     {2, 5, 0, 0, false}};
	const struct chart_curve curve[] = {{label, 0, 2, points}, {label, 1, 0, points}};
	struct chart_curves curves = {.title = label,
				      .axis = label,
				      .tick_count = 3,
				      .ticks = ticks,
				      .tick_labels = names,
				      .ranks = 2,
				      .count = 2,
				      .curves = curve,
				      .format = numbers_count};
	const struct chart_pair_row row = {label,
					   {{value, value, value, true, true}, {.present = false}}};
	const struct chart_pairs pairs = {label, label, 2, {label, "write"}, 1, &row, numbers_mib};
	const struct chart_heat no_heat = {.title = "t", .axis = "a"};
	const struct chart_curves no_curves = {.title = "t", .axis = "a", .format = numbers_count};
	size_t index;

	assert_int_equal(chart_add_heat(set, &heat, &index), 0);
	assert_int_equal(chart_add_heat(set, &no_heat, &index), 0);
	assert_int_equal(chart_add_pairs(set, &pairs, &index), 0);
	assert_int_equal(chart_add_curves(set, &no_curves, &index), 0);
	assert_int_equal(chart_add_curves(set, &curves, &index), 0);
	curves.x_log2 = curves.y_log = true;
	assert_int_equal(chart_add_curves(set, &curves, &index), 0);
}

static void assert_drawn(const struct chart_set *set, size_t index)
{
	for (int theme = 0; theme < CHART_THEME_COUNT; theme++) {
		size_t size;
		const char *svg = chart_svg(set, index, (enum chart_theme)theme, &size);

		assert_non_null(svg);
		assert_true(xml_valid(svg, size));
		assert_null(strstr(svg, "<script"));
		assert_null(strstr(svg, "<foreignObject"));
		assert_null(strstr(svg, "href=\"j"));
	}
}

static void test_draws(void **state)
{
	struct chart_set *set;
	unsigned int width, height;
	size_t size;

	(void)state;
	assert_int_equal(chart_set_new(&set), 0);
	add_bars(set, "4k", "bs", 1234);
	add_lines(set, "iodepth 16", CHART_TAIL);
	add_lines(set, "iodepth 16", CHART_SECONDS);
	add_maps(set, "64k", 0.97);
	assert_int_equal(chart_set_draw(set), 0);
	assert_string_equal(chart_set_trouble(set), "");
	for (size_t i = 0; i < 4 + MAPS; i++)
		assert_drawn(set, i);
	assert_non_null(strstr(chart_svg(set, 0, CHART_LIGHT, &size), ">1.23k<"));
	assert_non_null(strstr(chart_svg(set, 1, CHART_LIGHT, &size), ">1.23k<"));
	assert_non_null(strstr(chart_svg(set, 2, CHART_DARK, &size), ">99.9<"));
	assert_non_null(strstr(chart_svg(set, 3, CHART_LIGHT, &size), ">iodepth 16<"));
	assert_non_null(strstr(chart_svg(set, 4, CHART_LIGHT, &size), ">97.0<"));
	assert_non_null(strstr(chart_svg(set, 3, CHART_LIGHT, &size), "fill-opacity=\"0.16\""));
	chart_size(set, 0, &width, &height);
	assert_int_equal(width, 360);
	assert_in_range(height, 150, 300);
	chart_set_free(set);
}

/* A script of one picture. */
static char *heat_script(const struct chart_heat *heat, struct chart_layout *layout)
{
	char *script = NULL;
	size_t size;
	FILE *file = open_memstream(&script, &size);

	assert_non_null(file);
	script_heat(file, heat, CHART_LIGHT, layout);
	assert_int_equal(fclose(file), 0);
	return script;
}

static size_t count_of(const char *text, const char *what)
{
	size_t count = 0;

	for (; (text = strstr(text, what)); text++)
		count++;
	return count;
}

/* Each cell has its number, what is not there a dash; what is framed has a frame, and no other. */
static void test_heat(void **state)
{
	static const struct chart_heat_cell cells[] = {
		{1, true, true}, {0.9996, true, true}, {0.0312, true, false}, {.present = false}};
	static const char *const names[] = {"4K", "8K", "16K", "32K"};
	static const struct chart_heat_row row = {"Exchange", false, cells};
	struct chart_heat heat = {"t", "volblocksize", 4, names, 1, &row};
	const char *frames;
	struct chart_layout layout;
	char *script = heat_script(&heat, &layout);

	(void)state;
	assert_int_equal(layout.width, 360);
	assert_int_equal(count_of(script, "set label '100' "), 2);
	assert_int_equal(count_of(script, "set label '3.1' "), 1);
	assert_int_equal(count_of(script, "set label '-' "), 1);
	assert_non_null(strstr(script, "set label 'Exchange' "));
	frames = strstr(script, "$frames");
	assert_non_null(frames);
	assert_int_equal(count_of(frames, "\n\n"), 1 + 2); /* one that cannot be seen */
	free(script);
	/* as many columns as there may be: still wide enough for their figures */
	heat.column_count = 64;
	struct chart_heat_cell many[64] = {{1, true, true}};
	const char *heads[64];
	const struct chart_heat_row wide = {"Exchange", false, many};

	for (size_t i = 0; i < 64; i++)
		heads[i] = "1024";
	heat.columns = heads;
	heat.rows = &wide;
	free(heat_script(&heat, &layout));
	assert_true(layout.width >= 64 * 31);
}

/* Curves have a tic a level, bear their names at their ends, and begin at zero where not
 * logarithmic; nothing is drawn for what has no place on a logarithmic axis. */
static void test_curves(void **state)
{
	static const double ticks[] = {1, 2, 4, 8, 16, 32};
	static const char *const labels[] = {"1", "2", "4", "8", "16", "32"};
	static const struct chart_point points[] = {
		{1, 0, 0, 0, false}, {4, 2e6, 1e6, 3e6, true}, {32, 8e6, 7e6, 9e6, true}};
	static const struct chart_curve curve = {"64K", 0, 3, points};
	struct chart_curves curves = {.title = "t",
				      .axis = "iodepth",
				      .tick_count = 6,
				      .ticks = ticks,
				      .tick_labels = labels,
				      .x_log2 = true,
				      .ranks = 1,
				      .count = 1,
				      .curves = &curve,
				      .format = numbers_time};
	struct chart_layout layout;

	(void)state;
	for (int log_scale = 0; log_scale < 2; log_scale++) {
		char *script = NULL;
		size_t size;
		FILE *file = open_memstream(&script, &size);

		curves.y_log = log_scale;
		assert_non_null(file);
		script_curves(file, &curves, CHART_DARK, &layout);
		assert_int_equal(fclose(file), 0);
		for (size_t i = 0; i < 6; i++) {
			char label[32];

			(void)snprintf(label, sizeof(label), "set label '%s' ", labels[i]);
			assert_non_null(strstr(script, label));
		}
		assert_non_null(strstr(script, "set label '64K' "));
		assert_non_null(strstr(script, "\n5 8e+06 7e+06 9e+06\n"));
		if (log_scale)
			assert_null(strstr(script, "\n0 0 0 0\n"));
		else
			assert_non_null(strstr(script, "\n0 0 0 0\n"));
		assert_int_equal(count_of(script, "set logscale y"), log_scale);
		free(script);
	}
}

/* Every text of SECURITY's list in every place a text can have. */
static void test_hostile_labels(void **state)
{
	struct chart_set *set;
	struct stat status;

	(void)state;
	(void)unlink(HOSTILE_FILE);
	assert_int_equal(chart_set_new(&set), 0);
	for (size_t i = 0; i < ARRAY_SIZE(hostile_texts); i++) {
		add_bars(set, hostile_texts[i], hostile_texts[i], 5);
		add_lines(set, hostile_texts[i], CHART_TAIL);
		add_maps(set, hostile_texts[i], 0.9);
	}
	assert_int_equal(chart_set_draw(set), 0);
	assert_string_equal(chart_set_trouble(set), "");
	for (size_t i = 0; i < (3 + MAPS) * ARRAY_SIZE(hostile_texts); i++)
		assert_drawn(set, i);
	assert_int_equal(stat(HOSTILE_FILE, &status), -1);
	chart_set_free(set);
}

static void test_odd_numbers(void **state)
{
	static const double values[] = {0, -5, NAN, INFINITY, 1e300, 1e-300};
	struct chart_set *set;

	(void)state;
	assert_int_equal(chart_set_new(&set), 0);
	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		const double x[] = {values[i], 2}, y[] = {values[i], values[i]};
		const struct chart_line line = {"a", 0, 2, x, y, 2, x, y, x};
		const struct chart_lines tail = {"t", CHART_TAIL, 1, {{.to = 0}}, 1, &line};
		const struct chart_lines seconds = {
			"t", CHART_SECONDS, 1, {{values[i], values[i], "a", false}}, 1, &line};
		const struct chart_lines none = {"t", CHART_SECONDS, 0, {{.to = 0}}, 0, NULL};
		size_t index;

		add_bars(set, "4k", "bs", values[i]);
		assert_int_equal(chart_add_lines(set, &tail, &index), 0);
		assert_int_equal(chart_add_lines(set, &seconds, &index), 0);
		assert_int_equal(chart_add_lines(set, &none, &index), 0);
		add_maps(set, "4k", values[i]);
	}
	assert_int_equal(chart_set_draw(set), 0);
	assert_string_equal(chart_set_trouble(set), "");
	for (size_t i = 0; i < (5 + MAPS) * ARRAY_SIZE(values); i++)
		assert_drawn(set, i);
	chart_set_free(set);
}

static void test_without_gnuplot(void **state)
{
	static const struct {
		const char *program, *trouble;
	} cases[] = {
		{"/nonexistent/gnuplot", "not installed"},
		{"/bin/false", "gnuplot stopped"},
		{"/bin/cat", "gnuplot stopped"}, /* says something, but no drawing */
		{"/usr/bin/yes", "killed"},	 /* more than the limit */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct chart_set *set;
		size_t size;

		assert_int_equal(chart_set_new(&set), 0);
		chart_set_program(set, cases[i].program);
		add_bars(set, "4k", "bs", 5);
		assert_int_equal(chart_set_draw(set), 0);
		if (!strstr(chart_set_trouble(set), cases[i].trouble))
			fail_msg("%s: %s", cases[i].program, chart_set_trouble(set));
		assert_null(chart_svg(set, 0, CHART_LIGHT, &size));
		chart_set_free(set);
	}
}

/* A stand-in that draws an empty picture a plot, but stops at the chart of one axis and draws
 * something else in another. */
static void test_one_bad_chart(void **state)
{
	static const char stand_in[] =
		"#!/usr/bin/mawk -f\n"
		"/set label 'stop'/ {stop=1}\n"
		"/set label 'script'/ {script=1}\n"
		"/^plot/ {if (stop) exit 3;\n"
		"printf \"<?xml version='1.0'?><svg xmlns='http://www.w3.org/2000/svg'>\";\n"
		"if (script) print \"<script/>\"; script=0; print \"</svg>\"}\n";
	char path[] = "/var/tmp/web-stand-in-XXXXXX";
	int fd = mkstemp(path);
	struct chart_set *set;
	size_t size;

	(void)state;
	if (access("/usr/bin/mawk", X_OK) != 0) {
		print_message("skipped: no /usr/bin/mawk to stand in for gnuplot\n");
		skip();
	}
	assert_int_equal(write(fd, stand_in, sizeof(stand_in) - 1), sizeof(stand_in) - 1);
	assert_int_equal(fchmod(fd, 0755), 0);
	assert_int_equal(close(fd), 0);
	assert_int_equal(chart_set_new(&set), 0);
	chart_set_program(set, path);
	add_bars(set, "a", "fine", 5);
	add_bars(set, "b", "stop", 5);
	add_bars(set, "c", "fine", 5);
	add_bars(set, "d", "script", 5);
	add_bars(set, "e", "fine", 5);
	assert_int_equal(chart_set_draw(set), 0);
	assert_string_not_equal(chart_set_trouble(set), "");
	for (size_t i = 0; i < 10; i++) {
		bool drawn = chart_svg(set, i, CHART_DARK, &size) != NULL;

		assert_int_equal(drawn, i / 2 != 1 && i / 2 != 3);
	}
	chart_set_free(set);
	(void)unlink(path);
}

/* What a killed service left: an old empty directory goes, a fresh or a filled one stays. */
static void test_sweeps_its_directories(void **state)
{
	const struct timespec old[2] = {{.tv_sec = 1}, {.tv_sec = 1}};
	char paths[3][40], file[60];
	struct chart_set *set;

	(void)state;
	for (int i = 0; i < 3; i++) {
		(void)snprintf(paths[i], sizeof(paths[i]), "/tmp/volbench-charts-XXXXXX");
		assert_non_null(mkdtemp(paths[i]));
	}
	(void)snprintf(file, sizeof(file), "%s/kept", paths[2]);
	assert_int_equal(close(open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600)), 0);
	assert_int_equal(utimensat(AT_FDCWD, paths[0], old, 0), 0);
	assert_int_equal(utimensat(AT_FDCWD, paths[2], old, 0), 0);
	assert_int_equal(chart_set_new(&set), 0);
	add_bars(set, "a", "b", 1);
	assert_int_equal(chart_set_draw(set), 0);
	chart_set_free(set);
	assert_int_equal(access(paths[0], F_OK), -1);
	assert_int_equal(rmdir(paths[1]), 0);
	assert_int_equal(unlink(file), 0);
	assert_int_equal(rmdir(paths[2]), 0);
}

static void test_limit(void **state)
{
	struct chart_set *set;
	const struct chart_lines none = {"t", CHART_SECONDS, 0, {{.to = 0}}, 0, NULL};
	size_t index;

	(void)state;
	assert_int_equal(chart_set_new(&set), 0);
	for (int i = 0; i < CHART_SET_MAX; i++)
		assert_int_equal(chart_add_lines(set, &none, &index), 0);
	assert_int_equal(chart_add_lines(set, &none, &index), -E2BIG);
	chart_set_free(set);
}

static void test_texts(void **state)
{
	static const struct {
		const char *in;
		size_t max;
		const char *out;
	} cases[] = {
		{"4k,128k (a/b): +5.0%_-", 40, "'4k,128k (a/b): +5.0%_-'"},
		{"a'b\"c`d\\e\n$@{}^|<>!#;&~*?=[]", 40, "'a_b_c_d_e________________=__'"},
		{"\xe2\x82\xac\xff\x80", 40, "'___'"},
		{"abcdefgh", 8, "'abcdefgh'"},
		{"abcdefgh", 7, "'ab..fgh'"},
		{"Security_Onion_Search", 16, "'Securit.._Search'"},
		{"abcdefgh", 1, "'..'"},
		{"", 5, "''"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char buffer[100] = "";
		FILE *file = fmemopen(buffer, sizeof(buffer), "w");

		script_text(file, cases[i].in, cases[i].max);
		fclose(file);
		assert_string_equal(buffer, cases[i].out);
	}
}

static void test_spread(void **state)
{
	double apart[] = {50, 10, 90}, same[] = {50, 50, 50}, low[] = {0, 1, 2}, many[50];

	(void)state;
	script_spread(apart, 3, 10, 0, 100);
	assert_true(apart[0] == 50 && apart[1] == 10 && apart[2] == 90);
	script_spread(same, 3, 10, 0, 60);
	assert_true(same[0] == 40 && same[1] == 50 && same[2] == 60);
	script_spread(low, 3, 10, 5, 100);
	assert_true(low[0] == 5 && low[1] == 15 && low[2] == 25);
	for (size_t i = 0; i < 50; i++)
		many[i] = 7;
	script_spread(many, 50, 10, 0, 98);
	for (size_t i = 0; i < 50; i++)
		assert_true(fabs(many[i] - 2.0 * (double)i) < 1e-6);
	script_spread(many, 0, 10, 0, 98);
}

/* Where a label of a script stands, in points from the left. */
static double place_of(const char *script, const char *label, double width)
{
	char wanted[80];
	const char *at;
	double place = -1;

	(void)snprintf(wanted, sizeof(wanted), "set label '%s' at screen ", label);
	at = strstr(script, wanted);
	assert_non_null(at);
	assert_int_equal(sscanf(at + strlen(wanted), "%lf", &place), 1);
	return place * width;
}

/* Widths are those of DejaVu Sans at 11 points, the widest that is likely. */
static void test_names_have_room(void **state)
{
	struct chart_bar bar = {.label = "a+b", .strong = true, .segments = {{.present = true}}};
	struct chart_bars bars = {.title = "t",
				  .axis = "x",
				  .segment_count = 1,
				  .segment_names = {"rename"},
				  .count = 1,
				  .bars = &bar,
				  .format = numbers_count};
	struct chart_layout layout;
	char script[16384];
	FILE *file;

	(void)state;
	for (int lying = 0; lying < 2; lying++) {
		bars.lying = lying;
		file = fmemopen(script, sizeof(script), "w");
		assert_non_null(file);
		script_bars(file, &bars, CHART_LIGHT, &layout);
		assert_int_equal(fclose(file), 0);
		if (lying)
			assert_true(place_of(script, "a+b", 360) >= 23);
		else
			assert_true(place_of(script, "rename", 360) + 43 <= 360);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_draws),
		cmocka_unit_test(test_many_bars),
		cmocka_unit_test(test_hostile_labels),
		cmocka_unit_test(test_odd_numbers),
		cmocka_unit_test(test_without_gnuplot),
		cmocka_unit_test(test_one_bad_chart),
		cmocka_unit_test(test_sweeps_its_directories),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_spread),
		cmocka_unit_test(test_names_have_room),
		cmocka_unit_test(test_heat),
		cmocka_unit_test(test_curves),
	};

	if (argc > 1 && strcmp(argv[1], "sandbox") == 0)
		return child_sandbox_main(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
