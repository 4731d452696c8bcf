/* SPDX-License-Identifier: GPL-3.0-or-later */
/* source.c (codec) - see source.h. */
#include "server/codec/source.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TOLD_PERCENTILES_MAX 100

/* ---- figures ---- */

int put_told(json_t *object, const char *name, const struct told_figure *figure)
{
	json_t *value;
	int failed = 0;

	if (!figure->known)
		return 0;
	value = json_object();
	failed |= put_real(value, "value", figure->value);
	failed |= put_real(value, "low", figure->low);
	failed |= put_real(value, "high", figure->high);
	return put_value(object, name, put_end(value, failed));
}

int get_told(const struct fields *in, const char *name, struct told_figure *ret_figure)
{
	struct told_figure figure = {.known = true};
	struct fields inner;
	int r;

	if (!fields_have(in, name))
		return 0;
	r = get_object(in, name, &inner);
	if (r == 0)
		r = get_real(&inner, "value", DBL_MAX, &figure.value);
	if (r == 0)
		r = get_real(&inner, "low", DBL_MAX, &figure.low);
	if (r == 0)
		r = get_real(&inner, "high", DBL_MAX, &figure.high);
	if (r < 0)
		return r;
	if (figure.low > figure.value || figure.value > figure.high)
		return fields_error(&inner, ERROR_BAD_VALUE, "value",
				    "the value does not lie from low to high");
	*ret_figure = figure;
	return 0;
}

/* ---- percentiles ---- */

static json_t *percentiles_encode(const struct told_direction *told)
{
	json_t *value = json_object();
	char key[PERCENTILE_KEY_MAX];
	int failed = 0;

	for (size_t i = 0; i < told->percentile_count; i++)
		failed |= put_real(value, percentile_key(told->percentiles[i].percentile, key),
				   told->percentiles[i].ns);
	return put_end(value, failed);
}

static int by_percentile(const void *a, const void *b)
{
	const struct told_percentile *left = a, *right = b;

	return (left->percentile > right->percentile) - (left->percentile < right->percentile);
}

static int percentiles_decode(const struct fields *in, struct told_direction *told)
{
	struct fields inner;
	size_t count;
	int r = get_object(in, "percentiles", &inner);

	if (r < 0)
		return r;
	count = json_object_size(inner.object);
	if (count > TOLD_PERCENTILES_MAX)
		return fields_error(in, ERROR_TOO_MANY, "percentiles", "at most %d are read",
				    TOLD_PERCENTILES_MAX);
	told->percentiles = calloc(count + 1, sizeof(*told->percentiles));
	if (!told->percentiles)
		return error_no_memory(in->err);
	for (void *i = json_object_iter((json_t *)inner.object); i && r == 0;
	     i = json_object_iter_next((json_t *)inner.object, i)) {
		struct told_percentile *one = &told->percentiles[told->percentile_count++];
		const char *key = json_object_iter_key(i);
		char *end;

		one->percentile = strtod(key, &end);
		if (*end || end == key || !(one->percentile > 0) || one->percentile > 100)
			return fields_error(&inner, ERROR_BAD_VALUE, key,
					    "a percentile is above 0, at most 100");
		r = get_real(&inner, key, DBL_MAX, &one->ns);
	}
	qsort(told->percentiles, told->percentile_count, sizeof(*told->percentiles), by_percentile);
	return r;
}

/* ---- a direction ---- */

static json_t *latency_encode(const struct told_direction *told)
{
	json_t *value = json_object();
	int failed = 0;

	failed |= put_told(value, "min", &told->latency_min);
	failed |= put_told(value, "mean", &told->latency_mean);
	failed |= put_told(value, "max", &told->latency_max);
	failed |= put_told(value, "stddev", &told->latency_stddev);
	if (told->percentile_count > 0)
		failed |= put_value(value, "percentiles", percentiles_encode(told));
	return put_end(value, failed);
}

static int latency_decode(const struct fields *in, struct told_direction *told)
{
	struct fields inner;
	int r = get_object(in, "latency_ns", &inner);

	if (r == 0)
		r = get_told(&inner, "min", &told->latency_min);
	if (r == 0)
		r = get_told(&inner, "mean", &told->latency_mean);
	if (r == 0)
		r = get_told(&inner, "max", &told->latency_max);
	if (r == 0)
		r = get_told(&inner, "stddev", &told->latency_stddev);
	return r < 0 || !fields_have(&inner, "percentiles") ? r : percentiles_decode(&inner, told);
}

static bool tells_latency(const struct told_direction *told)
{
	return told->latency_min.known || told->latency_mean.known || told->latency_max.known ||
	       told->latency_stddev.known || told->percentile_count > 0;
}

static int put_direction(json_t *object, const char *name, const struct told_direction *told)
{
	json_t *value = json_object();
	int failed = put_told(value, "iops", &told->iops);

	failed |= put_told(value, "bw_bytes_per_s", &told->bandwidth);
	if (tells_latency(told))
		failed |= put_value(value, "latency_ns", latency_encode(told));
	if (value && json_object_size(value) == 0) {
		json_decref(value);
		return failed;
	}
	return put_value(object, name, put_end(value, failed));
}

static int get_direction(const struct fields *in, const char *name, struct told_direction *told)
{
	struct fields inner;
	int r;

	if (!fields_have(in, name))
		return 0;
	r = get_object(in, name, &inner);
	if (r == 0)
		r = get_told(&inner, "iops", &told->iops);
	if (r == 0)
		r = get_told(&inner, "bw_bytes_per_s", &told->bandwidth);
	return r < 0 || !fields_have(&inner, "latency_ns") ? r : latency_decode(&inner, told);
}

json_t *source_direction_encode(const struct sample *sample, enum direction direction,
				const struct percentiles *list)
{
	const struct direction_result *result = &sample->directions[direction];
	const struct told_direction *told = &sample->source->directions[direction];
	struct told_figure iops = sample_iops_figure(sample, direction);
	struct told_figure bandwidth = sample_bandwidth_figure(sample, direction);
	json_t *value = json_object();
	int failed = 0;

	if (told->ios_known)
		failed |= put_u64(value, "ios", result->ios);
	if (told->bytes_known)
		failed |= put_u64(value, "bytes", result->bytes);
	if (iops.known)
		failed |= put_real(value, "iops", iops.value);
	if (bandwidth.known)
		failed |= put_real(value, "bw_bytes_per_s", bandwidth.value);
	if (result->short_ios > 0)
		failed |= put_u64(value, "short_ios", result->short_ios);
	failed |= put_latency(value, "latency_ns", "histogram", result->latency, list);
	failed |= put_latency(value, "slat_ns", "slat_histogram", result->submission, list);
	failed |= put_latency(value, "clat_ns", "clat_histogram", result->completion, list);
	return put_end(value, failed);
}

int source_direction_decode(const struct fields *in, struct direction_result *ret_result,
			    struct told_direction *ret_told)
{
	int r = 0;

	ret_told->ios_known = fields_have(in, "ios");
	ret_told->bytes_known = fields_have(in, "bytes");
	if (ret_told->ios_known)
		r = get_u64(in, "ios", UINT64_MAX, &ret_result->ios);
	if (r == 0 && ret_told->bytes_known)
		r = get_u64(in, "bytes", UINT64_MAX, &ret_result->bytes);
	if (r == 0 && fields_have(in, "short_ios"))
		r = get_u64(in, "short_ios", UINT64_MAX, &ret_result->short_ios);
	if (r == 0)
		r = get_latency(in, "histogram", &ret_result->latency);
	if (r == 0)
		r = get_latency(in, "slat_histogram", &ret_result->submission);
	return r < 0 ? r : get_latency(in, "clat_histogram", &ret_result->completion);
}

/* ---- the whole ---- */

json_t *source_encode(const struct sample_source *source)
{
	json_t *value = json_object();
	int failed = put_text(value, "tool", source->tool);

	failed |= put_text_if(value, "file", source->file);
	failed |= put_text_if(value, "given", source->given);
	failed |= put_bool(value, "seconds_known", source->seconds_known);
	if (source->index)
		failed |= put_bool(value, "index", true);
	if (source->memory_bytes > 0)
		failed |= put_u64(value, "memory_bytes", source->memory_bytes);
	if (source->samples > 0)
		failed |= put_u64(value, "samples", source->samples);
	for (int d = 0; d < DIRECTION_COUNT; d++)
		failed |= put_direction(value, direction_names[d], &source->directions[d]);
	return put_end(value, failed);
}

static int members_decode(const struct fields *in, struct sample_source *source)
{
	int r = get_bool(in, "seconds_known", &source->seconds_known);

	if (r == 0 && fields_have(in, "given"))
		r = get_text(in, "given", false, &source->given);
	if (r == 0 && fields_have(in, "index"))
		r = get_bool(in, "index", &source->index);
	if (r == 0 && fields_have(in, "memory_bytes"))
		r = get_u64(in, "memory_bytes", UINT64_MAX, &source->memory_bytes);
	if (r == 0 && fields_have(in, "samples"))
		r = get_u64(in, "samples", UINT64_MAX, &source->samples);
	for (int d = 0; d < DIRECTION_COUNT && r == 0; d++)
		r = get_direction(in, direction_names[d], &source->directions[d]);
	return r;
}

int source_decode(const struct fields *in, struct sample_source **ret_source)
{
	AUTO_FREE char *tool = NULL, *file = NULL;
	struct sample_source *source;
	struct fields inner;
	int r = get_object(in, "source", &inner);

	if (r == 0)
		r = get_text(&inner, "tool", false, &tool);
	if (r == 0 && fields_have(&inner, "file"))
		r = get_text(&inner, "file", false, &file);
	if (r < 0)
		return r;
	source = sample_source_new(tool, file);
	if (!source)
		return error_no_memory(in->err);
	r = members_decode(&inner, source);
	if (r < 0)
		sample_source_free(source);
	else
		*ret_source = source;
	return r;
}
