/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * screen.h - what `volbench run` shows while it measures: on a terminal one line with a bar that is
 * redrawn in place, else a plain line for what has happened. One thread at a time.
 */
#ifndef SERVER_SCREEN_H
#define SERVER_SCREEN_H

#include <stdbool.h>
#include <stdio.h>

#include "engine/base/macros.h"
#include "server/codec/message.h"

struct screen {
	FILE *out;
	bool quiet;
	bool terminal;
	bool drawn;	      /* a bar stands on the current line */
	enum run_phase phase; /* last shown by a plain line */
	bool shown;
};

void screen_init(struct screen *screen, FILE *out, bool quiet);

/* Columns of the terminal, 80 where there is none. */
size_t screen_width(const FILE *out);

void screen_progress(struct screen *screen, const struct progress *progress);

/* The bar of a progress in so many columns, without a newline; heap, NULL on no memory. */
char *screen_bar(const struct progress *progress, size_t width);

/* A line that stays; a bar is wiped first and comes back with the next progress. */
void screen_line(struct screen *screen, const char *format, ...) PRINTF_LIKE(2, 3);

/* Wipes the bar. */
void screen_end(struct screen *screen);

#endif
