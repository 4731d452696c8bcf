/* SPDX-License-Identifier: GPL-3.0-or-later */
/* checks_device.c - see checks_private.h: did the device do what the figures say? */
#include "engine/analysis/checks_private.h"

#include <stdio.h>

/* A device that moved less than asked did not do the work. What was outstanding at the window's
 * ends counts on one side only: 5 %, a queue's worth and 1 MiB. */
#define DEVICE_SHARE 0.05
#define DEVICE_BYTES (1024.0 * 1024)

/* Journal, metadata and other programs always add something, which changes no conclusion. Half as
 * much again and 8 MiB/s, more than an idle system's writing, is another load beside the one
 * measured, or records larger than the requests. */
#define DEVICE_MORE_SHARE 0.5
#define DEVICE_MORE_BYTES_PER_S (8 * 1024.0 * 1024)

/* Buffered reads of which the device saw less than half: the figure is mostly that of memory. */
#define CACHE_SHARE 0.5

/* A device that held an eighth of what was outstanding, of 8 at least, was not what it waited for.
 * Sequential requests are merged, so only random ones tell. */
#define QUEUE_SHARE 0.125
#define QUEUE_DEPTH 8

#define MIB (1024.0 * 1024)

/* Samples whose operations reach the device that was watched. */
static bool device_tells(const struct sample *sample)
{
	return sample->device.name[0] && sample->seconds > 0 && !checks_on_null(sample);
}

static bool all_direct(const struct workload *options)
{
	for (size_t i = 0; i < workload_parts(options); i++)
		if (!workload_part(options, i)->direct)
			return false;
	return true;
}

int checks_device_bytes(const struct check *check, enum direction d)
{
	const struct sample *sample = check->sample;
	bool told = sample->source != NULL;
	double bytes = (double)sample->directions[d].bytes;
	double device = (double)(d == DIRECTION_READ ? sample->device.read_bytes
						     : sample->device.written_bytes);
	double queue = DEVICE_BYTES +
		       checks_depth_asked(sample) * (double)workload_buffer_bytes(&sample->options);
	double least = bytes * (1 - DEVICE_SHARE) - queue;
	double most =
		bytes * (1 + DEVICE_MORE_SHARE) + queue + DEVICE_MORE_BYTES_PER_S * sample->seconds;
	const char *moved = d == DIRECTION_READ ? "read" : "written";
	char expected[96], found[128];

	if (!device_tells(sample) || !sample_moves(sample, d) || d == DIRECTION_TRIM ||
	    (told && !sample->source->directions[d].bytes_known))
		return 0;
	(void)snprintf(expected, sizeof(expected), "about %.4g MiB", bytes / MIB);
	(void)snprintf(found, sizeof(found), "%.4g MiB %s on %s", device / MIB, moved,
		       sample->device.name);
	/* Without a word about direct it may have been either. */
	if (!sample_knows(sample, OPTION_ID_DIRECT) || !all_direct(&sample->options)) {
		if (d == DIRECTION_READ && device < bytes * CACHE_SHARE - queue)
			return checks_add(
				check, FINDING_WARNING, "reads_from_cache", expected, found,
				"Most reads never reached the device: the figures are those of "
				"the page cache. Use direct=1 or a size beyond memory.");
		return 0;
	}
	if (device < least)
		return checks_add(check, FINDING_WARNING, "device_bytes_differ", expected, found,
				  "Less reached the device than was asked for: a cache in between "
				  "answered, or data was compressed.");
	/* The counters of others also hold what went before the measured time. */
	if (device > most && !told)
		return checks_add(
			check, FINDING_INFO, "device_bytes_differ", expected, found,
			"The device moved far more than was asked for: other programs used it, "
			"or it moves whole records for parts of them. Measure while nothing "
			"else runs.");
	return 0;
}

int checks_device_queue(const struct check *check)
{
	const struct sample *sample = check->sample;
	double queue, asked = checks_depth_asked(sample);
	char expected[96], found[96];

	if (!device_tells(sample) || !checks_depth_known(sample) ||
	    !sample_knows(sample, OPTION_ID_RW) || !sample->options.direct ||
	    checks_paced(sample) || !workload_random(&sample->options) ||
	    workload_trims(&sample->options) || asked < QUEUE_DEPTH ||
	    checks_operations(sample) == 0)
		return 0;
	queue = (double)sample->device.weighted_ms / (sample->seconds * 1000);
	if (queue >= asked * QUEUE_SHARE)
		return 0;
	(void)snprintf(expected, sizeof(expected), "about %.0f requests at %s", asked,
		       sample->device.name);
	(void)snprintf(found, sizeof(found), "%.3g on the mean", queue);
	return checks_add(
		check, FINDING_WARNING, "device_queue_short", expected, found,
		"What was outstanding waited above the device (file system, kernel, a cache or "
		"the processors); more depth will not make the device faster.");
}
