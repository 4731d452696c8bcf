/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * course.h - what a job that goes step by step (job_steps.h) keeps beside its pattern: plain state,
 * a part for each part of the language.
 */
#ifndef ENGINE_IO_COURSE_H
#define ENGINE_IO_COURSE_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/io/data.h"
#include "engine/io/pace.h"

#define COURSE_NAME_MAX 65 /* a job's name and its NUL, see option_table.h */

struct file_set;
struct sequence;
struct verify_job;

/* What a job does next. */
struct operation {
	uint64_t offset; /* bytes in the file; 0 for a sync */
	uint32_t length; /* bytes; 0 for a sync */
	uint32_t kind;	 /* enum request_kind */
};

struct course {
	char name[COURSE_NAME_MAX]; /* of the job's part, where the workload has several; else "" */
	uint64_t outstanding, outstanding_bytes; /* planned and not yet landed */
	uint64_t runtime_ns;			 /* of the window; 0: as long as the load lasts */
	uint64_t ios_budget, ios_left;		 /* reads, writes and trims until the job ends */
	uint64_t ios_outstanding;
	struct pace pace;			  /* when it may issue */
	uint64_t fdatasync_every, fdatasync_left; /* writes; 0: no fdatasyncs */
	bool passes_reads, passes_writes;	  /* those that fail do not end the sample */
	bool end_sync;				  /* a final fsync is still to come */
	bool rewrites; /* each read is followed by a write of the same block */
	/* Writes that followed while a sync was due, and count for the next one. */
	uint64_t fsync_owed, fdatasync_owed;
	struct sequence *sequence; /* NULL: the pattern says all; the job's own */
	struct file_set *files;	   /* NULL: one; the job's own. Its sequence is then the first's */
	uint32_t end_file;	   /* where several: whose final fsync comes next */
	struct data data;	   /* what the writes hold */
	struct verify_job *verify; /* NULL: nothing is read back; the measurement's */
	/* A write planned already, of a block that another one outstanding writes: it waits. */
	bool held;
	struct operation held_write;
};

#endif
