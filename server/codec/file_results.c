/* SPDX-License-Identifier: GPL-3.0-or-later */
/* file_results.c (codec) - see file_results.h. */
#include "server/codec/file_results.h"

#include <stdlib.h>

#include "engine/plan/file_phases.h"
#include "server/codec/latency.h"
#include "server/codec/source.h"

#define SECONDS_MAX 1e9
#define RESULTS_MAX ((size_t)FILE_ORDERS * FILE_OPERATION_COUNT)

static json_t *result_encode(const struct file_result *result, const struct percentiles *list)
{
	json_t *value = json_object();
	int failed = 0;

	failed |= put_text(value, "operation", file_operation_names[result->operation]);
	failed |= put_text(value, "order", workload_file_order_choices[result->order]);
	if (!result->told_ops_per_s.known || result->ops > 0) {
		failed |= put_u64(value, "ops", result->ops);
		failed |= put_u64(value, "bytes", result->bytes);
		failed |= put_real(value, "seconds", result->seconds);
	}
	failed |= put_told(value, "told_ops_per_s", &result->told_ops_per_s);
	failed |= put_real(value, "ops_per_s", file_result_ops_per_s(result));
	failed |= put_latency(value, "latency_ns", "histogram", result->latency, list);
	return put_end(value, failed);
}

json_t *file_results_encode(const struct sample *sample)
{
	json_t *list = json_array();
	struct percentiles percentiles;
	int failed = 0;

	latency_percentiles(&sample->options, &percentiles);
	for (size_t i = 0; i < sample->file_count; i++)
		failed |=
			json_array_append_new(list, result_encode(&sample->files[i], &percentiles));
	return put_end(list, failed);
}

static int amounts_decode(const struct fields *in, struct file_result *result)
{
	int r = get_told(in, "told_ops_per_s", &result->told_ops_per_s);

	if (r < 0 || (result->told_ops_per_s.known && !fields_have(in, "ops")))
		return r;
	r = get_u64(in, "ops", UINT64_MAX, &result->ops);
	if (r == 0)
		r = get_u64(in, "bytes", UINT64_MAX, &result->bytes);
	if (r == 0)
		r = get_real(in, "seconds", SECONDS_MAX, &result->seconds);
	return r;
}

static int result_decode(const struct fields *in, struct file_result *result)
{
	size_t operation = 0, order = 0;
	int r;

	r = get_choice(in, "operation", file_operation_names, FILE_OPERATION_COUNT, &operation);
	if (r == 0)
		r = get_choice(in, "order", workload_file_order_choices, FILE_ORDERS, &order);
	if (r == 0)
		r = amounts_decode(in, result);
	if (r == 0)
		r = get_latency(in, "histogram", &result->latency);
	result->operation = (int)operation;
	result->order = (int)order;
	if (r == 0 && !result->told_ops_per_s.known &&
	    result->ops != (result->latency ? result->latency->count : 0))
		r = fields_error(in, ERROR_BAD_VALUE, "histogram",
				 "a histogram of %llu operations is needed here",
				 (unsigned long long)result->ops);
	return r;
}

int file_results_decode(const struct fields *in, struct sample *sample)
{
	const json_t *list = NULL;
	struct fields inner;
	size_t count;
	int r = get_array(in, "metadata", RESULTS_MAX, &list);

	if (r < 0)
		return r;
	count = json_array_size(list);
	if (count == 0)
		return 0;
	sample->files = calloc(count, sizeof(*sample->files));
	if (!sample->files)
		return error_no_memory(in->err);
	sample->file_count = count;
	for (size_t i = 0; i < count && r == 0; i++) {
		struct file_result *result = &sample->files[i];

		r = get_element(in, "metadata", list, i, &inner);
		if (r == 0)
			r = result_decode(&inner, result);
		if (r == 0 && sample_files(sample, result->operation, result->order) != result)
			r = fields_error(&inner, ERROR_DUPLICATE, "operation",
					 "the phase is there twice");
	}
	return r;
}
