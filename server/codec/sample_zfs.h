/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sample_zfs.h (codec) - the member "zfs" of a sample: what OpenZFS did beside it. A figure that is
 * not known is absent. from_devices and the amplifications follow from the others: they are written
 * for readers, and not read.
 */
#ifndef SERVER_CODEC_SAMPLE_ZFS_H
#define SERVER_CODEC_SAMPLE_ZFS_H

#include "engine/zfs/sample_zfs.h"
#include "server/codec/fields.h"
#include "server/codec/json.h"

json_t *sample_zfs_encode(const struct sample_zfs *zfs); /* NULL on no memory */

/* in: the sample. *ret_zfs is heap; NULL where the sample has none. */
MUST_CHECK int sample_zfs_decode(const struct fields *in, struct sample_zfs **ret_zfs);

#endif
