/* SPDX-License-Identifier: GPL-3.0-or-later */
/* numbers.c - see numbers.h. A figure is rounded first and given its unit then, so that 999.6
 * reads 1.00k and never 1000. */
#include "web/numbers.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/macros.h"

static struct number not_available(void)
{
	return (struct number){"n/a"};
}

/* To three significant digits. */
static double round3(double value)
{
	double scale;

	if (value == 0 || !isfinite(value))
		return value;
	scale = pow(10, 2 - floor(log10(fabs(value))));
	if (!isfinite(scale) || scale == 0)
		return value;
	return round(value * scale) / scale;
}

/* The same, but a size of 1000 to 1023 keeps its fourth digit: "1012 KiB". */
static double whole3(double value)
{
	double rounded = round3(value);

	return fabs(rounded) >= 1000 ? round(value) : rounded;
}

/* Decimals that show three digits of a rounded value below 1000. */
static int decimals(double value)
{
	double size = fabs(value);

	if (size >= 100)
		return 0;
	if (size >= 10)
		return 1;
	if (size >= 1)
		return 2;
	return 3;
}

static struct number scaled(double value, double step, const char *const *units, size_t count,
			    const char *between)
{
	struct number number;
	size_t unit = 0;

	if (!isfinite(value))
		return not_available();
	if (fabs(value) < 0.0005 && value != 0)
		return (struct number){"0"};
	while (unit + 1 < count && fabs(whole3(value)) >= step) {
		value /= step;
		unit++;
	}
	value = whole3(value);
	if (value == 0 || (unit == 0 && value == floor(value)))
		(void)snprintf(number.text, sizeof(number.text), "%.0f%s%s", value,
			       units[unit][0] ? between : "", units[unit]);
	else
		(void)snprintf(number.text, sizeof(number.text), "%.*f%s%s", decimals(value), value,
			       units[unit][0] ? between : "", units[unit]);
	return number;
}

struct number numbers_count(double value)
{
	static const char *const units[] = {"", "k", "M", "G", "T"};

	return scaled(value, 1000, units, ARRAY_SIZE(units), "");
}

struct number numbers_iops(double per_s)
{
	struct number number = numbers_count(per_s);
	size_t length = strlen(number.text);

	(void)snprintf(number.text + length, sizeof(number.text) - length, " IOPS");
	return number;
}

struct number numbers_bytes(double bytes)
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};

	return scaled(bytes, 1024, units, ARRAY_SIZE(units), " ");
}

struct number numbers_bandwidth(double bytes_per_s)
{
	static const char *const units[] = {"B/s", "KiB/s", "MiB/s", "GiB/s", "TiB/s"};

	return scaled(bytes_per_s, 1024, units, ARRAY_SIZE(units), " ");
}

struct number numbers_time(double ns)
{
	static const char *const units[] = {"ns", "us", "ms", "s"};

	return scaled(ns, 1000, units, ARRAY_SIZE(units), " ");
}

struct number numbers_duration(double seconds)
{
	struct number number;
	uint64_t whole;

	if (!isfinite(seconds) || seconds < 0 || seconds > 1e15)
		return not_available();
	whole = (uint64_t)(seconds + 0.5);
	if (seconds < 10 && seconds != floor(seconds))
		(void)snprintf(number.text, sizeof(number.text), "%.1f s", seconds);
	else if (whole < 60)
		(void)snprintf(number.text, sizeof(number.text), "%u s", (unsigned int)whole);
	else if (whole < 3600 && whole % 60)
		(void)snprintf(number.text, sizeof(number.text), "%u min %u s",
			       (unsigned int)(whole / 60), (unsigned int)(whole % 60));
	else if (whole < 3600)
		(void)snprintf(number.text, sizeof(number.text), "%u min",
			       (unsigned int)(whole / 60));
	else
		(void)snprintf(number.text, sizeof(number.text), "%llu h %u min",
			       (unsigned long long)(whole / 3600),
			       (unsigned int)(whole % 3600 / 60));
	return number;
}

/* Commas between groups of three of the whole part. */
static struct number grouped(const char *digits)
{
	struct number number = {""};
	size_t used = 0, whole = strcspn(digits, ".");

	for (size_t i = 0; digits[i] && used + 2 < sizeof(number.text); i++) {
		if (i && i < whole && (whole - i) % 3 == 0 && digits[i - 1] != '-')
			number.text[used++] = ',';
		number.text[used++] = digits[i];
	}
	number.text[used] = '\0';
	return number;
}

struct number numbers_grouped(uint64_t value)
{
	char digits[32];

	(void)snprintf(digits, sizeof(digits), "%" PRIu64, value);
	return grouped(digits);
}

struct number numbers_exact(double value)
{
	char digits[32];

	if (!isfinite(value) || fabs(value) > 1e15)
		return not_available();
	(void)snprintf(digits, sizeof(digits), "%.*f", fabs(value) < 1e6 ? 1 : 0, value);
	return grouped(digits);
}

struct number numbers_mib(double bytes)
{
	struct number number;
	double mib = bytes / (1 << 20);

	if (!isfinite(mib))
		return not_available();
	if (fabs(mib) >= 9999.5 && fabs(mib) < 1e15)
		return numbers_grouped((uint64_t)(fabs(mib) + 0.5));
	if (fabs(mib) >= 99.95)
		(void)snprintf(number.text, sizeof(number.text), "%.0f", mib);
	else if (mib == 0)
		return (struct number){"0"};
	else
		(void)snprintf(number.text, sizeof(number.text), "%.*f", decimals(round3(mib)),
			       round3(mib));
	return number;
}

struct number numbers_percent(double share)
{
	struct number number;
	double percent = share * 100;

	if (!isfinite(percent) || fabs(percent) > 1e9)
		return not_available();
	if (percent == 0 || fabs(percent) >= 99.95)
		(void)snprintf(number.text, sizeof(number.text), "%.0f %%", percent);
	else
		(void)snprintf(number.text, sizeof(number.text), "%.1f %%", percent);
	return number;
}

struct number numbers_times(double ratio)
{
	struct number number;

	if (!isfinite(ratio) || fabs(ratio) > 1e12)
		return not_available();
	if (ratio == 0)
		return (struct number){"0x"};
	(void)snprintf(number.text, sizeof(number.text), "%.*fx", decimals(round3(ratio)),
		       round3(ratio));
	return number;
}

struct number numbers_change(double ratio)
{
	struct number number;
	double percent = (ratio - 1) * 100, amount = fabs(percent);

	if (!isfinite(ratio) || fabs(ratio) > 1e12)
		return not_available();
	if (ratio >= 2)
		return numbers_times(ratio);
	if (amount < 0.005)
		return (struct number){"0 %"};
	(void)snprintf(number.text, sizeof(number.text), "%+.*f %%",
		       amount >= 99.95	 ? 2 /* nearly all is not all */
		       : amount >= 99.5	 ? 1
		       : amount >= 9.95	 ? 0
		       : amount >= 0.095 ? 1
					 : 2,
		       percent);
	return number;
}

struct number numbers_ratio(double ratio)
{
	struct number number;

	if (!isfinite(ratio) || fabs(ratio) > 1e12)
		return not_available();
	(void)snprintf(number.text, sizeof(number.text), "%.*f",
		       fabs(ratio) >= 99.95  ? 0
		       : fabs(ratio) >= 9.95 ? 1
		       : fabs(ratio) >= 0.1  ? 3
					     : 4,
		       ratio);
	return number;
}

struct number numbers_p(double probability)
{
	struct number number;

	if (!isfinite(probability))
		return not_available();
	if (probability < 0.001)
		return (struct number){"< 0.001"};
	(void)snprintf(number.text, sizeof(number.text), "%.*f", probability < 0.0995 ? 3 : 2,
		       probability);
	return number;
}

struct number numbers_cell(double iops, double bytes_per_s)
{
	struct number number;

	(void)snprintf(number.text, sizeof(number.text), "%s%.20s / %.16s%s",
		       isfinite(iops) ? "~" : "",
		       isfinite(iops) ? numbers_count(iops).text : NUMBERS_UNKNOWN,
		       isfinite(bytes_per_s) ? numbers_mib(bytes_per_s).text : NUMBERS_UNKNOWN,
		       isfinite(bytes_per_s) ? " MiB" : "");
	return number;
}
