/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * definition_factors.h - factors and their levels, a step of definition_check(): each level once
 * and canonical, and several targets a factor.
 */
#ifndef ENGINE_PLAN_DEFINITION_FACTORS_H
#define ENGINE_PLAN_DEFINITION_FACTORS_H

#include "engine/plan/definition.h"

/* The targets have been checked. */
MUST_CHECK int definition_check_factors(struct definition *definition, struct error *err);

#endif
