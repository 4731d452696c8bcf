/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * telemetry.c - see telemetry.h. What cannot be read counts as unknown: 0 or "".
 *
 * Fields of /sys/dev/block/M:m/stat, from 1: reads, reads merged, sectors read, ms reading,
 * writes, writes merged, sectors written, ms writing, in flight, ms with I/O, weighted ms
 * (Documentation/block/stat.rst). A sector is 512 bytes whatever the device's blocks are.
 */
#include "engine/target/telemetry.h"

#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>

#include "engine/base/clock.h"
#include "engine/base/text.h"
#include "engine/io/measure.h"
#include "engine/target/system.h"
#include "engine/zfs/command.h"
#include "engine/zfs/kstat.h"
#include "engine/zfs/pool.h"

#define SECTOR_BYTES 512
#ifndef LIBURING_VERSION /* from pkg-config, by the Makefile: the library does not tell its own */
#define LIBURING_VERSION ""
#endif
#define CPUS_MAX 65536

static void read_device(dev_t device, struct telemetry *telemetry)
{
	uint64_t field[11];
	char line[512];

	if (device == 0 || system_block_line(device, "stat", line, sizeof(line)) < 0)
		return;
	if (sscanf(line,
		   "%" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
		   " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64,
		   &field[0], &field[1], &field[2], &field[3], &field[4], &field[5], &field[6],
		   &field[7], &field[8], &field[9], &field[10]) != (int)ARRAY_SIZE(field))
		return;
	telemetry->reads = field[0];
	telemetry->read_bytes = field[2] * SECTOR_BYTES;
	telemetry->writes = field[4];
	telemetry->written_bytes = field[6] * SECTOR_BYTES;
	telemetry->io_ms = field[9];
	telemetry->weighted_ms = field[10];
	telemetry->device_known = true;
}

/* "cpu user nice system idle iowait irq softirq steal guest guest_nice", in clock ticks; user and
 * nice hold the guests' already. */
static void read_machine(struct telemetry *telemetry)
{
	uint64_t user, nice_, system, idle, iowait, irq, softirq, steal;
	long ticks = sysconf(_SC_CLK_TCK);
	char line[512];

	if (ticks <= 0 || system_line("/proc/stat", line, sizeof(line)) < 0)
		return;
	if (sscanf(line,
		   "cpu %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
		   " %" SCNu64 " %" SCNu64,
		   &user, &nice_, &system, &idle, &iowait, &irq, &softirq, &steal) != 8)
		return;
	telemetry->machine_busy_s = (double)(user + nice_ + system + irq + softirq) / (double)ticks;
	telemetry->machine_steal_s = (double)steal / (double)ticks;
}

static double seconds(const struct timeval *time)
{
	return (double)time->tv_sec + (double)time->tv_usec / 1e6;
}

void telemetry_read(dev_t device, struct telemetry *ret_telemetry)
{
	struct telemetry telemetry = {0};
	struct rusage usage;

	telemetry.at_ns = clock_now_ns();
	read_device(device, &telemetry);
	/* io-wq threads are threads of this process: RUSAGE_SELF has them. */
	if (getrusage(RUSAGE_SELF, &usage) == 0) {
		telemetry.user_s = seconds(&usage.ru_utime);
		telemetry.system_s = seconds(&usage.ru_stime);
	}
	read_machine(&telemetry);
	*ret_telemetry = telemetry;
}

/* A counter that went back (the device was replaced) yields nothing rather than a huge number. */
static uint64_t step(uint64_t before, uint64_t after)
{
	return after >= before ? after - before : 0;
}

/* The kernel keeps milliseconds in 32 bits: they turn over after 49.7 days, weighted ones sooner.
 */
static uint64_t step_ms(uint64_t before, uint64_t after)
{
	return (uint32_t)after - (uint32_t)before;
}

static double step_s(double before, double after)
{
	return after > before ? after - before : 0;
}

void telemetry_difference(const struct telemetry *before, const struct telemetry *after,
			  struct device_delta *ret_device, struct cpu_delta *ret_cpu)
{
	struct device_delta device = {0};

	if (before->device_known && after->device_known) {
		device.reads = step(before->reads, after->reads);
		device.read_bytes = step(before->read_bytes, after->read_bytes);
		device.writes = step(before->writes, after->writes);
		device.written_bytes = step(before->written_bytes, after->written_bytes);
		device.io_ms = step_ms(before->io_ms, after->io_ms);
		device.weighted_ms = step_ms(before->weighted_ms, after->weighted_ms);
	}
	*ret_device = device;
	*ret_cpu = (struct cpu_delta){
		.user_s = step_s(before->user_s, after->user_s),
		.system_s = step_s(before->system_s, after->system_s),
		.machine_busy_s = step_s(before->machine_busy_s, after->machine_busy_s),
		.machine_steal_s = step_s(before->machine_steal_s, after->machine_steal_s),
	};
}

/* ---- the machine ---- */

/* The value of the first line "KEY<separator>VALUE" of a text; false where there is none. */
static bool find_value(const char *text, const char *key, const char *separators, char *buffer,
		       size_t size)
{
	size_t key_length = strlen(key);

	for (const char *line = text; line && *line; line = strchr(line, '\n')) {
		const char *value;

		line += *line == '\n';
		if (strncmp(line, key, key_length) != 0 || !strchr(separators, line[key_length]) ||
		    line[key_length] == '\0')
			continue;
		value = line + key_length + strspn(line + key_length, separators);
		(void)snprintf(buffer, size, "%.*s", (int)strcspn(value, "\n"), value);
		return true;
	}
	return false;
}

/* PRETTY_NAME="Debian GNU/Linux 12 (bookworm)": the quotes go, escapes are rare and stay. */
static void read_os(char *buffer, size_t size)
{
	AUTO_FREE char *text = NULL;
	char value[128];
	size_t length;

	if (system_text("/etc/os-release", &text) < 0 ||
	    !find_value(text, "PRETTY_NAME", "=", value, sizeof(value)))
		return;
	length = strlen(value);
	if (length >= 2 && (value[0] == '"' || value[0] == '\'') && value[length - 1] == value[0]) {
		value[length - 1] = '\0';
		(void)text_clean(value + 1, buffer, size);
	} else {
		(void)text_clean(value, buffer, size);
	}
}

static void read_cpu_model(char *buffer, size_t size)
{
	AUTO_FREE char *text = NULL;
	char value[128];

	if (system_text("/proc/cpuinfo", &text) < 0)
		return;
	if (find_value(text, "model name", "\t: ", value, sizeof(value)) || /* x86 */
	    find_value(text, "Model", "\t: ", value, sizeof(value)) ||	    /* ARM boards */
	    find_value(text, "cpu", "\t: ", value, sizeof(value)))	    /* POWER */
		(void)text_clean(value, buffer, size);
}

static uint64_t memory_value(const char *text, const char *key)
{
	uint64_t kibibytes;
	char value[64];

	if (!find_value(text, key, ": ", value, sizeof(value)) ||
	    sscanf(value, "%" SCNu64, &kibibytes) != 1)
		return 0;
	return kibibytes * 1024;
}

static unsigned int cpus_allowed(void)
{
	unsigned int count = 0;

	/* The kernel's mask may be wider than cpu_set_t: grow until it fits. */
	for (int cpus = 1024; cpus <= CPUS_MAX && count == 0; cpus *= 4) {
		size_t size = CPU_ALLOC_SIZE(cpus);
		cpu_set_t *set = CPU_ALLOC(cpus);

		if (set && sched_getaffinity(0, size, set) == 0)
			count = (unsigned int)CPU_COUNT_S(size, set);
		CPU_FREE(set);
	}
	return count > 0 ? count : 1;
}

/* 0: no OpenZFS, or it does not say. */
static uint64_t arc_limit(void)
{
	AUTO_FREE char *text = malloc(KSTAT_BYTES);
	struct kstat_arc arc;

	if (!text || kstat_read("arcstats", text, KSTAT_BYTES) < 0 || !kstat_arc(text, &arc))
		return 0;
	return arc.c_max;
}

void telemetry_machine(struct machine *ret_machine)
{
	AUTO_FREE char *text = NULL;

	*ret_machine = (struct machine){.cpus = cpus_allowed()};
	if (system_text("/proc/meminfo", &text) < 0)
		return;
	ret_machine->memory_bytes = memory_value(text, "MemTotal");
	ret_machine->memory_available_bytes = memory_value(text, "MemAvailable");
	ret_machine->arc_limit_bytes = arc_limit();
}

static void read_zfs(struct environment *environment)
{
	struct error why;

	environment->zfs_available = zfs_available(NULL, &why) == 0;
	(void)text_clean(environment->zfs_available ? "available" : why.message, environment->zfs,
			 sizeof(environment->zfs));
	(void)zfs_version(environment->zfs_version);
}

void telemetry_environment(struct environment *ret_environment)
{
	struct environment environment = {0};
	struct machine machine;
	struct utsname name;
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	if (uname(&name) == 0) {
		(void)text_clean(name.nodename, environment.host, sizeof(environment.host));
		(void)text_clean(name.release, environment.kernel, sizeof(environment.kernel));
		(void)text_clean(name.machine, environment.machine, sizeof(environment.machine));
	}
	read_os(environment.os, sizeof(environment.os));
	read_cpu_model(environment.cpu_model, sizeof(environment.cpu_model));
	telemetry_machine(&machine);
	environment.cpus = cpus > 0 ? (unsigned int)cpus : 0;
	environment.cpus_allowed = machine.cpus;
	environment.memory_bytes = machine.memory_bytes;
	environment.memory_available_bytes = machine.memory_available_bytes;
	environment.uring_available =
		measure_uring_available(environment.uring, sizeof(environment.uring)) == 0;
	if (environment.uring_available)
		(void)snprintf(environment.uring, sizeof(environment.uring), "available");
	read_zfs(&environment);
	(void)snprintf(environment.liburing, sizeof(environment.liburing), "%s", LIBURING_VERSION);
	(void)snprintf(environment.program_version, sizeof(environment.program_version), "%s",
		       VOLBENCH_VERSION);
	*ret_environment = environment;
}
