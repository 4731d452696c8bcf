/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_checksum.c - the values everybody knows, the two ways of crc32c, pieces and the whole. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/macros.h"
#include "engine/io/random.h"
#include "engine/io/verify/checksum.h"

static void test_known_values(void **unused)
{
	unsigned char zeros[32] = {0}, ones[32], up[32];

	(void)unused;
	assert_int_equal(checksum_crc32c(0, "123456789", 9), 0xe3069283);
	assert_int_equal(checksum_crc32(0, "123456789", 9), 0xcbf43926);
	assert_int_equal(checksum_crc32c(0, "", 0), 0);
	assert_int_equal(checksum_crc32(0, "", 0), 0);
	/* RFC 3720, B.4 */
	memset(ones, 0xff, sizeof(ones));
	for (unsigned int i = 0; i < 32; i++)
		up[i] = (unsigned char)i;
	assert_int_equal(checksum_crc32c(0, zeros, 32), 0x8a9136aa);
	assert_int_equal(checksum_crc32c(0, ones, 32), 0x62a8ab43);
	assert_int_equal(checksum_crc32c(0, up, 32), 0x46dd794e);
}

/* One bit at a time, as the polynomial says. */
static uint32_t slowly(uint32_t polynomial, const unsigned char *data, size_t size)
{
	uint32_t crc = UINT32_MAX;

	for (size_t i = 0; i < size; i++) {
		crc ^= data[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? polynomial : 0);
	}
	return ~crc;
}

static void test_any_length_and_place(void **unused)
{
	unsigned char data[300];
	struct random random;

	(void)unused;
	random_init(&random, 1);
	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (unsigned char)random_next(&random);
	for (size_t from = 0; from < 9; from++)
		for (size_t size = 0; size < 280; size++) {
			uint32_t crc32c = slowly(0x82f63b78, data + from, size);
			uint32_t crc32 = slowly(0xedb88320, data + from, size);
			size_t half = size / 3;

			assert_int_equal(checksum_crc32c(0, data + from, size), crc32c);
			assert_int_equal(checksum_crc32c_plain(0, data + from, size), crc32c);
			assert_int_equal(checksum_crc32(0, data + from, size), crc32);
			assert_int_equal(checksum_crc32c(checksum_crc32c(0, data + from, half),
							 data + from + half, size - half),
					 crc32c);
			assert_int_equal(checksum_crc32(checksum_crc32(0, data + from, half),
							data + from + half, size - half),
					 crc32);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known_values),
		cmocka_unit_test(test_any_length_and_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
