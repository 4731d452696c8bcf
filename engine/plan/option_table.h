/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * option_table.h - the rows of option.h's table; included with OPTION defined, more than once.
 *
 * OPTION(ID, name, type, member, min, max, choices, default, fio_default, unit, factor, help)
 *
 * Length: a row an option, of which fio has many.
 */
/* clang-format off */
OPTION(NAME, "name", OPTION_TEXT, name, 1, 64, NULL, NULL, NULL, "", false,
       "The workload's name.")
OPTION(RW, "rw", OPTION_RW, rw, 0, 0, workload_rw_choices, "read", NULL, "", true,
       "Pattern: read, write, randread, randwrite, rw, randrw, trim or randtrim. rewrite and randrewrite, which are Volbench's own, read a block, change it and write it back; size then counts each block once. Behind a colon may stand, for a sequential one, how many bytes to leave out after each request (`read:64k`), for a random one, how many requests to make for each offset drawn (`randread:8`; see rw_sequencer).")
OPTION(BS, "bs", OPTION_SIZES, bs, 512, 64 << 20, NULL, "4k", NULL, "bytes", true,
       "Request size; `4k,128k` gives reads 4k and writes 128k.")
OPTION(RWMIXREAD, "rwmixread", OPTION_COUNT, rwmixread, 0, 100, NULL, "50", NULL, "percent", true,
       "Share of the operations of a mix that are reads.")
OPTION(RWMIXWRITE, "rwmixwrite", OPTION_COUNT, rwmixwrite, 0, 100, NULL, NULL, NULL, "percent", true,
       "Share of the operations of a mix that are writes; the other side of rwmixread.")
OPTION(SIZE, "size", OPTION_SIZE, size, 512, UINT64_C(1) << 50, NULL, NULL, NULL, "bytes", true,
       "Bytes of the region each job works in, reads and writes together.")
OPTION(OFFSET, "offset", OPTION_SIZE, offset, 0, UINT64_C(1) << 50, NULL, "0", NULL, "bytes", true,
       "Where in the file or device the region begins.")
OPTION(IODEPTH, "iodepth", OPTION_COUNT, iodepth, 1, 4096, NULL, "1", NULL, "operations", true,
       "Operations each job keeps outstanding.")
OPTION(BATCH_COMPLETE_MIN, "iodepth_batch_complete_min", OPTION_COUNT, batch_complete_min, 1, 4096, NULL, "1", NULL, "operations", true,
       "Completions io_uring waits for at a time: more save processor time and let the depth sink by as many. At most iodepth; the threads backend refuses more than 1.")
OPTION(NUMJOBS, "numjobs", OPTION_COUNT, numjobs, 1, 1024, NULL, "1", NULL, "jobs", true,
       "Jobs that run at the same time.")
OPTION(RUNTIME, "runtime", OPTION_TIME, runtime_ns, NS_PER_S / 10, 7 * 86400 * NS_PER_S, NULL, "30", "none", "s", true,
       "Seconds measured, without the ramp.")
OPTION(TIME_BASED, "time_based", OPTION_FLAG, time_based, 0, 1, NULL, "1", "0", "", true,
       "Go on until runtime is over even when size has been done; 0 ends at whichever comes first.")
OPTION(RAMP_TIME, "ramp_time", OPTION_TIME, ramp_time_ns, 0, 86400 * NS_PER_S, NULL, "0", NULL, "s", true,
       "Seconds of load before measuring begins.")
OPTION(DIRECT, "direct", OPTION_FLAG, direct, 0, 1, NULL, "1", "0", "", true,
       "O_DIRECT: go around the page cache.")
OPTION(SYNC, "sync", OPTION_CHOICE, sync, 0, 0, workload_sync_choices, "none", NULL, "", true,
       "Open for synchronous writes: none, sync (O_SYNC) or dsync (O_DSYNC); 0 and 1 are none and sync.")
OPTION(FSYNC, "fsync", OPTION_COUNT, fsync, 0, 1u << 30, NULL, "0", NULL, "writes", true,
       "An fsync after every so many writes of a job; its latency is kept apart.")
OPTION(RANDSEED, "randseed", OPTION_COUNT, randseed, 0, INT64_MAX, NULL, NULL, NULL, "", false,
       "Seed of the pattern, in place of the one derived from the definition's.")
OPTION(RANDREPEAT, "randrepeat", OPTION_FLAG, randrepeat, 0, 1, NULL, "1", NULL, "", true,
       "Same seed, same pattern; 0 draws a fresh seed for each sample, which the sample records.")
OPTION(NORANDOMMAP, "norandommap", OPTION_FLAG, norandommap, 0, 1, NULL, "0", NULL, "", true,
       "Random offsets without the promise that every block is touched once before any is touched again.")
OPTION(IOENGINE, "ioengine", OPTION_CHOICE, ioengine, 0, 0, workload_ioengine_choices, NULL, "psync", "", true,
       "io_uring, libaio and posixaio: asynchronous; psync and sync: depth 1; threads, null: Volbench's own backends of those names. Absent: Volbench chooses.")
OPTION(FILENAME, "filename", OPTION_TEXT, filename, 1, 4000, NULL, NULL, NULL, "", false,
       "The file or device to test, where the definition has no target.")
OPTION(DIRECTORY, "directory", OPTION_TEXT, directory, 1, 4000, NULL, NULL, NULL, "", false,
       "The directory to make a file for each job in, where the definition has no target.")
OPTION(REGIONS, "regions", OPTION_CHOICE, regions, 0, 0, workload_regions_choices, "disjoint", "shared", "", true,
       "Volbench's own: jobs on one file or device work in disjoint regions, or shared in one, as fio's do.")
OPTION(GROUP_REPORTING, "group_reporting", OPTION_FLAG, group_reporting, 0, 1, NULL, "1", "0", "", false,
       "Report the jobs as one; 0 adds figures for each job.")
OPTION(INVALIDATE, "invalidate", OPTION_FLAG, invalidate, 0, 1, NULL, "1", NULL, "", true,
       "Drop the target's pages from the page cache before a sample.")

/* ---- what one request is: sizes, alignment ---- */
OPTION(BSRANGE, "bsrange", OPTION_RANGES, bsrange, 512, 64 << 20, NULL, NULL, NULL, "bytes", true,
       "Request sizes from one to another, multiples of the smaller and each as often as any; `1k-4k,2k-8k` for reads and writes. In place of bs, which results tell as the largest.")
OPTION(BSSPLIT, "bssplit", OPTION_TEXT, bssplit, 1, 4096, NULL, NULL, NULL, "", true,
       "Request sizes and how many of 100 requests have them: `4k/60:64k/40`, or `4k/60:64k/40,8k/100` for reads and writes; sizes without a percentage share the rest. In place of bs, which results tell as the largest.")
OPTION(BS_UNALIGNED, "bs_unaligned", OPTION_FLAG, bs_unaligned, 0, 1, NULL, "0", NULL, "", true,
       "Requests of bsrange or bssplit may have any number of bytes, not only multiples of the smallest; not with direct=1.")
OPTION(BLOCKALIGN, "blockalign", OPTION_SIZES, blockalign, 1, 64 << 20, NULL, NULL, NULL, "bytes", true,
       "Random offsets are multiples of it: of the smallest request without it. Another one goes without the map of blocks (norandommap=1).")

/* ---- which request comes next: order and distribution ---- */
OPTION(PERCENTAGE_RANDOM, "percentage_random", OPTION_COUNTS, percentage_random, 0, 100, NULL, "100", NULL, "percent", true,
       "Of a random pattern, how many of 100 offsets are drawn; the others follow the last request. `80,20` for reads and writes.")
OPTION(OFFSET_INCREMENT, "offset_increment", OPTION_SIZE, offset_increment, 0, UINT64_C(1) << 50, NULL, "0", NULL, "bytes", true,
       "How far behind the job before each job's region begins, of `size` bytes each; 0: all at offset, or one behind another (regions).")
OPTION(INTERLOCKED, "interlocked", OPTION_FLAG, interlocked, 0, 1, NULL, "0", NULL, "", true,
       "Volbench's own: the jobs of a sequential pattern share one position in one region, so that together they pass through it once; each still does its own size.")
OPTION(RW_SEQUENCER, "rw_sequencer", OPTION_CHOICE, rw_sequencer, 0, 0, workload_sequencer_choices, "sequential", NULL, "", true,
       "With `rw=randread:8`, what the requests between two drawn offsets do: sequential follows the last request, identical repeats its offset.")
OPTION(RANDOM_DISTRIBUTION, "random_distribution", OPTION_TEXT, random_distribution, 1, 4000, NULL, "random", NULL, "", true,
       "Which blocks a random workload touches more often: random (all alike), zipf:THETA, pareto:H or normal:DEVIATION (`:CENTER`, 0 to 1, may follow), zoned:ACCESS/SIZE:... in percent, or zoned_abs:ACCESS/BYTES:... .")

/* ---- how much: budgets, ends ---- */
OPTION(IO_SIZE, "io_size", OPTION_SIZE, io_size, 0, UINT64_C(1) << 50, NULL, "0", NULL, "bytes", true,
       "Bytes each job moves, in place of size: less than its region, or more of it. Turns time_based off.")
OPTION(NUMBER_IOS, "number_ios", OPTION_COUNT, number_ios, 0, UINT64_C(1) << 50, NULL, "0", NULL, "operations", true,
       "Operations after which a job ends, unless its size ends it before. Turns time_based off.")
OPTION(LOOPS, "loops", OPTION_COUNT, loops, 1, 1u << 20, NULL, "1", NULL, "times", true,
       "How often each job does its size (or io_size, number_ios). More than 1 turns time_based off.")

OPTION(CONTINUE_ON_ERROR, "continue_on_error", OPTION_CHOICE, continue_on_error, 0, 0, workload_continue_choices, "none", NULL, "", true,
       "Which failed operations do not end the sample but are counted: none, read, write (trims and syncs too), io, verify, all; 0 and 1 are none and all. As in fio only EIO and an end of file: others always end it. With verify or all a run also goes on behind a sample whose blocks are read back wrong.")

OPTION(BATCH, "iodepth_batch", OPTION_COUNT, batch, 1, 32, NULL, NULL, "1", "operations", true,
       "The most operations that io_uring is handed at a time; absent: half of what may be outstanding, at most 32. The threads backend, which has no batches, refuses it.")
OPTION(IODEPTH_LOW, "iodepth_low", OPTION_COUNT, iodepth_low, 0, 4096, NULL, "0", NULL, "operations", true,
       "Once iodepth operations were handed over, none follow until so few are left outstanding; 0: each is replaced when it completes. Only with io_uring; jobs that share a ring fill and drain together.")

/* ---- when: rates, pauses ---- */
OPTION(RATE, "rate", OPTION_SIZES, rate, 0, UINT64_C(1) << 50, NULL, "0", NULL, "bytes/s", true,
       "Bytes a second each job is to move, as a schedule that goes on whatever the target does; `1m,500k` for reads and writes apart, `,500k` for writes alone; 0: as fast as it goes.")
OPTION(RATE_IOPS, "rate_iops", OPTION_COUNTS, rate_iops, 0, 1000000000, NULL, "0", NULL, "operations/s", true,
       "Operations a second each job is to begin, as rate; where requests differ in size, counted in the smallest.")
OPTION(RATE_PROCESS, "rate_process", OPTION_CHOICE, rate_process, 0, 0, workload_rate_process_choices, "linear", NULL, "", true,
       "How a rate spreads its operations: linear, at equal distances, or poisson, at random ones of that mean, which are the same for the same seed.")
OPTION(RATE_MIN, "rate_min", OPTION_SIZES, rate_min, 0, UINT64_C(1) << 50, NULL, "0", NULL, "bytes/s", true,
       "Bytes a second that each job must move, looked at every rate_cycle after the first two seconds: less ends the run with an error.")
OPTION(RATE_IOPS_MIN, "rate_iops_min", OPTION_COUNTS, rate_iops_min, 0, 1000000000, NULL, "0", NULL, "operations/s", true,
       "Operations a second that each job must complete, as rate_min.")
OPTION(RATE_CYCLE, "rate_cycle", OPTION_COUNT, rate_cycle, 1, 3600000, NULL, "1000", NULL, "ms", true,
       "Milliseconds over which rate_min and rate_iops_min are looked at.")
OPTION(RATE_IGNORE_THINKTIME, "rate_ignore_thinktime", OPTION_FLAG, rate_ignore_thinktime, 0, 1, NULL, "0", NULL, "", true,
       "A pause of thinktime moves the rate's schedule; 0: what it held up is caught up with.")
OPTION(THINKTIME, "thinktime", OPTION_MICROSECONDS, think_ns, 0, 3600 * NS_PER_S, NULL, "0", NULL, "us", true,
       "Pause of each job after every thinktime_blocks operations, when none of its own is outstanding; a bare number is microseconds.")
OPTION(THINKTIME_SPIN, "thinktime_spin", OPTION_MICROSECONDS, think_spin_ns, 0, 3600 * NS_PER_S, NULL, "0", NULL, "us", true,
       "Part of each thinktime that is spent working the processor; a bare number is microseconds.")
OPTION(THINKTIME_BLOCKS, "thinktime_blocks", OPTION_COUNT, think_blocks, 1, 1u << 31, NULL, "1", NULL, "operations", true,
       "Reads and writes between two pauses of thinktime.")
OPTION(THINKTIME_BLOCKS_TYPE, "thinktime_blocks_type", OPTION_CHOICE, think_blocks_type, 0, 0, workload_think_choices, "complete", NULL, "", true,
       "What thinktime_blocks counts: operations completed (complete) or issued (issue).")
OPTION(THINKTIME_IOTIME, "thinktime_iotime", OPTION_TIME, think_iotime_ns, 0, 86400 * NS_PER_S, NULL, "0", NULL, "s", true,
       "Seconds between two pauses of thinktime, in place of thinktime_blocks, or whichever comes first where both are given.")
OPTION(STARTDELAY, "startdelay", OPTION_TIME, startdelay_ns, 0, 86400 * NS_PER_S, NULL, "0", NULL, "s", true,
       "Seconds of rest before the jobs begin; they count neither as ramp nor as runtime.")
OPTION(STEADYSTATE, "steadystate", OPTION_TEXT, steadystate, 1, 40, NULL, "iops_slope:0.01%", NULL, "", true,
       "When a sample has settled and ends: iops, iops_slope, bw or bw_slope, and a limit, as `iops:5%` or `bw_slope:0.1%`; looked at over steadystate_duration.")
OPTION(STEADYSTATE_DURATION, "steadystate_duration", OPTION_TIME, steadystate_duration_ns, 0, 86400 * NS_PER_S, NULL, "0", NULL, "s", true,
       "Seconds of the window that steadystate looks at, once a second; 0: it does not.")
OPTION(STEADYSTATE_RAMP, "steadystate_ramp_time", OPTION_TIME, steadystate_ramp_ns, 0, 86400 * NS_PER_S, NULL, "0", NULL, "s", true,
       "Seconds, after ramp_time, before steadystate looks at anything.")

/* ---- syncs ---- */
OPTION(FDATASYNC, "fdatasync", OPTION_COUNT, fdatasync, 0, 1u << 30, NULL, "0", NULL, "writes", true,
       "An fdatasync after every so many writes of a job; its latency is kept apart.")

OPTION(END_FSYNC, "end_fsync", OPTION_FLAG, end_fsync, 0, 1, NULL, "0", NULL, "", true,
       "An fsync when a job that writes has ended, which counts in its time, as in fio: what was written is on the disk then. Its latency is kept apart.")

/* ---- what is written, and whether it is read back ---- */
OPTION(ZERO_BUFFERS, "zero_buffers", OPTION_FLAG, zero_buffers, 0, 1, NULL, "0", NULL, "", true,
       "Write zeros. Reads meet them too: the target is filled with what the workloads that read it ask for.")
OPTION(REFILL_BUFFERS, "refill_buffers", OPTION_FLAG, refill_buffers, 0, 1, NULL, "1", "0", "", true,
       "Every write holds other data than those before it; 0 uses each buffer again as scramble_buffers says.")
OPTION(SCRAMBLE_BUFFERS, "scramble_buffers", OPTION_FLAG, scramble_buffers, 0, 1, NULL, "1", NULL, "", true,
       "Change some words of each sector before a buffer that is not refilled is used again. Zeros only where asked for by name.")
OPTION(COMPRESS_PERCENTAGE, "buffer_compress_percentage", OPTION_COUNT, buffer_compress_percentage, 0, 100, NULL, "0", NULL, "percent", true,
       "Share of each buffer_compress_chunk that is zeros and not random, in what is written and in what the target is filled with before reads.")
OPTION(COMPRESS_CHUNK, "buffer_compress_chunk", OPTION_SIZE, buffer_compress_chunk, 0, 64 << 20, NULL, "512", NULL, "bytes", true,
       "Bytes that buffer_compress_percentage is a share of; 0 is a whole request.")
OPTION(DEDUPE_PERCENTAGE, "dedupe_percentage", OPTION_COUNT, dedupe_percentage, 0, 100, NULL, "0", NULL, "percent", true,
       "Share of the writes that hold the very same data as the job's write before them.")
OPTION(VERIFY, "verify", OPTION_CHOICE, verify, 0, 0, workload_verify_choices, "none", NULL, "", true,
       "Checksum that every block carries which is written, beside its place, the sample's seed and the how-manyth write of it this is; what was written is read back and checked after the measured time (the reads of a mix are not checked). crc32c or crc32.")
OPTION(VERIFY_INTERVAL, "verify_interval", OPTION_SIZE, verify_interval, 0, 64 << 20, NULL, "0", NULL, "bytes", true,
       "Bytes from one header to the next within a block; 0 has one a block.")
OPTION(DO_VERIFY, "do_verify", OPTION_FLAG, do_verify, 0, 1, NULL, "1", NULL, "", true,
       "Read back what was written; 0 only writes blocks that could be checked.")
OPTION(VERIFY_FATAL, "verify_fatal", OPTION_FLAG, verify_fatal, 0, 1, NULL, "0", NULL, "", true,
       "Stop reading back at the first block that is wrong, instead of counting all that are.")

/* ---- files ---- */
OPTION(NRFILES, "nrfiles", OPTION_COUNT, nrfiles, 1, 1000000, NULL, NULL, NULL, "files", true,
       "Files of each job, in a directory: 1 where not given, at most 4096 of all jobs together where they move data. A metadata workload needs it.")
OPTION(FILESIZE, "filesize", OPTION_SIZE_RANGE, filesize, 0, UINT64_C(1) << 50, NULL, "0", NULL, "bytes", true,
       "Bytes of each file, in place of size / nrfiles; `4k-64k` draws each file's evenly between the two. At most 16m for a metadata workload.")
OPTION(OPENFILES, "openfiles", OPTION_COUNT, openfiles, 0, 1000000, NULL, "0", NULL, "files", true,
       "Files of each job that requests go to at a time, until one of them is done; 0: all of nrfiles.")
OPTION(FILE_SERVICE_TYPE, "file_service_type", OPTION_TEXT, file_service_type, 1, 40, NULL, "roundrobin", NULL, "", true,
       "Which of a job's files the next request goes to: roundrobin, random or sequential (each until it is done); `roundrobin:8` and `random:8` stay with a file for so many requests.")
OPTION(METADATA, "metadata", OPTION_TEXT, metadata, 1, 100, NULL, NULL, NULL, "", false,
       "Volbench's own: measure operations on many small files, each phase on all of them: create, write, stat, read, rename, delete, as in `create,stat,delete`; `all` is the six.")
OPTION(DIRECTORIES, "directories", OPTION_COUNT, directories, 1, 1000, NULL, NULL, NULL, "directories", true,
       "Volbench's own: directories that each job of a metadata workload spreads its files over; 1 where not given.")
OPTION(FILE_ORDER, "file_order", OPTION_CHOICE, file_order, 0, 0, workload_file_order_choices, "sequential", NULL, "", true,
       "Volbench's own: the order in which a metadata workload goes through its files: sequential, random, or both, one after the other with new files.")

/* ---- the machine: processors, priorities, the ring ---- */
OPTION(CPUS_ALLOWED, "cpus_allowed", OPTION_TEXT, cpus_allowed, 1, 1024, NULL, NULL, NULL, "", true,
       "CPUs the workers run on, as in 0-1,3: io_uring then has as many reactors at most. They must be among those this process may use. Absent: all of those.")
OPTION(CPUS_ALLOWED_POLICY, "cpus_allowed_policy", OPTION_CHOICE, cpus_allowed_policy, 0, 0, workload_cpus_policy_choices, "shared", NULL, "", true,
       "shared: each worker may run on all of cpus_allowed; split: each job on one of them, in turn.")
OPTION(PRIO, "prio", OPTION_COUNT, prio, 0, 7, NULL, NULL, NULL, "", true,
       "I/O priority within its class, 0 the highest; without prioclass that of best effort.")
OPTION(PRIOCLASS, "prioclass", OPTION_COUNT, prioclass, 0, 3, NULL, NULL, NULL, "", true,
       "I/O priority class: 1 realtime, which needs CAP_SYS_NICE, 2 best effort (0 as well), 3 idle, which has no levels.")
OPTION(HIPRI, "hipri", OPTION_FLAG, hipri, 0, 1, NULL, "0", NULL, "", true,
       "Ask the device for completions in place of waiting for its interrupt (io_uring's IOPOLL): only with direct=1 and where the driver can. It takes a whole CPU.")
OPTION(SQTHREAD_POLL, "sqthread_poll", OPTION_FLAG, sqthread_poll, 0, 1, NULL, "0", NULL, "", true,
       "A thread of the kernel takes requests off the ring (io_uring's SQPOLL), so that submitting needs no system call. It takes a CPU of its own.")
OPTION(SQTHREAD_POLL_CPU, "sqthread_poll_cpu", OPTION_COUNT, sqthread_poll_cpu, 0, CPUS_MAX - 1, NULL, NULL, NULL, "", true,
       "The CPU of that thread. Absent: any, whatever cpus_allowed says.")
OPTION(FIXEDBUFS, "fixedbufs", OPTION_FLAG, fixedbufs, 0, 1, NULL, NULL, NULL, "", false,
       "Buffers are always registered with the ring where the kernel lets them be; 1 insists on it.")
OPTION(REGISTERFILES, "registerfiles", OPTION_FLAG, registerfiles, 0, 1, NULL, NULL, NULL, "", false,
       "Files are always registered with the ring: only 1 is taken.")
OPTION(NONVECTORED, "nonvectored", OPTION_FLAG, nonvectored, 0, 1, NULL, NULL, NULL, "", false,
       "Requests always have one buffer, without a vector: only 1 is taken.")

/* ---- what is told ---- */
OPTION(PERCENTILE_LIST, "percentile_list", OPTION_TEXT, percentile_list, 1, 220, NULL, NULL, NULL, "", false,
       "The percentiles of latency that are shown, at most 20, as `50:99:99.9`; each only where ten slower operations are there.")
/* clang-format on */
