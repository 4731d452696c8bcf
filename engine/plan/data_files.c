/* SPDX-License-Identifier: GPL-3.0-or-later */
/* data_files.c - see data_files.h. */
#include "engine/plan/data_files.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "engine/plan/quantity.h"
#include "engine/plan/workload_sizes.h"

static const char *const services[] = {"roundrobin", "random", "sequential"};

bool data_files_given(const struct workload *workload)
{
	return !workload_metadata(workload) && (workload->nrfiles > 1 || workload->filesize[1] > 0);
}

static uint64_t count_of(const struct workload *workload)
{
	return workload->nrfiles > 0 ? workload->nrfiles : 1;
}

static int bad_service(const char *text, const char *reason, struct error *err)
{
	return error_set(err, ERROR_BAD_VALUE, "file_service_type",
			 "file_service_type=%.40s: %s; it is roundrobin, random or sequential, and "
			 "behind the first two may stand how many requests go to a file, as in "
			 "roundrobin:8",
			 text, reason);
}

static int parse_service(const char *text, struct data_files *files, struct error *err)
{
	static const char *const others[] = {"zipf", "pareto", "normal", "gauss"};
	const char *colon = strchr(text, ':');
	size_t length = colon ? (size_t)(colon - text) : strlen(text);
	size_t i = 0;

	for (size_t k = 0; k < ARRAY_SIZE(others); k++)
		if (strlen(others[k]) == length && strncmp(text, others[k], length) == 0)
			return bad_service(text, "fio's distributions over files are not supported",
					   err);
	while (i < ARRAY_SIZE(services) &&
	       (strlen(services[i]) != length || strncmp(text, services[i], length) != 0))
		i++;
	if (i == ARRAY_SIZE(services))
		return bad_service(text, "there is no such service", err);
	files->service = (enum file_service)i;
	files->every = 1;
	if (!colon)
		return 0;
	if (files->service == FILE_SERVICE_SEQUENTIAL)
		return bad_service(text, "sequential stays with a file until it is done", err);
	if (quantity_parse_count(colon + 1, &files->every, NULL) < 0 || files->every == 0 ||
	    files->every > UINT32_MAX)
		return bad_service(text, "behind the colon stands a number from 1", err);
	return 0;
}

void data_files_of(const struct workload *workload, struct data_files *ret_files)
{
	struct data_files files = {.count = count_of(workload), .every = 1};
	uint64_t open = workload->openfiles;

	/* It was read when the workload was completed. */
	if (workload->file_service_type &&
	    parse_service(workload->file_service_type, &files, NULL) < 0)
		files.every = 1;
	files.open = open > 0 && open < files.count ? open : files.count;
	*ret_files = files;
}

/* A number of 64 bits for each index, alike everywhere (splitmix64's finalizer, Steele, Lea and
 * Flood, 2014). */
static uint64_t scatter(uint64_t index)
{
	uint64_t z = (index + 1) * UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* The smallest and the largest request of any direction in use. */
static void requests_of(const struct workload *workload, uint64_t *ret_least, uint64_t *ret_most)
{
	uint64_t least = UINT64_MAX, most = 1;

	for (int d = 0; d < DIRECTION_COUNT; d++) {
		uint64_t bytes;

		if (!workload_moves(workload, (enum direction)d))
			continue;
		bytes = workload_least_request(workload, (enum direction)d);
		least = bytes < least ? bytes : least;
		most = workload->bs[d] > most ? workload->bs[d] : most;
	}
	*ret_least = least == UINT64_MAX ? 1 : least;
	*ret_most = most;
}

uint64_t data_files_bytes(const struct workload *workload, uint64_t index)
{
	uint64_t least = workload->filesize[0], most = workload->filesize[1], unit, ignored, bytes;

	if (most == 0)
		return workload->size / count_of(workload);
	requests_of(workload, &unit, &ignored);
	bytes = least +
		(uint64_t)((double)(most - least + 1) * ((double)(scatter(index) >> 11) / 0x1p53));
	if (most > least)
		bytes -= bytes % unit;
	return bytes < least ? least : bytes;
}

uint64_t data_files_largest(const struct workload *workload)
{
	return workload->filesize[1] > 0 ? workload->filesize[1] : data_files_bytes(workload, 0);
}

uint64_t data_files_total(const struct workload *workload)
{
	uint64_t total = 0, unit, ignored;

	requests_of(workload, &unit, &ignored);
	for (uint64_t i = 0; i < count_of(workload); i++) {
		uint64_t bytes = data_files_bytes(workload, i);

		total += bytes - bytes % unit; /* at most 4096 of 2^50 */
	}
	return total;
}

uint64_t data_files_count(const struct workload *workload)
{
	uint64_t files = 0;

	/* at most 4096 each, of at most 1024 parts */
	for (size_t i = 0; i < workload_parts(workload); i++)
		files += workload_part(workload, i)->numjobs * count_of(workload_part(workload, i));
	return files;
}

static int check_alone(const struct workload *workload, struct error *err)
{
	static const enum option_id ids[] = {OPTION_ID_DIRECTORIES, OPTION_ID_FILE_ORDER};

	for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
		const char *name = option_at(ids[i])->name;

		if (workload_is_set(workload, ids[i]))
			return error_set(
				err, ERROR_CONFLICT, name,
				"%s is for metadata workloads: give metadata, or leave out "
				"%s",
				name, name);
	}
	return 0;
}

/* What belongs to one file. */
static int check_together(const struct workload *workload, struct error *err)
{
	const char *files = workload->nrfiles > 1 ? "nrfiles" : "filesize";

	if (workload->verify != VERIFY_NONE)
		return error_set(err, ERROR_CONFLICT, "verify",
				 "verify checks the blocks of one file a job: leave out verify, or "
				 "%s",
				 files);
	if (workload->interlocked)
		return error_set(err, ERROR_CONFLICT, "interlocked",
				 "interlocked=1 shares one position in one file: leave it out, or "
				 "%s",
				 files);
	if (workload->nrfiles * workload->numjobs > DATA_FILES_MAX)
		return error_set(err, ERROR_TOO_MANY, "nrfiles",
				 "nrfiles x numjobs is %" PRIu64
				 "; a workload that moves data has at most %d files, which are all "
				 "held open",
				 workload->nrfiles * workload->numjobs, DATA_FILES_MAX);
	return 0;
}

static int check_bytes(const struct workload *workload, struct error *err)
{
	uint64_t bytes = workload->filesize[1] > 0 ? workload->filesize[0]
						   : workload->size / count_of(workload);
	char each[QUANTITY_TEXT_MAX], request[QUANTITY_TEXT_MAX];
	const char *name = workload->filesize[1] > 0 ? "filesize" : "nrfiles";
	uint64_t ignored, most;

	requests_of(workload, &ignored, &most);
	if (bytes >= most || (workload->filesize[1] == 0 && workload->size == 0))
		return 0;
	return error_set(err, ERROR_CONFLICT, name,
			 "a file of %s bytes (%s) is smaller than one request of %s",
			 quantity_format_size(bytes, each),
			 workload->filesize[1] > 0 ? "filesize" : "size / nrfiles",
			 quantity_format_size(most, request));
}

int data_files_complete(struct workload *workload, struct error *err)
{
	struct data_files files;
	uint64_t total;
	int r = check_alone(workload, err);

	if (r == 0 && workload->file_service_type)
		r = parse_service(workload->file_service_type, &files, err);
	if (r < 0 || !data_files_given(workload))
		return r;
	r = check_together(workload, err);
	if (r == 0)
		r = check_bytes(workload, err);
	if (r < 0 || workload->filesize[1] == 0)
		return r;
	total = data_files_total(workload);
	if (workload->size == 0 || workload->size > total)
		workload->size = total;
	return 0;
}
