/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * statements.h - what an analysis says, in sentences that carry their numbers.
 *
 * The first answers the question; how sure that is, what it costs and what would make it surer
 * follow. There are none where nothing is compared. Their codes:
 *
 *   recommended        one level is left: by how much it is ahead of the next
 *   not_told_apart     several are not shown worse than the leader: which, and by how much it leads
 *   single_samples     one sample each: no level can be called the best
 *   none_complete      no two levels were measured everywhere
 *   highest            single samples: the highest figures, a sentence a direction (and of files),
 *                      and the lowest mean latencies of paced workloads
 *   leads              single samples: the level with the highest score, and by how much
 *   worst_loss         where the leader loses most against the best level there
 *   shown_worse        levels shown worse than the leader over all, by how much
 *   incomplete_levels  levels that were not measured everywhere, which are out of the score
 *   weights            where workloads count differently
 *   trade_off          the step to a neighbour of the leader (once a neighbour)
 *   write_amplification, space   what levels cost, where it is known
 *   repeats_needed     how many repeats would tell the leader from the next
 *   verdicts           how many pairs of levels differ, of all
 *   detectable         the smallest difference that these repeats would have shown
 *   paired             pairs judged by their own differences, since spreads differ
 *   judged_by          where not by operations a second (once a measure)
 *   mean_above         a level has a better mean than the best one, and why that is not the best
 *   order_grouped      drift is in the differences
 *   order_unknown      drift may be in them: of an imported result
 *   drift              figures rose or fell over the run, which ratios do not hold any more
 *   index              figures are of changes alone, not operations a second
 *   means_told         each figure is a mean of several, whose spread was not told
 */
#ifndef ENGINE_ANALYSIS_STATEMENTS_H
#define ENGINE_ANALYSIS_STATEMENTS_H

#include "engine/analysis/analysis.h"

/* Fills statements; everything else of the analysis is there. -ENOMEM: what was added stays, for
 * analysis_done(). */
MUST_CHECK int statements_make(struct analysis *analysis);

#endif
