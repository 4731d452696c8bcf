/* SPDX-License-Identifier: GPL-3.0-or-later */
/* words.c - see words.h. */
#include "engine/analysis/words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Two digits that count, of what is below 10; whole numbers above, but of what is nearly 100, which
 * is not all. */
static int decimals_of(double percent)
{
	double amount = fabs(percent);

	if (amount >= 99.5 && amount < 100)
		return amount >= 99.95 ? 2 : 1;
	if (amount >= 9.95 || amount == 0)
		return 0;
	return amount >= 0.095 ? 1 : 2;
}

/* "-0.0" is no number for a reader. */
static void put_number(double value, int decimals, char buffer[WORDS_MAX])
{
	(void)snprintf(buffer, WORDS_MAX, "%.*f", decimals, value);
	if (buffer[0] == '-' && strspn(buffer + 1, "0.") == strlen(buffer + 1))
		memmove(buffer, buffer + 1, strlen(buffer));
}

const char *words_percent(double share, char buffer[WORDS_MAX])
{
	double percent = fabs(share) * 100;
	char number[WORDS_MAX];

	if (percent > 0 && percent < 0.01)
		(void)snprintf(buffer, WORDS_MAX, "less than 0.01 %%");
	else {
		put_number(percent, decimals_of(percent), number);
		(void)snprintf(buffer, WORDS_MAX, "%.40s %%", number);
	}
	return buffer;
}

static int times_decimals(double ratio)
{
	return ratio < 99.5 ? (ratio < 9.95 ? 2 : 1) : 0;
}

/* Of an interval's ends: no finer than what it leaves open, as in "0.6 % [-70, 241]". */
static int interval_decimals(double percent, double width)
{
	int figure = decimals_of(percent), reach = decimals_of(width / 2);

	return width > 0 && reach < figure ? reach : figure;
}

const char *words_ahead(double ratio, char buffer[WORDS_MAX])
{
	double ahead = ratio >= 1 ? ratio : 1 / ratio;

	if (ahead < 2)
		return words_percent(ahead - 1, buffer);
	(void)snprintf(buffer, WORDS_MAX, "%.*f times", times_decimals(ahead), ahead);
	return buffer;
}

const char *words_ahead_interval(double ratio, double low, double high, char buffer[WORDS_MAX])
{
	char figure[WORDS_MAX], from[WORDS_MAX], to[WORDS_MAX];
	int decimals;

	(void)words_ahead(ratio, figure);
	if (!(low > 0)) {
		(void)snprintf(buffer, WORDS_MAX, "%s", figure);
		return buffer;
	}
	if (ratio >= 2) {
		decimals = times_decimals(ratio);
		put_number(low, decimals, from);
		put_number(high, decimals, to);
	} else {
		decimals = interval_decimals((ratio - 1) * 100, (high - low) * 100);
		put_number((low - 1) * 100, decimals, from);
		put_number((high - 1) * 100, decimals, to);
	}
	(void)snprintf(buffer, WORDS_MAX, "%.24s [%.24s, %.24s]", figure, from, to);
	return buffer;
}

static struct words_ratio inverse(struct words_ratio ratio)
{
	return (struct words_ratio){.ratio = ratio.ratio > 0 ? 1 / ratio.ratio : 0,
				    .low = ratio.high > 0 ? 1 / ratio.high : 0,
				    .high = ratio.low > 0 ? 1 / ratio.low : 0};
}

struct words_ratio words_turned(const struct contrast *contrast, size_t of)
{
	struct words_ratio own = {.ratio = contrast->ratio};

	if (contrast->interval) {
		own.low = contrast->low;
		own.high = contrast->high;
	}
	return of == contrast->b ? own : inverse(own);
}

/* How much less: 0.8 [0.75, 0.85] is 20 % [15, 25]. */
static const char *words_behind(const struct words_ratio *ratio, char buffer[WORDS_MAX])
{
	double percent = (1 - ratio->ratio) * 100;
	int decimals = interval_decimals(percent, (ratio->high - ratio->low) * 100);
	char figure[WORDS_MAX], from[WORDS_MAX], to[WORDS_MAX];

	(void)words_percent(1 - ratio->ratio, figure);
	put_number((1 - ratio->high) * 100, decimals, from);
	put_number((1 - ratio->low) * 100, decimals, to);
	(void)snprintf(buffer, WORDS_MAX, "%.24s [%.24s, %.24s]", figure, from, to);
	return buffer;
}

const char *words_verdict(const struct contrast *contrast, size_t of, enum measure measure,
			  char buffer[WORDS_MAX])
{
	bool latency = measure == MEASURE_LATENCY;
	struct words_ratio value = words_turned(contrast, of);
	char figure[WORDS_MAX];

	if (latency) /* of which less is better */
		value = inverse(value);
	if (contrast->verdict == VERDICT_NONE)
		(void)snprintf(buffer, WORDS_MAX, "one sample: no verdict");
	else if (contrast->verdict == VERDICT_NO_DIFFERENCE)
		(void)snprintf(buffer, WORDS_MAX, "no difference shown");
	else if (value.ratio >= 2) {
		(void)words_ahead_interval(value.ratio, value.low, value.high, figure);
		(void)snprintf(buffer, WORDS_MAX, "%.*s as %s %.60s", (int)strcspn(figure, "[") - 1,
			       figure, latency ? "high" : "fast", figure + strcspn(figure, "["));
	} else if (value.ratio >= 1)
		(void)snprintf(buffer, WORDS_MAX, "%s by %.80s", latency ? "higher" : "faster",
			       words_ahead_interval(value.ratio, value.low, value.high, figure));
	else
		(void)snprintf(buffer, WORDS_MAX, "%s by %.80s", latency ? "lower" : "slower",
			       words_behind(&value, figure));
	return buffer;
}

const char *words_level(const struct analysis *analysis, size_t level, char buffer[WORDS_LEVEL_MAX])
{
	const char *name = analysis_level(analysis, level);

	if (name[0] && name[strspn(name, "0123456789.")] == '\0')
		(void)snprintf(buffer, WORDS_LEVEL_MAX, "%.128s=%.128s", analysis->axis, name);
	else
		(void)snprintf(buffer, WORDS_LEVEL_MAX, "%.128s", name);
	return buffer;
}

const char *words_name(const char *name, char buffer[WORDS_NAME_MAX])
{
	const char *quote = strchr(name, ',') ? "\"" : "";

	(void)snprintf(buffer, WORDS_NAME_MAX, "%s%.*s%s", quote, ANALYSIS_TITLE_MAX - 1, name,
		       quote);
	return buffer;
}

const char *words_title(const struct analysis *analysis, const struct comparison *comparison,
			char buffer[WORDS_NAME_MAX])
{
	char title[ANALYSIS_TITLE_MAX];

	return words_name(analysis_title(analysis, comparison, title), buffer);
}

const char *words_number(size_t number, char buffer[WORDS_MAX])
{
	static const char *const small[] = {"no",   "one",    "two",   "three", "four",
					    "five", "six",    "seven", "eight", "nine",
					    "ten",  "eleven", "twelve"};

	if (number < sizeof(small) / sizeof(small[0]))
		(void)snprintf(buffer, WORDS_MAX, "%s", small[number]);
	else
		(void)snprintf(buffer, WORDS_MAX, "%zu", number);
	return buffer;
}
