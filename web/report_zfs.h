/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * report_zfs.h - what a report says of OpenZFS; internal to web/report*.c.
 *
 * Two figures beside each cell (analysis/cells.h): the share of reads that the devices served, and
 * the bytes they wrote for each byte the workload wrote; in a table also the bytes they read. What
 * is not known is told as "unknown" and drawn as nothing, never as zero. Then what was made for the
 * run, with the proof that it was filled; the pool beneath; and the commands that make the same.
 *
 * All of it is made of samples and of the targets' facts, so that a result of targets which merely
 * lie on OpenZFS has it as well.
 */
#ifndef WEB_REPORT_ZFS_H
#define WEB_REPORT_ZFS_H

#include "web/report_parts.h"

enum zfs_figure { ZFS_FROM_DEVICES, ZFS_WRITTEN, ZFS_READ, ZFS_FIGURES }; /* first ZFS_CHARTS */

/* report_zfs_figures.c */
MUST_CHECK int report_plan_zfs_charts(struct report *report);
void report_zfs_figures(const struct report *report, struct html *html);

/* report_zfs.c; each writes nothing where there is nothing to say. */
void report_zfs_kind(const struct target_spec *spec,
		     struct html *html); /* behind its parent's name */
void report_order_note(const struct report *report, struct html *html);
void report_zfs_made(const struct report *report, struct html *html);
void report_zfs_pools(const struct report *report, struct html *html);
void report_zfs_commands(const struct report *report, struct html *html);

#endif
