/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * import_diskspd_text.c - what diskspd prints: one result, or several one after another, as from
 * `diskspd ... >> results.txt`.
 *
 *   Command Line: diskspd -b8K -t4 -o4 -w20 -L D:\test.dat       a result begins
 *   Input parameters: ... performing mix test (read/write ratio: 80/20)
 *   actual test time:  2.02s
 *   Total IO / Read IO / Write IO, each a table by thread, whose last row is "total:"
 *   thread |  bytes | I/Os | MiB/s | I/O per s | AvgLat | IopsStdDev | LatStdDev | file
 *   %-ile | Read (ms) | Write (ms) | Total (ms)        with several targets the last counts
 *
 * "MB/s" of older versions is MiB/s, latencies are ms, "N/A" is not known. Text that PowerShell
 * redirected is UTF-16 and is read as well.
 *
 * Source: diskspd's ResultParser.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "server/import/import_diskspd.h"
#include "server/import/lines.h"
#include "server/import/printed.h"
#include "server/import/sheet.h"

#define CELLS_MAX 12
#define PERCENTILES_MAX 32
#define NS_PER_MS 1e6
#define COMMAND_MARK "Command Line:"

enum section { SECTION_NONE, SECTION_TOTAL, SECTION_READ, SECTION_WRITE, SECTION_PERCENTILES };

/* What a column of a table is. */
enum column {
	COLUMN_OTHER,
	COLUMN_BYTES,
	COLUMN_IOS,
	COLUMN_MIB,
	COLUMN_IOPS,
	COLUMN_MEAN,
	COLUMN_STDDEV
};

struct reading {
	struct import_sheet *sheet;
	struct error *err;
	size_t line; /* from 1 */
	bool alone;  /* it is the file's only result */
	bool begun;  /* a command line was met */
	bool told;   /* the text says how much it wrote */
	char *command;
	struct diskspd_profile profile;
	enum section section;
	enum column columns[CELLS_MAX];
	struct sample sample;		  /* its source is there once begun */
	bool tables[SECTION_PERCENTILES]; /* whose total was met */
	char given[64][DISKSPD_NAME_MAX]; /* names of the results before */
	size_t given_count;
};

static int bad(const struct reading *in, const char *message)
{
	return sheet_error(in->sheet, in->err, in->line, "%s", message);
}

/* ---- a result's end: its sample ---- */

/* Of results with one name the later ones get a number. */
static void name_result(struct reading *in, char name[DISKSPD_NAME_MAX])
{
	char base[DISKSPD_NAME_MAX];
	size_t number = 1;

	(void)import_diskspd_name(&in->profile, in->alone, base);
	(void)snprintf(name, DISKSPD_NAME_MAX, "%s", base);
	for (size_t i = 0; i < in->given_count; i++) {
		if (strcmp(in->given[i], name) != 0)
			continue;
		(void)snprintf(name, DISKSPD_NAME_MAX, "%.*s #%zu", DISKSPD_NAME_MAX - 8, base,
			       ++number);
		i = SIZE_MAX; /* from the first again */
	}
	(void)snprintf(in->given[in->given_count++], DISKSPD_NAME_MAX, "%s", name);
}

static int begin(struct reading *in, struct piece line)
{
	struct piece command = lines_behind(line, COMMAND_MARK);
	struct error why = {0};
	int r;

	if (in->given_count == ARRAY_SIZE(in->given))
		return bad(in, "more than 64 results in one file");
	if (command.size > DISKSPD_COMMAND_MAX)
		return bad(in, "the command line is too long");
	in->command = lines_copy(command);
	in->sample.source = sample_source_new("diskspd", sheet_file(in->sheet)->name);
	if (!in->command || !in->sample.source)
		return error_no_memory(in->err);
	r = import_diskspd_command(in->command, &in->profile, &why);
	if (r < 0)
		return bad(in, why.message);
	in->begun = true;
	return 0;
}

static int finish(struct reading *in)
{
	char name[DISKSPD_NAME_MAX];
	int r;

	if (!in->begun)
		return 0;
	if (!in->tables[SECTION_READ] || !in->tables[SECTION_WRITE])
		return bad(in, "the result of the command line before has no tables of reads and "
			       "writes, or is cut short");
	name_result(in, name);
	in->sample.workload = strdup(name);
	in->sample.source->given = TAKE_PTR(in->command);
	if (!in->sample.workload || import_diskspd_options(&in->profile, &in->sample.options) < 0 ||
	    import_diskspd_findings(&in->profile, in->told, &in->sample) < 0)
		return error_no_memory(in->err);
	r = sheet_add(in->sheet, &in->sample, in->err);
	sample_init(&in->sample);
	in->begun = in->told = false;
	in->section = SECTION_NONE;
	memset(in->tables, 0, sizeof(in->tables));
	return r;
}

/* ---- what was asked for, in diskspd's words ---- */

static int read_mix(struct reading *in, struct piece line)
{
	struct piece ratio = lines_behind(line, "performing mix test (read/write ratio:");
	uint64_t percent = 0;
	bool slash = false, any = false;

	for (size_t i = 0; i < ratio.size && ratio.text[i] != ')'; i++) {
		if (ratio.text[i] == '/') {
			slash = true;
		} else if (slash && ratio.text[i] >= '0' && ratio.text[i] <= '9') {
			percent = percent * 10 + (uint64_t)(ratio.text[i] - '0');
			any = true;
		}
		if (percent > 100)
			return bad(in, "more than 100 % writes");
	}
	if (!any)
		return bad(in, "a mix without its ratio");
	in->profile.write_percent = percent;
	in->told = true;
	return 0;
}

static int read_asked(struct reading *in, struct piece line)
{
	if (lines_begin(line, "performing mix test (read/write ratio:"))
		return read_mix(in, line);
	if (lines_are(line, "performing read test") || lines_are(line, "performing write test")) {
		in->profile.write_percent = lines_are(line, "performing write test") ? 100 : 0;
		in->told = true;
	}
	return 0;
}

static int read_time(struct reading *in, struct piece line)
{
	struct piece text = lines_behind(line, "actual test time:");
	struct told_figure figure;

	if (in->sample.source->seconds_known)
		return bad(in, "results of several timespans are read from diskspd's XML (-Rxml)");
	if (text.size < 2 || text.text[text.size - 1] != 's' ||
	    printed_digits(text.text, text.size - 1, 1, &figure) < 0 || figure.value <= 0)
		return bad(in, "the actual test time is no number of seconds");
	in->sample.seconds = figure.value;
	in->sample.source->seconds_known = true;
	return 0;
}

/* ---- tables by thread ---- */

static void read_head(struct reading *in, struct piece line)
{
	static const struct {
		const char *name;
		enum column column;
	} names[] = {
		{"bytes", COLUMN_BYTES},      {"I/Os", COLUMN_IOS},	  {"MB/s", COLUMN_MIB},
		{"MiB/s", COLUMN_MIB},	      {"I/O per s", COLUMN_IOPS}, {"AvgLat", COLUMN_MEAN},
		{"LatStdDev", COLUMN_STDDEV},
	};
	struct piece cells[CELLS_MAX];
	size_t count = lines_cut(line, '|', cells, CELLS_MAX);

	for (size_t i = 0; i < CELLS_MAX; i++) {
		in->columns[i] = COLUMN_OTHER;
		for (size_t k = 0; i < count && k < ARRAY_SIZE(names); k++)
			if (lines_are(cells[i], names[k].name))
				in->columns[i] = names[k].column;
	}
}

static int read_count(const struct reading *in, struct piece cell, uint64_t *ret_count)
{
	return lines_count(cell, ret_count) < 0 ? bad(in, "a row \"total:\" whose counts are none")
						: 0;
}

static int read_figure(const struct reading *in, struct piece cell, double unit,
		       struct told_figure *ret_figure)
{
	if (lines_are(cell, "N/A") || cell.size == 0)
		return 0;
	if (printed_digits(cell.text, cell.size, unit, ret_figure) < 0)
		return bad(in, "a cell that is neither a number nor N/A");
	return 0;
}

static int read_cell(struct reading *in, struct piece cell, enum column column,
		     enum direction direction)
{
	struct direction_result *result = &in->sample.directions[direction];
	struct told_direction *told = &in->sample.source->directions[direction];

	switch (column) {
	case COLUMN_BYTES:
		told->bytes_known = true;
		return read_count(in, cell, &result->bytes);
	case COLUMN_IOS:
		told->ios_known = true;
		return read_count(in, cell, &result->ios);
	case COLUMN_MIB:
		return read_figure(in, cell, 0x1p20, &told->bandwidth);
	case COLUMN_IOPS:
		return read_figure(in, cell, 1, &told->iops);
	case COLUMN_MEAN:
		return read_figure(in, cell, NS_PER_MS, &told->latency_mean);
	case COLUMN_STDDEV:
		return read_figure(in, cell, NS_PER_MS, &told->latency_stddev);
	case COLUMN_OTHER:
		break;
	}
	return 0;
}

/* A direction without an operation has no latency, whatever is printed for it. */
static void forget_nothing(struct sample *sample, enum direction direction)
{
	struct told_direction *told = &sample->source->directions[direction];

	if (sample->directions[direction].ios > 0)
		return;
	told->latency_mean = told->latency_stddev = (struct told_figure){0};
	told->iops = told->bandwidth = told_exactly(0);
}

/* The row lacks the first column's bar: "total:" and the bytes stand in one cell. */
static int read_total(struct reading *in, struct piece line)
{
	enum direction direction = in->section == SECTION_READ ? DIRECTION_READ : DIRECTION_WRITE;
	struct piece rest = lines_behind(line, "total:"), cells[CELLS_MAX];
	size_t count = lines_cut(rest, '|', cells, CELLS_MAX);

	in->tables[in->section] = true;
	if (in->section != SECTION_TOTAL) {
		for (size_t i = 0; i < count && i + 1 < CELLS_MAX; i++) {
			int r = read_cell(in, cells[i], in->columns[i + 1], direction);

			if (r < 0)
				return r;
		}
		if (!in->sample.source->directions[direction].ios_known ||
		    !in->sample.source->directions[direction].bytes_known)
			return bad(in, "a table without bytes or I/Os");
		forget_nothing(&in->sample, direction);
	}
	in->section = SECTION_NONE;
	return 0;
}

/* ---- percentiles ---- */

/* "25th" is 25, "3-nines" 99.9; 0: no such row. */
static double percentile_of(struct piece name)
{
	double percent = 0, rest = 100;

	if (name.size > 2 && memcmp(name.text + name.size - 2, "th", 2) == 0) {
		for (size_t i = 0; i + 2 < name.size; i++) {
			if (name.text[i] < '0' || name.text[i] > '9')
				return 0;
			percent = percent * 10 + (name.text[i] - '0');
		}
		return percent < 100 ? percent : 0;
	}
	if (name.size != 7 || memcmp(name.text + 1, "-nines", 6) != 0 || name.text[0] < '1' ||
	    name.text[0] > '9')
		return 0;
	for (int i = 0; i < name.text[0] - '0'; i++)
		rest /= 10;
	return 100 - rest;
}

static int add_percentile(const struct reading *in, struct told_direction *told, double percent,
			  const struct told_figure *figure)
{
	struct told_percentile *last;

	if (!told->percentiles) {
		told->percentiles = calloc(PERCENTILES_MAX, sizeof(*told->percentiles));
		if (!told->percentiles)
			return error_no_memory(in->err);
	}
	last = told->percentile_count > 0 ? &told->percentiles[told->percentile_count - 1] : NULL;
	if (told->percentile_count == PERCENTILES_MAX || (last && last->percentile >= percent))
		return bad(in, "percentiles are not in ascending order");
	told->percentiles[told->percentile_count++] =
		(struct told_percentile){percent, figure->value};
	return 0;
}

static int read_percentiles(struct reading *in, struct piece line)
{
	struct piece cells[CELLS_MAX];
	size_t count = lines_cut(line, '|', cells, CELLS_MAX);
	double percent = percentile_of(cells[0]);

	if (count < 3) /* a border */
		return 0;
	for (int d = 0; d < 2; d++) {
		struct told_direction *told = &in->sample.source->directions[d];
		struct told_figure figure = {0};
		int r = read_figure(in, cells[1 + d], NS_PER_MS, &figure);

		if (r < 0)
			return r;
		if (!figure.known || in->sample.directions[d].ios == 0)
			continue;
		if (lines_are(cells[0], "min"))
			told->latency_min = figure;
		else if (lines_are(cells[0], "max"))
			told->latency_max = figure;
		else if (percent > 0 && (r = add_percentile(in, told, percent, &figure)) < 0)
			return r;
	}
	if (lines_are(cells[0], "max"))
		in->section = SECTION_NONE;
	return 0;
}

/* "%-ile | Read (ms) | ...", whatever a version calls the first column. */
static bool is_percentiles(struct piece line)
{
	struct piece cells[2];

	return lines_cut(line, '|', cells, 2) == 2 && lines_are(cells[1], "Read (ms)");
}

/* Of several targets each has a table, and all together the last. */
static void begin_percentiles(struct reading *in)
{
	in->section = SECTION_PERCENTILES;
	for (int d = 0; d < DIRECTION_COUNT; d++)
		in->sample.source->directions[d].percentile_count = 0;
}

/* ---- the whole ---- */

static int read_line(struct reading *in, struct piece line)
{
	int r;

	if (lines_begin(line, COMMAND_MARK)) {
		r = finish(in);
		return r < 0 ? r : begin(in, line);
	}
	if (!in->begun)
		return 0;
	if (lines_begin(line, "performing "))
		return read_asked(in, line);
	if (lines_begin(line, "actual test time:"))
		return read_time(in, line);
	if (lines_begin(line, "The test was interrupted before"))
		return bad(in, "the test was interrupted before its measurement began");
	if (lines_are(line, "Total IO"))
		in->section = SECTION_TOTAL;
	else if (lines_are(line, "Read IO"))
		in->section = SECTION_READ;
	else if (lines_are(line, "Write IO"))
		in->section = SECTION_WRITE;
	else if (is_percentiles(line))
		begin_percentiles(in);
	else if (in->section == SECTION_PERCENTILES)
		return read_percentiles(in, line);
	else if (in->section != SECTION_NONE && lines_begin(line, "thread"))
		read_head(in, line);
	else if (in->section != SECTION_NONE && lines_begin(line, "total:"))
		return read_total(in, line);
	return 0;
}

static size_t count_results(const char *text, size_t size)
{
	struct piece rest = {text, size}, line;
	size_t count = 0;

	while (lines_next(&rest, &line))
		count += lines_begin(line, COMMAND_MARK);
	return count;
}

static int read_lines(struct reading *in, const char *text, size_t size)
{
	struct piece rest = {text, size}, line;
	int r = 0;

	in->alone = count_results(text, size) == 1;
	while (r == 0 && lines_next(&rest, &line)) {
		in->line++;
		r = read_line(in, line);
	}
	return r < 0 ? r : finish(in);
}

/* ---- the reader ---- */

/* Its marks, in ASCII or with a NUL behind each byte. */
static bool recognise(const char *text, size_t size)
{
	static const char command[] = COMMAND_MARK, table[] = "I/O per s";
	char wide[2 * sizeof(command)] = {0};
	size_t head = size < 65536 ? size : 65536;

	if (!lines_wide(text, size))
		return memmem(text, head, command, sizeof(command) - 1) &&
		       memmem(text, size, table, sizeof(table) - 1);
	for (size_t i = 0; i < sizeof(command) - 1; i++)
		wide[2 * i] = command[i];
	return memmem(text, head, wide, 2 * (sizeof(command) - 1)) != NULL;
}

static int read_narrow(struct import_sheet *sheet, const char *text, size_t size, struct error *err)
{
	struct reading *in = calloc(1, sizeof(*in));
	int r;

	if (!in)
		return error_no_memory(err);
	in->sheet = sheet;
	in->err = err;
	sample_init(&in->sample);
	r = read_lines(in, text, size);
	if (r == 0 && in->given_count == 0)
		r = sheet_error(sheet, err, 0, "no line begins with \"%s\"", COMMAND_MARK);
	sample_done(&in->sample);
	free(in->command);
	free(in);
	return r;
}

static int read_text(struct import_sheet *sheet, const char *text, size_t size, struct error *err)
{
	AUTO_FREE char *narrowed = NULL;

	if (!lines_wide(text, size))
		return read_narrow(sheet, text, size, err);
	narrowed = lines_narrow(text, size, &size);
	return narrowed ? read_narrow(sheet, narrowed, size, err) : error_no_memory(err);
}

const struct import_reader import_reader_diskspd_text = {IMPORT_DISKSPD_TEXT, recognise, read_text};
