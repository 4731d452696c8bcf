/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * report_parts.h - what the sections of a report share; internal to web/report*.c.
 *
 * What a report compares, by which measure, and what that shows is the analysis's (analysis.h): a
 * level is an index of the first factor's levels, analysis.order says in which order they are
 * shown. Drawn as bars are two figures of every comparison, operations and bytes a second,
 * whichever of them it is judged by.
 */
#ifndef WEB_REPORT_PARTS_H
#define WEB_REPORT_PARTS_H

#include "engine/analysis/analysis.h"
#include "engine/result.h"
#include "web/chart.h"
#include "web/html.h"

/* Figures drawn as bars: MEASURE_IOPS, of files operations a second, and MEASURE_BANDWIDTH. */
#define REPORT_BARS 2

/* Charts of one comparison; CHART_NONE where there is none. */
#define CHART_NONE SIZE_MAX

struct panel {
	size_t bars[REPORT_BARS];
	size_t latency[DIRECTION_COUNT]; /* of files the first */
	size_t series;
};

#define PANELS_MAX 60	  /* comparisons drawn; tables have all */
#define ZFS_PANELS_MAX 20 /* the same of a figure of OpenZFS */
#define ZFS_CHARTS 2	  /* figures of it that are drawn (report_zfs.h) */

struct report {
	const struct result *result;
	struct analysis analysis;
	size_t recommended;    /* level that TrueNAS recommends; analysis.level_count: none */
	bool data, files, zfs; /* whether anything of the kind was measured */
	bool latency, told_latency, series; /* histograms; latencies as told; seconds */
	bool index;			    /* figures of data are an index (told.h) */
	bool iops, bandwidth;		    /* of data: known of any cell */
	struct chart_set *charts;
	size_t panel_count;
	struct panel panels[PANELS_MAX]; /* of the first comparisons */
	struct panel whole;		 /* without factors: bars over the workloads */
	size_t whole_files;		 /* there: bars over the phases of files */
	bool *low_writes; /* heap (amplification.h); NULL where nothing is on OpenZFS */
	size_t zfs_charts[ZFS_CHARTS][ZFS_PANELS_MAX]; /* by place in the list of its panels */
	size_t heat;				       /* report_shapes.h, as what follows */
	struct report_curves *curves;		       /* NULL: no factor is a number */
	size_t size_count, sizes[ZFS_PANELS_MAX];
};

/* report_view.c: gathers; the caller frees with report_done in any case. */
MUST_CHECK int report_gather(const struct result *result, struct report *report);
void report_done(struct report *report);

/* What stands below a chart's bars: the axis, and what an underlined level is. */
#define REPORT_AXIS_MAX (DEFINITION_NAME_MAX + 32)
const char *report_axis(const struct report *report, char buffer[REPORT_AXIS_MAX]);

/* Whether data of a comparison goes this way at any level; of files never. */
bool report_moves(const struct report *report, const struct comparison *comparison, int direction);

/* Reads, writes and trims of a level together, of files its operations: mean, NAN where unknown. */
double report_total(const struct comparison *comparison, size_t level, enum measure measure);

/* The figure to show for `measure`: itself, but of an index the one that was told. */
enum measure report_measure(const struct report *report, const struct comparison *comparison,
			    enum measure measure);

/* Whether a level's bars of this figure are to stand out: not shown worse than the best. Where the
 * comparison is judged by another figure that ranks otherwise, all are. */
bool report_strong(const struct comparison *comparison, size_t level, enum measure measure);

/* Latencies of a comparison at a level: of a direction, or of files. NULL: none. */
const struct histogram *report_histogram(const struct comparison *comparison, size_t level,
					 int direction);

/* The most samples that any level has. */
size_t report_most_samples(const struct report *report, const struct comparison *comparison);

/* "read", or "sequential create": what a row of a comparison is of. */
#define REPORT_KIND_MAX 32
const char *report_kind(const struct comparison *comparison, int direction,
			char buffer[REPORT_KIND_MAX]);

/* report_words.c */
void report_banner(const struct report *report, struct html *html);
void report_headline(const struct report *report, struct html *html);
void report_facts(const struct report *report, struct html *html);
void report_fact(struct html *html, const char *name, const char *value); /* a row of a dl */

/* report_verdicts.c: the highest of each comparison; and with what is shown of the levels, over
 * all, from one to the next and beside each other. */
void report_summary(const struct report *report, struct html *html);
void report_verdicts(const struct report *report, struct html *html);
/* "64K is best", "best 64K; 32K not told from it", "highest figure at 64K"; "" with one level. */
#define REPORT_VERDICT_MAX 400
const char *report_verdict(const struct report *report, const struct comparison *comparison,
			   char buffer[REPORT_VERDICT_MAX]);

/* report_charts.c: adds all charts to report->charts and has them drawn; writes their files. */
MUST_CHECK int report_plan_charts(struct report *report);
MUST_CHECK int report_write_charts(const struct report *report, int dirfd);
#define REPORT_CHART_NAME_MAX 40
const char *report_chart_name(size_t index, enum chart_theme theme,
			      char buffer[REPORT_CHART_NAME_MAX]);

/* report_series.c: throughput over time of one comparison; no chart where there is no series. */
MUST_CHECK int report_add_series(struct report *report, const struct comparison *comparison,
				 size_t *ret_index);
void report_series(const struct report *report, struct html *html);
/* Whether any sample lasted long enough for a line. */
bool report_series_drawn(const struct report *report);

/* report_panels.c; a folded table is closed by html_close(html, "details"). */
void report_panel(const struct report *report, size_t chart, const char *title, const char *note,
		  const char *alternative, struct html *html);
void report_table_fold(const struct report *report, const char *title, struct html *html);
void report_bars(const struct report *report, enum measure measure, struct html *html);
void report_latency(const struct report *report, struct html *html);
bool report_has_tails(const struct report *report); /* pictures of latency */
void report_latency_panels(const struct report *report, struct html *html); /* its pictures alone */
void report_more_note(const struct report *report, struct html *html); /* where not all are drawn */

void report_file_bars(const struct report *report, struct html *html);

/* report_tables.c */
void report_level_head(const struct report *report, struct html *html);
void report_files_table(const struct report *report, struct html *html);
void report_cells_table(const struct report *report, struct html *html);
void report_bars_table(const struct report *report, enum measure measure, struct html *html);
void report_latency_table(const struct report *report, struct html *html);
void report_told_latency(const struct report *report, struct html *html); /* of imported samples */

/* Whether any latency from the intended start is there: report_latency_table() then tells both. */
bool report_has_intended(const struct report *report);
void report_series_table(const struct report *report, struct html *html);

/* report_findings.c: findings of the same words are one card. */
size_t report_findings(const struct report *report, enum finding_severity severity); /* cards */
void report_finding_cards(const struct report *report, struct html *html);

/* report_details.c */
void report_appendix(const struct report *report, struct html *html);

#endif
