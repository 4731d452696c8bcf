/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_numbers.c - figures as a reader meets them. */
#include "web/numbers.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_count(void **state)
{
	(void)state;
	assert_string_equal(numbers_count(0).text, "0");
	assert_string_equal(numbers_count(1e-9).text, "0");
	assert_string_equal(numbers_count(3.14159).text, "3.14");
	assert_string_equal(numbers_count(0.25).text, "0.250");
	assert_string_equal(numbers_count(7).text, "7");
	assert_string_equal(numbers_count(820.4).text, "820");
	assert_string_equal(numbers_count(999.4).text, "999");
	assert_string_equal(numbers_count(999.6).text, "1.00k");
	assert_string_equal(numbers_count(37449).text, "37.4k");
	assert_string_equal(numbers_count(378000).text, "378k");
	assert_string_equal(numbers_count(999600).text, "1.00M");
	assert_string_equal(numbers_count(11.4e6).text, "11.4M");
	assert_string_equal(numbers_count(NAN).text, "n/a");
	assert_string_equal(numbers_count(INFINITY).text, "n/a");
	assert_string_equal(numbers_iops(37449).text, "37.4k IOPS");
}

static void test_bytes(void **state)
{
	(void)state;
	assert_string_equal(numbers_bandwidth(1.06 * (1 << 30)).text, "1.06 GiB/s");
	assert_string_equal(numbers_bandwidth(264.0 * (1 << 20)).text, "264 MiB/s");
	assert_string_equal(numbers_bandwidth(512).text, "512 B/s");
	assert_string_equal(numbers_bytes(64.0 * (1 << 20)).text, "64.0 MiB");
	assert_string_equal(numbers_bytes(1023.9 * 1024).text, "1.00 MiB");
	assert_string_equal(numbers_bytes(0).text, "0 B");
	assert_string_equal(numbers_mib(1475.2 * (1 << 20)).text, "1475");
	assert_string_equal(numbers_mib(16.24 * (1 << 20)).text, "16.2");
	assert_string_equal(numbers_mib(99.96 * (1 << 20)).text, "100");
	assert_string_equal(numbers_mib(9999.4 * (1 << 20)).text, "9999");
	assert_string_equal(numbers_mib(244050.3 * (1 << 20)).text, "244,050");
	assert_string_equal(numbers_mib(0).text, "0");
}

static void test_time(void **state)
{
	(void)state;
	assert_string_equal(numbers_time(820e3).text, "820 us");
	assert_string_equal(numbers_time(999.9e3).text, "1.00 ms");
	assert_string_equal(numbers_time(85).text, "85 ns");
	assert_string_equal(numbers_time(12.34e9).text, "12.3 s");
	assert_string_equal(numbers_duration(0.53).text, "0.5 s");
	assert_string_equal(numbers_duration(45).text, "45 s");
	assert_string_equal(numbers_duration(200).text, "3 min 20 s");
	assert_string_equal(numbers_duration(240).text, "4 min");
	assert_string_equal(numbers_duration(7500).text, "2 h 5 min");
	assert_string_equal(numbers_duration(-1).text, "n/a");
}

static void test_shares_and_ratios(void **state)
{
	(void)state;
	assert_string_equal(numbers_percent(0).text, "0 %");
	assert_string_equal(numbers_percent(0.0003).text, "0.0 %");
	assert_string_equal(numbers_percent(0.98749).text, "98.7 %");
	assert_string_equal(numbers_percent(0.99951).text, "100 %");
	assert_string_equal(numbers_percent(1).text, "100 %");
	assert_string_equal(numbers_percent(NAN).text, "n/a");
	assert_string_equal(numbers_times(0).text, "0x");
	assert_string_equal(numbers_times(0.05).text, "0.050x");
	assert_string_equal(numbers_times(1).text, "1.00x");
	assert_string_equal(numbers_times(9.999).text, "10.0x");
	assert_string_equal(numbers_times(33.14).text, "33.1x");
	assert_string_equal(numbers_times(1234).text, "1230x");
	assert_string_equal(numbers_times(INFINITY).text, "n/a");
	assert_string_equal(numbers_change(1.0414).text, "+4.1 %");
	assert_string_equal(numbers_change(0.8801).text, "-12 %");
	assert_string_equal(numbers_change(1).text, "0 %");
	assert_string_equal(numbers_change(0.99999).text, "0 %");
	assert_string_equal(numbers_change(1.0007).text, "+0.07 %");
	assert_string_equal(numbers_change(2.413).text, "2.41x");
	assert_string_equal(numbers_change(0.002).text, "-99.8 %");
	assert_string_equal(numbers_change(NAN).text, "n/a");
	assert_string_equal(numbers_ratio(1.0414).text, "1.041");
	assert_string_equal(numbers_ratio(12.34).text, "12.3");
	assert_string_equal(numbers_ratio(0.01234).text, "0.0123");
	assert_string_equal(numbers_ratio(NAN).text, "n/a");
	assert_string_equal(numbers_p(0.0004).text, "< 0.001");
	assert_string_equal(numbers_p(0.0421).text, "0.042");
	assert_string_equal(numbers_p(0.5).text, "0.50");
	assert_string_equal(numbers_p(1).text, "1.00");
	assert_string_equal(numbers_cell(NAN, 264 << 20).text, "– / 264 MiB");
	assert_string_equal(numbers_cell(33812, NAN).text, "~33.8k / –");
}

static void test_exact_and_cell(void **state)
{
	(void)state;
	assert_string_equal(numbers_exact(33812.44).text, "33,812.4");
	assert_string_equal(numbers_exact(12.04).text, "12.0");
	assert_string_equal(numbers_exact(1234567.8).text, "1,234,568");
	assert_string_equal(numbers_exact(-1234.5).text, "-1,234.5");
	assert_string_equal(numbers_exact(-123.5).text, "-123.5");
	assert_string_equal(numbers_grouped(0).text, "0");
	assert_string_equal(numbers_grouped(1234567).text, "1,234,567");
	assert_string_equal(numbers_grouped(UINT64_MAX).text, "18,446,744,073,709,551,615");
	assert_string_equal(numbers_cell(33812, 264.2 * (1 << 20)).text, "~33.8k / 264 MiB");
	assert_string_equal(numbers_cell(378000, 1475.0 * (1 << 20)).text, "~378k / 1475 MiB");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_count),	       cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_time),	       cmocka_unit_test(test_shares_and_ratios),
		cmocka_unit_test(test_exact_and_cell),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
