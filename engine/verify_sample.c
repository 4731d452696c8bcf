/* SPDX-License-Identifier: GPL-3.0-or-later */
/* verify_sample.c - see verify_sample.h. */
#include "engine/verify_sample.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>

#include "engine/fill.h"

struct ticking {
	void (*tick)(void *arg);
	void *arg;
};

static void read_back_tick(void *arg, uint64_t bytes_done)
{
	const struct ticking *ticking = arg;

	(void)bytes_done;
	if (ticking->tick)
		ticking->tick(ticking->arg);
}

int verify_sample(struct sample *sample, struct verify *verify,
		  const struct measure_region *regions, size_t count, atomic_bool *cancel,
		  void (*tick)(void *arg), void *arg, struct error *err)
{
	struct ticking ticking = {tick, arg};
	const struct readback_config config = {
		.verify = verify,
		.regions = regions,
		.cancel = cancel,
		.tick = read_back_tick,
		.arg = &ticking,
	};
	int r = fill_settle(regions, count, cancel, tick, arg, err);

	if (r < 0)
		return r;
	for (size_t i = 0; i < count; i++) /* advice; not every file takes it */
		(void)posix_fadvise(regions[i].fd, 0, 0, POSIX_FADV_DONTNEED);
	return readback_run(&config, &sample->verify, err);
}

/* Whether the workload takes wrong blocks for a figure and not for the end. */
static bool goes_on(const struct workload *options)
{
	for (size_t i = 0; i < workload_parts(options); i++) {
		const struct workload *part = workload_part(options, i);

		if (part->verify != VERIFY_NONE && part->continue_on_error != CONTINUE_VERIFY &&
		    part->continue_on_error != CONTINUE_ALL)
			return false;
	}
	return true;
}

int verify_outcome(const struct sample *sample, struct error *err)
{
	const struct verify_result *verify = &sample->verify;
	char fault[VERIFY_TEXT_MAX];

	if (verify->errors == 0 || goes_on(&sample->options))
		return 0;
	(void)error_set(err, ERROR_VERIFY_FAILED, "",
			"%" PRIu64 " of the %" PRIu64 " blocks read back are not what \"%.64s\" "
			"wrote: %s.",
			verify->errors, verify->blocks, sample->workload,
			verify_describe(&verify->first, fault));
	return -EBADMSG;
}
