/* SPDX-License-Identifier: GPL-3.0-or-later */
/* analysis.c - see analysis.h. */
#include "server/codec/analysis.h"

#include <math.h>
#include <string.h>

#include "engine/plan/file_phases.h"
#include "server/codec/analysis_text.h"
#include "server/codec/fields.h"
#include "server/codec/json.h"
#include "server/codec/plan.h"

static const char *const units[MEASURE_COUNT] = {"operations/s", "bytes/s", "ns", "files/s"};

/* 0 and what is not finite stand for what is not known. */
static int put_known(json_t *object, const char *name, double value)
{
	return value > 0 && isfinite(value) ? put_real(object, name, value) : 0;
}

static int put_level(json_t *object, const char *name, const struct analysis *analysis,
		     size_t level)
{
	return put_text(object, name, analysis_level(analysis, level));
}

/* ---- comparisons ---- */

/* Figures of which only the changes in percent are known have no unit of their own. */
static const char *unit_of(const struct analysis *analysis, const struct comparison *comparison)
{
	for (size_t i = 0; comparison->cells && i < analysis->level_count; i++) {
		const struct cell *cell = comparison->cells[i];

		for (size_t n = 0; cell && n < cell->sample_count; n++)
			if (cell->samples[n]->source && cell->samples[n]->source->index)
				return "index";
	}
	return units[comparison->measure];
}

static json_t *encode_levels(const struct analysis *analysis, const struct comparison *comparison)
{
	const struct definition *definition = &analysis->result->definition;
	json_t *levels = json_object();
	int failed = 0;

	for (size_t f = 1; f < definition->factor_count; f++)
		failed |= put_text(levels, definition->factors[f].name,
				   definition->factors[f].levels[comparison->levels[f]]);
	return put_end(levels, failed);
}

static json_t *encode_phase(const struct comparison *comparison)
{
	json_t *phase = json_object();
	int failed = put_text(phase, "operation", file_operation_names[comparison->operation]);

	failed |= put_text(phase, "order", workload_file_order_choices[comparison->order]);
	return put_end(phase, failed);
}

static json_t *encode_figure(const struct analysis *analysis, const struct comparison *comparison,
			     size_t level)
{
	const struct comparison_level *figure = &comparison->figures[level];
	const struct estimate_interval *value = &figure->value;
	json_t *object = json_object();
	int failed = put_level(object, "level", analysis, level);

	failed |= put_u64(object, "samples", figure->samples);
	if (figure->samples == 0)
		return put_end(object, failed);
	failed |= put_real(object, "mean", value->mean);
	if (value->interval) {
		failed |= put_real(object, "low", value->low);
		failed |= put_real(object, "high", value->high);
	}
	if (figure->told_low < figure->told_high) {
		failed |= put_real(object, "told_low", figure->told_low);
		failed |= put_real(object, "told_high", figure->told_high);
	}
	failed |= put_known(object, "to_best", figure->to_best);
	failed |= put_bool(object, "in_set", figure->in_set);
	return put_end(object, failed);
}

static json_t *encode_contrast(const struct analysis *analysis, const struct contrast *contrast)
{
	json_t *object = json_object();
	int failed = put_level(object, "a", analysis, contrast->a);

	failed |= put_level(object, "b", analysis, contrast->b);
	failed |= put_u64(object, "blocks", contrast->blocks);
	failed |= put_text(object, "verdict", verdict_names[contrast->verdict]);
	failed |= put_known(object, "ratio", contrast->ratio);
	if (!contrast->interval)
		return put_end(object, failed);
	failed |= put_real(object, "low", contrast->low);
	failed |= put_real(object, "high", contrast->high);
	failed |= put_real(object, "p", contrast->p);
	failed |= put_real(object, "p_holm", contrast->p_holm);
	failed |= put_real(object, "degrees", contrast->degrees);
	failed |= put_bool(object, "paired", contrast->paired);
	failed |= put_known(object, "detectable", contrast->detectable);
	return put_end(object, failed);
}

/* The highest a direction; several where rounding leaves it open. */
static json_t *encode_bests(const struct analysis *analysis, const struct comparison *comparison)
{
	json_t *bests = json_object();
	int failed = 0;

	for (int d = 0; d < DIRECTION_COUNT; d++) {
		const struct direction_best *best = &comparison->bests[d];
		json_t *list;

		if (!best->known)
			continue;
		list = json_array();
		for (size_t i = 0; i < best->count; i++)
			failed |= append_text(list, analysis_level(analysis, best->levels[i]));
		failed |= put_value(bests, direction_names[d], list);
	}
	return put_end(bests, failed);
}

static json_t *encode_comparison(const struct analysis *analysis,
				 const struct comparison *comparison)
{
	const struct definition *definition = &analysis->result->definition;
	json_t *object = json_object(), *figures = json_array(), *contrasts = json_array();
	char title[ANALYSIS_TITLE_MAX];
	int failed = put_text(object, "title", analysis_title(analysis, comparison, title));

	failed |= put_text(object, "workload", definition->workloads[comparison->workload].name);
	failed |= put_value(object, "levels", encode_levels(analysis, comparison));
	if (comparison->files)
		failed |= put_value(object, "phase", encode_phase(comparison));
	failed |= put_text(object, "measure", measure_names[comparison->measure]);
	failed |= put_text(object, "unit", unit_of(analysis, comparison));
	failed |= put_real(object, "weight", comparison->weight);
	failed |= put_u64(object, "blocks", comparison->blocks);
	if (comparison->measured > 0)
		failed |= put_level(object, "best", analysis, comparison->best);
	failed |= put_known(object, "residual", comparison->residual);
	failed |= put_known(object, "degrees", comparison->degrees);
	failed |= put_known(object, "drift", comparison->drift);
	for (size_t i = 0; i < analysis->level_count; i++)
		failed |= json_array_append_new(
			figures, encode_figure(analysis, comparison, analysis->order[i]));
	failed |= put_value(object, "figures", figures);
	for (size_t i = 0; i < comparison->contrast_count; i++)
		failed |= json_array_append_new(
			contrasts, encode_contrast(analysis, &comparison->contrasts[i]));
	failed |= put_value(object, "contrasts", contrasts);
	failed |= put_value(object, "highest", encode_bests(analysis, comparison));
	return put_end(object, failed);
}

/* ---- recommendation ---- */

static json_t *encode_extreme(double ratio, size_t comparison)
{
	json_t *object = json_object();
	int failed = put_real(object, "ratio", ratio);

	failed |= put_u64(object, "comparison", comparison);
	return put_end(object, failed);
}

static json_t *encode_scored(const struct analysis *analysis, size_t index)
{
	const struct recommended_level *level = &analysis->recommendation.levels[index];
	json_t *object = json_object();
	int failed = put_level(object, "level", analysis, index);

	failed |= put_bool(object, "complete", level->complete);
	failed |= put_known(object, "write_amplification", level->write_amplification);
	failed |= put_known(object, "space", level->space);
	if (!level->complete)
		return put_end(object, failed);
	failed |= put_bool(object, "in_set", level->in_set);
	failed |= put_real(object, "score", level->score);
	failed |= put_real(object, "to_leader", level->to_leader);
	failed |= put_real(object, "lead", level->lead);
	failed |= put_value(object, "worst", encode_extreme(level->worst, level->worst_comparison));
	if (level->interval) {
		failed |= put_real(object, "low", level->low);
		failed |= put_real(object, "high", level->high);
		failed |= put_real(object, "lead_low", level->lead_low);
		failed |= put_real(object, "lead_high", level->lead_high);
		failed |= put_real(object, "p_holm", level->p_holm);
	}
	return put_end(object, failed);
}

static json_t *encode_trade_off(const struct analysis *analysis, const struct trade_off *step)
{
	json_t *object = json_object();
	int failed = put_level(object, "from", analysis, step->from);

	failed |= put_level(object, "to", analysis, step->to);
	failed |= put_known(object, "ratio", step->ratio);
	failed |= put_u64(object, "better", step->better);
	failed |= put_u64(object, "worse", step->worse);
	failed |= put_u64(object, "open", step->open);
	if (step->most_won > 0)
		failed |= put_value(object, "most_won", encode_extreme(step->most_won, step->won));
	if (step->most_lost > 0)
		failed |=
			put_value(object, "most_lost", encode_extreme(step->most_lost, step->lost));
	return put_end(object, failed);
}

/* What is about a leader. */
static int put_leader(const struct analysis *analysis, json_t *object)
{
	const struct recommendation *recommendation = &analysis->recommendation;
	json_t *set = json_array();
	int failed = put_level(object, "leader", analysis, recommendation->leader);

	for (size_t i = 0; i < recommendation->set_count; i++)
		failed |= append_text(set, analysis_level(analysis, recommendation->set[i]));
	failed |= put_value(object, "set", set);
	failed |= put_u64(object, "blocks", recommendation->blocks);
	failed |= put_known(object, "spread", recommendation->spread);
	failed |= put_bool(object, "spread_assumed", recommendation->spread_assumed);
	if (recommendation->next != recommendation->leader)
		failed |= put_level(object, "next", analysis, recommendation->next);
	if (recommendation->repeats_needed > 0)
		failed |= put_u64(object, "repeats_needed", recommendation->repeats_needed);
	return failed;
}

static json_t *encode_recommendation(const struct analysis *analysis)
{
	const struct recommendation *recommendation = &analysis->recommendation;
	json_t *object = json_object(), *levels = json_array(), *steps = json_array();
	int failed = put_text(object, "kind", recommendation_kind_names[recommendation->kind]);

	if (recommendation->kind != RECOMMENDATION_NONE)
		failed |= put_leader(analysis, object);
	for (size_t i = 0; i < recommendation->level_count; i++)
		failed |=
			json_array_append_new(levels, encode_scored(analysis, analysis->order[i]));
	failed |= put_value(object, "levels", levels);
	for (size_t i = 0; i < recommendation->trade_off_count; i++)
		failed |= json_array_append_new(
			steps, encode_trade_off(analysis, &recommendation->trade_offs[i]));
	failed |= put_value(object, "trade_offs", steps);
	return put_end(object, failed);
}

/* ---- the whole ---- */

static json_t *encode_statements(const struct analysis *analysis)
{
	json_t *list = json_array();
	int failed = 0;

	for (size_t i = 0; i < analysis->statement_count; i++) {
		json_t *object = json_object();
		int bad = put_text(object, "code", analysis->statements[i].code);

		bad |= put_text(object, "text", analysis->statements[i].text);
		failed |= json_array_append_new(list, put_end(object, bad));
	}
	return put_end(list, failed);
}

/* Those of several samples first, then each sample's own. */
static json_t *encode_findings(const struct analysis *analysis)
{
	json_t *list = findings_encode(&analysis->findings);
	int failed = list ? 0 : -1;

	for (size_t i = 0; i < analysis->result->sample_count; i++) {
		json_t *own = findings_encode(&analysis->result->samples[i].findings);

		failed |= own ? json_array_extend(list, own) : -1;
		json_decref(own);
	}
	return put_end(list, failed);
}

static json_t *encode_axis(const struct analysis *analysis)
{
	json_t *list = json_array();
	int failed = 0;

	for (size_t i = 0; analysis->axis[0] && i < analysis->level_count; i++)
		failed |= append_text(list, analysis_level(analysis, analysis->order[i]));
	return put_end(list, failed);
}

json_t *analysis_encode(const struct analysis *analysis)
{
	const struct result *result = analysis->result;
	json_t *object = json_object(), *comparisons = json_array();
	int failed = put_text(object, "schema", ANALYSIS_SCHEMA);

	failed |= put_text(object, "run", result->id);
	failed |= put_text(object, "name", result->definition.name);
	failed |= put_text(object, "state", run_state_names[result->state]);
	if (analysis->axis[0])
		failed |= put_text(object, "factor", analysis->axis);
	failed |= put_value(object, "levels", encode_axis(analysis));
	failed |= put_value(object, "statements", encode_statements(analysis));
	failed |= put_value(object, "recommendation", encode_recommendation(analysis));
	for (size_t i = 0; i < analysis->comparison_count; i++)
		failed |= json_array_append_new(
			comparisons, encode_comparison(analysis, &analysis->comparisons[i]));
	failed |= put_value(object, "comparisons", comparisons);
	failed |= put_value(object, "findings", encode_findings(analysis));
	return put_end(object, failed);
}

char *analysis_text(const struct result *result, struct error *err)
{
	struct analysis analysis;
	json_t *value;
	char *text;

	if (analysis_make(result, &analysis) < 0) {
		(void)error_no_memory(err);
		return NULL;
	}
	value = analysis_encode(&analysis);
	analysis_done(&analysis);
	text = json_write(value);
	json_decref(value);
	if (!text)
		(void)error_no_memory(err);
	return text;
}
