/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * import_dd.c - what dd prints at its end, of GNU, BSD, macOS or BusyBox; several in one file too,
 * as in the transcript of a session.
 *
 *   2457600+0 records in                              whole and partial ones
 *   2457600+0 records out
 *   322122547200 bytes (322 GB, 300 GiB) copied, 163.98 s, 2.0 GB/s      GNU, BusyBox
 *   322122547200 bytes transferred in 163.977835 secs (1964427371 bytes/sec)      BSD
 *
 * Units are decimal. What is left open is what the seconds were rounded by; the rate that dd prints
 * is held against them. A command line before ("# dd if=/tank/file of=/dev/null bs=128k") tells
 * what was read and written and how; without one the direction is not told, and the figures stand
 * as reads, with a finding. The request size is the command's, else bytes by whole records.
 *
 * Results are called by their direction and, where a file has several, by request size: those of
 * one name are repeats, unless commands tell several targets, which are then compared.
 *
 * Source: dd(1) of GNU coreutils and of FreeBSD; POSIX for the records.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "engine/plan/quantity.h"
#include "server/import/dd_command.h"
#include "server/import/lines.h"
#include "server/import/printed.h"
#include "server/import/sheet.h"
#include "server/import/told_option.h"

#define RESULTS_MAX 1024
#define TARGET_MAX 128 /* bytes of a path that is a level */

struct summary {
	uint64_t records_in, records_out;
	bool partial; /* some records were not whole */
	uint64_t bytes;
	struct told_figure seconds, rate;
};

struct reading {
	struct import_sheet *sheet;
	struct error *err;
	size_t line, results;
	bool looking; /* at what there is, before it is read */
	bool compare; /* commands tell several targets */
	bool blocks_differ;
	uint64_t block;	    /* of the first result */
	bool unsure, zeros; /* findings that were made */
	bool in_known, out_known;
	struct dd_command command;
	struct summary result;
};

static int bad(const struct reading *in, const char *message)
{
	return sheet_error(in->sheet, in->err, in->line, "%s", message);
}

/* ---- the result ---- */

/* "2457600+0 records in" */
static int read_records(struct reading *in, struct piece line, uint64_t *ret_records)
{
	struct piece rest = line, word, whole, partial;
	uint64_t some = 0;

	if (!lines_word(&rest, &word) || !lines_part(word, '+', &whole, &partial) ||
	    lines_count(whole, ret_records) < 0 || lines_count(partial, &some) < 0 ||
	    __builtin_add_overflow(*ret_records, some, ret_records))
		return bad(in, "records are told as whole+partial ones");
	in->result.partial |= some > 0;
	return 0;
}

static bool is_records(struct piece line, const char *end)
{
	size_t length = strlen(end);

	return line.size > length && line.text[0] >= '0' && line.text[0] <= '9' &&
	       memcmp(line.text + line.size - length, end, length) == 0;
}

/* Behind "copied," or "transferred in": the seconds, then the rate. */
static bool read_seconds(struct piece behind, struct summary *result)
{
	struct piece word, unit, rate;
	struct printed printed;

	if (!lines_word(&behind, &word) ||
	    printed_digits(word.text, word.size, 1, &result->seconds) < 0 ||
	    !lines_word(&behind, &unit) || unit.text[0] != 's')
		return false;
	rate = lines_trim(behind);
	if (rate.size > 0 && rate.text[0] == '(') { /* "(1964427371 bytes/sec)" */
		rate.text++;
		rate.size--;
		return lines_word(&rate, &word) &&
		       printed_digits(word.text, word.size, 1, &result->rate) == 0;
	}
	if (printed_read(rate.text, rate.size, &printed) == 0 && printed.kind == PRINTED_BYTES)
		result->rate = printed.figure; /* BusyBox's 1024 fit none: not known */
	return true;
}

static bool is_summary(struct piece line, struct piece *ret_behind)
{
	return line.size > 0 && line.text[0] >= '0' && line.text[0] <= '9' &&
	       (lines_find(line, " copied, ", ret_behind) ||
		lines_find(line, " bytes transferred in ", ret_behind));
}

/* ---- the sample ---- */

/* The command's; else what whole records come to. 0: not known. */
static uint64_t block_of(const struct reading *in)
{
	const struct summary *result = &in->result;

	if (in->command.block > 0)
		return in->command.block;
	if (result->partial || result->records_in == 0 || result->bytes % result->records_in != 0 ||
	    result->records_in != result->records_out)
		return 0;
	return result->bytes / result->records_in;
}

static int set_options(const struct reading *in, uint64_t block, struct workload *options)
{
	const struct dd_command *command = &in->command;
	bool reads = dd_command_reads(command), writes = dd_command_writes(command);
	int r = 0;

	if (block > 0)
		r = told_option_set(options, OPTION_ID_BS, "%" PRIu64, block);
	if (r == 0)
		r = told_option_set(options, OPTION_ID_SIZE, "%" PRIu64, in->result.bytes);
	if (r == 0)
		r = told_option_set(options, OPTION_ID_NUMJOBS, "1");
	if (r == 0)
		r = told_option_set(options, OPTION_ID_IODEPTH, "1");
	if (r == 0)
		r = told_option_set(options, OPTION_ID_TIME_BASED, "0");
	if (r < 0 || !command->known)
		return r;
	if (reads != writes) {
		r = told_option_set(options, OPTION_ID_RW, reads ? "read" : "write");
		if (r == 0)
			r = told_option_set(options, OPTION_ID_DIRECT, "%d",
					    reads ? command->direct_in : command->direct_out);
	}
	if (r == 0 && writes)
		r = told_option_set(options, OPTION_ID_SYNC,
				    command->sync ? "sync" : (command->dsync ? "dsync" : "none"));
	if (r == 0 && writes && command->fsync)
		r = told_option_set(options, OPTION_ID_END_FSYNC, "1");
	if (r == 0 && writes && lines_are(command->input, "/dev/zero"))
		r = told_option_set(options, OPTION_ID_ZERO_BUFFERS, "1");
	return r;
}

static void tell(const struct reading *in, enum direction direction, struct sample *sample)
{
	const struct summary *result = &in->result;
	struct told_direction *told = &sample->source->directions[direction];
	uint64_t records = direction == DIRECTION_READ ? result->records_in : result->records_out;

	told->ios_known = told->bytes_known = true;
	sample->directions[direction].ios = records;
	sample->directions[direction].bytes = result->bytes;
	told->iops = printed_per_second(records, &result->seconds);
	told->bandwidth = printed_per_second(result->bytes, &result->seconds);
}

/* Its end, where it is too long: that tells more. */
static char *copy_end(struct piece piece, size_t max)
{
	if (piece.size > max) {
		piece.text += piece.size - max;
		piece.size = max;
	}
	return lines_copy(piece);
}

static int name_sample(const struct reading *in, uint64_t block, struct sample *sample)
{
	bool reads = dd_command_reads(&in->command) || !in->command.known;
	bool writes = dd_command_writes(&in->command);
	const char *way = reads && writes ? "copy" : (writes ? "write" : "read");
	char size[QUANTITY_TEXT_MAX], name[64];

	if (block > 0 && in->blocks_differ)
		(void)snprintf(name, sizeof(name), "Sequential %s %s", way,
			       quantity_format_size(block, size));
	else
		(void)snprintf(name, sizeof(name), "Sequential %s", way);
	sample->workload = strdup(name);
	sample->source = sample_source_new("dd", sheet_file(in->sheet)->name);
	if (!sample->workload || !sample->source)
		return -ENOMEM;
	if (in->command.known) {
		sample->source->given = lines_copy(in->command.line);
		if (!sample->source->given)
			return -ENOMEM;
	}
	if (!in->compare)
		return 0;
	sample->levels = calloc(1, sizeof(*sample->levels));
	if (!sample->levels)
		return -ENOMEM;
	sample->level_count = 1;
	sample->levels[0].factor = strdup("target");
	sample->levels[0].value = in->command.known
					  ? copy_end(dd_command_target(&in->command), TARGET_MAX)
					  : strdup("not told");
	return sample->levels[0].factor && sample->levels[0].value ? 0 : -ENOMEM;
}

static int fill(const struct reading *in, struct sample *sample)
{
	uint64_t block = block_of(in);
	int r = name_sample(in, block, sample);

	if (r == 0)
		r = set_options(in, block, &sample->options);
	if (r < 0)
		return r;
	sample->seconds = in->result.seconds.value;
	sample->source->seconds_known = true;
	if (dd_command_reads(&in->command) || !in->command.known)
		tell(in, DIRECTION_READ, sample);
	if (dd_command_writes(&in->command))
		tell(in, DIRECTION_WRITE, sample);
	return 0;
}

/* ---- findings ---- */

static int find_once(const struct reading *in, bool *found, bool applies, const char *code,
		     const char *message)
{
	if (*found || !applies)
		return 0;
	*found = true;
	return sheet_find(in->sheet, FINDING_WARNING, code, message, in->err);
}

static int find(struct reading *in)
{
	const struct told_figure *rate = &in->result.rate;
	struct told_figure own = printed_per_second(in->result.bytes, &in->result.seconds);
	bool never = false;
	int r = find_once(in, &in->unsure, !in->command.known, "dd_direction",
			  "No command line stands before the result: whether dd's reading or its "
			  "writing was measured is not told. Its figures stand as reads.");

	if (r == 0)
		r = find_once(in, &in->zeros,
			      dd_command_writes(&in->command) &&
				      lines_are(in->command.input, "/dev/zero"),
			      "dd_zeros",
			      "dd wrote zeros: storage that compresses stores nothing of them.");
	if (r == 0)
		r = find_once(in, &never,
			      rate->known && (rate->high < own.low || rate->low > own.high),
			      "dd_rate_differs",
			      "The rate that dd printed is not its bytes by its seconds; these "
			      "are taken.");
	return r;
}

/* ---- the whole ---- */

static int add(struct reading *in)
{
	struct sample sample;
	int r = find(in);

	if (r < 0)
		return r;
	sample_init(&sample);
	r = fill(in, &sample);
	if (r == 0)
		return sheet_add(in->sheet, &sample, in->err);
	sample_done(&sample);
	return r;
}

static void look(struct reading *in)
{
	uint64_t block = block_of(in);

	if (in->results == 1)
		in->block = block;
	in->blocks_differ |= block != in->block;
}

static int finish(struct reading *in, struct piece line, struct piece behind)
{
	struct piece rest = line, word;
	int r = 0;

	if (++in->results > RESULTS_MAX)
		return bad(in, "more than 1024 results in one file");
	if (!lines_word(&rest, &word) || lines_count(word, &in->result.bytes) < 0 ||
	    !read_seconds(behind, &in->result))
		return bad(in, "dd's last line has bytes, seconds and a rate; this one has not");
	if (in->result.seconds.value <= 0)
		return bad(in, "dd took no time, so nothing follows from it");
	if (in->looking)
		look(in);
	else
		r = add(in);
	in->in_known = in->out_known = false;
	in->command = (struct dd_command){0};
	in->result = (struct summary){0};
	return r == -ENOMEM ? error_no_memory(in->err) : r;
}

static int read_line(struct reading *in, struct piece line)
{
	struct piece behind;

	/* status=progress draws its lines over each other */
	for (size_t i = line.size; i > 0; i--)
		if (line.text[i - 1] == '\r') {
			line = lines_trim((struct piece){line.text + i, line.size - i});
			break;
		}
	if (is_records(line, " records in")) {
		in->in_known = true;
		in->out_known = in->result.partial = false;
		return read_records(in, line, &in->result.records_in);
	}
	if (in->in_known && is_records(line, " records out")) {
		in->out_known = true;
		return read_records(in, line, &in->result.records_out);
	}
	if (in->out_known && is_summary(line, &behind))
		return finish(in, line, behind);
	(void)dd_command_read(line, &in->command); /* most lines are none */
	return 0;
}

/* Whether commands tell more than one target. */
static bool targets_differ(const char *text, size_t size)
{
	struct piece rest = {text, size}, line, first = {0};

	while (lines_next(&rest, &line)) {
		struct dd_command command;
		struct piece target;

		if (!dd_command_read(line, &command))
			continue;
		target = dd_command_target(&command);
		if (!first.text)
			first = target;
		else if (first.size != target.size ||
			 memcmp(first.text, target.text, first.size) != 0)
			return true;
	}
	return false;
}

static bool recognise(const char *text, size_t size)
{
	struct piece rest = {text, size}, line, behind;
	bool records = false;

	while (lines_next(&rest, &line)) {
		if (is_records(line, " records out"))
			records = true;
		else if (records && is_summary(line, &behind))
			return true;
	}
	return false;
}

static int read_lines(struct reading *in, const char *text, size_t size)
{
	struct piece rest = {text, size}, line;
	int r = 0;

	in->line = in->results = 0;
	while (r == 0 && lines_next(&rest, &line)) {
		in->line++;
		r = read_line(in, line);
	}
	return r;
}

static int read_text(struct import_sheet *sheet, const char *text, size_t size, struct error *err)
{
	struct reading in = {.sheet = sheet, .err = err, .looking = true};
	int r = read_lines(&in, text, size);

	if (r == 0 && in.results == 0)
		return sheet_error(sheet, err, 0,
				   "no result of dd: records in, records out, then bytes and "
				   "seconds");
	if (r < 0)
		return r;
	in.looking = in.in_known = in.out_known = false;
	in.command = (struct dd_command){0};
	in.compare = targets_differ(text, size);
	return read_lines(&in, text, size);
}

const struct import_reader import_reader_dd = {IMPORT_DD, recognise, read_text};
