/* SPDX-License-Identifier: GPL-3.0-or-later */
/* steadystate.h (codec) - what steadystate came to <-> JSON, and as fio tells it. See openapi.yaml,
 * schema SteadyState. */
#ifndef SERVER_CODEC_STEADYSTATE_H
#define SERVER_CODEC_STEADYSTATE_H

#include "engine/sample.h"
#include "server/codec/fields.h"

/* Of a sample that asks for it. NULL: no memory. */
json_t *steady_encode(const struct sample *sample);
MUST_CHECK int steady_decode(const struct fields *in, struct steady_result *ret_result);

/* fio's "steadystate" object (stat.c). NULL: no memory. */
json_t *fio_steady_encode(const struct sample *sample);

#endif
