/* SPDX-License-Identifier: GPL-3.0-or-later */
/* statements_private.h - what the files that make statements share; see statements.h. */
#ifndef ENGINE_ANALYSIS_STATEMENTS_PRIVATE_H
#define ENGINE_ANALYSIS_STATEMENTS_PRIVATE_H

#include <stdio.h>

#include "engine/analysis/words.h"

/*
 * One sentence after another: statement_begin(), text into ->text, statement_end(code). Without
 * memory nothing is written and r tells it in the end; a sentence that is begun and has nothing to
 * say is dropped with statement_drop().
 */
struct statements {
	struct analysis *analysis;
	FILE *text; /* of the sentence at hand; NULL: no memory */
	char *buffer;
	size_t size;
	int r;
};

void statement_begin(struct statements *statements);
void statement_put(struct statements *statements, const char *format, ...) PRINTF_LIKE(2, 3);
void statement_end(struct statements *statements, const char *code);
void statement_drop(struct statements *statements);

/* " and " before the last of a list, ", " before others, nothing before the first. */
void statement_comma(struct statements *statements, size_t index, size_t count);

/* "these nine workloads", "these 12 comparisons"; the title where there is one. */
void statement_put_whole(struct statements *statements);

/* Comparisons of which two levels or more were measured. */
size_t statements_compared(const struct analysis *analysis);

/* Those of them that are judged by a latency, of which the lower is better. */
size_t statements_by_latency(const struct analysis *analysis);

/* statements_losses.c: what the answer loses and costs. */
void statements_losses(struct statements *statements);

/* statements_evidence.c: how sure it is, and what the samples are. */
void statements_evidence(struct statements *statements);

/* statements_highest.c: of single samples. */
void statements_highest(struct statements *statements);

#endif
