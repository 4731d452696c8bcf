/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * import_fio.c - see import_fio.h: the entries of fio's document gathered into samples.
 *
 * Entries of one name and one group are one sample: without group_reporting fio tells each of
 * numjobs jobs by itself, and a client tells each host's. The entry "All clients", which adds up
 * those of the hosts, is left out beside them. A name that comes again in another group (behind a
 * stonewall) is another sample, a repeat.
 */
#include "server/import/import_fio.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/plan/steadystate.h"

#define ENTRIES_MAX 4096 /* jobs; fio itself takes no more */

/* ---- entries ---- */

struct document {
	struct import_sheet *sheet;
	struct error *err;
	char tool[64];
	const json_t *root, *global, *entries;
	bool clients;
	struct key {
		const char *name;
		double groupid;
	} * keys; /* one an entry; heap */
};

static const char *name_of(const json_t *entry)
{
	const char *name = json_string_value(json_object_get(entry, "jobname"));

	return name && *name ? name : "fio";
}

static bool is_sum(const struct document *document, const json_t *entry)
{
	return document->clients && json_array_size(document->entries) > 1 &&
	       strcmp(name_of(entry), "All clients") == 0;
}

static double groupid_of(const json_t *entry)
{
	return json_number_value(json_object_get(entry, "groupid"));
}

static bool same_host(const json_t *a, const json_t *b)
{
	static const char *const names[] = {"hostname", "port"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const json_t *left = json_object_get(a, names[i]);
		const json_t *right = json_object_get(b, names[i]);

		if ((left || right) && !(left && right && json_equal(left, right)))
			return false;
	}
	return true;
}

static bool same_sample(const struct document *document, size_t a, size_t b)
{
	const struct key *left = &document->keys[a], *right = &document->keys[b];

	return left->groupid == right->groupid && strcmp(left->name, right->name) == 0;
}

/* An entry whose name and group no entry before it has. */
static bool is_first(const struct document *document, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (same_sample(document, i, index))
			return false;
	return true;
}

static bool tells_mixed(const json_t *entry)
{
	return json_object_get(entry, "mixed") && !json_object_get(entry, "read");
}

static int add_entry(struct fio_group *group, const json_t *entry)
{
	const json_t *sync = json_object_get(entry, "sync");
	int r = 0;

	group->entries++;
	if (tells_mixed(entry)) {
		group->mixed = true;
		return fio_direction_add(group, entry, "mixed", &group->directions[DIRECTION_READ]);
	}
	for (int d = 0; d < DIRECTION_COUNT && r == 0; d++)
		r = fio_direction_add(group, entry, direction_names[d], &group->directions[d]);
	if (r == 0 && json_is_object(sync))
		r = fio_latency_add(group, sync, "lat", 0, &group->sync);
	return r;
}

/* All entries of the sample that begins with this one. */
static int gather(const struct document *document, size_t index, struct fio_group *group)
{
	int r = 0;

	for (size_t i = index; i < json_array_size(document->entries) && r == 0; i++) {
		const json_t *entry = json_array_get(document->entries, i);
		bool known_host = false;

		if (!same_sample(document, i, index))
			continue;
		for (size_t k = index; k < i && !known_host; k++)
			known_host = same_sample(document, k, index) &&
				     same_host(json_array_get(document->entries, k), entry);
		group->hosts += !known_host;
		r = add_entry(group, entry);
	}
	return r;
}

/* ---- a sample of them ---- */

/* Where the pattern says that figures of both are of one direction, they are. */
static int settle_mixed(struct fio_group *group, struct sample *sample)
{
	int rw = sample->options.rw;
	bool known = workload_is_set(&sample->options, OPTION_ID_RW);
	struct fio_direction *from = &group->directions[DIRECTION_READ];

	if (!group->mixed)
		return 0;
	if (known && (rw == RW_READ || rw == RW_RANDREAD))
		return 0;
	if (known && (rw == RW_WRITE || rw == RW_RANDWRITE)) {
		group->directions[DIRECTION_WRITE] = *from;
		memset(from, 0, sizeof(*from));
		return 0;
	}
	workload_unset(&sample->options, OPTION_ID_RW); /* reads are what is told of no other */
	return findings_add(
		&sample->findings, FINDING_WARNING, "directions_together", sample->workload, NULL,
		NULL, NULL,
		"Reads and writes were told as one (unified_rw_reporting=1): what stands "
		"under reads is of both.");
}

static int count_jobs(const struct fio_group *group, struct sample *sample)
{
	uint64_t each =
		workload_is_set(&sample->options, OPTION_ID_NUMJOBS) ? sample->options.numjobs : 1;
	uint64_t jobs = group->entries == group->hosts ? group->entries * each : group->entries;
	char text[24];

	if (group->entries == 1)
		return 0;
	(void)snprintf(text, sizeof(text), "%llu", (unsigned long long)jobs);
	if (option_parse(option_at(OPTION_ID_NUMJOBS), text, &sample->options, NULL) == -EINVAL)
		workload_unset(&sample->options, OPTION_ID_NUMJOBS);
	return 0;
}

static int tell_syncs(const struct fio_group *group, struct sample *sample)
{
	const struct fio_latency *sync = &group->sync;

	if (sync->entries == 0)
		return 0;
	if (sync->binned == sync->entries)
		return fio_latency_histogram(sync, &sample->sync);
	return findings_add(
		&sample->findings, FINDING_INFO, "sync_latency", sample->workload, NULL, NULL, NULL,
		"%.0f syncs took %.3f ms at the mean and %.3f ms at most; they are in no "
		"other figure.",
		sync->count, sync->sum / sync->count / 1e6, sync->max / 1e6);
}

static int tell_errors(const struct document *document, size_t index, struct sample *sample)
{
	for (size_t i = 0; i < json_array_size(document->entries); i++) {
		const json_t *entry = json_array_get(document->entries, i);
		double error = json_number_value(json_object_get(entry, "error"));
		double all = json_number_value(json_object_get(entry, "total_err"));

		if (!same_sample(document, i, index) || (error == 0 && !(all > 0)))
			continue;
		sample->error_count += all > 0 && all < FIO_COUNT_MAX ? (uint64_t)all : 1;
		if (sample->first_failure || !(error > 0 && error < 4096))
			continue;
		if (asprintf(&sample->first_failure, "error %d (%s)", (int)error,
			     strerrordesc_np((int)error) ? strerrordesc_np((int)error) : "") < 0) {
			sample->first_failure = NULL;
			return -ENOMEM;
		}
	}
	return 0;
}

/* fio's own word on whether the load had settled. */
static int tell_steady(const struct fio_group *group, struct sample *sample)
{
	const json_t *steady = json_object_get(group->first, "steadystate");
	const json_t *data = json_object_get(steady, "data");
	const char *ss = json_string_value(json_object_get(steady, "ss"));
	const char *found = json_string_value(json_object_get(steady, "criterion"));
	double duration = json_number_value(json_object_get(steady, "duration"));
	char seconds[32];

	if (!ss || !found || group->entries != 1 || !(duration >= 1 && duration <= 86400))
		return 0;
	(void)snprintf(seconds, sizeof(seconds), "%.0f", duration);
	if (!sample->options.steadystate &&
	    option_parse(option_at(OPTION_ID_STEADYSTATE), ss, &sample->options, NULL) < 0)
		return 0;
	if (option_parse(option_at(OPTION_ID_STEADYSTATE_DURATION), seconds, &sample->options,
			 NULL) < 0)
		return 0;
	sample->steady = (struct steady_result){
		.full = json_array_size(json_object_get(data, "iops")) > 0,
		.attained = json_number_value(json_object_get(steady, "attained")) > 0,
		.count = (size_t)duration,
		.found = strtod(found, NULL),
		.deviation = json_number_value(json_object_get(steady, "max_deviation")),
		.slope = json_number_value(json_object_get(steady, "slope")),
		.iops_mean = json_number_value(json_object_get(data, "iops_mean")),
		.bw_mean = json_number_value(json_object_get(data, "bw_mean")),
	};
	return 0;
}

/* Directions that the pattern asks for and that nothing was done in: that is told, and is 0. */
static void tell_nothing(const struct fio_group *group, struct sample *sample)
{
	if (group->mixed || !workload_is_set(&sample->options, OPTION_ID_RW))
		return;
	for (int d = 0; d < DIRECTION_COUNT; d++) {
		struct told_direction *told = &sample->source->directions[d];

		if (group->directions[d].entries == 0 &&
		    workload_moves(&sample->options, (enum direction)d))
			told->ios_known = told->bytes_known = sample->source->seconds_known;
	}
}

static int fill(const struct document *document, size_t index, struct fio_group *group,
		struct sample *sample)
{
	double started = json_number_value(json_object_get(group->first, "job_start"));
	int r;

	sample->workload = strdup(group->name);
	sample->source = sample_source_new(document->tool, sheet_file(document->sheet)->name);
	if (!sample->workload || !sample->source)
		return -ENOMEM;
	if (started > 0 && started < 4e12)
		sample->started_wall_ms = (uint64_t)started;
	r = fio_options_read(group, sample);
	if (r == 0)
		r = settle_mixed(group, sample);
	if (r == 0)
		r = count_jobs(group, sample);
	for (int d = 0; d < DIRECTION_COUNT && r == 0; d++)
		r = fio_direction_end(group, (enum direction)d, sample);
	tell_nothing(group, sample);
	if (r == 0)
		r = tell_syncs(group, sample);
	if (r == 0)
		r = tell_errors(document, index, sample);
	return r < 0 ? r : tell_steady(group, sample);
}

static int add_sample(const struct document *document, size_t index)
{
	const json_t *entry = json_array_get(document->entries, index);
	struct fio_group group = {.sheet = document->sheet,
				  .err = document->err,
				  .name = name_of(entry),
				  .groupid = groupid_of(entry),
				  .global = document->global,
				  .first = entry};
	struct sample sample;
	int r = gather(document, index, &group);

	sample_init(&sample);
	if (r == 0) {
		r = fill(document, index, &group, &sample);
		if (r < 0)
			r = error_no_memory(document->err);
	}
	for (int d = 0; d < DIRECTION_COUNT; d++)
		fio_direction_done(&group.directions[d]);
	fio_latency_done(&group.sync);
	if (r < 0) {
		sample_done(&sample);
		return r;
	}
	return sheet_add(document->sheet, &sample, document->err);
}

/* Jobs of different names in one group, which no stonewall parts, ran at the same time. */
static int note_together(const struct document *document, size_t index)
{
	const json_t *entry = json_array_get(document->entries, index);
	char message[TEXT_EXCERPT_MAX * 2 + 128], first[TEXT_EXCERPT_MAX], second[TEXT_EXCERPT_MAX];

	for (size_t i = 0; i < index; i++) {
		const json_t *other = json_array_get(document->entries, i);

		if (is_sum(document, other) || same_sample(document, i, index) ||
		    document->keys[i].groupid != document->keys[index].groupid)
			continue;
		(void)snprintf(message, sizeof(message),
			       "The jobs \"%s\" and \"%s\" ran at the same time: figures of each "
			       "hold only beside the other.",
			       text_excerpt(name_of(other), first),
			       text_excerpt(name_of(entry), second));
		return sheet_find(document->sheet, FINDING_WARNING, "jobs_ran_together", message,
				  document->err);
	}
	return 0;
}

/* ---- the whole ---- */

static int open_document(struct document *document, const json_t *root)
{
	const char *version = json_string_value(json_object_get(root, "fio version"));
	const json_t *clients = json_object_get(root, "client_stats");

	document->root = root;
	document->global = json_object_get(root, "global options");
	document->clients = json_is_array(clients);
	document->entries = document->clients ? clients : json_object_get(root, "jobs");
	if (!json_is_array(document->entries))
		return sheet_error(document->sheet, document->err, 0,
				   "fio's document has no list \"jobs\" nor \"client_stats\"");
	if (json_array_size(document->entries) > ENTRIES_MAX)
		return sheet_error(document->sheet, document->err, 0, "more than %d jobs",
				   ENTRIES_MAX);
	document->keys = calloc(json_array_size(document->entries) + 1, sizeof(*document->keys));
	if (!document->keys)
		return error_no_memory(document->err);
	for (size_t i = 0; i < json_array_size(document->entries); i++) {
		const json_t *entry = json_array_get(document->entries, i);

		if (!json_is_object(entry))
			return sheet_error(document->sheet, document->err, 0,
					   "entry %zu of fio's jobs is no object", i);
		document->keys[i] = (struct key){name_of(entry), groupid_of(entry)};
	}
	(void)text_clean(version ? version : "fio", document->tool, sizeof(document->tool));
	return 0;
}

static int read_entries(struct document *document)
{
	const char *time = json_string_value(json_object_get(document->root, "time"));
	int r = 0;

	for (size_t i = 0; i < json_array_size(document->entries) && r == 0; i++) {
		if (is_sum(document, json_array_get(document->entries, i)) ||
		    !is_first(document, i))
			continue;
		r = add_sample(document, i);
		if (r == 0)
			r = note_together(document, i);
	}
	/* of many files it would be a list that says nothing of the system */
	if (r == 0 && time && strlen(time) < 100 && sheet_file_count(document->sheet) == 1)
		r = sheet_fact(document->sheet, "time of fio's report", time, document->err);
	return r;
}

static int read_fio(struct import_sheet *sheet, const char *text, size_t size, struct error *err)
{
	struct document document = {.sheet = sheet, .err = err};
	json_t *root = NULL;
	int r = fio_text_read(sheet, text, size, &root, err);

	if (r < 0)
		return r;
	r = open_document(&document, root);
	if (r == 0)
		r = read_entries(&document);
	free(document.keys);
	json_decref(root);
	return r;
}

const struct import_reader import_reader_fio = {
	.format = IMPORT_FIO, .recognise = fio_text_recognise, .read = read_fio};
