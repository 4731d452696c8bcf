/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run_comparison.c - see run_comparison.h. */
#include "server/codec/run_comparison.h"

#include <string.h>

#include "server/codec/fields.h"
#include "server/codec/json.h"

static const char *const units[RUN_FIGURE_COUNT] = {"operations/s", "bytes/s", "ns", "ns",
						    "files/s"};

/* ---- runs and what differs ---- */

static json_t *encode_run(const struct result *run)
{
	json_t *object = json_object();
	int failed = put_text(object, "id", run->id);

	failed |= put_text(object, "name", run->definition.name);
	failed |= put_text(object, "state", run_state_names[run->state]);
	if (run->created_wall_ms > 0)
		failed |= put_time(object, "created", run->created_wall_ms);
	if (run->started_wall_ms > 0)
		failed |= put_time(object, "started", run->started_wall_ms);
	failed |= put_u64(object, "samples", run->sample_count);
	failed |= put_bool(object, "imported", run->definition.imported);
	return put_end(object, failed);
}

static json_t *encode_difference(const struct run_difference *difference, size_t runs)
{
	json_t *object = json_object(), *values = json_array();
	int failed = put_text(object, "kind", run_difference_kind_names[difference->kind]);

	failed |= put_text(object, "name", difference->name);
	failed |= put_text_if(object, "workload", difference->workload);
	for (size_t i = 0; i < runs; i++)
		failed |= difference->values[i] ? append_text(values, difference->values[i])
						: json_array_append_new(values, json_null());
	failed |= put_value(object, "values", values);
	failed |= put_bool(object, "unfair", difference->unfair);
	failed |= put_text_if(object, "why", difference->why);
	return put_end(object, failed);
}

/* ---- figures ---- */

static json_t *encode_side(const struct run_side *side)
{
	json_t *object = json_object();
	int failed = put_u64(object, "samples", side->count);

	if (side->count == 0)
		return put_end(object, failed);
	failed |= put_real(object, "mean", side->mean);
	if (side->told_low < side->told_high) {
		failed |= put_real(object, "told_low", side->told_low);
		failed |= put_real(object, "told_high", side->told_high);
	}
	return put_end(object, failed);
}

static json_t *encode_ratio(const struct run_ratio *ratio)
{
	json_t *object = json_object();
	int failed = put_text(object, "figure", run_figure_names[ratio->figure]);

	if (ratio->direction < DIRECTION_COUNT)
		failed |= put_text(object, "direction", direction_names[ratio->direction]);
	failed |= put_text(object, "unit", units[ratio->figure]);
	failed |= put_value(object, "baseline", encode_side(&ratio->baseline));
	failed |= put_value(object, "other", encode_side(&ratio->other));
	if (ratio->welch.ratio > 0)
		failed |= put_real(object, "ratio", ratio->welch.ratio);
	if (ratio->welch.interval) {
		failed |= put_real(object, "low", ratio->welch.low);
		failed |= put_real(object, "high", ratio->welch.high);
		failed |= put_real(object, "degrees", ratio->welch.degrees);
		failed |= put_real(object, "p", ratio->welch.p);
	}
	failed |= put_bool(object, "judged", ratio->judged);
	if (ratio->judged && ratio->welch.interval)
		failed |= put_real(object, "p_holm", ratio->p_holm);
	if (ratio->judged)
		failed |= put_text(object, "verdict", run_verdict_names[ratio->verdict]);
	return put_end(object, failed);
}

static json_t *encode_levels(const struct cells *cells, const struct cell *cell)
{
	const struct definition *definition = &cells->result->definition;
	json_t *levels = json_object();
	int failed = 0;

	for (size_t i = 0; i < definition->factor_count; i++)
		failed |= put_text(levels, definition->factors[i].name,
				   definition->factors[i].levels[cell->levels[i]]);
	return put_end(levels, failed);
}

static json_t *encode_pair(const struct run_comparison *comparison, const struct run_pair *pair)
{
	json_t *object = json_object(), *figures = json_array();
	char title[RUN_PAIR_TITLE_MAX];
	int failed = put_u64(object, "run", pair->run);

	failed |= put_text(object, "title", run_pair_title(pair, title));
	failed |= put_text(object, "workload", pair->workload);
	failed |= put_value(object, "levels", encode_levels(&comparison->cells[0], pair->cells[0]));
	for (size_t i = 0; i < pair->ratio_count; i++)
		failed |= json_array_append_new(figures, encode_ratio(&pair->ratios[i]));
	failed |= put_value(object, "figures", figures);
	return put_end(object, failed);
}

static json_t *encode_alone(const struct run_alone *alone)
{
	json_t *object = json_object();
	int failed = put_u64(object, "run", alone->run);

	failed |= put_text(object, "missing_in", alone->baseline ? "other" : "baseline");
	failed |= put_text(object, "workload", alone->workload);
	failed |= put_text(object, "levels", alone->levels);
	return put_end(object, failed);
}

static json_t *encode_summary(const struct run_comparison *comparison)
{
	json_t *object = json_object();
	int failed = put_u64(object, "pairs", comparison->pair_count);

	failed |= put_u64(object, "judged", comparison->judged);
	failed |= put_u64(object, "better", comparison->better);
	failed |= put_u64(object, "worse", comparison->worse);
	failed |= put_u64(object, "no_difference", comparison->open);
	failed |= put_u64(object, "unjudged", comparison->unjudged);
	failed |= put_u64(object, "unmatched", comparison->alone_count);
	failed |= put_u64(object, "unfair", run_comparison_unfair(comparison));
	return put_end(object, failed);
}

/* ---- limits ---- */

static json_t *encode_limit(const struct run_judgement *judgement, int limit)
{
	json_t *object = json_object();
	int failed = put_text(object, "name", run_limit_names[limit]);
	double value = judgement->limits.values[limit];

	/* put_real() takes amounts alone */
	failed |= put_value(object, "value", json_real(value));
	failed |= put_text(object, "outcome",
			   judgement->results[limit].fail	? "fail"
			   : judgement->results[limit].open > 0 ? "open"
								: "pass");
	failed |= put_u64(object, "held", judgement->results[limit].held);
	failed |= put_u64(object, "open", judgement->results[limit].open);
	failed |= put_u64(object, "failed", judgement->results[limit].failed);
	return put_end(object, failed);
}

static json_t *encode_breach(const struct run_breach *breach)
{
	json_t *object = json_object();
	int failed = put_text(object, "limit", run_limit_names[breach->limit]);

	failed |= put_text(object, "outcome", breach->fail ? "fail" : "open");
	failed |= put_text(object, "held_against", breach->interval ? "interval" : "ratio");
	failed |= put_u64(object, "pair", breach->pair);
	failed |= put_u64(object, "figure", breach->ratio);
	return put_end(object, failed);
}

static int put_judgement(json_t *object, const struct run_judgement *judgement)
{
	json_t *limits = json_array(), *breaches = json_array();
	int failed = put_text(object, "outcome", judgement->fail ? "fail" : "pass");

	for (int i = 0; i < RUN_LIMIT_COUNT; i++)
		if (judgement->limits.set[i])
			failed |= json_array_append_new(limits, encode_limit(judgement, i));
	for (size_t i = 0; i < judgement->breach_count; i++)
		failed |= json_array_append_new(breaches, encode_breach(&judgement->breaches[i]));
	failed |= put_value(object, "limits", limits);
	failed |= put_value(object, "breaches", breaches);
	return failed;
}

/* ---- the whole ---- */

static json_t *encode(const struct run_comparison *comparison,
		      const struct run_judgement *judgement)
{
	json_t *object = json_object(), *runs = json_array(), *differences = json_array();
	json_t *pairs = json_array(), *alone = json_array();
	int failed = put_text(object, "schema", RUN_COMPARISON_SCHEMA);

	for (size_t i = 0; i < comparison->run_count; i++)
		failed |= json_array_append_new(runs, encode_run(comparison->runs[i]));
	failed |= put_value(object, "runs", runs);
	for (size_t i = 0; i < comparison->difference_count; i++)
		failed |= json_array_append_new(
			differences,
			encode_difference(&comparison->differences[i], comparison->run_count));
	failed |= put_value(object, "differences", differences);
	failed |= put_value(object, "summary", encode_summary(comparison));
	if (judgement)
		failed |= put_judgement(object, judgement);
	for (size_t i = 0; i < comparison->pair_count; i++)
		failed |= json_array_append_new(pairs,
						encode_pair(comparison, &comparison->pairs[i]));
	failed |= put_value(object, "pairs", pairs);
	for (size_t i = 0; i < comparison->alone_count; i++)
		failed |= json_array_append_new(alone, encode_alone(&comparison->alone[i]));
	failed |= put_value(object, "unmatched", alone);
	return put_end(object, failed);
}

char *run_comparison_text(const struct run_comparison *comparison,
			  const struct run_judgement *judgement)
{
	json_t *value = encode(comparison, judgement);
	char *text = json_write(value);

	json_decref(value);
	return text;
}

int run_limits_read(const char *text, size_t size, struct run_limits *limits, struct error *err)
{
	const char *name;
	json_t *value, *member;
	int r = json_read(text, size, &value, err);

	if (r < 0)
		return r;
	if (!json_is_object(value))
		r = error_set(err, ERROR_WRONG_TYPE, "",
			      "limits are an object, such as {\"iops_percent\": -5}");
	json_object_foreach (value, name, member) {
		char pointer[ERROR_FIELD_MAX];

		if (r < 0)
			break;
		json_pointer_member(pointer, sizeof(pointer), "", name);
		if (!json_is_number(member))
			r = error_set(err, ERROR_WRONG_TYPE, pointer, "a limit is a number");
		else
			r = run_limits_set(limits, name, json_number_value(member), err);
		if (r < 0 && err)
			(void)snprintf(err->field, sizeof(err->field), "%s", pointer);
	}
	json_decref(value);
	return r;
}
