/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * definition_factors.h - "factors" of a definition: each an option, the targets, or a property of
 * the zvols and datasets to be made.
 *
 * sync and direct are both an option and a property. Such a factor is the property where all its
 * levels are values of the property (standard, always, disabled), the option where all are values
 * of the option; levels of both kinds are a CONFLICT.
 */
#ifndef SERVER_CODEC_DEFINITION_FACTORS_H
#define SERVER_CODEC_DEFINITION_FACTORS_H

#include "engine/plan/definition.h"
#include "server/codec/json.h"

MUST_CHECK int definition_decode_factors(const json_t *value, struct definition *definition,
					 struct error *err);

#endif
