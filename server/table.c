/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "server/table.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#define CUT_WIDTH_MIN 8

/* ---- text ---- */

static bool is_continuation(char c)
{
	return ((unsigned char)c & 0xC0) == 0x80;
}

static bool is_control(char c)
{
	return (unsigned char)c < 0x20 || c == 0x7F;
}

static size_t width_of(const char *text, size_t bytes)
{
	size_t width = 0;

	for (size_t i = 0; i < bytes; i++)
		width += !is_continuation(text[i]);
	return width;
}

size_t table_width(const char *text)
{
	return width_of(text, strlen(text));
}

static void put_clean(FILE *out, const char *text, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		fputc(is_control(text[i]) ? '?' : text[i], out);
}

void table_wrap(FILE *out, const char *text, size_t first, size_t indent, size_t width)
{
	size_t column = first;
	bool fresh = true; /* nothing on this line yet */

	while (*text) {
		size_t bytes = strcspn(text, " "), wide = width_of(text, bytes);

		if (bytes > 0) {
			if (!fresh && column + 1 + wide > width) {
				fprintf(out, "\n%*s", (int)indent, "");
				column = indent;
				fresh = true;
			}
			if (!fresh) {
				fputc(' ', out);
				column++;
			}
			put_clean(out, text, bytes);
			column += wide;
			fresh = false;
		}
		text += bytes;
		text += strspn(text, " ");
	}
	fputc('\n', out);
}

/* ---- figures ---- */

/* Decimals that leave three significant digits of a value below 1000. */
static int decimals_of(double scaled)
{
	double size = fabs(scaled);

	if (size == 0)
		return 0;
	if (size < 9.995)
		return 2;
	return size < 99.95 ? 1 : 0;
}

static const char *scale_of(double value, double *ret_divisor)
{
	static const struct {
		double divisor;
		const char *suffix;
	} scales[] = {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}};

	for (size_t i = 0; i < ARRAY_SIZE(scales); i++) {
		/* 999.6 reads as 1.00k: what counts is the rounded value. */
		if (fabs(value) >= scales[i].divisor * 0.9995) {
			*ret_divisor = scales[i].divisor;
			return scales[i].suffix;
		}
	}
	*ret_divisor = 1;
	return "";
}

char *table_figure(double value, char buffer[TABLE_FIGURE_MAX])
{
	double divisor;
	const char *suffix = scale_of(value, &divisor);

	(void)snprintf(buffer, TABLE_FIGURE_MAX, "%.*f%s", decimals_of(value / divisor),
		       value / divisor, suffix); /* only absurd figures do not fit */
	return buffer;
}

char *table_interval(double mean, double half_width, bool scaled, char buffer[TABLE_INTERVAL_MAX])
{
	double divisor = 1;
	const char *suffix = scaled ? scale_of(mean, &divisor) : "";
	int decimals = decimals_of(mean / divisor), more = decimals;

	if (half_width < 0) {
		(void)snprintf(buffer, TABLE_INTERVAL_MAX, "%.*f%s", decimals, mean / divisor,
			       suffix); /* as above */
		return buffer;
	}
	/* As many decimals as the mean, or one or two more where all digits would be zero. */
	while (half_width > 0 && more < decimals + 2 && half_width / divisor < 0.5 * pow(10, -more))
		more++;
	(void)snprintf(buffer, TABLE_INTERVAL_MAX, "%.*f%s ±%.*f%s", decimals, mean / divisor,
		       suffix, more, half_width / divisor, suffix); /* as above */
	return buffer;
}

char *table_latency(uint64_t nanoseconds, char buffer[TABLE_FIGURE_MAX])
{
	static const struct {
		double divisor;
		const char *unit;
	} units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}};
	size_t i = 0;

	while (i + 1 < ARRAY_SIZE(units) && (double)nanoseconds < units[i].divisor * 0.9995)
		i++;
	(void)snprintf(buffer, TABLE_FIGURE_MAX, "%.*f %s",
		       i == 3 ? 0 : decimals_of((double)nanoseconds / units[i].divisor),
		       (double)nanoseconds / units[i].divisor, units[i].unit); /* fits */
	return buffer;
}

char *table_bytes(uint64_t bytes, char buffer[TABLE_FIGURE_MAX])
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
	double value = (double)bytes;
	size_t i = 0;

	while (i + 1 < ARRAY_SIZE(units) && value >= 1023.5) {
		value /= 1024;
		i++;
	}
	(void)snprintf(buffer, TABLE_FIGURE_MAX, "%.*f %s",
		       i == 0 || value == floor(value) ? 0 : decimals_of(value), value,
		       units[i]); /* fits */
	return buffer;
}

char *table_duration(double seconds, char buffer[TABLE_FIGURE_MAX])
{
	uint64_t whole;

	if (!(seconds > 0))
		seconds = 0;
	if (seconds > 1e9)
		seconds = 1e9;
	if (seconds < 9.95 && seconds != floor(seconds)) {
		(void)snprintf(buffer, TABLE_FIGURE_MAX, "%.1f s", seconds); /* fits */
		return buffer;
	}
	whole = (uint64_t)(seconds + 0.5);
	/* All of these fit: at most ten digits and a few letters. */
	if (whole < 60)
		(void)snprintf(buffer, TABLE_FIGURE_MAX, "%u s", (unsigned int)whole);
	else if (whole < 3600)
		(void)snprintf(buffer, TABLE_FIGURE_MAX, "%u min %02u s",
			       (unsigned int)(whole / 60), (unsigned int)(whole % 60));
	else
		(void)snprintf(buffer, TABLE_FIGURE_MAX, "%u h %02u min",
			       (unsigned int)(whole / 3600), (unsigned int)(whole / 60 % 60));
	return buffer;
}

/* ---- columns ---- */

struct table {
	char *alignment;
	size_t columns;
	size_t count; /* cells */
	char **cells;
	bool *rules; /* a row each: a line under it */
	size_t room; /* cells allocated */
	bool failed;
};

struct table *table_new(const char *alignment)
{
	struct table *table = calloc(1, sizeof(*table));

	if (!table)
		return NULL;
	table->columns = strlen(alignment);
	table->alignment = strdup(alignment);
	if (!table->alignment) {
		free(table);
		return NULL;
	}
	return table;
}

void table_free(struct table *table)
{
	if (!table)
		return;
	for (size_t i = 0; i < table->count; i++)
		free(table->cells[i]);
	free(table->cells);
	free(table->rules);
	free(table->alignment);
	free(table);
}

static bool make_room(struct table *table)
{
	size_t room = table->room ? table->room * 2 : table->columns * 16;
	char **cells;
	bool *rules;

	if (table->count < table->room)
		return true;
	cells = reallocarray(table->cells, room, sizeof(*cells));
	if (!cells)
		return false;
	table->cells = cells;
	rules = reallocarray(table->rules, room / table->columns, sizeof(*rules));
	if (!rules)
		return false;
	memset(rules + table->room / table->columns, 0,
	       (room - table->room) / table->columns * sizeof(*rules));
	table->rules = rules;
	table->room = room;
	return true;
}

void table_cell(struct table *table, const char *format, ...)
{
	va_list arguments;
	char *text;
	int length;

	if (table->failed)
		return;
	va_start(arguments, format);
	length = vasprintf(&text, format, arguments);
	va_end(arguments);
	if (length < 0) {
		table->failed = true;
		return;
	}
	if (!make_room(table)) {
		free(text);
		table->failed = true;
		return;
	}
	for (char *c = text; *c; c++)
		if (is_control(*c))
			*c = '?';
	table->cells[table->count++] = text;
}

void table_rule(struct table *table)
{
	if (!table->failed && table->count >= table->columns)
		table->rules[table->count / table->columns - 1] = true;
}

/* The widths of the columns; 0 for one that is left out. */
static void measure_columns(const struct table *table, size_t *widths)
{
	size_t rows = table->count / table->columns;

	for (size_t column = 0; column < table->columns; column++) {
		bool used = false;

		widths[column] = 0;
		for (size_t row = 0; row < rows; row++) {
			size_t wide = table_width(table->cells[row * table->columns + column]);

			used = used || (row > 0 && wide > 0);
			if (wide > widths[column])
				widths[column] = wide;
		}
		if (!used && rows > 1)
			widths[column] = 0;
	}
}

static size_t total_width(const struct table *table, const size_t *widths)
{
	size_t total = 0;

	for (size_t column = 0; column < table->columns; column++)
		if (widths[column])
			total += widths[column] + (total ? 2 : 0);
	return total;
}

/* Takes from the widest left-aligned column, a character at a time, until the whole fits. */
static void fit_columns(const struct table *table, size_t *widths, size_t width)
{
	while (total_width(table, widths) > width) {
		size_t widest = table->columns;

		for (size_t column = 0; column < table->columns; column++)
			if (table->alignment[column] == 'l' && widths[column] > CUT_WIDTH_MIN &&
			    (widest == table->columns || widths[column] > widths[widest]))
				widest = column;
		if (widest == table->columns)
			return;
		widths[widest]--;
	}
}

/* Bytes of the first `characters` characters. */
static size_t bytes_of(const char *text, size_t characters)
{
	size_t i = 0;

	while (text[i]) {
		if (!is_continuation(text[i]) && characters-- == 0)
			break;
		i++;
	}
	return i;
}

static void print_cell(const struct table *table, FILE *out, const char *text, size_t column,
		       size_t width, bool last)
{
	size_t wide = table_width(text), pad = wide < width ? width - wide : 0;

	if (table->alignment[column] == 'r')
		fprintf(out, "%*s%s", (int)pad, "", text);
	else if (wide > width)
		/* Names that differ at their ends must go on differing. */
		fprintf(out, "%.*s...%s", (int)bytes_of(text, width - 3 - (width - 3) / 2), text,
			text + bytes_of(text, wide - (width - 3) / 2));
	else
		fprintf(out, "%s%*s", text, last ? 0 : (int)pad, "");
}

static void print_row(const struct table *table, FILE *out, size_t row, const size_t *widths)
{
	char *const *cells = table->cells + row * table->columns;
	size_t last = 0;
	bool first = true;

	/* Nothing is printed behind the last text. */
	for (size_t column = 0; column < table->columns; column++)
		if (widths[column] && cells[column][0])
			last = column;
	for (size_t column = 0; column <= last; column++) {
		if (!widths[column])
			continue;
		fputs(first ? "" : "  ", out);
		first = false;
		print_cell(table, out, cells[column], column, widths[column], column == last);
	}
	fputc('\n', out);
}

int table_print(const struct table *table, FILE *out, size_t width)
{
	AUTO_FREE size_t *widths = calloc(table->columns + 1, sizeof(*widths));

	if (!widths || table->failed)
		return -ENOMEM;
	measure_columns(table, widths);
	fit_columns(table, widths, width);
	for (size_t row = 0; row < table->count / table->columns; row++) {
		print_row(table, out, row, widths);
		if (!table->rules[row])
			continue;
		for (size_t i = total_width(table, widths); i > 0; i--)
			fputc('-', out);
		fputc('\n', out);
	}
	return 0;
}
