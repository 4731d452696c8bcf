/* SPDX-License-Identifier: GPL-3.0-or-later */
/* steadystate.h (codec) - what steadystate came to <-> JSON, and as fio tells it. See openapi.yaml,
 * schema SteadyState. */
#ifndef SERVER_CODEC_STEADYSTATE_H
#define SERVER_CODEC_STEADYSTATE_H

#include "engine/sample.h"
#include "server/codec/fields.h"

/* Whether the target was in a steady state (engine/analysis/steady.h), as schema SteadyWindow of
 * openapi.yaml. It is computed as it is written, and passed over by readers, who have the series:
 * so samples of before it was judged have it too, and it never contradicts them. 0 without a
 * member where the sample is not judged; -1: no memory. */
int put_steady_window(json_t *object, const struct sample *sample);

/* Of a sample that asks for it. NULL: no memory. */
json_t *steady_encode(const struct sample *sample);
MUST_CHECK int steady_decode(const struct fields *in, struct steady_result *ret_result);

/* fio's "steadystate" object (stat.c). NULL: no memory. */
json_t *fio_steady_encode(const struct sample *sample);

#endif
