/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * checksum.c - see checksum.h. Eight bytes a step off eight tables (slicing-by-8: Kounavis and
 * Berry, "A systematic approach to building high performance software-based CRC generators").
 */
#include "engine/io/verify/checksum.h"

#include <pthread.h>
#include <string.h>

#define CASTAGNOLI UINT32_C(0x82f63b78) /* reflected, as the next */
#define ETHERNET UINT32_C(0xedb88320)

struct tables {
	uint32_t by[8][256]; /* by[n][b]: of byte b with n zero bytes behind it */
};

static struct tables castagnoli, ethernet;
static pthread_once_t made = PTHREAD_ONCE_INIT;

static void make_tables(struct tables *tables, uint32_t polynomial)
{
	for (uint32_t byte = 0; byte < 256; byte++) {
		uint32_t crc = byte;

		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? polynomial : 0);
		tables->by[0][byte] = crc;
	}
	for (int n = 1; n < 8; n++)
		for (uint32_t byte = 0; byte < 256; byte++) {
			uint32_t crc = tables->by[n - 1][byte];

			tables->by[n][byte] = crc >> 8 ^ tables->by[0][crc & 0xff];
		}
}

static void make_all(void)
{
	make_tables(&castagnoli, CASTAGNOLI);
	make_tables(&ethernet, ETHERNET);
}

static uint32_t slice(const struct tables *tables, uint32_t crc, const unsigned char *data,
		      size_t bytes)
{
	crc = ~crc;
	for (; bytes >= 8; bytes -= 8, data += 8) {
		uint32_t low = (uint32_t)data[0] | (uint32_t)data[1] << 8 |
			       (uint32_t)data[2] << 16 | (uint32_t)data[3] << 24;

		low ^= crc;
		crc = tables->by[7][low & 0xff] ^ tables->by[6][low >> 8 & 0xff] ^
		      tables->by[5][low >> 16 & 0xff] ^ tables->by[4][low >> 24] ^
		      tables->by[3][data[4]] ^ tables->by[2][data[5]] ^ tables->by[1][data[6]] ^
		      tables->by[0][data[7]];
	}
	for (; bytes > 0; bytes--, data++)
		crc = crc >> 8 ^ tables->by[0][(crc ^ *data) & 0xff];
	return ~crc;
}

uint32_t checksum_crc32(uint32_t before, const void *data, size_t bytes)
{
	(void)pthread_once(&made, make_all); /* cannot fail */
	return slice(&ethernet, before, data, bytes);
}

uint32_t checksum_crc32c_plain(uint32_t before, const void *data, size_t bytes)
{
	(void)pthread_once(&made, make_all);
	return slice(&castagnoli, before, data, bytes);
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) static uint32_t crc32c_sse42(uint32_t before,
							       const unsigned char *data,
							       size_t bytes)
{
	uint64_t crc = (uint32_t)~before;

	for (; bytes >= 8; bytes -= 8, data += 8) {
		uint64_t word;

		memcpy(&word, data, sizeof(word));
		crc = __builtin_ia32_crc32di(crc, word);
	}
	for (; bytes > 0; bytes--, data++)
		crc = __builtin_ia32_crc32qi((uint32_t)crc, *data);
	return ~(uint32_t)crc;
}
#endif

uint32_t checksum_crc32c(uint32_t before, const void *data, size_t bytes)
{
#if defined(__x86_64__)
	if (__builtin_cpu_supports("sse4.2"))
		return crc32c_sse42(before, data, bytes);
#endif
	return checksum_crc32c_plain(before, data, bytes);
}
