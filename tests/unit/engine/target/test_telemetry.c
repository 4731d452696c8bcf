/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_telemetry.c - counters move with the work done, and never go wild. */
#include "engine/target/telemetry.h"

#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>

#include <cmocka.h>

static void burn_cpu(double seconds)
{
	struct timespec now;

	do {
		(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	} while ((double)now.tv_sec + (double)now.tv_nsec / 1e9 < seconds);
}

static void test_cpu(void **state)
{
	struct telemetry before, after;
	struct device_delta device;
	struct timespec now;
	struct cpu_delta cpu;

	(void)state;
	telemetry_read(0, &before);
	assert_false(before.device_known);
	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	burn_cpu((double)now.tv_sec + (double)now.tv_nsec / 1e9 + 0.2);
	telemetry_read(0, &after);
	telemetry_difference(&before, &after, &device, &cpu);
	assert_true(cpu.user_s + cpu.system_s > 0.15);
	assert_true(cpu.user_s + cpu.system_s < 5);
	assert_true(cpu.machine_busy_s > 0.1);
	assert_int_equal(device.reads, 0);
}

static void test_device(void **state)
{
	char path[] = "/var/tmp/volbench-test-telemetry-XXXXXX";
	static _Alignas(4096) char block[1 << 20];
	struct telemetry before, after;
	struct device_delta device;
	struct cpu_delta cpu;
	struct stat st;
	int fd = mkostemp(path, O_CLOEXEC);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(fstat(fd, &st), 0);
	telemetry_read(st.st_dev, &before);
	if (!before.device_known) {
		print_message("skipped: /var/tmp lies on no block device\n");
		(void)close(fd);
		skip();
	}
	memset(block, 1, sizeof(block));
	assert_int_equal(write(fd, block, sizeof(block)), sizeof(block));
	assert_int_equal(fsync(fd), 0);
	telemetry_read(st.st_dev, &after);
	telemetry_difference(&before, &after, &device, &cpu);
	assert_true(device.written_bytes >= sizeof(block));
	assert_true(device.writes > 0);
	(void)close(fd);
}

static void test_turning_over(void **state)
{
	struct telemetry before = {.device_known = true, .io_ms = UINT32_MAX - 9, .reads = 100};
	struct telemetry after = {.device_known = true, .io_ms = 5, .reads = 90, .writes = 3};
	struct device_delta device;
	struct cpu_delta cpu;

	(void)state;
	telemetry_difference(&before, &after, &device, &cpu);
	assert_int_equal(device.io_ms, 15);
	assert_int_equal(device.reads, 0);
	assert_int_equal(device.writes, 3);
	after.device_known = false;
	telemetry_difference(&before, &after, &device, &cpu);
	assert_int_equal(device.writes, 0);
}

static void test_environment(void **state)
{
	struct environment environment;
	struct utsname name;
	cpu_set_t set;

	(void)state;
	telemetry_environment(&environment);
	assert_int_equal(uname(&name), 0);
	assert_string_equal(environment.kernel, name.release);
	assert_string_equal(environment.machine, name.machine);
	assert_true(environment.host[0]);
	assert_true(environment.cpus >= environment.cpus_allowed);
	assert_int_equal(sched_getaffinity(0, sizeof(set), &set), 0);
	assert_int_equal(environment.cpus_allowed, CPU_COUNT(&set));
	assert_true(environment.memory_bytes > UINT64_C(64) << 20);
	assert_true(environment.memory_available_bytes <= environment.memory_bytes);
	assert_true(environment.uring[0]);
	assert_int_equal(strcmp(environment.zfs, "available") == 0, environment.zfs_available);
	assert_int_equal(environment.zfs_version[0] != '\0',
			 access("/sys/module/zfs/version", F_OK) == 0);
	assert_string_equal(environment.program_version, VOLBENCH_VERSION);
	assert_true(environment.liburing[0] >= '0' && environment.liburing[0] <= '9');
	assert_null(strchr(environment.os, '"'));
	if (access("/etc/os-release", R_OK) == 0)
		assert_true(environment.os[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cpu),
		cmocka_unit_test(test_device),
		cmocka_unit_test(test_turning_over),
		cmocka_unit_test(test_environment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
