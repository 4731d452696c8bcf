/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * definition_paths.h - fio's options filename and directory as a definition's target, a step of
 * definition_check(), or another target in their place.
 */
#ifndef ENGINE_PLAN_DEFINITION_PATHS_H
#define ENGINE_PLAN_DEFINITION_PATHS_H

#include "engine/plan/definition.h"

/*
 * Where there is no target, the filename and directory that all workloads share (after defaults
 * and override) become it and are options no longer; there must be one then. Where there is a
 * target, neither may be given. A path below /dev, but /dev/shm, is a device's.
 */
MUST_CHECK int definition_adopt_paths(struct definition *definition, struct error *err);

/*
 * Makes the target that a text names ("file:PATH", "directory:PATH", "device:PATH", "zvol:PARENT",
 * "dataset:PARENT") the only one; filename and directory of the workloads are options no longer.
 * BAD_PARAMETER.
 */
MUST_CHECK int definition_place_target(struct definition *definition, const char *text,
				       struct error *err);

#endif
