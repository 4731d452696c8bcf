/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * checksum.h - the checksums that written blocks carry.
 *
 * crc32c is Castagnoli's polynomial (iSCSI, ext4, NVMe), by the processor's instruction where it
 * has one; crc32 is that of Ethernet, zlib and gzip. Both reflected, begun with all ones and
 * inverted at the end: of "123456789" they are 0xe3069283 and 0xcbf43926.
 * Threads: any.
 */
#ifndef ENGINE_IO_VERIFY_CHECKSUM_H
#define ENGINE_IO_VERIFY_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* Of so many bytes behind others whose checksum is `before` (0 where there are none). */
uint32_t checksum_crc32c(uint32_t before, const void *data, size_t bytes);
uint32_t checksum_crc32(uint32_t before, const void *data, size_t bytes);

/* crc32c without the processor's help; what it is held against. */
uint32_t checksum_crc32c_plain(uint32_t before, const void *data, size_t bytes);

#endif
