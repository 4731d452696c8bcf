/* SPDX-License-Identifier: GPL-3.0-or-later */
/* budget.c - see budget.h. */
#include "engine/plan/budget.h"

#include <inttypes.h>

#include "engine/plan/data_files.h"
#include "engine/plan/workload_sizes.h"

static uint64_t divide_up(uint64_t a, uint64_t b)
{
	return a / b + (a % b != 0);
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t lesser(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

bool budget_given(const struct workload *workload)
{
	return workload->io_size > 0 || workload->number_ios > 0 || workload->loops > 1;
}

bool budget_uniform(const struct workload *workload)
{
	uint64_t bs = 0;

	if (workload_sizes_differ(workload))
		return false;
	for (int d = 0; d < DIRECTION_COUNT; d++) {
		if (!workload_moves(workload, (enum direction)d))
			continue;
		if (bs != 0 && workload->bs[d] != bs)
			return false;
		bs = workload->bs[d];
	}
	return bs != 0;
}

/* As fio takes 0. */
uint64_t budget_loops(const struct workload *workload)
{
	return larger(workload->loops, 1);
}

static uint64_t request_bytes(const struct workload *workload)
{
	for (int d = 0; d < DIRECTION_COUNT; d++)
		if (workload_moves(workload, (enum direction)d))
			return workload->bs[d];
	return 1;
}

/* Requests of one pass over the region. */
static uint64_t pass_ios(const struct workload *workload, uint64_t size, uint64_t bs)
{
	bool random = workload_random(workload), mixed = workload_mixed(workload);

	if (random ? !workload->norandommap : !mixed)
		return size >= bs ? size / bs : 1;
	/* fio's exceptions: these are one pass, however long. */
	if ((mixed && !random) || (random && workload_writes(workload)))
		size = larger(size, workload->io_size);
	return divide_up(size, bs);
}

/* All requests are of bs bytes: how many. */
static uint64_t uniform_ios(const struct workload *workload, uint64_t size, uint64_t bs)
{
	uint64_t pass = pass_ios(workload, size, bs), limit = workload->io_size, rest;
	uint64_t largest = larger(larger(workload->bs[0], workload->bs[1]), workload->bs[2]);

	if (limit == 0 || workload->loops > 1)
		return lesser(divide_up((limit ? limit : size) * budget_loops(workload), bs),
			      pass * budget_loops(workload));
	rest = limit % (pass * bs);
	pass *= limit / (pass * bs); /* all that are whole */
	return rest == 0 || (pass > 0 && rest < largest) ? pass : pass + divide_up(rest, bs);
}

/* Several files hold only whole requests each. */
static uint64_t size_of(const struct workload *workload, uint64_t region_bytes)
{
	if (data_files_given(workload))
		region_bytes = data_files_total(workload);
	else if (workload->size != 0)
		return workload->size;
	return workload->size != 0 ? lesser(workload->size, region_bytes) : region_bytes;
}

struct budget budget_of(const struct workload *workload, uint64_t region_bytes)
{
	uint64_t size = size_of(workload, region_bytes);
	uint64_t bs = request_bytes(workload), ios;
	struct budget budget = {.ios = UINT64_MAX};

	if (workload->number_ios > 0)
		budget.ios = workload->number_ios * budget_loops(workload);
	if (!budget_uniform(workload)) {
		budget.bytes =
			(workload->io_size ? workload->io_size : size) * budget_loops(workload);
		return budget;
	}
	ios = uniform_ios(workload, size, bs);
	budget.bytes = lesser(ios, budget.ios) * bs;
	budget.ios = UINT64_MAX;
	return budget;
}

/* fio takes loops beyond what io_size asks for in three ways, by rw and norandommap. */
static int check_loops(const struct workload *workload, struct error *err)
{
	uint64_t most = larger(larger(workload->size, workload->io_size), 1);
	uint64_t ignored;

	if (workload->loops > 1 && workload->io_size > 0 &&
	    (workload->size == 0 || workload->io_size > workload->size))
		return error_set(err, ERROR_CONFLICT, "loops",
				 "loops repeats a job whose io_size lies within its size; with a "
				 "larger one give the whole of it as io_size and leave loops out");
	if (__builtin_mul_overflow(most, workload->loops, &ignored) || ignored > INT64_MAX ||
	    __builtin_mul_overflow(workload->number_ios, workload->loops, &ignored))
		return error_set(err, ERROR_CONFLICT, "loops",
				 "loops=%" PRIu64 " makes more than 2^63 bytes of it",
				 workload->loops);
	return 0;
}

int budget_complete(struct workload *workload, struct error *err)
{
	const char *name = workload->io_size > 0      ? "io_size"
			   : workload->number_ios > 0 ? "number_ios"
						      : "loops";

	if (!budget_given(workload))
		return 0;
	if (workload_is_set(workload, OPTION_ID_TIME_BASED) && workload->time_based)
		return error_set(err, ERROR_CONFLICT, name,
				 "time_based goes on until runtime is over, and %s would be "
				 "ignored: leave out one of the two",
				 name);
	workload->time_based = false;
	return check_loops(workload, err);
}
