/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * import_bonnie.c - the CSV that bonnie++ prints, format 1.96 (of versions 1.96 and 1.97) or 1.98,
 * alone or behind its table for people; each line that begins with its format is a run.
 *
 *   format, version, name, concurrency, seed, file size, chunk, [1.98: seeks, seekers,]
 *   value,%CPU of: characters and blocks written, rewriting, characters and blocks read (KiB/s),
 *       seeks/s
 *   files (of 1024), largest, smallest, directories, chunk
 *   value,%CPU of: create, stat, delete in order, then at random (files/s)
 *   the longest latency of each of the twelve, with its unit
 *
 * "+++++" says that a test was over within half a second: its figure is not known, and neither is
 * one whose cell is empty. Lines of several names compare these names; of one name they are
 * repeats. A seek reads a block and writes every tenth back: it counts as a read, and what it wrote
 * is not known. The longest latency is kept where it is one direction's. Files with bytes are read
 * where empty ones are looked up ("stat").
 *
 * bonnie++ asks for a file of twice the memory, of which the CSV tells nothing.
 *
 * Source: bonnie++ 2.00a, bonnie++.cpp and what it prints.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "engine/plan/file_phases.h"
#include "server/import/lines.h"
#include "server/import/printed.h"
#include "server/import/sheet.h"
#include "server/import/told_option.h"

#define FIELDS_OLD 48
#define FIELDS_NEW 50
#define RUNS_MAX 1024	    /* lines of a file */
#define FIELD_BYTES_MAX 128 /* of a name or a figure */
#define KIB 1024.0

/* Fields as format 1.98 numbers them; 1.96 has none of the two behind the chunk. */
enum field {
	FIELD_FORMAT,
	FIELD_VERSION,
	FIELD_NAME,
	FIELD_CONCURRENCY,
	FIELD_SIZE = 5,
	FIELD_CHUNK,
	FIELD_SEEKS,
	FIELD_SEEKERS,
	FIELD_FIRST,
	FIELD_FILES = 21,
	FIELD_FILE_MAX,
	FIELD_FILE_MIN,
	FIELD_DIRECTORIES,
	FIELD_FIRST_PHASE = 26,
	FIELD_LATENCY = 38,
};

/* The tests on the large file; the place is that of the pair and of the latency. */
static const struct test {
	const char *name, *rw; /* of a pattern, or NULL */
	bool read, write, seeks;
} tests[] = {
	{"Sequential character write", "write", false, true, false},
	{"Sequential block write", "write", false, true, false},
	{"Sequential rewrite", "rewrite", true, true, false},
	{"Sequential character read", "read", true, false, false},
	{"Sequential block read", "read", true, false, false},
	{"Random seeks", NULL, true, false, true},
};

struct reading {
	struct import_sheet *sheet;
	struct error *err;
	size_t line, runs;
	bool compare; /* lines have different names */
	struct piece name;
	struct piece fields[FIELDS_NEW];
	char quick[400]; /* names of the tests that were over too soon */
};

static int bad(const struct reading *in, const char *message)
{
	return sheet_error(in->sheet, in->err, in->line, "%s", message);
}

/* ---- lines ---- */

static bool is_run(struct piece line)
{
	return (lines_begin(line, "1.96,") || lines_begin(line, "1.97,") ||
		lines_begin(line, "1.98,"));
}

static int cut(struct reading *in, struct piece line)
{
	struct piece cells[FIELDS_NEW + 1];
	size_t count = lines_cut(line, ',', cells, FIELDS_NEW + 1);
	size_t missing = FIELDS_NEW - FIELDS_OLD;
	bool old = count == FIELDS_OLD && !lines_begin(line, "1.98,");

	if (!old && count != FIELDS_NEW)
		return bad(in,
			   "a line of bonnie++'s format 1.98 has 50 fields, of 1.96 or 1.97 48; "
			   "this one has another number of them");
	for (size_t i = 0; i < count; i++)
		if (cells[i].size > FIELD_BYTES_MAX)
			return bad(in, "a field has more than 128 bytes");
	for (size_t i = 0; i < FIELDS_NEW; i++) {
		if (!old || i <= FIELD_CHUNK)
			in->fields[i] = cells[i];
		else if (i <= FIELD_SEEKERS)
			in->fields[i] = (struct piece){"", 0};
		else
			in->fields[i] = cells[i - missing];
	}
	return 0;
}

/* ---- fields ---- */

/* A rate; not known where the field is empty or "+++++", which is noted for a finding. */
static int read_rate(struct reading *in, size_t field, const char *test, double unit,
		     struct told_figure *ret_figure)
{
	struct piece cell = in->fields[field];
	size_t used = strlen(in->quick);

	*ret_figure = (struct told_figure){0};
	if (cell.size == 0)
		return 0;
	if (lines_begin(cell, "+++")) {
		(void)snprintf(in->quick + used, sizeof(in->quick) - used, "%s%s",
			       used > 0 ? ", " : "", test);
		return 0;
	}
	if (printed_digits(cell.text, cell.size, unit, ret_figure) < 0)
		return bad(in, "a figure that is neither a number nor \"+++++\"");
	return 0;
}

static int read_latency(const struct reading *in, size_t field, struct told_figure *ret_figure)
{
	struct piece cell = in->fields[field];
	struct printed printed;

	if (cell.size == 0 || lines_begin(cell, "+++"))
		return 0;
	if (printed_read(cell.text, cell.size, &printed) < 0 || printed.kind != PRINTED_TIME)
		return bad(in, "a latency without its unit");
	*ret_figure = printed.figure;
	return 0;
}

/* A field as an option, where it is not empty. */
static int set_field(const struct reading *in, size_t field, enum option_id id,
		     struct workload *options)
{
	struct piece cell = in->fields[field];

	return cell.size == 0 ? 0 : told_option_set(options, id, "%.*s", (int)cell.size, cell.text);
}

/* ---- samples ---- */

/* As the line has it, which also tells what no figure of a sample holds. */
static int tell(const struct reading *in, size_t value, size_t latency, struct sample *sample)
{
	const struct piece *fields = in->fields;
	AUTO_FREE char *text = NULL;
	struct piece whole;

	if (asprintf(&text, "%.*s, %.*s %% CPU, at most %.*s", (int)fields[value].size,
		     fields[value].text, (int)fields[value + 1].size, fields[value + 1].text,
		     (int)fields[latency].size, fields[latency].text) < 0) {
		text = NULL; /* it is undefined after a failure */
		return -ENOMEM;
	}
	whole = (struct piece){text, strlen(text)};
	sample->source->given = lines_copy(whole);
	return sample->source->given ? 0 : -ENOMEM;
}

static int begin(const struct reading *in, const char *workload, struct sample *sample)
{
	AUTO_FREE char *version = lines_copy(in->fields[FIELD_VERSION]);
	char tool[64];

	sample_init(sample);
	if (!version)
		return -ENOMEM;
	(void)snprintf(tool, sizeof(tool), "bonnie++ %.40s", version);
	sample->workload = strdup(workload);
	sample->source = sample_source_new(tool, sheet_file(in->sheet)->name);
	if (!sample->workload || !sample->source)
		return -ENOMEM;
	if (in->compare) {
		sample->levels = calloc(1, sizeof(*sample->levels));
		if (!sample->levels)
			return -ENOMEM;
		sample->level_count = 1;
		sample->levels[0].factor = strdup("name");
		sample->levels[0].value = lines_copy(in->fields[FIELD_NAME]);
		if (!sample->levels[0].factor || !sample->levels[0].value)
			return -ENOMEM;
	}
	return set_field(in, FIELD_CONCURRENCY, OPTION_ID_NUMJOBS, &sample->options);
}

static int finish(const struct reading *in, int r, struct sample *sample)
{
	if (r == 0)
		return sheet_add(in->sheet, sample, in->err);
	sample_done(sample);
	return r == -ENOMEM ? error_no_memory(in->err) : r;
}

static int fill_test(const struct reading *in, const struct test *test, size_t value,
		     size_t latency, const struct told_figure *figure, struct sample *sample)
{
	struct told_direction *told = sample->source->directions;
	struct told_figure longest = {0};
	int r = tell(in, value, latency, sample);

	if (r == 0)
		r = read_latency(in, latency, &longest);
	for (int d = 0; d < 2 && r == 0; d++) {
		if (!(d == DIRECTION_READ ? test->read : test->write))
			continue;
		if (test->seeks)
			told[d].iops = *figure;
		else
			told[d].bandwidth = *figure;
		if (test->read != test->write) /* of rewriting it is both together */
			told[d].latency_max = longest;
	}
	if (r == 0 && test->rw)
		r = told_option_set(&sample->options, OPTION_ID_RW, "%s", test->rw);
	if (r == 0 && test->seeks)
		return set_field(in, FIELD_SEEKERS, OPTION_ID_NUMJOBS, &sample->options);
	if (r == 0)
		r = set_field(in, FIELD_CHUNK, OPTION_ID_BS, &sample->options);
	/* several processes share what the size is of */
	if (r == 0 && lines_are(in->fields[FIELD_CONCURRENCY], "1"))
		r = set_field(in, FIELD_SIZE, OPTION_ID_SIZE, &sample->options);
	return r;
}

static int add_test(struct reading *in, size_t index)
{
	size_t value = FIELD_FIRST + 2 * index, latency = FIELD_LATENCY + index;
	const struct test *test = &tests[index];
	struct told_figure figure;
	struct sample sample;
	int r = read_rate(in, value, test->name, test->seeks ? 1 : KIB, &figure);

	if (r < 0 || !figure.known)
		return r;
	r = begin(in, test->name, &sample);
	if (r == 0)
		r = fill_test(in, test, value, latency, &figure, &sample);
	return finish(in, r, &sample);
}

static int add_phase(struct reading *in, size_t index, const int *operations, struct sample *sample)
{
	struct file_result *file = &sample->files[sample->file_count];
	char name[40];

	file->operation = operations[index % 3];
	file->order = index < 3 ? FILE_ORDER_SEQUENTIAL : FILE_ORDER_RANDOM;
	(void)snprintf(name, sizeof(name), "%s %s", workload_file_order_choices[file->order],
		       file_operation_names[file->operation]);
	if (read_rate(in, FIELD_FIRST_PHASE + 2 * index, name, 1, &file->told_ops_per_s) < 0)
		return -EINVAL;
	sample->file_count += file->told_ops_per_s.known;
	return 0;
}

static int set_files(const struct reading *in, bool bytes, struct workload *options)
{
	uint64_t files = 0;
	int r = told_option_set(options, OPTION_ID_METADATA, "create,%s,delete",
				bytes ? "read" : "stat");

	if (lines_count(in->fields[FIELD_FILES], &files) < 0 || files > UINT32_MAX)
		return bad(in, "the number of files is none");
	if (r == 0)
		r = told_option_set(options, OPTION_ID_NRFILES, "%" PRIu64, files * 1024);
	if (r == 0)
		r = told_option_set(options, OPTION_ID_FILE_ORDER, "both");
	if (r == 0 && !bytes)
		r = told_option_set(options, OPTION_ID_FILESIZE, "0");
	else if (r == 0 && in->fields[FIELD_FILE_MIN].size > 0)
		r = told_option_set(
			options, OPTION_ID_FILESIZE, "%.*s-%.*s",
			(int)in->fields[FIELD_FILE_MIN].size, in->fields[FIELD_FILE_MIN].text,
			(int)in->fields[FIELD_FILE_MAX].size, in->fields[FIELD_FILE_MAX].text);
	return r < 0 ? r : set_field(in, FIELD_DIRECTORIES, OPTION_ID_DIRECTORIES, options);
}

/* The largest is empty or 0 where files are. Below 0 stand links, which ours does not make. */
static int add_files(struct reading *in)
{
	struct piece largest = in->fields[FIELD_FILE_MAX];
	bool bytes = largest.size > 0 && !lines_are(largest, "0");
	const int operations[3] = {FILE_CREATE, bytes ? FILE_READ : FILE_STAT, FILE_DELETE};
	struct sample sample;
	int r;

	if (in->fields[FIELD_FILES].size == 0 || lines_are(in->fields[FIELD_FILES], "0") ||
	    lines_begin(largest, "-"))
		return 0;
	r = begin(in, "Small files", &sample);
	if (r == 0)
		r = set_files(in, bytes, &sample.options);
	if (r == 0) {
		sample.files = calloc(6, sizeof(*sample.files));
		r = sample.files ? 0 : -ENOMEM;
	}
	for (size_t i = 0; i < 6 && r == 0; i++)
		r = add_phase(in, i, operations, &sample);
	if (r < 0 || sample.file_count > 0)
		return finish(in, r, &sample);
	sample_done(&sample);
	return 0;
}

/* ---- findings ---- */

static int find(const struct reading *in)
{
	char text[600];
	struct piece size = in->fields[FIELD_SIZE];
	int r = 0;

	if (*in->quick) {
		(void)snprintf(
			text, sizeof(text),
			"bonnie++ gives no figure (\"+++++\") for what was over within half a "
			"second: %s. More data or files would.",
			in->quick);
		r = sheet_find(in->sheet, FINDING_WARNING, "too_quick", text, in->err);
	}
	if (r < 0 || size.size == 0)
		return r;
	(void)snprintf(text, sizeof(text),
		       "The file had %.*s. bonnie++ asks for twice the memory, which it does not "
		       "tell: of less, reads may have come from the page cache.",
		       (int)(size.size < 20 ? size.size : 20), size.text);
	return sheet_find(in->sheet, FINDING_INFO, "memory_unknown", text, in->err);
}

/* ---- the reader ---- */

static int read_run(struct reading *in, struct piece line)
{
	int r;

	if (++in->runs > RUNS_MAX)
		return bad(in, "more than 1024 runs in one file");
	in->quick[0] = '\0';
	r = cut(in, line);
	if (r == 0 && in->fields[FIELD_NAME].size == 0)
		r = bad(in, "the name is empty");
	for (size_t i = 0; i < ARRAY_SIZE(tests) && r == 0; i++)
		r = add_test(in, i);
	if (r == 0)
		r = add_files(in);
	return r < 0 ? r : find(in);
}

/* Whether there are lines of different names. */
static bool names_differ(const char *text, size_t size)
{
	struct piece rest = {text, size}, line, cells[FIELD_NAME + 1], first = {0};

	while (lines_next(&rest, &line)) {
		struct piece name;

		if (!is_run(line) || lines_cut(line, ',', cells, FIELD_NAME + 1) <= FIELD_NAME)
			continue;
		/* the last cell cut holds no comma: lines_cut leaves out what is more */
		name = cells[FIELD_NAME];
		if (!first.text)
			first = name;
		else if (first.size != name.size || memcmp(first.text, name.text, name.size) != 0)
			return true;
	}
	return false;
}

static bool recognise(const char *text, size_t size)
{
	struct piece rest = {text, size}, line, cells[FIELDS_OLD];

	while (lines_next(&rest, &line) && (size_t)(line.text - text) < 65536)
		if (is_run(line) && lines_cut(line, ',', cells, FIELDS_OLD) >= FIELD_FIRST)
			return true;
	return false;
}

static int read_text(struct import_sheet *sheet, const char *text, size_t size, struct error *err)
{
	struct reading in = {.sheet = sheet, .err = err};
	struct piece rest = {text, size}, line;
	int r = 0;

	in.compare = names_differ(text, size);
	while (r == 0 && lines_next(&rest, &line)) {
		in.line++;
		if (is_run(line))
			r = read_run(&in, line);
	}
	if (r == 0 && in.runs == 0)
		r = sheet_error(sheet, err, 0, "no line of format 1.96, 1.97 or 1.98");
	return r;
}

const struct import_reader import_reader_bonnie = {IMPORT_BONNIE, recognise, read_text};
