/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * import_fio_latency.c - see import_fio.h.
 *
 * fio counts latencies in bins of a 64th of their power of two and prints, as key and as
 * percentile, the middle of a bin. That value lies in one of our buckets, which is at most a 256th
 * wide, so our percentiles are fio's within a bucket. What fio keeps exactly (smallest, largest,
 * mean, standard deviation) replaces what would follow from the middles.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "server/import/import_fio.h"

#define PERCENTILES_MAX 100

/* A bin's middle is at most a 128th from its ends: a smallest or largest value farther off is not
 * of this bin. */
#define BIN_HALF (1.0 / 64)

void fio_latency_done(struct fio_latency *latency)
{
	free(latency->bins);
	latency->bins = NULL;
}

/* ---- bins ---- */

/* fio 2 prints indexes and how they are made; the middle of bin `index`, in its unit. */
static double value_of_index(double index, double bits)
{
	uint64_t i = (uint64_t)index, width = UINT64_C(1) << (unsigned int)bits, error_bits;

	if (i < 2 * width)
		return index;
	error_bits = (i >> (unsigned int)bits) - 1;
	return ldexp(1, (int)(error_bits + (uint64_t)bits)) +
	       ((double)(i % width) + 0.5) * ldexp(1, (int)error_bits);
}

/* Whole text is a number from 0 to max. */
static bool read_key(const char *text, double max, double *ret_value)
{
	char *end;
	double value;

	if (*text < '0' || *text > '9')
		return false;
	value = strtod(text, &end);
	if (*end || !isfinite(value) || value > max)
		return false;
	*ret_value = value;
	return true;
}

struct bin {
	double ns, count;
};

static int by_ns(const void *a, const void *b)
{
	const struct bin *left = a, *right = b;

	return (left->ns > right->ns) - (left->ns < right->ns);
}

static int bad_bins(const struct fio_group *group)
{
	return sheet_error(group->sheet, group->err, 0,
			   "job \"%.60s\": an entry of bins is no latency and its count",
			   group->name);
}

/* Bins in ascending order; heap. */
static int read_bins(const struct fio_group *group, const json_t *bins, double unit,
		     struct bin **ret_list, size_t *ret_count)
{
	double bits = 6;
	bool indexes = json_object_get(bins, "FIO_IO_U_PLAT_BITS");
	struct bin *list = calloc(json_object_size(bins) + 1, sizeof(*list));
	const char *key;
	json_t *value;
	size_t count = 0;

	if (!list)
		return error_no_memory(group->err);
	if (indexes)
		bits = json_number_value(json_object_get(bins, "FIO_IO_U_PLAT_BITS"));
	json_object_foreach ((json_t *)bins, key, value) {
		double at = 0, number = json_number_value(value);

		if (strncmp(key, "FIO_", 4) == 0)
			continue;
		if (!(bits >= 1 && bits <= 16) || !json_is_number(value) || !(number >= 0) ||
		    number > FIO_COUNT_MAX ||
		    !read_key(key, indexes ? 32.0 * ldexp(1, (int)bits) : FIO_NS_MAX, &at)) {
			free(list);
			return bad_bins(group);
		}
		if (number < 1)
			continue;
		list[count++] = (struct bin){(indexes ? value_of_index(at, bits) : at) * unit,
					     floor(number)};
	}
	qsort(list, count, sizeof(*list), by_ns);
	*ret_list = list;
	*ret_count = count;
	return 0;
}

static void add_value(struct histogram *histogram, double ns, double times)
{
	if (times >= 1)
		histogram_add_many(histogram, (uint64_t)ns, (uint64_t)times);
}

static bool near(double value, double bin)
{
	return fabs(value - bin) <= bin * BIN_HALF + 1;
}

/* The smallest and the largest value are known: each stands for itself in its bin, beyond whose
 * other values it does not lie. */
static void add_bins(struct histogram *histogram, const struct bin *list, size_t count, double min,
		     double max)
{
	for (size_t i = 0; i < count; i++) {
		double left = list[i].count, ns = list[i].ns;
		bool smallest = i == 0 && near(min, ns), largest = i + 1 == count && near(max, ns);

		if (smallest) {
			add_value(histogram, min, 1);
			left--;
			ns = fmax(ns, min);
		}
		if (largest && left >= 1) {
			add_value(histogram, max, 1);
			left--;
		}
		add_value(histogram, largest ? fmin(ns, max) : ns, left);
	}
}

static int take_bins(const struct fio_group *group, const json_t *bins, double unit, double min,
		     double max, struct fio_latency *latency)
{
	struct bin *list = NULL;
	size_t count = 0;
	double sum = 0;
	int r = read_bins(group, bins, unit, &list, &count);

	if (r < 0)
		return r;
	for (size_t i = 0; i < count; i++)
		sum += list[i].count;
	if (count == 0 ||
	    sum + (latency->bins ? (double)latency->bins->count : 0) > FIO_COUNT_MAX) {
		free(list);
		return count == 0 ? 0 : bad_bins(group);
	}
	if (!latency->bins) {
		latency->bins = malloc(sizeof(*latency->bins));
		if (!latency->bins) {
			free(list);
			return error_no_memory(group->err);
		}
		histogram_init(latency->bins);
	}
	add_bins(latency->bins, list, count, min, max);
	latency->binned++;
	free(list);
	return 0;
}

/* ---- one entry ---- */

static int add_figures(const struct fio_group *group, const json_t *object, double unit, double ios,
		       struct fio_latency *latency)
{
	double count = 0, min = 0, max = 0, mean = 0, stddev = 0;
	const json_t *bins = json_object_get(object, "bins");
	int r = fio_number(group, object, "N", FIO_COUNT_MAX, &count);

	/* fio 2 does not count: what is 0 throughout was not measured */
	if (r == 0)
		r = fio_number(group, object, "max", FIO_NS_MAX / unit, &max);
	if (r < 0 || (json_object_get(object, "N") ? count < 1 : max <= 0))
		return r;
	r = fio_number(group, object, "min", FIO_NS_MAX / unit, &min);
	if (r == 0)
		r = fio_number(group, object, "mean", FIO_NS_MAX / unit, &mean);
	if (r == 0)
		r = fio_number(group, object, "stddev", FIO_NS_MAX / unit, &stddev);
	if (r < 0)
		return r;
	if (min > max || mean < min * (1 - 1e-6) || mean > max * (1 + 1e-6))
		return sheet_error(group->sheet, group->err, 0,
				   "job \"%.60s\": a mean latency that does not lie from the "
				   "smallest to the largest",
				   group->name);
	if (count < 1)
		count = fmax(ios, 1);
	min *= unit, max *= unit, mean *= unit, stddev *= unit;
	if (latency->entries == 0 || min < latency->min)
		latency->min = min;
	if (max > latency->max)
		latency->max = max;
	latency->count += count;
	latency->sum += mean * count;
	latency->squares += stddev * stddev * (count - 1) + mean * mean * count;
	latency->entries++;
	latency->percentiles = latency->entries == 1 ? json_object_get(object, "percentile") : NULL;
	latency->percentiles_unit = unit;
	return json_object_size(bins) > 0 ? take_bins(group, bins, unit, min, max, latency) : 0;
}

int fio_latency_add(const struct fio_group *group, const json_t *from, const char *name, double ios,
		    struct fio_latency *latency)
{
	char ns_name[16];
	const json_t *object;

	(void)snprintf(ns_name, sizeof(ns_name), "%s_ns", name);
	object = json_object_get(from, ns_name);
	if (json_is_object(object))
		return add_figures(group, object, 1, ios, latency);
	object = json_object_get(from, name);
	return json_is_object(object) ? add_figures(group, object, 1000, ios, latency) : 0;
}

/* ---- all entries ---- */

/* What was exact stays so, within what values in these buckets can be. */
static void make_exact(const struct fio_latency *latency, struct histogram *histogram)
{
	double count = (double)histogram->count, mean = latency->sum / latency->count;
	double variance = latency->squares / latency->count - mean * mean;

	mean = fmin(fmax(mean, (double)histogram->min_ns), (double)histogram->max_ns);
	if (mean * count >= 1.8e19)
		return; /* beyond what a sum holds: as the buckets have it */
	histogram->sum_ns = (uint64_t)llround(fmin(mean * count, 9e18));
	histogram->sum_squares_ns2 =
		fmin(count * (fmax(variance, 0) + mean * mean),
		     count * (double)histogram->max_ns * (double)histogram->max_ns);
}

int fio_latency_histogram(const struct fio_latency *latency, struct histogram **ret_histogram)
{
	if (!latency->bins || latency->binned != latency->entries)
		return 0;
	make_exact(latency, latency->bins);
	*ret_histogram = histogram_narrow(latency->bins);
	return *ret_histogram ? 0 : -ENOMEM;
}

static int by_percentile(const void *a, const void *b)
{
	const struct told_percentile *left = a, *right = b;

	return (left->percentile > right->percentile) - (left->percentile < right->percentile);
}

static int tell_percentiles(const struct fio_latency *latency, struct told_direction *told)
{
	size_t room = json_object_size(latency->percentiles);
	const char *key;
	json_t *value;

	if (room == 0)
		return 0;
	told->percentiles = calloc(room, sizeof(*told->percentiles));
	if (!told->percentiles)
		return -ENOMEM;
	json_object_foreach ((json_t *)latency->percentiles, key, value) {
		double percentile = 0, number = json_number_value(value);

		if (!read_key(key, 100, &percentile) || percentile <= 0 || !json_is_number(value) ||
		    !(number >= 0) || number > FIO_NS_MAX ||
		    told->percentile_count == PERCENTILES_MAX)
			continue; /* fio's own list has at most 20, all of these */
		told->percentiles[told->percentile_count++] =
			(struct told_percentile){percentile, number * latency->percentiles_unit};
	}
	qsort(told->percentiles, told->percentile_count, sizeof(*told->percentiles), by_percentile);
	return 0;
}

int fio_latency_tell(const struct fio_latency *exact, const struct fio_latency *list,
		     struct told_direction *told)
{
	double mean, variance;

	if (exact->entries == 0)
		return 0;
	mean = exact->sum / exact->count;
	variance = exact->count > 1 ? (exact->squares - exact->sum * mean) / (exact->count - 1) : 0;
	told->latency_min = told_exactly(exact->min);
	told->latency_mean = told_exactly(mean);
	told->latency_max = told_exactly(exact->max);
	told->latency_stddev = told_exactly(sqrt(fmax(variance, 0)));
	return list ? tell_percentiles(list, told) : 0;
}
