/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * workload.h - one I/O pattern: the values of the option table as a plain struct.
 *
 * A workload starts empty (workload_init), gets options set by option_parse(), is laid over others
 * (workload_overlay) in the order defaults < workload < factor level < override, and is completed
 * by workload_complete(), which fills in Volbench's defaults and checks what only holds between
 * options. Only a completed workload is measured.
 * Length: every option has a member here, beside what is asked of them together.
 */
#ifndef ENGINE_PLAN_WORKLOAD_H
#define ENGINE_PLAN_WORKLOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/error.h"
#include "engine/plan/option.h"

enum direction { DIRECTION_READ, DIRECTION_WRITE, DIRECTION_TRIM, DIRECTION_COUNT };

enum workload_cpus_policy { CPUS_SHARED, CPUS_SPLIT };

extern const char *const direction_names[DIRECTION_COUNT]; /* "read", "write", "trim" */

enum workload_rw {
	RW_READ,
	RW_WRITE,
	RW_RANDREAD,
	RW_RANDWRITE,
	RW_RW,
	RW_RANDRW,
	RW_TRIM,
	RW_RANDTRIM,
	RW_REWRITE,
	RW_RANDREWRITE,
};
enum workload_sync { SYNC_NONE, SYNC_SYNC, SYNC_DSYNC };
enum workload_ioengine {
	IOENGINE_IO_URING,
	IOENGINE_LIBAIO,
	IOENGINE_POSIXAIO,
	IOENGINE_PSYNC,
	IOENGINE_SYNC,
	IOENGINE_THREADS,
	IOENGINE_NULL,
};
enum workload_sequencer { SEQUENCER_SEQUENTIAL, SEQUENCER_IDENTICAL };
enum workload_continue {
	CONTINUE_NONE,
	CONTINUE_READ,
	CONTINUE_WRITE,
	CONTINUE_IO,
	CONTINUE_VERIFY,
	CONTINUE_ALL,
};
enum workload_regions { REGIONS_DISJOINT, REGIONS_SHARED };
enum workload_rate_process { RATE_LINEAR, RATE_POISSON };
enum workload_think { THINK_COMPLETE, THINK_ISSUE };
enum workload_file_order { FILE_ORDER_SEQUENTIAL, FILE_ORDER_RANDOM, FILE_ORDER_BOTH };

enum workload_verify { VERIFY_NONE, VERIFY_CRC32C, VERIFY_CRC32 };

extern const char *const workload_verify_choices[];
extern const char *const workload_rw_choices[];
extern const char *const workload_sync_choices[];
extern const char *const workload_ioengine_choices[];
extern const char *const workload_regions_choices[];
extern const char *const workload_continue_choices[];
extern const char *const workload_cpus_policy_choices[];
extern const char *const workload_sequencer_choices[];
extern const char *const workload_rate_process_choices[];
extern const char *const workload_think_choices[];

extern const char *const workload_file_order_choices[];

struct workload {
	struct option_set set; /* what was given, not defaulted */
	char *name;
	int rw;		    /* enum workload_rw */
	uint64_t rw_number; /* behind the colon: bytes left out, or requests to a drawn offset; 0 */
	uint64_t bs[DIRECTION_COUNT];
	uint64_t rwmixread, rwmixwrite;
	uint64_t size, offset; /* bytes; size is per job, 0 (not given): see definition.h */
	uint64_t iodepth, batch_complete_min, numjobs;
	uint64_t batch, iodepth_low; /* 0: not given */
	uint64_t runtime_ns; /* completed: 0 where nothing but size ends it (time_based is off) */
	uint64_t ramp_time_ns;
	bool time_based, direct;
	int sync;	/* enum workload_sync */
	uint64_t fsync; /* writes; 0: none */
	uint64_t randseed;
	bool randrepeat, norandommap;
	int ioengine; /* enum workload_ioengine; see workload_is_set */
	char *filename, *directory;
	int regions; /* enum workload_regions */
	bool group_reporting, invalidate;
	/* what one request is */
	uint64_t bsrange[DIRECTION_COUNT][2]; /* bytes, smallest and largest; 0: bs or bssplit */
	char *bssplit;			      /* see bssplit.h */
	bool bs_unaligned;
	uint64_t blockalign[DIRECTION_COUNT]; /* bytes; 0: the smallest request */
	/* which request comes next */
	int rw_sequencer; /* enum workload_sequencer */
	uint64_t percentage_random[DIRECTION_COUNT];
	uint64_t offset_increment; /* bytes */
	bool interlocked;
	char *random_distribution; /* as distribution_spec.h reads it */
	/* how much: budget.h */
	uint64_t io_size, number_ios, loops;
	int continue_on_error; /* enum workload_continue */
	/* when; a job's own, 0: none */
	uint64_t rate[DIRECTION_COUNT], rate_min[DIRECTION_COUNT];	     /* bytes/s */
	uint64_t rate_iops[DIRECTION_COUNT], rate_iops_min[DIRECTION_COUNT]; /* operations/s */
	int rate_process;    /* enum workload_rate_process */
	uint64_t rate_cycle; /* ms */
	bool rate_ignore_thinktime;
	uint64_t think_ns, think_spin_ns, think_iotime_ns;
	uint64_t think_blocks; /* operations */
	int think_blocks_type; /* enum workload_think */
	uint64_t startdelay_ns;
	char *steadystate; /* as steadystate.h reads it */
	uint64_t steadystate_duration_ns, steadystate_ramp_ns;
	/* syncs */
	uint64_t fdatasync; /* writes; 0: none */
	bool end_fsync;
	/* what is written */
	bool zero_buffers, refill_buffers, scramble_buffers;
	uint64_t buffer_compress_percentage, dedupe_percentage;
	uint64_t buffer_compress_chunk; /* bytes; 0: a whole request */
	int verify;			/* enum workload_verify */
	uint64_t verify_interval;	/* bytes; 0: a whole request */
	bool do_verify, verify_fatal;
	/* files */
	uint64_t nrfiles, filesize[2]; /* a job; bytes, the least and the most: data_files.h */
	uint64_t openfiles;
	char *file_service_type;
	char *metadata; /* NULL: reads and writes data; see file_phases.h */
	uint64_t directories;
	int file_order; /* enum workload_file_order */
	/* the machine */
	char *cpus_allowed;	  /* cpus.h; NULL: all */
	int cpus_allowed_policy;  /* enum workload_cpus_policy */
	uint64_t prio, prioclass; /* see workload_is_set */
	bool hipri, sqthread_poll;
	uint64_t sqthread_poll_cpu;		    /* see workload_is_set */
	bool fixedbufs, registerfiles, nonvectored; /* insisted on */
	/* what is told */
	char *percentile_list; /* as percentiles.h reads it */
	double weight; /* no option: its weight in a recommendation; 0: not given, which is 1 */
	bool from_fio; /* given as an fio command line: shared regions unless said otherwise */
	/* Jobs of different options that run together (workload_part); 0: it is one itself. */
	size_t part_count;
	struct workload *parts; /* heap; have no parts of their own */
};

void workload_init(struct workload *workload);
void workload_done(struct workload *workload);
MUST_CHECK int workload_copy(const struct workload *from, struct workload *to);

bool workload_is_set(const struct workload *workload, enum option_id id);
void workload_unset(struct workload *workload, enum option_id id); /* the mark, not the value */

/* Gives what option_told() leaves out its default: for a completed workload that is read back. */
MUST_CHECK int workload_fill_untold(struct workload *workload, struct error *err);

/* Lays the set options of `over` on top; rwmixread and rwmixwrite replace each other. -ENOMEM. */
MUST_CHECK int workload_overlay(struct workload *workload, const struct workload *over);

/*
 * Fills in defaults for what is not set (the set bits stay as they are) and checks the whole:
 * one of bs, bsrange and bssplit, within size, rwmixread + rwmixwrite = 100, direct with bs, offset
 * or size not of 512 bytes, randseed without randrepeat, the extent beyond a file's. The error's
 * field is the option's name
 * ("bs"); the caller puts the pointer before it.
 *
 * Two defaults depend on others. time_based is 1, but 0 in an fio command line without a runtime,
 * which runs to its size as fio does; regions are disjoint, but shared in an fio command line.
 * Where time_based is 0 and no runtime was given, runtime_ns is 0. A depth above 1 with psync or
 * sync is no error: workload_depth says 1, as fio does.
 */
MUST_CHECK int workload_complete(struct workload *workload, struct error *err);

/*
 * A workload is made of parts that run at the same time: jobs of different options, each with its
 * name and numjobs. One without jobs of its own is its only part. Where it has some, its own
 * options are what they have in common as long as it is not completed (a part is laid over them),
 * and those of the first part afterwards: ask the parts.
 */
size_t workload_parts(const struct workload *workload);
const struct workload *workload_part(const struct workload *workload, size_t index);

/* Takes a part, also on failure: -ENOMEM. `part` is then empty. */
MUST_CHECK int workload_add_part(struct workload *workload, struct workload *part);

/*
 * Completed parts become a completed workload: its own options are the first one's but for the
 * name. CONFLICT where they cannot run together: what must be common to all (ramp_time, regions,
 * randrepeat, randseed, CPUs, priority and polling, steadystate, percentile_list, one kind of
 * ioengine; with disjoint regions the offset, and a size for all or none) is not, more than 1024
 * jobs, iodepth_batch_complete_min. The error's field is the option's name; *ret_part the part to
 * blame.
 */
MUST_CHECK int workload_join(struct workload *workload, size_t *ret_part, struct error *err);

/* Of all parts: numjobs, and operations outstanding. UINT64_MAX where it is more. */
uint64_t workload_jobs(const struct workload *workload);
uint64_t workload_outstanding(const struct workload *workload);

/* Whether it measures operations on files (file_phases.h): it then moves data no way. */
bool workload_metadata(const struct workload *workload);

/* Of a completed workload, any of its parts; a mix with rwmixread=100 does not write. */
bool workload_reads(const struct workload *workload);
bool workload_writes(const struct workload *workload);
bool workload_trims(const struct workload *workload);
bool workload_moves(const struct workload *workload, enum direction direction);

/* Of a workload that is one part. */
bool workload_random(const struct workload *workload);
bool workload_rw_random(int rw);
bool workload_mixed(const struct workload *workload);
bool workload_rewrites(const struct workload *workload);

/* Bytes a second that a job is to move this way, by rate or rate_iops; 0: no rate, or no data. */
uint64_t workload_rate(const struct workload *workload, enum direction direction);

/* The delay before the first part begins, and how much later than that a part does. */
uint64_t workload_least_delay(const struct workload *workload);
uint64_t workload_delay_beyond(const struct workload *workload, const struct workload *part);

/* Bytes of memory that an operation of a completed workload needs: of its largest read or write,
 * 512 where it only trims. */
uint64_t workload_buffer_bytes(const struct workload *workload);

/* Depth a job of one part really asks for: 1 with psync and sync. */
uint64_t workload_depth(const struct workload *workload);

/* Bytes of one file or device that the workload reaches: offset + size x jobs (or size where
 * regions are shared, or each job has a file); parts in disjoint regions lie one behind another.
 * Where each job has files of its own, of the largest file. Only the offset where size is 0.
 * -EOVERFLOW. */
MUST_CHECK int workload_extent(const struct workload *workload, bool file_per_job,
			       uint64_t *ret_bytes);

/*
 * Parses an fio command line ("--rw=randread --bs=4k ...", with or without the leading "fio",
 * shell quoting of single words understood) into workload and sets from_fio. Errors name the
 * option; a typographic dash is pointed out; fio options Volbench lacks are UNSUPPORTED by name.
 */
MUST_CHECK int workload_parse_fio(const char *command_line, struct workload *workload,
				  struct error *err);

/* The set options but name as a command line that workload_parse_fio() reads back; heap. NULL on no
 * memory. */
char *workload_format_given(const struct workload *workload);

/* The fio command that does the same on `path` (a file per job: pass directory true); heap. The
 * defaults that differ are spelled out. NULL on no memory. */
char *workload_format_fio(const struct workload *workload, const char *path, bool directory);

#endif
