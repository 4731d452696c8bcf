/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * data_files.h - the files that each job of a workload moves data in, where they are several.
 *
 * In a directory a job has nrfiles files. They are of size / nrfiles bytes each, or of filesize:
 * one of two bounds each, drawn evenly between them and cut down to a multiple of the smallest
 * request, as in fio; the i-th file of every job has the same size, and it is the same in all
 * samples. `size` is all that a job moves in them, filesize's sum where it is not given or more.
 * All have the same offset.
 *
 * file_service_type says which file the next request goes to, as fio's:
 *   roundrobin[:N]  N requests (1) to each in turn; the default
 *   random[:N]      N requests to one drawn at random
 *   sequential      one file after another, each until it is done
 * openfiles of them are in service at a time; another one comes in when one of them is done. That
 * happens only to jobs that end with their size, when all of the file was moved once, in sequence
 * without holes or every block once; else, as in fio, a job stays with the files it began with.
 * (The descriptors of all are open throughout, so that no open or close is in a measured latency.)
 */
#ifndef ENGINE_PLAN_DATA_FILES_H
#define ENGINE_PLAN_DATA_FILES_H

#include "engine/plan/workload.h"

/* The most files of all jobs together: each is held open. */
#define DATA_FILES_MAX 4096

enum file_service { FILE_SERVICE_ROUNDROBIN, FILE_SERVICE_RANDOM, FILE_SERVICE_SEQUENTIAL };

struct data_files {
	uint64_t count; /* of each job */
	uint64_t open;	/* in service at a time */
	enum file_service service;
	uint64_t every; /* requests to a file before the next is chosen */
};

/* Whether the jobs of a part have several files, or files of a size of their own. */
bool data_files_given(const struct workload *workload);

/* Of a completed part; one file where nothing was given. */
void data_files_of(const struct workload *workload, struct data_files *ret_files);

/* Bytes of the i-th file of each job of a completed part, of a job's largest, and of all of them
 * in whole requests. */
uint64_t data_files_bytes(const struct workload *workload, uint64_t index);
uint64_t data_files_largest(const struct workload *workload);
uint64_t data_files_total(const struct workload *workload);

/* Files of all jobs of all parts. */
uint64_t data_files_count(const struct workload *workload);

/* Completes and checks what was given; sizes of requests are complete already. */
MUST_CHECK int data_files_complete(struct workload *workload, struct error *err);

#endif
