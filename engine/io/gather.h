/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gather.h - merges what the workers of one measurement recorded into its sample. */
#ifndef ENGINE_IO_GATHER_H
#define ENGINE_IO_GATHER_H

#include "engine/io/reactor.h"
#include "engine/io/threads.h"

/* Either reactors or threads. Reactor r of n has the jobs r, r + n, r + 2 n, ... */
struct workers {
	size_t reactor_count;
	struct reactor **reactors;
	struct threads *threads;
};

/*
 * After the workers have finished; those left behind are read as far as that is safe: a reactor
 * that has not finished is left out, a job of threads is read under its lock. -ENOMEM: the sample
 * holds a part. The figures of each part of the workload, where it has several, and of each job of
 * those without group_reporting go to the sample's jobs.
 */
MUST_CHECK int gather(struct workers *workers, struct load *load, const struct measure_spec *spec,
		      struct sample *sample);

#endif
