/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * report_curves.c - curves over a factor whose levels are numbers: the rate and the mean latency of
 * every workload, see report_shapes.h.
 *
 * With one factor all workloads are curves of one panel, on a logarithmic axis, since they are far
 * apart. With more a panel is a workload at one combination of the levels of the factors it does
 * not cover, and its curves are the levels of another one. Directions are taken together. Rates are
 * bytes a second where the factor is the request size, else operations. What is not known is no
 * point, and a curve needs two.
 *
 * Length: the chart, its words and its table are of one gathering.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "engine/plan/quantity.h"
#include "web/report_shapes.h"

#define LEVELS_LEAST 3
#define CURVES_MAX DEFINITION_LEVELS_MAX /* of a panel */
#define NO_FACTOR SIZE_MAX

enum curve_figure { CURVE_RATE, CURVE_LATENCY, CURVE_FIGURES };

struct curve_panel {
	char *title;
	size_t comparison; /* the first of the panel: it has the levels of all other factors */
	size_t charts[CURVE_FIGURES];
};

/* A panel's curves, of which those without two points are left out. */
struct gathered {
	size_t count;
	struct chart_curve curves[CURVES_MAX];
	struct chart_point points[CURVES_MAX][DEFINITION_LEVELS_MAX];
};

struct report_curves {
	size_t x;     /* factor along the axis */
	size_t lines; /* factor whose levels are the curves; NO_FACTOR: the workloads */
	size_t tick_count;
	size_t *levels; /* of x by size */
	double *ticks;	/* ascending */
	const char **labels;
	bool log2, sizes;
	size_t panel_count;
	struct curve_panel *panels;
	struct gathered *gathered; /* what was gathered last */
};

void report_curves_free(struct report_curves *curves)
{
	if (!curves)
		return;
	for (size_t i = 0; i < curves->panel_count; i++)
		free(curves->panels[i].title);
	free(curves->gathered);
	free(curves->panels);
	free(curves->levels);
	free(curves->ticks);
	free(curves->labels);
	free(curves);
}

/* ---- which factor ---- */

static bool level_number(const char *level, double *ret_number)
{
	struct error err;
	uint64_t size;

	if (quantity_parse_size(level, &size, &err) < 0)
		return false;
	*ret_number = (double)size;
	return true;
}

static bool is_numeric(const struct factor *factor)
{
	double number;

	if (factor->kind != FACTOR_OPTION && factor->kind != FACTOR_LABEL)
		return false;
	for (size_t i = 0; i < factor->level_count; i++)
		if (!level_number(factor->levels[i], &number))
			return false;
	return factor->level_count >= LEVELS_LEAST;
}

/* Numbers that crowd at the lower end of their span are shown by doublings. */
static bool grows_by_factors(const double *ticks, size_t count)
{
	double first = ticks[0], last = ticks[count - 1];

	return first > 0 && last / first >= 8 && ticks[count / 2] < first + (last - first) / 3;
}

/* Levels by size: an insertion sort of a few. */
static int fill_ticks(const struct factor *factor, struct report_curves *curves)
{
	size_t count = factor->level_count;

	curves->levels = calloc(count, sizeof(*curves->levels));
	curves->ticks = calloc(count, sizeof(*curves->ticks));
	curves->labels = calloc(count, sizeof(*curves->labels));
	if (!curves->levels || !curves->ticks || !curves->labels)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		double number = 0;
		size_t at = i;

		(void)level_number(factor->levels[i], &number); /* it is one */
		for (; at > 0 && curves->ticks[at - 1] > number; at--) {
			curves->ticks[at] = curves->ticks[at - 1];
			curves->levels[at] = curves->levels[at - 1];
			curves->labels[at] = curves->labels[at - 1];
		}
		curves->ticks[at] = number;
		curves->levels[at] = i;
		curves->labels[at] = factor->levels[i];
	}
	curves->tick_count = count;
	curves->log2 = grows_by_factors(curves->ticks, count);
	curves->sizes = strcmp(factor->name, "bs") == 0;
	return 0;
}

/* ---- figures ---- */

/* The n-th comparison that is not of files; with one factor, a workload. */
static const struct comparison *nth_workload(const struct report *report, size_t n)
{
	const struct analysis *analysis = &report->analysis;

	for (size_t k = 0; k < analysis->comparison_count; k++)
		if (!analysis->comparisons[k].files && n-- == 0)
			return &analysis->comparisons[k];
	return NULL;
}

static const struct cell *cell_at(const struct report *report, const struct comparison *comparison,
				  size_t line, size_t tick)
{
	const struct report_curves *curves = report->curves;
	size_t levels[DEFINITION_FACTORS_MAX];

	if (curves->lines == NO_FACTOR)
		comparison = nth_workload(report, line);
	if (!comparison)
		return NULL;
	memcpy(levels, comparison->levels,
	       report->result->definition.factor_count * sizeof(*levels));
	levels[curves->x] = curves->levels[tick];
	if (curves->lines != NO_FACTOR)
		levels[curves->lines] = line;
	return cells_find(&report->analysis.cells, comparison->workload, levels);
}

static const char *line_label(const struct report *report, size_t line)
{
	const struct definition *definition = &report->result->definition;
	const struct report_curves *curves = report->curves;

	return curves->lines == NO_FACTOR
		       ? definition->workloads[nth_workload(report, line)->workload].name
		       : definition->factors[curves->lines].levels[line];
}

static const struct estimate_interval *rate_of(const struct cell_direction *direction, bool sizes)
{
	return sizes ? &direction->bandwidth : &direction->iops;
}

/* A direction's own figure, with its interval. */
static bool direction_point(const struct cell_direction *direction, enum curve_figure figure,
			    bool sizes, struct chart_point *point)
{
	const struct estimate_interval *known =
		figure == CURVE_RATE ? rate_of(direction, sizes) : &direction->latency_mean_ns;

	if (!direction->present || !known->count)
		return false;
	point->y = known->mean;
	point->low = fmax(known->low, 0);
	point->high = known->high;
	point->interval = known->interval;
	return true;
}

/* All directions together: rates add up, latencies are weighted by them. */
static bool total_point(const struct cell *cell, enum curve_figure figure, bool sizes,
			struct chart_point *point)
{
	double sum = 0, weight = 0;
	size_t present = 0, last = 0;

	for (size_t d = 0; d < DIRECTION_COUNT; d++) {
		const struct cell_direction *direction = &cell->directions[d];

		if (!direction->present)
			continue;
		present++;
		last = d;
		if (figure == CURVE_RATE && !rate_of(direction, sizes)->count)
			return false;
		if (figure == CURVE_LATENCY &&
		    (!direction->iops.count || !direction->latency_mean_ns.count))
			return present == 1 && direction_point(direction, figure, sizes, point);
		sum += figure == CURVE_RATE
			       ? rate_of(direction, sizes)->mean
			       : direction->latency_mean_ns.mean * direction->iops.mean;
		weight += direction->iops.mean;
	}
	if (present == 1)
		return direction_point(&cell->directions[last], figure, sizes, point);
	if (!present || (figure == CURVE_LATENCY && weight <= 0))
		return false;
	point->y = figure == CURVE_RATE ? sum : sum / weight;
	point->interval = false;
	return true;
}

/* ---- a panel ---- */

static size_t gather_points(const struct report *report, const struct comparison *comparison,
			    enum curve_figure figure, size_t line, struct chart_point *points)
{
	const struct report_curves *curves = report->curves;
	size_t count = 0;

	for (size_t i = 0; i < curves->tick_count; i++) {
		const struct cell *cell = cell_at(report, comparison, line, i);
		struct chart_point point = {.x = curves->ticks[i]};

		if (cell && total_point(cell, figure, curves->sizes, &point))
			points[count++] = point;
	}
	return count;
}

/* Levels of the first factor as they are shown, of another as given. */
static size_t shown_line(const struct report *report, size_t line)
{
	return report->curves->lines == 0 ? report->analysis.order[line] : line;
}

static size_t line_count(const struct report *report)
{
	const struct definition *definition = &report->result->definition;
	size_t count = 0;

	if (report->curves->lines != NO_FACTOR)
		return definition->factors[report->curves->lines].level_count;
	while (nth_workload(report, count))
		count++;
	return count;
}

static void gather(const struct report *report, const struct curve_panel *panel,
		   enum curve_figure figure)
{
	const struct comparison *comparison = &report->analysis.comparisons[panel->comparison];
	struct gathered *gathered = report->curves->gathered;
	size_t lines = line_count(report);

	gathered->count = 0;
	for (size_t i = 0; i < lines && i < CURVES_MAX; i++) {
		size_t line = shown_line(report, i);
		struct chart_point *points = gathered->points[gathered->count];
		size_t count = gather_points(report, comparison, figure, line, points);

		if (count >= 2)
			gathered->curves[gathered->count++] =
				(struct chart_curve){.label = line_label(report, line),
						     .rank = i,
						     .count = count,
						     .points = points};
	}
}

static struct number (*format_of(const struct report *report, enum curve_figure figure))(double)
{
	return figure == CURVE_LATENCY ? numbers_time
	       : report->curves->sizes ? numbers_mib
				       : numbers_count;
}

static const char *figure_name(const struct report *report, enum curve_figure figure)
{
	return figure == CURVE_LATENCY ? "mean latency" : report->curves->sizes ? "MiB/s" : "IOPS";
}

static int add_chart(struct report *report, const struct curve_panel *panel,
		     enum curve_figure figure, size_t *ret_index)
{
	const struct report_curves *curves = report->curves;
	struct chart_curves chart = {.title = panel->title,
				     .axis = report->result->definition.factors[curves->x].name,
				     .tick_count = curves->tick_count,
				     .ticks = curves->ticks,
				     .tick_labels = curves->labels,
				     .x_log2 = curves->log2,
				     .y_log = figure == CURVE_LATENCY || curves->lines == NO_FACTOR,
				     .ranks = line_count(report),
				     .format = format_of(report, figure)};

	gather(report, panel, figure);
	chart.count = curves->gathered->count;
	chart.curves = curves->gathered->curves;
	return chart.count ? chart_add_curves(report->charts, &chart, ret_index) : 0;
}

/* ---- all panels ---- */

/* A panel begins at the comparison whose levels of the two factors that it covers are the first. */
static bool begins_panel(const struct report *report, const struct comparison *comparison)
{
	const struct report_curves *curves = report->curves;

	if (curves->lines == NO_FACTOR)
		return comparison == nth_workload(report, 0);
	return !comparison->files && comparison->levels[curves->x] == 0 &&
	       comparison->levels[curves->lines] == 0;
}

/* "Exchange", "Exchange, compression=off": the factors that a panel does not cover */
static char *panel_title(const struct report *report, const struct comparison *comparison)
{
	const struct definition *definition = &report->result->definition;
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		return NULL;
	(void)fputs(report->curves->lines == NO_FACTOR && definition->workload_count > 1
			    ? "All workloads"
			    : definition->workloads[comparison->workload].name,
		    file);
	for (size_t f = 0; f < definition->factor_count; f++)
		if (f != report->curves->x && f != report->curves->lines)
			(void)fprintf(file, ", %s=%s", definition->factors[f].name,
				      definition->factors[f].levels[comparison->levels[f]]);
	if (fclose(file) != 0) {
		free(text);
		return NULL;
	}
	return text;
}

static int add_panel(struct report *report, size_t k)
{
	struct report_curves *curves = report->curves;
	struct curve_panel *panel = &curves->panels[curves->panel_count];
	int r = 0;

	*panel =
		(struct curve_panel){.title = panel_title(report, &report->analysis.comparisons[k]),
				     .comparison = k,
				     .charts = {CHART_NONE, CHART_NONE}};
	if (!panel->title)
		return -ENOMEM;
	curves->panel_count++;
	for (int figure = 0; figure < CURVE_FIGURES && r == 0; figure++)
		/* of request sizes the rates stand side by side instead (report_sizes.c) */
		if (figure != CURVE_RATE || !report_has_sizes(report))
			r = add_chart(report, panel, (enum curve_figure)figure,
				      &panel->charts[figure]);
	return r;
}

static int fill_panels(struct report *report)
{
	const struct analysis *analysis = &report->analysis;
	struct report_curves *curves = report->curves;
	int r = 0;

	curves->panels = calloc(PANELS_MAX, sizeof(*curves->panels));
	curves->gathered = calloc(1, sizeof(*curves->gathered));
	if (!curves->panels || !curves->gathered)
		return -ENOMEM;
	for (size_t k = 0; k < analysis->comparison_count && r == 0; k++)
		if (curves->panel_count < PANELS_MAX &&
		    begins_panel(report, &analysis->comparisons[k]))
			r = add_panel(report, k);
	return r;
}

int report_plan_curves(struct report *report)
{
	const struct definition *definition = &report->result->definition;
	size_t x = 0;
	int r;

	while (x < definition->factor_count && !is_numeric(&definition->factors[x]))
		x++;
	if (x == definition->factor_count || !report->data || report->index)
		return 0;
	report->curves = calloc(1, sizeof(*report->curves));
	if (!report->curves)
		return -ENOMEM;
	report->curves->x = x;
	report->curves->lines = definition->factor_count == 1 ? NO_FACTOR : x == 0 ? 1 : 0;
	r = fill_ticks(&definition->factors[x], report->curves);
	return r < 0 ? r : fill_panels(report);
}

/* ---- on the page ---- */

bool report_has_curves(const struct report *report)
{
	for (size_t i = 0; report->curves && i < report->curves->panel_count; i++)
		for (int figure = 0; figure < CURVE_FIGURES; figure++)
			if (report->curves->panels[i].charts[figure] != CHART_NONE)
				return true;
	return false;
}

const char *report_curves_axis(const struct report *report)
{
	return report->result->definition.factors[report->curves->x].name;
}

/* "IOPS of Exchange by iodepth; 64K: 1 5.2k, 2 9.8k; 128K: ..." */
static char *alternative_of(const struct report *report, const struct curve_panel *panel,
			    enum curve_figure figure)
{
	const struct gathered *gathered = report->curves->gathered;
	struct number (*format)(double) = format_of(report, figure);
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		return NULL;
	(void)fprintf(file, "%s of %s by %s", figure_name(report, figure), panel->title,
		      report_curves_axis(report));
	for (size_t i = 0; i < gathered->count; i++) {
		const struct chart_curve *curve = &gathered->curves[i];

		(void)fprintf(file, "; %s: from %s at %s", curve->label,
			      format(curve->points[0].y).text,
			      numbers_count(curve->points[0].x).text);
		(void)fprintf(file, " to %s at %s", format(curve->points[curve->count - 1].y).text,
			      numbers_count(curve->points[curve->count - 1].x).text);
	}
	(void)fputc('.', file);
	if (fclose(file) != 0) {
		free(text);
		return NULL;
	}
	return text;
}

static void show_panel(const struct report *report, const struct curve_panel *panel,
		       enum curve_figure figure, struct html *html)
{
	AUTO_FREE char *alternative = NULL;

	if (panel->charts[figure] == CHART_NONE)
		return;
	gather(report, panel, figure);
	alternative = alternative_of(report, panel, figure);
	report_panel(report, panel->charts[figure], panel->title, figure_name(report, figure),
		     alternative ? alternative : "", html);
}

static void table_row(const struct report *report, const struct curve_panel *panel,
		      enum curve_figure figure, const struct chart_curve *curve, struct html *html)
{
	const struct report_curves *curves = report->curves;
	struct number (*format)(double) = format_of(report, figure);
	size_t k = 0;

	html_raw(html, "<tr>");
	html_open(html, "th", "scope", "row", NULL);
	html_name(html, curves->lines == NO_FACTOR ? curve->label : panel->title);
	if (curves->lines != NO_FACTOR)
		html_element(html, "span", curve->label, "class", "direction", NULL);
	html_close(html, "th");
	for (size_t i = 0; i < curves->tick_count; i++) {
		if (k < curve->count && curve->points[k].x == curves->ticks[i])
			html_element(html, "td", format(curve->points[k++].y).text, "class",
				     "number", NULL);
		else
			html_element(html, "td", NUMBERS_UNKNOWN, "class", "number", "title",
				     "not known", NULL);
	}
	html_raw(html, "</tr>");
}

static void show_table(const struct report *report, enum curve_figure figure, struct html *html)
{
	const struct report_curves *curves = report->curves;
	char title[DEFINITION_NAME_MAX + 40];

	(void)snprintf(title, sizeof(title), "Table: %s by %s", figure_name(report, figure),
		       report_curves_axis(report));
	report_table_fold(report, title, html);
	html_raw(html, "<div class=\"scroll\"><table class=\"stack\"><thead><tr>");
	html_element(html, "th", "Workload", "scope", "col", NULL);
	for (size_t i = 0; i < curves->tick_count; i++)
		html_element(html, "th", curves->labels[i], "scope", "col", "class", "number",
			     NULL);
	html_raw(html, "</tr></thead><tbody>");
	for (size_t i = 0; i < curves->panel_count; i++) {
		const struct curve_panel *panel = &curves->panels[i];

		if (panel->charts[figure] == CHART_NONE)
			continue;
		gather(report, panel, figure);
		for (size_t k = 0; k < curves->gathered->count; k++)
			table_row(report, panel, figure, &curves->gathered->curves[k], html);
	}
	html_raw(html, "</tbody></table></div>");
	html_close(html, "details");
}

static bool any_chart(const struct report_curves *curves, enum curve_figure figure)
{
	for (size_t i = 0; i < curves->panel_count; i++)
		if (curves->panels[i].charts[figure] != CHART_NONE)
			return true;
	return false;
}

/* Both figures of a panel stand side by side. */
void report_curves(const struct report *report, struct html *html)
{
	const struct report_curves *curves = report->curves;

	html_open(html, "div", "class", any_chart(curves, CURVE_RATE) ? "panels two" : "panels",
		  NULL);
	for (size_t i = 0; i < curves->panel_count; i++)
		for (int figure = 0; figure < CURVE_FIGURES; figure++)
			show_panel(report, &curves->panels[i], (enum curve_figure)figure, html);
	html_close(html, "div");
	for (int figure = 0; figure < CURVE_FIGURES; figure++)
		if (any_chart(curves, (enum curve_figure)figure))
			show_table(report, (enum curve_figure)figure, html);
}
