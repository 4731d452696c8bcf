/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * traps.h - what in a definition would mislead whoever reads its figures.
 *
 * Codes, stable (severity; w: names workloads, else for the whole):
 *   fits_memory           warning buffered, info direct; w: what the jobs touch fits into memory
 *   shared_region         warning; w: jobs meet in one region of one file or device
 *   written_by_several    warning; w: named jobs that run together write to the same bytes
 *   short_run             warning; w: writes over before caches fill, ZFS's write groups above all
 *   ramp_longer_than_run  warning; w
 *   buffered_writes       warning; w: writes that end in memory, never synced
 *   fits_arc              warning, info where O_DIRECT may go around ARC; w: as fits_memory, where
 *                         the target is made on OpenZFS
 *   direct_on_zvol        info; w: O_DIRECT goes around the page cache, never around ARC
 *   arc_without_data      info; w: primarycache=metadata or none measures the pool
 *   incompressible_data   warning; w: compression is compared, of data that has none
 *   sync_ignored          warning; w: syncs with the property sync=disabled
 *   unwritten_data        warning; w: reads of an existing target may meet what was never written
 *   compressible_data     info; w: data that what lies beneath may make smaller; a warning for
 *                         zeros on OpenZFS with compression
 *   fio_depth             warning; w: an fio command line that fio itself would run at depth 1
 *   fio_defaults_differ   info; w for fio command lines, else for the whole
 *   depth_ignored         warning; w: iodepth with psync or sync
 *   no_effect             info, warning where it is a factor; w: options, or properties, that do
 *                         nothing here
 *   mixed_sizes           info; w: a mix counts operations, so the bytes are not in its proportion
 *   runs_to_size          info; w: no runtime, ends when its size is done
 *   whole_target          info; w: no size, so the jobs share all of the target
 *   touches_again         info; w: a distribution turns norandommap on, as in fio
 *   no_storage            warning; w: ioengine null touches nothing
 *   single_sample         warning: one repeat gives no interval and no verdict
 *   grouped_order         warning: drift falls on the levels unequally
 *   factor_overridden     warning: all levels of a factor measure the same
 *
 * What is told in the same words of several workloads is one finding, which names them, or none
 * where it is all of several. It names the first cell it holds in, unless it holds in all cells of
 * these workloads; expected and found list the different figures of the cells. Jobs that run
 * together are looked at one by one; found then says which of them it is of.
 */
#ifndef ENGINE_PLAN_TRAPS_H
#define ENGINE_PLAN_TRAPS_H

#include "engine/plan/plan.h"

/* Appends to plan->findings. machine may be NULL: nothing about memory then. -ENOMEM. */
MUST_CHECK int traps_find(struct plan *plan, const struct machine *machine);

/* A step of it: those of the definition as a whole, and fio_defaults_differ. */
MUST_CHECK int traps_find_whole(struct plan *plan);

/* Those that wait for a size, for samples whose size the target gave. */
MUST_CHECK int traps_find_resolved(struct plan *plan, const struct machine *machine);

#endif
