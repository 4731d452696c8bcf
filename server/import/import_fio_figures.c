/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * import_fio_figures.c - see import_fio.h.
 *
 * Several entries of one sample ran at the same time (jobs that fio reports one by one, or hosts):
 * operations and bytes add up, over the longest of their times, as fio's own group_reporting does.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "server/import/import_fio.h"

/* Where fio tells percentiles of clat alone: a submission that takes more than this share of the
 * whole makes them another thing than those of the whole. A bucket is 1/256 wide. */
#define SLAT_SHARE 0.004

void fio_direction_done(struct fio_direction *direction)
{
	fio_latency_done(&direction->slat);
	fio_latency_done(&direction->clat);
	fio_latency_done(&direction->lat);
}

int fio_number(const struct fio_group *group, const json_t *object, const char *name, double max,
	       double *ret_value)
{
	const json_t *value = json_object_get(object, name);
	double number = json_number_value(value);

	if (!value)
		return 0;
	if (!json_is_number(value) || !(number >= 0) || number > max)
		return sheet_error(group->sheet, group->err, 0,
				   "job \"%.60s\": \"%s\" is no number from 0 to %g", group->name,
				   name, max);
	*ret_value = number;
	return 0;
}

/* ---- one entry ---- */

static struct told_figure cut_kib(double kib)
{
	return (struct told_figure){true, kib * 1024, kib * 1024, (kib + 1) * 1024};
}

/* fio 3 tells bytes; fio 2 tells KiB, what is less cut off, under the same name. */
static int add_amounts(const struct fio_group *group, const json_t *from, double ios,
		       struct fio_direction *direction)
{
	bool exact = json_object_get(from, "io_kbytes");
	double bytes = 0, runtime = 0, short_ios = 0, iops = 0, bandwidth = 0;
	int r = fio_number(group, from, "io_bytes", FIO_COUNT_MAX / 1024, &bytes);

	if (r == 0)
		r = fio_number(group, from, "runtime", 1e12, &runtime);
	if (r == 0)
		r = fio_number(group, from, "short_ios", FIO_COUNT_MAX, &short_ios);
	if (r == 0)
		r = fio_number(group, from, "iops", FIO_COUNT_MAX, &iops);
	if (r == 0)
		r = fio_number(group, from, json_object_get(from, "bw_bytes") ? "bw_bytes" : "bw",
			       FIO_COUNT_MAX, &bandwidth);
	if (r < 0)
		return r;
	direction->ios += ios;
	direction->bytes += exact ? bytes : bytes * 1024;
	direction->bytes_exact = exact;
	direction->short_ios += short_ios;
	direction->runtime_ms = fmax(direction->runtime_ms, runtime);
	direction->iops =
		json_object_get(from, "iops") ? told_exactly(iops) : (struct told_figure){0};
	direction->bandwidth = json_object_get(from, "bw_bytes") ? told_exactly(bandwidth)
			       : json_object_get(from, "bw")	 ? cut_kib(bandwidth)
								 : (struct told_figure){0};
	direction->entries++;
	return 0;
}

int fio_direction_add(const struct fio_group *group, const json_t *entry, const char *name,
		      struct fio_direction *direction)
{
	const json_t *from = json_object_get(entry, name);
	double ios = 0, bytes = 0;
	int r;

	if (!from)
		return 0;
	if (!json_is_object(from))
		return sheet_error(group->sheet, group->err, 0,
				   "job \"%.60s\": \"%s\" is no object of figures", group->name,
				   name);
	r = fio_number(group, from, "total_ios", FIO_COUNT_MAX, &ios);
	if (r == 0)
		r = fio_number(group, from, "io_bytes", FIO_COUNT_MAX, &bytes);
	if (r < 0 || (ios <= 0 && bytes <= 0))
		return r;
	r = add_amounts(group, from, ios, direction);
	if (r == 0)
		r = fio_latency_add(group, from, "slat", ios, &direction->slat);
	if (r == 0)
		r = fio_latency_add(group, from, "clat", ios, &direction->clat);
	return r < 0 ? r : fio_latency_add(group, from, "lat", ios, &direction->lat);
}

/* ---- all of them ---- */

/* Rates as printed of one entry; of several what follows from the amounts. */
static void tell_rates(const struct fio_direction *from, struct sample *sample,
		       enum direction direction)
{
	struct told_direction *told = &sample->source->directions[direction];
	struct direction_result *result = &sample->directions[direction];
	double seconds = from->runtime_ms / 1000;

	result->ios = (uint64_t)from->ios;
	result->short_ios = (uint64_t)fmin(from->short_ios, from->ios);
	told->ios_known = true;
	if (from->bytes_exact) {
		result->bytes = (uint64_t)from->bytes;
		told->bytes_known = true;
	}
	if (from->entries == 1) {
		told->iops = from->iops;
		told->bandwidth = from->bandwidth;
	} else if (seconds > 0) {
		told->iops = told_exactly(from->ios / seconds);
		told->bandwidth = told_exactly(from->bytes / seconds);
		if (!from->bytes_exact)
			told->bandwidth.high += 1024 * (double)from->entries / seconds;
	}
	if (seconds > sample->seconds)
		sample->seconds = seconds;
	sample->source->seconds_known |= seconds > 0;
}

static int find_on_sample(struct sample *sample, enum finding_severity severity, const char *code,
			  const char *found, const char *message)
{
	return findings_add(&sample->findings, severity, code, sample->workload, NULL, NULL, found,
			    "%s", message);
}

/* Histogram or percentiles of clat, where fio does not tell those of the whole. */
static int note_clat(const struct fio_direction *from, struct sample *sample)
{
	double slat = from->slat.count > 0 ? from->slat.sum / from->slat.count : 0;
	double lat = from->lat.count > 0 ? from->lat.sum / from->lat.count : 0;
	char found[96];

	if (slat <= SLAT_SHARE * lat)
		return 0;
	(void)snprintf(found, sizeof(found), "slat %.1f us of lat %.1f us at the mean", slat / 1000,
		       lat / 1000);
	return find_on_sample(sample, FINDING_INFO, "latency_is_clat", found,
			      "Latencies shown are of clat, from the end of the submission on: fio "
			      "tells percentiles of no others unless lat_percentiles=1.");
}

static int note_unmerged(struct sample *sample)
{
	return find_on_sample(
		sample, FINDING_INFO, "percentiles_not_told", NULL,
		"Percentiles of several jobs or hosts cannot be put together without "
		"their bins: run fio with --output-format=json+, or group_reporting.");
}

static int tell_latency(struct fio_direction *from, struct sample *sample, enum direction direction)
{
	struct told_direction *told = &sample->source->directions[direction];
	struct direction_result *result = &sample->directions[direction];
	const struct fio_latency *exact = from->lat.entries > 0 ? &from->lat : &from->clat;
	bool submitted = from->slat.entries > 0, whole;
	int r = fio_latency_histogram(&from->lat, &result->latency);

	whole = result->latency;
	if (r == 0 && submitted)
		r = fio_latency_histogram(&from->slat, &result->submission);
	if (r == 0 && submitted)
		r = fio_latency_histogram(&from->clat, &result->completion);
	if (r == 0 && !whole)
		r = fio_latency_histogram(&from->clat, &result->latency);
	if (r < 0)
		return r;
	if (result->latency) {
		r = fio_latency_tell(exact, NULL, told);
		return r < 0 || whole ? r : note_clat(from, sample);
	}
	if (from->lat.percentiles)
		return fio_latency_tell(exact, &from->lat, told);
	r = fio_latency_tell(exact, &from->clat, told);
	if (r == 0 && told->percentile_count > 0)
		return note_clat(from, sample);
	return r < 0 || from->entries < 2 ? r : note_unmerged(sample);
}

int fio_direction_end(struct fio_group *group, enum direction direction, struct sample *sample)
{
	struct fio_direction *from = &group->directions[direction];

	if (from->entries == 0)
		return 0;
	tell_rates(from, sample, direction);
	return tell_latency(from, sample, direction);
}
