/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * write_report.c - writes the report of a synthetic result, nine workloads on six block sizes with
 * five repeats, and tells what it took: `write_report DIRECTORY ROUNDS`. For tests/bench/report.py.
 *
 * Each round is a line of JSON: the milliseconds of the whole report, and of the processor time of
 * this program and of its children.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>

#include "engine/base/child.h"
#include "tests/unit/web/synthetic.h"
#include "web/report.h"

static const struct synthetic shape = {
	.name = "Nine workloads by volblocksize",
	.state = RUN_DONE,
	.repeats = 5,
	.seconds = 60,
	.ramp = 5,
	.noise = 0.01,
	.zfs = true,
	.workloads = {{"General_IO", "--bs=4k,128k --rw=randrw --size=4G --numjobs=12", 8400},
		      {"Exchange", "--bs=8k --rw=randrw --rwmixread=70 --size=4G --numjobs=12",
		       48300},
		      {"Security_Onion_Ingest", "--bs=128k --rw=write --size=16G", 6800},
		      {"Security_Onion_Search", "--bs=4k --rw=randread --size=8G", 378000},
		      {"Elastiflow", "--bs=64k --rw=write --size=10G --numjobs=8", 9500},
		      {"Trellix", "--bs=8k --rw=randrw --size=4G --numjobs=16", 48200},
		      {"File_Server", "--bs=4k,64k --rw=randrw --rwmixread=60 --size=8G", 14500},
		      {"VMware_Appliances", "--bs=4k,32k --rw=randrw --rwmixread=70 --size=16G",
		       32000},
		      {"Mixed_VMs", "--bs=4k,128k --rw=randrw --size=32G --numjobs=24", 7800}},
	.factors = {{"volblocksize", {"4K", "8K", "16K", "32K", "64K", "128K"}}},
};

static double cpu_ms(int who)
{
	struct rusage usage;

	if (getrusage(who, &usage) < 0)
		return 0;
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e3 +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e3;
}

static int write_one(const struct result *result, int dirfd)
{
	double own_ms = cpu_ms(RUSAGE_SELF), child_ms = cpu_ms(RUSAGE_CHILDREN);
	uint64_t start_ns = clock_now_ns();
	struct error err = {0};

	if (report_write(result, "{}", 2, dirfd, NULL, &err) < 0) {
		(void)fprintf(stderr, "write_report: %s\n", err.message);
		return 1;
	}
	(void)printf("{\"ms\": %.1f, \"own_cpu_ms\": %.1f, \"gnuplot_cpu_ms\": %.1f}\n",
		     (double)(clock_now_ns() - start_ns) / 1e6, cpu_ms(RUSAGE_SELF) - own_ms,
		     cpu_ms(RUSAGE_CHILDREN) - child_ms);
	return 0;
}

int main(int argc, char **argv)
{
	struct result result;
	int dirfd, failed = 0;

	/* The sandbox of a report's gnuplot starts this program again. */
	if (argc > 1 && strcmp(argv[1], "sandbox") == 0)
		return child_sandbox_main(argc, argv);
	dirfd = argc == 3 ? open(argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	if (dirfd < 0) {
		(void)fprintf(stderr, "usage: write_report DIRECTORY ROUNDS\n");
		return 2;
	}
	synthetic_make(&shape, &result);
	for (long rounds = strtol(argv[2], NULL, 10); rounds > 0 && !failed; rounds--)
		failed = write_one(&result, dirfd);
	result_done(&result);
	(void)close(dirfd);
	return failed;
}
