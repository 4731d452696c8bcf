/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * checks.h - does a sample agree with itself and with what was asked?
 *
 * Adds findings to the sample: mix asked against mix got (beyond the larger of 1 point and
 * 4 sqrt(p(1-p)/n)), time asked against time run, IOPS x request size against bandwidth, device
 * bytes far from application bytes with direct, depth asked against depth reached, fewer than
 * needed operations for the percentiles.
 */
#ifndef ENGINE_ANALYSIS_CHECKS_H
#define ENGINE_ANALYSIS_CHECKS_H

#include "engine/sample.h"

MUST_CHECK int checks_sample(struct sample *sample);

#endif
