/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_fio_made.c - zvols and datasets in fio's job files: paths, and the commands that make them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/plan/fio_job.h"
#include "engine/plan/fio_made.h"
#include "tests/unit/engine/plan/plan_helpers.h"

static struct definition d;

/* The job file of the definition, which is ended; heap. */
static char *written(void)
{
	struct error err = {0};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	check_ok(&d);
	if (fio_job_write(&d, out, &err) != 0)
		fail_msg("%s", err.message);
	assert_int_equal(fclose(out), 0);
	definition_done(&d);
	return text;
}

static void has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("\"%s\" is not in\n%s", part, text);
}

static void test_a_zvol(void **state)
{
	struct target_spec *target;
	char *text;

	(void)state;
	start_definition(&d, NULL);
	target = add_target(&d, TARGET_ZVOL, NULL, "tank/a:b");
	assert_int_equal(properties_set(&target->properties, "compression", "off"), 0);
	target->sparse = true;
	add_factor(&d, "volblocksize", "4K 8K");
	add_workload(&d, "name=w rw=write size=100k bs=4k numjobs=2");
	text = written();
	has(text, ";   zfs create -s -V 262144 -o compression=off -o volblocksize=4K "
		  "tank/a:b/fio-1\n");
	has(text, "-o volblocksize=8K tank/a:b/fio-2\n");
	has(text, "--filename='/dev/zvol/tank/a\\:b/fio-2' --rw=write");
	has(text, ";   zfs destroy tank/a:b/fio-2\n");
	has(text, "\n[w volblocksize=8K]\nstonewall\nfilename=/dev/zvol/tank/a\\:b/fio-2\n");
	free(text);
}

static void test_a_dataset(void **state)
{
	char *text;

	(void)state;
	start_definition(&d, NULL);
	add_target(&d, TARGET_DATASET, NULL, "tank/volbench");
	add_workload(&d, "name=w rw=write size=100k");
	text = written();
	has(text, ";   zfs create -o mountpoint=/mnt/fio-1 tank/volbench/fio-1\n");
	has(text, "\ndirectory=/mnt/fio-1\n");
	assert_null(strstr(text, "name=fill")); /* fio lays out files */
	free(text);
	start_definition(&d, "/tank/file");
	add_workload(&d, "name=w rw=write size=100k");
	text = written();
	assert_null(strstr(text, "zfs"));
	has(text, "\nfilename=/tank/file\n");
	free(text);
}

/* The zvol's size is known, so no job needs one of its own. */
static void test_jobs_that_share_a_zvol(void **state)
{
	char *text;

	(void)state;
	start_definition(&d, NULL);
	add_target(&d, TARGET_ZVOL, NULL, "tank/volbench")->size_bytes = 8 << 20;
	add_workload(&d, "name=w rw=write bs=4k numjobs=4");
	text = written();
	has(text, "\nsize=2m\n");
	has(text, "-V 8388608 ");
	free(text);
}

/* Reads meet in fio's zvol what they meet in ours. */
static void test_a_fill_of_the_kind_that_is_read(void **state)
{
	char *text;

	(void)state;
	start_definition(&d, NULL);
	add_target(&d, TARGET_ZVOL, NULL, "tank/volbench");
	add_workload(&d, "name=w rw=write size=128k");
	add_workload(&d, "name=r rw=randread size=128k buffer_compress_percentage=50");
	text = written();
	has(text, "--bs=1M --refill_buffers --buffer_compress_percentage=50 --end_fsync=1\n");
	free(text);
	start_definition(&d, NULL);
	add_target(&d, TARGET_ZVOL, NULL, "tank/volbench");
	add_workload(&d, "name=r rw=randread size=128k zero_buffers=1");
	text = written();
	has(text, "--bs=1M --zero_buffers=1 --end_fsync=1\n");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_zvol),
		cmocka_unit_test(test_a_fill_of_the_kind_that_is_read),
		cmocka_unit_test(test_a_dataset),
		cmocka_unit_test(test_jobs_that_share_a_zvol),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
