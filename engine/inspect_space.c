/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * inspect_space.c - inspect_space() of inspect.h: whether a pool holds all zvols and datasets of a
 * plan at once, or one after another, or not even one.
 *
 * What each takes was told by OpenZFS itself (target_info.reserved_bytes), what there is as well:
 * `available` to its parent, quotas and reservations heeded. Of several parents in one pool each is
 * held against what lies beneath it, and all together against the largest figure any of them told.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "engine/inspect.h"
#include "engine/plan/repeats.h"
#include "engine/zfs/name.h"

/* As of any file system (place.h): filled to the brim it is slow, and not ours alone. */
#define RESERVE_LEAST (UINT64_C(64) << 20)
#define RESERVE_PART 100

static uint64_t reserve(uint64_t available)
{
	uint64_t part = available / RESERVE_PART;

	return part > RESERVE_LEAST ? part : RESERVE_LEAST;
}

static uint64_t usable(uint64_t available)
{
	return available > reserve(available) ? available - reserve(available) : 0;
}

static uint64_t add(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t mebibytes(uint64_t bytes)
{
	return (bytes >> 20) + ((bytes & 0xFFFFF) != 0);
}

struct space {
	const struct plan *plan;
	const struct target_info *infos;
	const uint64_t *reserved; /* one an instance */
};

static const struct target_spec *spec_of(const struct space *space, size_t instance)
{
	return &space->plan->instances[instance].spec;
}

static bool is_made(const struct space *space, size_t instance)
{
	return target_kind_is_zfs(spec_of(space, instance)->kind);
}

static const struct target_info *info_of(const struct space *space, size_t instance)
{
	return &space->infos[space->plan->instances[instance].target];
}

static bool same_pool(const struct space *space, size_t a, size_t b)
{
	return strcmp(info_of(space, a)->zfs.pool, info_of(space, b)->zfs.pool) == 0;
}

/* What all take that lie in the pool of an instance, or (beneath) beneath its parent. */
static uint64_t together(const struct space *space, size_t instance, bool beneath)
{
	uint64_t total = 0;

	for (size_t i = 0; i < space->plan->instance_count; i++)
		if (is_made(space, i) && same_pool(space, i, instance) &&
		    (!beneath ||
		     zfs_name_within(spec_of(space, i)->path, spec_of(space, instance)->path)))
			total = add(total, space->reserved[i]);
	return total;
}

static uint64_t largest_available(const struct space *space, size_t instance)
{
	uint64_t most = 0;

	for (size_t i = 0; i < space->plan->instance_count; i++)
		if (is_made(space, i) && same_pool(space, i, instance) &&
		    info_of(space, i)->free_bytes > most)
			most = info_of(space, i)->free_bytes;
	return most;
}

/* NO_SPACE where not even one after another can be made. */
static int check_each(const struct space *space, struct error *err)
{
	for (size_t i = 0; i < space->plan->instance_count; i++) {
		uint64_t available = info_of(space, i)->free_bytes;

		if (!is_made(space, i) || space->reserved[i] <= usable(available))
			continue;
		(void)error_set(err, ERROR_NO_SPACE, "",
				"one %s beneath %.128s takes %" PRIu64 " MiB of the pool; %" PRIu64
				" MiB are available to it, of which %" PRIu64
				" MiB are kept free; lower size or numjobs",
				target_kind_names[spec_of(space, i)->kind], spec_of(space, i)->path,
				mebibytes(space->reserved[i]), available >> 20,
				reserve(available) >> 20);
		inspect_blame_target(space->plan, space->plan->instances[i].target, err);
		return -ENOSPC;
	}
	return 0;
}

/* The first instance that does not fit beside the others; SIZE_MAX: all do. */
static size_t find_crowded(const struct space *space, uint64_t *ret_total, uint64_t *ret_available)
{
	for (size_t i = 0; i < space->plan->instance_count; i++) {
		if (!is_made(space, i))
			continue;
		*ret_total = together(space, i, true);
		*ret_available = info_of(space, i)->free_bytes;
		if (*ret_total > usable(*ret_available))
			return i;
		*ret_total = together(space, i, false);
		*ret_available = largest_available(space, i);
		if (*ret_total > usable(*ret_available))
			return i;
	}
	return SIZE_MAX;
}

static int tell_grouped(struct plan *plan, const char *pool, uint64_t total, uint64_t available)
{
	char expected[64], found[64];

	(void)snprintf(expected, sizeof(expected), "%" PRIu64 " MiB", mebibytes(total));
	(void)snprintf(found, sizeof(found), "%" PRIu64 " MiB", available >> 20);
	return findings_add(
		&plan->findings, FINDING_WARNING, "grouped_for_space", NULL, NULL, expected, found,
		"The zvols and datasets of this run take %" PRIu64 " MiB of the pool %s together, "
		"and %" PRIu64 " MiB are available, of which %" PRIu64
		" MiB are kept free: each is "
		"made, filled, measured and destroyed before the next. What drifts over the run "
		"(other load, a pool that fills up or fragments) cannot be told from the effect "
		"of their properties then.",
		mebibytes(total), pool, available >> 20, reserve(available) >> 20);
}

/* The plan's estimate of space, with what OpenZFS has told. */
static void correct_estimate(struct plan *plan, const struct space *space)
{
	uint64_t total = 0, largest = 0;

	for (size_t i = 0; i < plan->instance_count; i++) {
		struct target_need need;
		uint64_t bytes;

		if (is_made(space, i)) {
			total = add(total, plan->one_by_one ? 0 : space->reserved[i]);
			if (space->reserved[i] > largest)
				largest = space->reserved[i];
			continue;
		}
		/* What overflows was refused before. */
		if (spec_of(space, i)->existing || spec_of(space, i)->kind == TARGET_DEVICE ||
		    inspect_need(plan, plan->instances[i].target, &need) < 0 ||
		    __builtin_mul_overflow(need.bytes, need.files, &bytes))
			continue;
		total = add(total, add(bytes, need.tree_bytes));
	}
	plan->estimate.space_bytes = plan->one_by_one ? add(total, largest) : total;
}

static int tell_all_repeats(struct plan *plan)
{
	char expected[REPEATS_TEXT_MAX], found[32];

	if (!repeats_may_end(plan->definition))
		return 0;
	(void)snprintf(found, sizeof(found), "%u repeats", plan->definition->repeats);
	return findings_add(
		&plan->findings, FINDING_WARNING, "repeats_not_ended", NULL, NULL,
		repeats_text(plan->definition, expected), found,
		"All %u repeats will be made: with one zvol or dataset after another no repeat is "
		"whole before the last of them, so none can be ended by what it has shown. Give "
		"the pool more space, lower size, or give repeats as a number.",
		plan->definition->repeats);
}

int inspect_space(struct plan *plan, const struct target_info *infos, const uint64_t *reserved,
		  struct error *err)
{
	const struct space space = {.plan = plan, .infos = infos, .reserved = reserved};
	uint64_t total, available;
	size_t crowded;
	bool any = false;
	int r;

	for (size_t i = 0; i < plan->instance_count; i++)
		any |= is_made(&space, i);
	if (!any)
		return 0;
	r = check_each(&space, err);
	if (r < 0)
		return r;
	crowded = find_crowded(&space, &total, &available);
	if (crowded != SIZE_MAX) {
		if (plan_group_by_instance(plan) < 0 ||
		    tell_grouped(plan, info_of(&space, crowded)->zfs.pool, total, available) < 0 ||
		    tell_all_repeats(plan) < 0)
			return error_no_memory(err);
	}
	correct_estimate(plan, &space);
	return 0;
}
