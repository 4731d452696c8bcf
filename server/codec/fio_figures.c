/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fio_figures.c - see fio_figures.h. */
#include "server/codec/fio_figures.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/clock.h"
#include "server/codec/fields.h"
#include "server/codec/latency.h"

static const double percentiles[] = {1,	 5,  10, 20, 30,   40,	 50,	60,   70,
				     80, 90, 95, 99, 99.5, 99.9, 99.95, 99.99};

/* ---- latencies ---- */

static json_t *percentiles_encode(const struct histogram *histogram, const struct workload *options)
{
	struct percentiles list;
	json_t *value = json_object();
	char key[PERCENTILE_KEY_MAX];
	int failed = 0;

	percentiles_of(options, percentiles, ARRAY_SIZE(percentiles), &list);
	for (size_t i = 0; i < list.count; i++)
		if (histogram_percentile_supported(histogram->count, list.values[i]))
			failed |= put_u64(value, percentile_key(list.values[i], key),
					  histogram_percentile_ns(histogram, list.values[i]));
	return put_end(value, failed);
}

/* histogram may be NULL or empty: zeros, and no percentiles. options NULL: none either. */
static json_t *latency_encode(const struct histogram *histogram, const struct workload *options)
{
	bool empty = !histogram || histogram->count == 0;
	json_t *value = json_object();
	int failed = 0;

	failed |= put_u64(value, "min", empty ? 0 : histogram->min_ns);
	failed |= put_u64(value, "max", empty ? 0 : histogram->max_ns);
	failed |= put_real(value, "mean", empty ? 0 : histogram_mean_ns(histogram));
	failed |= put_real(value, "stddev", empty ? 0 : histogram_stddev_ns(histogram));
	failed |= put_u64(value, "N", empty ? 0 : histogram->count);
	if (!empty && options)
		failed |= put_value(value, "percentile", percentiles_encode(histogram, options));
	return put_end(value, failed);
}

/* Upper bounds of fio's classes of latency, in the unit of each table. */
static const unsigned int classes[] = {2, 4, 10, 20, 50, 100, 250, 500, 750, 1000, 2000};
#define CLASSES_BELOW_SECOND 10

/* Operations of an entry by class: ns and us have 10, ms has 11 and one for all above. */
struct spread {
	uint64_t ns[CLASSES_BELOW_SECOND], us[CLASSES_BELOW_SECOND];
	uint64_t ms[ARRAY_SIZE(classes) + 1];
	uint64_t count;
};

static size_t class_of(uint64_t value, size_t count)
{
	size_t i = 0;

	while (i < count && value >= classes[i])
		i++;
	return i;
}

static void spread_add(struct spread *spread, const struct histogram *histogram)
{
	if (!histogram)
		return;
	for (size_t i = histogram_first(histogram); i < histogram_end(histogram); i++) {
		uint64_t lower, upper, n = histogram_at(histogram, i);

		if (n == 0)
			continue;
		histogram_bounds(i, &lower, &upper);
		lower += (upper - lower) / 2;
		spread->count += n;
		if (lower < 1000)
			spread->ns[class_of(lower, CLASSES_BELOW_SECOND - 1)] += n;
		else if (lower < 1000000)
			spread->us[class_of(lower / 1000, CLASSES_BELOW_SECOND - 1)] += n;
		else
			spread->ms[class_of(lower / 1000000, ARRAY_SIZE(classes))] += n;
	}
}

static json_t *classes_encode(const uint64_t *counts, size_t class_count, uint64_t total)
{
	json_t *value = json_object();
	char key[16];
	int failed = 0;

	for (size_t i = 0; i < class_count; i++) {
		if (i < ARRAY_SIZE(classes))
			(void)snprintf(key, sizeof(key), "%u", classes[i]);
		else
			(void)snprintf(key, sizeof(key), ">=%u", classes[i - 1]);
		failed |= put_real(value, key,
				   total > 0 ? 100 * (double)counts[i] / (double)total : 0);
	}
	return put_end(value, failed);
}

int put_fio_spread(json_t *object, const struct fio_entry *entry)
{
	struct spread spread = {0};
	int failed = 0;

	for (int d = 0; d < DIRECTION_COUNT; d++)
		spread_add(&spread, entry->directions[d].latency);
	failed |= put_value(object, "latency_ns",
			    classes_encode(spread.ns, ARRAY_SIZE(spread.ns), spread.count));
	failed |= put_value(object, "latency_us",
			    classes_encode(spread.us, ARRAY_SIZE(spread.us), spread.count));
	failed |= put_value(object, "latency_ms",
			    classes_encode(spread.ms, ARRAY_SIZE(spread.ms), spread.count));
	return failed;
}

/* ---- rates ---- */

struct rate {
	double min, max, mean, deviation;
	uint64_t samples;
};

static void rate_add(struct rate *rate, double value)
{
	double step = value - rate->mean;

	rate->min = rate->samples == 0 || value < rate->min ? value : rate->min;
	rate->max = rate->samples == 0 || value > rate->max ? value : rate->max;
	rate->samples++;
	rate->mean += step / (double)rate->samples;
	rate->deviation += step * (value - rate->mean); /* the squares; see rate_end */
}

static void rate_end(struct rate *rate)
{
	rate->deviation =
		rate->samples > 1 ? sqrt(rate->deviation / (double)(rate->samples - 1)) : 0;
}

static void rates_of(const struct fio_entry *entry, enum direction d, struct rate *ret_bw,
		     struct rate *ret_iops)
{
	const struct direction_result *result = &entry->directions[d];
	const struct series *series = &entry->sample->series;
	size_t end = series->count;

	if (end > 0 && series->last_span_ns < NS_PER_S)
		end--;
	for (size_t i = series->ramp_count; entry->whole && i < end; i++) {
		rate_add(ret_bw, (double)series->seconds[i].bytes[d] / 1024);
		rate_add(ret_iops, (double)series->seconds[i].ios[d]);
	}
	if (ret_bw->samples == 0 && result->ios > 0 && entry->seconds > 0) {
		rate_add(ret_bw, (double)result->bytes / 1024 / entry->seconds);
		rate_add(ret_iops, (double)result->ios / entry->seconds);
	}
	rate_end(ret_bw);
	rate_end(ret_iops);
}

static int put_rates(json_t *value, const struct fio_entry *entry, enum direction d)
{
	struct rate bw = {0}, iops = {0};
	int failed = 0;

	if (entry->directions[d].ios > 0)
		rates_of(entry, d, &bw, &iops);
	failed |= put_u64(value, "bw_min", fio_whole(bw.min));
	failed |= put_u64(value, "bw_max", fio_whole(bw.max));
	failed |= put_real(value, "bw_agg", bw.samples > 0 ? 100 : 0);
	failed |= put_real(value, "bw_mean", bw.mean);
	failed |= put_real(value, "bw_dev", bw.deviation);
	failed |= put_u64(value, "bw_samples", bw.samples);
	failed |= put_u64(value, "iops_min", fio_whole(iops.min));
	failed |= put_u64(value, "iops_max", fio_whole(iops.max));
	failed |= put_real(value, "iops_mean", iops.mean);
	failed |= put_real(value, "iops_stddev", iops.deviation);
	failed |= put_u64(value, "iops_samples", iops.samples);
	return failed;
}

json_t *fio_direction_encode(const struct fio_entry *entry, enum direction d)
{
	const struct direction_result *result = &entry->directions[d];
	const struct workload *options = &entry->sample->options;
	bool split = result->submission && result->completion;
	json_t *value = json_object();
	int failed = 0;

	failed |= put_u64(value, "io_bytes", result->bytes);
	failed |= put_u64(value, "io_kbytes", result->bytes / 1024);
	failed |=
		put_u64(value, "bw_bytes",
			entry->seconds > 0 ? fio_whole((double)result->bytes / entry->seconds) : 0);
	failed |= put_u64(
		value, "bw",
		entry->seconds > 0 ? fio_whole((double)result->bytes / 1024 / entry->seconds) : 0);
	failed |= put_real(value, "iops",
			   entry->seconds > 0 ? (double)result->ios / entry->seconds : 0);
	failed |= put_u64(value, "runtime", result->ios > 0 ? fio_whole(entry->seconds * 1000) : 0);
	failed |= put_u64(value, "total_ios", result->ios);
	failed |= put_u64(value, "short_ios", result->short_ios);
	failed |= put_u64(value, "drop_ios", 0);
	failed |= put_value(value, "slat_ns",
			    latency_encode(split ? result->submission : NULL, NULL));
	failed |= put_value(value, "clat_ns",
			    latency_encode(split ? result->completion : result->latency, options));
	failed |= put_value(value, "lat_ns", latency_encode(result->latency, options));
	failed |= put_rates(value, entry, d);
	return put_end(value, failed);
}

json_t *fio_sync_encode(const struct fio_entry *entry)
{
	const struct sample *sample = entry->sample;
	const struct job_result *job = entry->job && entry->job->name ? entry->job : NULL;
	const struct histogram *const all[] = {job ? job->sync : sample->sync,
					       job ? job->datasync : sample->datasync,
					       job ? job->end_fsync : sample->end_fsync};
	AUTO_FREE struct histogram *sync = malloc(sizeof(*sync));
	json_t *value = json_object();
	int failed = 0;

	if (!sync)
		return put_end(value, -1);
	/* fio counts them all as one */
	histogram_init(sync);
	for (size_t i = 0; (job || entry->first) && i < ARRAY_SIZE(all); i++)
		if (all[i])
			histogram_merge(sync, all[i]);
	failed |= put_u64(value, "total_ios", sync->count);
	failed |= put_value(value, "lat_ns", latency_encode(sync, &sample->options));
	return put_end(value, failed);
}
