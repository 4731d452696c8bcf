/* SPDX-License-Identifier: GPL-3.0-or-later */
/* screen.c - see screen.h. */
#include "server/screen.h"

#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>

#include "server/table.h"

#define BAR_MAX 30

void screen_init(struct screen *screen, FILE *out, bool quiet)
{
	*screen = (struct screen){
		.out = out,
		.quiet = quiet,
		.terminal = isatty(fileno(out)) == 1,
	};
}

size_t screen_width(const FILE *out)
{
	struct winsize size;
	int fd = fileno((FILE *)out); /* does not change it */

	if (isatty(fd) != 1 || ioctl(fd, TIOCGWINSZ, &size) < 0 || size.ws_col < 20)
		return 80;
	return size.ws_col;
}

static const char *phase_text(const struct progress *progress)
{
	switch (progress->phase) {
	case PHASE_PREPARE:
		return "preparing";
	case PHASE_FILL:
		return "filling the target";
	case PHASE_RAMP:
		return "warming up ";
	case PHASE_MEASURE:
		return "";
	case PHASE_VERIFY:
		return "reading back ";
	case PHASE_TEARDOWN:
		return "cleaning up";
	}
	return "";
}

/* "3/36 Exchange, bs=8k (2)" and the like, heap. */
static char *activity(const struct progress *progress)
{
	char *text = NULL;
	int n;

	if (progress->workload[0])
		n = asprintf(&text, "%s%llu/%llu %s%s%s", phase_text(progress),
			     (unsigned long long)progress->done + 1,
			     (unsigned long long)progress->total, progress->workload,
			     progress->cell[0] ? ", " : "", progress->cell);
	else
		n = asprintf(&text, "%s", phase_text(progress));
	return n < 0 ? NULL : text;
}

/* Cuts a text to so many characters, the last three being dots. */
static void cut(char *text, size_t width)
{
	size_t characters = 0, keep = 0;

	if (table_width(text) <= width)
		return;
	for (size_t i = 0; text[i]; i++) {
		if (((unsigned char)text[i] & 0xC0) == 0x80)
			continue;
		if (characters == (width > 3 ? width - 3 : 0))
			keep = i;
		characters++;
	}
	text[keep] = '\0';
	if (width > 3)
		memcpy(text + keep, "...", 4); /* at least four characters were behind it */
}

char *screen_bar(const struct progress *progress, size_t width)
{
	char left[TABLE_FIGURE_MAX], head[64], bar[BAR_MAX + 1];
	AUTO_FREE char *what = activity(progress);
	size_t bar_width = width / 4 < BAR_MAX ? width / 4 : BAR_MAX, filled, used;
	char *line;

	if (!what)
		return NULL;
	filled = (size_t)((double)bar_width * progress->percent / 100);
	if (filled > bar_width)
		filled = bar_width;
	memset(bar, '#', filled);
	memset(bar + filled, '.', bar_width - filled);
	bar[bar_width] = '\0';
	(void)snprintf(head, sizeof(head), "%3.0f %%  %s%s left  ", progress->percent,
		       progress->at_most ? "at most " : "",
		       table_duration(progress->seconds_left, left)); /* fits */
	used = bar_width + 3 + table_width(head);
	if (used >= width)
		what[0] = '\0';
	else
		cut(what, width - used);
	return asprintf(&line, "[%s] %s%s", bar, head, what) < 0 ? NULL : line;
}

static void wipe(struct screen *screen)
{
	if (screen->drawn)
		fputs("\r\033[K", screen->out);
	screen->drawn = false;
}

void screen_progress(struct screen *screen, const struct progress *progress)
{
	if (screen->quiet)
		return;
	if (screen->terminal) {
		/* A column is left free: a full line would wrap on some terminals. */
		AUTO_FREE char *line = screen_bar(progress, screen_width(screen->out) - 1);

		if (line)
			fprintf(screen->out, "\r%s\033[K", line);
		screen->drawn = true;
	} else if ((!screen->shown || progress->phase != screen->phase) &&
		   (progress->phase == PHASE_FILL || progress->phase == PHASE_TEARDOWN)) {
		fprintf(screen->out, "%s\n", phase_text(progress));
	}
	screen->phase = progress->phase;
	screen->shown = true;
	(void)fflush(screen->out); /* a terminal that is gone is no reason to stop measuring */
}

void screen_line(struct screen *screen, const char *format, ...)
{
	va_list arguments;

	if (screen->quiet)
		return;
	wipe(screen);
	va_start(arguments, format);
	vfprintf(screen->out, format, arguments);
	va_end(arguments);
	fputc('\n', screen->out);
	(void)fflush(screen->out); /* as above */
}

void screen_end(struct screen *screen)
{
	wipe(screen);
	(void)fflush(screen->out); /* as above */
}
