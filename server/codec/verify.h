/* SPDX-License-Identifier: GPL-3.0-or-later */
/* verify.h (codec) - the member "verify" of a sample: what was read back, and what was wrong. */
#ifndef SERVER_CODEC_VERIFY_H
#define SERVER_CODEC_VERIFY_H

#include "engine/sample.h"
#include "server/codec/fields.h"
#include "server/codec/json.h"

json_t *verify_encode(const struct sample *sample); /* NULL on no memory */
MUST_CHECK int verify_decode(const struct fields *in, struct verify_result *verify);

#endif
