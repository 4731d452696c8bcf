/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * reactor_loop.c - the two halves of a reactor's round that run once an operation: building a batch
 * of requests, and taking a batch of completions. See reactor.h; declared there.
 *
 * Both exist once for each shape of workload, the same inline function with other constants, so
 * that a plain random read carries no branch of a mix. No lock, no allocation, no clock, no call
 * but the refreshing of a buffer before a write.
 */
#include <errno.h>

#include "engine/io/reactor.h"

#define unlikely(condition) __builtin_expect(!!(condition), 0)

static void refuse(struct reactor *reactor, const struct job *job, const struct request *request)
{
	struct error err;

	(void)job_refusal(job, request, &err); /* its code is in err */
	atomic_fetch_add(&reactor->load->errors, 1);
	load_fail(reactor->load, &err);
}

/*
 * Fills requests from idle slots; the count. A uniform reactor's slots know kind and length from
 * the start.
 */
static inline __attribute__((always_inline)) unsigned int build_shaped(struct reactor *reactor,
								       const enum pattern_kind kind,
								       const enum pattern_mix mix,
								       const bool syncs,
								       const bool limited)
{
	const bool uniform = mix != PATTERN_MIXED && !syncs;
	const uint32_t *idle = reactor->idle;
	struct slot *slots = reactor->slots;
	struct request *request = reactor->requests, *end = request + reactor->batch;
	uint32_t head = reactor->idle_head, tail = reactor->idle_tail, mask = reactor->idle_mask;

	for (; request < end && head != tail; head++) {
		uint32_t number = idle[head & mask];
		struct slot *slot = &slots[number];
		enum job_step step = job_next_shaped(slot->job, request, kind, mix, syncs, limited);

		if (unlikely(step != JOB_OPERATION)) {
			if (step == JOB_REFUSED)
				refuse(reactor, slot->job, request);
			slot->kind = SLOT_PARKED;
			continue;
		}
		request->slot = number;
		slot->offset = request->offset;
		if (!uniform) {
			slot->length = request->length;
			slot->kind = request->kind;
		}
		if (mix != PATTERN_READ && (uniform || request->kind == REQUEST_WRITE))
			buffer_refresh(arena_buffer(&reactor->arena, number), request->length,
				       random_next(&reactor->keys));
		request++;
	}
	reactor->idle_head = head;
	return (unsigned int)(request - reactor->requests);
}

/* One function for each shape of workload, without the branches of the others. */
#define BUILD(kind, mix, syncs, limited)                                                           \
	static unsigned int build_##kind##_##mix##_##syncs##_##limited(struct reactor *reactor)    \
	{                                                                                          \
		return build_shaped(reactor, PATTERN_##kind, PATTERN_##mix, syncs, limited);       \
	}
#define BUILD_MIX(kind, mix)                                                                       \
	BUILD(kind, mix, 0, 0)                                                                     \
	BUILD(kind, mix, 0, 1)                                                                     \
	BUILD(kind, mix, 1, 0)                                                                     \
	BUILD(kind, mix, 1, 1)
#define BUILD_KIND(kind)                                                                           \
	BUILD(kind, READ, 0, 0)                                                                    \
	BUILD(kind, READ, 0, 1)                                                                    \
	BUILD_MIX(kind, WRITE)                                                                     \
	BUILD_MIX(kind, MIXED)
BUILD_KIND(SEQUENTIAL)
BUILD_KIND(ONCE)
BUILD_KIND(RANDOM)

/* [mix][syncs][limited]; reads have no syncs */
#define BUILDS(kind)                                                                               \
	{                                                                                          \
		[PATTERN_READ] = {{build_##kind##_READ_0_0, build_##kind##_READ_0_1}},             \
		[PATTERN_WRITE] = {{build_##kind##_WRITE_0_0, build_##kind##_WRITE_0_1},           \
				   {build_##kind##_WRITE_1_0, build_##kind##_WRITE_1_1}},          \
		[PATTERN_MIXED] = {{build_##kind##_MIXED_0_0, build_##kind##_MIXED_0_1},           \
				   {build_##kind##_MIXED_1_0, build_##kind##_MIXED_1_1}},          \
	}
static unsigned int (*const builds[PATTERN_KIND_COUNT][PATTERN_MIX_COUNT][2][2])(
	struct reactor *) = {
	[PATTERN_SEQUENTIAL] = BUILDS(SEQUENTIAL),
	[PATTERN_ONCE] = BUILDS(ONCE),
	[PATTERN_RANDOM] = BUILDS(RANDOM),
};

/* Not the result asked for; false when there is nothing to record. */
static bool unexpected(struct reactor *reactor, struct slot *slot, int32_t result)
{
	struct error err;

	/* Ended by our own cancelling, which is no failure. */
	if ((result == -ECANCELED || result == -EINTR) && load_stopping(reactor->load))
		return false;
	if (recorder_short(slot->job->recorder, slot->kind, slot->offset, slot->length, result,
			   &err))
		return true;
	atomic_fetch_add(&reactor->load->errors, 1);
	load_fail(reactor->load, &err);
	return false;
}

/* What has come back goes into the histogram of its job's recorder and kind. */
static inline __attribute__((always_inline)) void complete_shaped(struct reactor *reactor,
								  unsigned int count,
								  uint64_t now_ns,
								  const bool limited)
{
	for (unsigned int i = 0; i < count; i++) {
		const struct completion *completion = &reactor->completions[i];
		struct slot *slot = &reactor->slots[completion->slot];
		struct recorder *recorder = slot->job->recorder;

		if (limited)
			job_ended(slot->job, slot->length);
		reactor->idle[reactor->idle_tail++ & reactor->idle_mask] = completion->slot;
		if (unlikely(completion->result != (int32_t)slot->length) &&
		    !unexpected(reactor, slot, completion->result))
			continue;
		histogram_add(recorder->histograms[slot->kind], now_ns - slot->stamp_ns);
		recorder->last_ns = now_ns;
	}
}

/* The same where all goes into one histogram. */
static inline __attribute__((always_inline)) void complete_uniform_shaped(struct reactor *reactor,
									  unsigned int count,
									  uint64_t now_ns,
									  const bool limited)
{
	struct recorder *recorder = &reactor->recorders[0];
	struct histogram *histogram =
		recorder->histograms[reactor->allowed[REQUEST_READ] ? REQUEST_READ : REQUEST_WRITE];
	struct histogram_tally tally = histogram_tally_begin(histogram);
	const struct completion *completion = reactor->completions, *end = completion + count;
	struct slot *slots = reactor->slots;
	uint32_t *idle = reactor->idle;
	uint32_t tail = reactor->idle_tail, mask = reactor->idle_mask;

	for (; completion < end; completion++) {
		struct slot *slot = &slots[completion->slot];

		if (limited)
			job_ended(slot->job, slot->length);
		idle[tail++ & mask] = completion->slot;
		if (unlikely(completion->result != (int32_t)slot->length) &&
		    !unexpected(reactor, slot, completion->result))
			continue;
		histogram_tally_add(histogram, &tally, now_ns - slot->stamp_ns);
	}
	reactor->idle_tail = tail;
	histogram_tally_end(histogram, &tally);
	recorder->last_ns = now_ns;
}

static void complete(struct reactor *reactor, unsigned int count, uint64_t now_ns)
{
	complete_shaped(reactor, count, now_ns, false);
}

static void complete_limited(struct reactor *reactor, unsigned int count, uint64_t now_ns)
{
	complete_shaped(reactor, count, now_ns, true);
}

static void complete_uniform(struct reactor *reactor, unsigned int count, uint64_t now_ns)
{
	complete_uniform_shaped(reactor, count, now_ns, false);
}

static void complete_uniform_limited(struct reactor *reactor, unsigned int count, uint64_t now_ns)
{
	complete_uniform_shaped(reactor, count, now_ns, true);
}

/* [one histogram][limited] */
static void (*const completes[2][2])(struct reactor *, unsigned int, uint64_t) = {
	{complete, complete_limited},
	{complete_uniform, complete_uniform_limited},
};

void reactor_choose_loop(struct reactor *reactor, const struct workload *workload)
{
	enum pattern_mix mix = pattern_mix_of(workload);
	bool syncs = reactor->allowed[REQUEST_SYNC];

	reactor->build = builds[pattern_kind_of(workload)][mix][syncs][reactor->limited];
	/* One recorder and one kind of operation: one histogram. */
	reactor->complete =
		completes[reactor->grouped && mix != PATTERN_MIXED && !syncs][reactor->limited];
}
