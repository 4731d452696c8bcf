/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * report_parts.h - what the sections of a report share; internal to web/report*.c.
 *
 * A comparison is what a reader compares: one workload at one combination of the levels of all
 * factors but the first, over the levels of the first. Without factors a comparison has one level.
 * Of a metadata workload each phase is a comparison of its own, by operations a second.
 *
 * A level is "strong" where these samples do not show it below the highest: its 95 % interval
 * reaches the highest one's. With single samples only the highest figure itself is. One level
 * "stands clear" where it is the only strong one and every level has an interval. None of this is
 * a test of differences; the words used for it are those of the intervals.
 */
#ifndef WEB_REPORT_PARTS_H
#define WEB_REPORT_PARTS_H

#include "engine/analysis/cells.h"
#include "engine/result.h"
#include "web/chart.h"
#include "web/html.h"

enum metric { METRIC_IOPS, METRIC_BANDWIDTH, METRIC_COUNT };

struct report_cell {
	const struct cell *cell;		      /* NULL: there is none */
	struct estimate_interval total[METRIC_COUNT]; /* reads and writes together */
	bool strong[METRIC_COUNT];
};

struct comparison {
	size_t workload;
	bool files; /* a phase of a metadata workload: this operation, in this order */
	int operation, order;
	const char *name;	   /* the workload's, borrowed */
	char *others;		   /* "iodepth=16, target=zvol"; "" with one factor or none */
	struct report_cell *cells; /* one a level */
	bool present[DIRECTION_COUNT];
	size_t measured;	      /* levels with samples */
	size_t fewest, most;	      /* samples a measured level */
	size_t highest[METRIC_COUNT]; /* level; only where measured */
	bool clear[METRIC_COUNT];
};

/* Charts of one comparison; CHART_NONE where there is none. */
#define CHART_NONE SIZE_MAX

struct panel {
	size_t bars[METRIC_COUNT];
	size_t latency[DIRECTION_COUNT]; /* of files the first */
	size_t series;
};

#define PANELS_MAX 60	  /* comparisons drawn; tables have all */
#define ZFS_PANELS_MAX 20 /* the same of a figure of OpenZFS */
#define ZFS_CHARTS 2	  /* figures of it that are drawn (report_zfs.h) */

struct report {
	const struct result *result;
	struct cells cells;
	const char *axis;   /* first factor's name; "" without factors */
	size_t level_count; /* of the first factor; 1 without */
	size_t *order;	    /* its levels as shown: by size where all are sizes */
	size_t recommended; /* of them the one TrueNAS recommends; level_count: none */
	bool sizes_vary;    /* the request size is a factor: IOPS and bytes rank differently */
	size_t comparison_count;
	struct comparison *comparisons;
	struct chart_set *charts;
	size_t panel_count;
	struct panel panels[PANELS_MAX]; /* of the first comparisons */
	struct panel whole;		 /* without factors: bars over the workloads */
	size_t whole_files;		 /* there: bars over the phases of files */
	bool data, files, zfs;		 /* whether anything of the kind was measured */
	size_t zfs_charts[ZFS_CHARTS][ZFS_PANELS_MAX]; /* by place in the list of its panels */
};

/* report_view.c: gathers; the caller frees with report_done in any case. */
MUST_CHECK int report_gather(const struct result *result, struct report *report);
void report_done(struct report *report);
const char *report_level(const struct report *report, size_t level); /* "" without factors */

/* What stands below a chart's bars: the axis, and what an underlined level is. */
#define REPORT_AXIS_MAX (DEFINITION_NAME_MAX + 32)
const char *report_axis(const struct report *report, char buffer[REPORT_AXIS_MAX]);

/* Latencies of a comparison at a level: of a direction, or of files. NULL: none. */
const struct histogram *report_histogram(const struct comparison *comparison, size_t level,
					 int direction);

/* "read", or "sequential create": what a row of a comparison is of. */
#define REPORT_KIND_MAX 32
const char *report_kind(const struct comparison *comparison, int direction,
			char buffer[REPORT_KIND_MAX]);

/* "Exchange" or "Exchange, iodepth=16"; of files "Mail, sequential create, iodepth=16"; valid until
 * the buffer changes. */
#define REPORT_TITLE_MAX 400
const char *report_title(const struct comparison *comparison, char buffer[REPORT_TITLE_MAX]);

/* report_words.c */
void report_banner(const struct report *report, struct html *html);
void report_headline(const struct report *report, struct html *html);
void report_facts(const struct report *report, struct html *html);
void report_summary(const struct report *report, struct html *html);
void report_fact(struct html *html, const char *name, const char *value); /* a row of a dl */
/* "64K stands clear", "32K, 64K not told apart", "highest: 64K"; "" with one level. */
#define REPORT_VERDICT_MAX 400
const char *report_verdict(const struct report *report, const struct comparison *comparison,
			   enum metric metric, char buffer[REPORT_VERDICT_MAX]);

/* report_charts.c: adds all charts to report->charts and has them drawn; writes their files. */
MUST_CHECK int report_plan_charts(struct report *report);
MUST_CHECK int report_write_charts(const struct report *report, int dirfd);
#define REPORT_CHART_NAME_MAX 40
const char *report_chart_name(size_t index, enum chart_theme theme,
			      char buffer[REPORT_CHART_NAME_MAX]);

/* report_panels.c; a folded table is closed by html_close(html, "details"). */
void report_panel(const struct report *report, size_t chart, const char *title, const char *note,
		  const char *alternative, struct html *html);
void report_table_fold(const struct report *report, const char *title, struct html *html);
void report_bars(const struct report *report, enum metric metric, struct html *html);
void report_latency(const struct report *report, struct html *html);
void report_series(const struct report *report, struct html *html);

void report_file_bars(const struct report *report, struct html *html);

/* report_tables.c */
void report_level_head(const struct report *report, struct html *html);
void report_files_table(const struct report *report, struct html *html);
void report_cells_table(const struct report *report, struct html *html);
void report_bars_table(const struct report *report, enum metric metric, struct html *html);
void report_latency_table(const struct report *report, struct html *html);

/* Whether any latency from the intended start is there: report_latency_table() then tells both. */
bool report_has_intended(const struct report *report);
void report_series_table(const struct report *report, struct html *html);

/* report_findings.c: findings of the same words are one card. */
size_t report_findings(const struct report *report, enum finding_severity severity); /* cards */
void report_finding_cards(const struct report *report, struct html *html);

/* report_details.c */
void report_appendix(const struct report *report, struct html *html);

#endif
