/* SPDX-License-Identifier: GPL-3.0-or-later */
/* recorder.c - see recorder.h. */
#include "engine/io/recorder.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "engine/base/clock.h"

/* Besides the seconds' ends, how often the control thread's byte count is brought up to date. */
#define EVENT_NS (100 * NS_PER_MS)

const char *const request_names[REQUEST_KIND_COUNT] = {"read",	"write",     "trim",
						       "fsync", "fdatasync", "final fsync"};

static int add_histogram(struct histogram **ret_histogram)
{
	*ret_histogram = malloc(sizeof(**ret_histogram));
	if (!*ret_histogram)
		return -ENOMEM;
	histogram_init(*ret_histogram); /* touched here, not in the measurement */
	return 0;
}

int recorder_init(struct recorder *recorder, const struct workload *workload, bool split,
		  struct load *load)
{
	int rc = 0;

	memset(recorder, 0, sizeof(*recorder));
	recorder->load = load;
	for (int d = 0; d < DIRECTION_COUNT && rc == 0; d++) {
		recorder->bs[d] = workload->bs[d];
		if (!workload_moves(workload, (enum direction)d))
			continue;
		rc = add_histogram(&recorder->histograms[d]);
		if (rc == 0 && workload_rate(workload, (enum direction)d) > 0)
			rc = add_histogram(&recorder->intended[d]);
		if (rc == 0 && split)
			rc = add_histogram(&recorder->submission[d]);
		if (rc == 0 && split)
			rc = add_histogram(&recorder->completion[d]);
		if (rc == 0 && split)
			rc = add_histogram(&recorder->at_once[d]);
	}
	if (rc == 0 && workload->fsync && workload_writes(workload))
		rc = add_histogram(&recorder->histograms[REQUEST_SYNC]);
	if (rc == 0 && workload->fdatasync && workload_writes(workload))
		rc = add_histogram(&recorder->histograms[REQUEST_DATASYNC]);
	if (rc == 0 && workload->end_fsync && workload_writes(workload))
		rc = add_histogram(&recorder->histograms[REQUEST_END_SYNC]);
	return rc;
}

void recorder_done(struct recorder *recorder)
{
	for (int kind = 0; kind < REQUEST_KIND_COUNT; kind++)
		free(recorder->histograms[kind]);
	for (int d = 0; d < DIRECTION_COUNT; d++) {
		free(recorder->submission[d]);
		free(recorder->completion[d]);
		free(recorder->at_once[d]);
		free(recorder->intended[d]);
	}
	memset(recorder, 0, sizeof(*recorder));
}

uint64_t recorder_ios(const struct recorder *recorder, enum direction direction)
{
	const struct histogram *histogram = recorder->histograms[direction];
	const struct histogram *at_once = recorder->at_once[direction];

	return (histogram ? histogram->count : 0) + (at_once ? at_once->count : 0);
}

uint64_t recorder_bytes(const struct recorder *recorder, enum direction direction)
{
	return recorder_ios(recorder, direction) * recorder->bs[direction] -
	       recorder->missing_bytes[direction];
}

/* What completed within its submission was counted once and belongs into three. */
static void settle(struct recorder *recorder)
{
	for (int d = 0; d < DIRECTION_COUNT; d++) {
		struct histogram *at_once = recorder->at_once[d];

		if (!at_once || at_once->count == 0)
			continue;
		histogram_merge(recorder->histograms[d], at_once);
		histogram_merge(recorder->submission[d], at_once);
		histogram_add_many(recorder->completion[d], 0, at_once->count);
		histogram_clear(at_once);
	}
}

/* What has completed since the series was told last goes into the second it completed in. */
static void tell(struct recorder *recorder)
{
	struct series_second more;
	uint64_t bytes = 0;

	for (int d = 0; d < DIRECTION_COUNT; d++) {
		uint64_t ios = recorder_ios(recorder, d), done = recorder_bytes(recorder, d);
		uint64_t sum = ios ? recorder->histograms[d]->sum_ns : 0;

		if (recorder->at_once[d])
			sum += recorder->at_once[d]->sum_ns;

		more.ios[d] = ios - recorder->told.ios[d];
		more.bytes[d] = done - recorder->told.bytes[d];
		more.latency_sum_ns[d] = sum - recorder->told.latency_sum_ns[d];
		recorder->told.ios[d] = ios;
		recorder->told.bytes[d] = done;
		recorder->told.latency_sum_ns[d] = sum;
		bytes += more.bytes[d];
	}
	load_add_to_series(recorder->load, recorder->second, &more);
	atomic_fetch_add_explicit(&recorder->load->bytes_done, bytes, memory_order_relaxed);
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static void plan_event(struct recorder *recorder, uint64_t now_ns)
{
	const struct load *load = recorder->load;
	uint64_t deadline_ns = atomic_load_explicit(&load->deadline_ns, memory_order_relaxed);

	recorder->next_event_ns =
		earlier(load->start_ns + (recorder->second + 1) * NS_PER_S, now_ns + EVENT_NS);
	if (!recorder->in_window)
		recorder->next_event_ns = earlier(recorder->next_event_ns, load->window_ns);
	else if (deadline_ns > now_ns)
		recorder->next_event_ns = earlier(recorder->next_event_ns, deadline_ns);
}

void recorder_start(struct recorder *recorder)
{
	recorder->in_window = recorder->load->window_ns == recorder->load->start_ns;
	plan_event(recorder, recorder->load->start_ns);
}

static void forget(struct histogram *histogram)
{
	if (histogram)
		histogram_init(histogram);
}

static void forget_ramp(struct recorder *recorder)
{
	for (int kind = 0; kind < REQUEST_KIND_COUNT; kind++)
		forget(recorder->histograms[kind]);
	for (int d = 0; d < DIRECTION_COUNT; d++) {
		forget(recorder->submission[d]);
		forget(recorder->completion[d]);
		forget(recorder->at_once[d]);
		forget(recorder->intended[d]);
	}
	memset(recorder->short_ios, 0, sizeof(recorder->short_ios));
	memset(recorder->missing_bytes, 0, sizeof(recorder->missing_bytes));
	memset(&recorder->told, 0, sizeof(recorder->told));
	recorder->last_ns = 0;
	memset(recorder->failed, 0, sizeof(recorder->failed));
	recorder->first_failure[0] = '\0';
}

bool recorder_event(struct recorder *recorder, uint64_t now_ns)
{
	const struct load *load = recorder->load;
	bool begins = !recorder->in_window && now_ns >= load->window_ns;

	tell(recorder);
	if (begins) {
		forget_ramp(recorder);
		recorder->in_window = true;
	}
	/* Threads stamp before they lock, so a stamp may be a little older than the last one. */
	if ((now_ns - load->start_ns) / NS_PER_S > recorder->second)
		recorder->second = (now_ns - load->start_ns) / NS_PER_S;
	plan_event(recorder, now_ns);
	return begins;
}

void recorder_finish(struct recorder *recorder)
{
	tell(recorder);
	settle(recorder);
}

void recorder_failed(struct recorder *recorder, enum request_kind kind, const struct error *err)
{
	recorder->failed[kind < REQUEST_SYNC ? (int)kind : DIRECTION_COUNT]++;
	if (!recorder->first_failure[0])
		(void)snprintf(recorder->first_failure, sizeof(recorder->first_failure), "%s",
			       err->message); /* of one size */
}

bool recorder_short(struct recorder *recorder, enum request_kind kind, uint64_t offset,
		    uint32_t length, int32_t result, struct error *err)
{
	if (result < 0 || (result == 0 && length > 0)) {
		if (result < 0)
			error_set_sys(err, ERROR_IO_ERROR, -result,
				      "%s of %" PRIu32 " bytes at offset %" PRIu64 " failed",
				      request_names[kind], length, offset);
		else
			error_set(err, ERROR_IO_ERROR, "",
				  "%s of %" PRIu32 " bytes at offset %" PRIu64
				  " transferred nothing: end of file",
				  request_names[kind], length, offset);
		return false;
	}
	if (kind < REQUEST_SYNC && (uint32_t)result < length) {
		recorder->short_ios[kind]++;
		recorder->missing_bytes[kind] += length - (uint32_t)result;
	}
	return true;
}
