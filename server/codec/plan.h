/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plan.h (codec) - struct plan -> volbench.plan/1, and the findings and targets that other
 * documents hold too. See openapi.yaml, schemas Plan, Finding, TargetInfo, TargetCandidate.
 */
#ifndef SERVER_CODEC_PLAN_H
#define SERVER_CODEC_PLAN_H

#include "engine/io/measure.h"
#include "engine/plan/plan.h"
#include "engine/target/target.h"
#include "server/codec/json.h"

#define PLAN_SCHEMA "volbench.plan/1"

/* infos: one a target. NULL: no memory. */
json_t *plan_encode(const struct plan *plan, const struct target_info *infos,
		    enum backend_kind backend, const char *backend_reason);

json_t *findings_encode(const struct findings *findings);
/* Appends. -EINVAL where an entry is no finding, -ENOMEM. */
MUST_CHECK int findings_decode(const json_t *value, struct findings *findings);
MUST_CHECK int findings_decode_text(const char *text, struct findings *findings);

json_t *target_info_encode(const struct target_info *info);
/* -EINVAL where it is none. */
MUST_CHECK int target_info_decode(const json_t *value, struct target_info *ret_info);
json_t *target_list_encode(const struct target_list *list);

#endif
