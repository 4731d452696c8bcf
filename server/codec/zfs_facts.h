/* SPDX-License-Identifier: GPL-3.0-or-later */
/* zfs_facts.h (codec) - the member "zfs" of a target: the pool it lies on (engine/zfs/pool.h). What
 * is not known of it is absent. */
#ifndef SERVER_CODEC_ZFS_FACTS_H
#define SERVER_CODEC_ZFS_FACTS_H

#include "engine/zfs/pool.h"
#include "server/codec/fields.h"
#include "server/codec/json.h"

json_t *zfs_facts_encode(const struct zfs_facts *facts); /* NULL on no memory */
/* -EINVAL, with the error of `in`. */
MUST_CHECK int zfs_facts_decode(const struct fields *in, struct zfs_facts *ret_facts);

#endif
