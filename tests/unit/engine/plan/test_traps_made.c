/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_traps_made.c - the traps that lie in OpenZFS, by the findings of whole plans. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "engine/plan/plan.h"
#include "tests/unit/engine/plan/plan_helpers.h"

static struct definition d;
static struct plan plan;
static struct machine machine;

/* properties: "sync=always copies=2"; factor: "compression=off lz4", or NULL */
static void make(enum target_kind kind, const char *properties, const char *factor,
		 const char *options)
{
	struct target_spec *target;
	char copy[256], *rest = copy, *word;
	struct error err = {0};

	machine = (struct machine){.memory_bytes = UINT64_C(8) << 30, .cpus = 2};
	start_definition(&d, NULL);
	target = add_target(&d, kind, NULL, target_kind_is_zfs(kind) ? "tank/a" : "/tank/a");
	(void)snprintf(copy, sizeof(copy), "%s", properties);
	while ((word = strsep(&rest, " "))) {
		char *value = strchr(word, '=');

		if (!value)
			continue;
		*value++ = '\0';
		assert_int_equal(properties_set(&target->properties, word, value), 0);
	}
	if (factor) {
		(void)snprintf(copy, sizeof(copy), "%s", factor);
		*strchr(copy, '=') = '\0';
		add_factor(&d, copy, strchr(factor, '=') + 1);
		d.factors[0].kind = FACTOR_PROPERTY;
		d.factors[0].option = NULL;
	}
	add_workload(&d, options);
	check_ok(&d);
	if (plan_make(&d, &machine, &plan, &err) != 0)
		fail_msg("%s: %s", err.field, err.message);
}

static void end(void)
{
	plan_done(&plan);
	definition_done(&d);
}

static const struct finding *find(const char *code)
{
	for (size_t i = 0; i < plan.findings.count; i++)
		if (strcmp(plan.findings.list[i].code, code) == 0)
			return &plan.findings.list[i];
	return NULL;
}

struct row {
	const char *code;
	enum target_kind kind;
	const char *properties, *factor, *options;
	int severity; /* -1: not found */
};

#define NOT (-1)
#define ZVOL TARGET_ZVOL
#define DATASET TARGET_DATASET

static const struct row rows[] = {
	/* memory is 8g, and nobody says what ARC may have */
	{"fits_arc", ZVOL, "", NULL, "size=4g numjobs=2", FINDING_WARNING},
	{"fits_arc", ZVOL, "", NULL, "size=4g numjobs=3", NOT},
	{"fits_arc", ZVOL, "primarycache=all", NULL, "size=1g direct=0", FINDING_WARNING},
	{"fits_arc", ZVOL, "primarycache=metadata", NULL, "size=1g", NOT},
	{"fits_arc", ZVOL, "primarycache=none", NULL, "size=1g", NOT},
	{"fits_arc", ZVOL, "", "primarycache=all metadata", "size=1g", FINDING_WARNING},
	{"fits_arc", ZVOL, "", NULL, "rw=write size=1g", NOT},
	{"fits_arc", TARGET_FILE, "", NULL, "size=1g", NOT},
	{"fits_arc", DATASET, "", NULL, "size=1g direct=0", FINDING_WARNING},
	{"fits_arc", DATASET, "", NULL, "size=1g", FINDING_INFO},
	{"fits_arc", DATASET, "direct=disabled", NULL, "size=1g", FINDING_WARNING},
	{"fits_arc", DATASET, "direct=always", NULL, "size=1g direct=0", FINDING_INFO},
	/* what the page cache may answer */
	{"fits_memory", ZVOL, "", NULL, "size=1g", NOT},
	{"fits_memory", ZVOL, "primarycache=metadata", NULL, "size=1g direct=0", FINDING_WARNING},
	{"fits_memory", DATASET, "primarycache=metadata", NULL, "size=1g direct=0", NOT},
	{"direct_on_zvol", ZVOL, "", NULL, "size=100g", FINDING_INFO},
	{"direct_on_zvol", ZVOL, "primarycache=metadata", NULL, "size=100g", NOT},
	{"direct_on_zvol", ZVOL, "", NULL, "size=100g direct=0", NOT},
	{"direct_on_zvol", ZVOL, "", NULL, "rw=write size=100g", NOT},
	{"direct_on_zvol", DATASET, "", NULL, "size=100g", NOT},
	{"arc_without_data", ZVOL, "primarycache=metadata", NULL, "size=1g", FINDING_INFO},
	{"arc_without_data", DATASET, "primarycache=none", NULL, "rw=write size=1g", FINDING_INFO},
	{"arc_without_data", ZVOL, "primarycache=all", NULL, "size=1g", NOT},
	{"arc_without_data", ZVOL, "", NULL, "size=1g", NOT},
	{"compressible_data", ZVOL, "", NULL, "rw=write size=1g zero_buffers=1", FINDING_WARNING},
	{"compressible_data", ZVOL, "compression=off", NULL, "rw=write size=1g zero_buffers=1",
	 NOT},
	{"compressible_data", ZVOL, "compression=lz4", NULL,
	 "size=1g buffer_compress_percentage=50", FINDING_INFO},
	{"compressible_data", ZVOL, "compression=off", NULL,
	 "size=1g buffer_compress_percentage=50", NOT},
	{"compressible_data", ZVOL, "compression=off", NULL, "size=1g dedupe_percentage=50", NOT},
	{"compressible_data", ZVOL, "compression=off dedup=on", NULL,
	 "size=1g dedupe_percentage=50", FINDING_INFO},
	{"compressible_data", ZVOL, "compression=off dedup=off", NULL,
	 "size=1g dedupe_percentage=50", NOT},
	{"compressible_data", ZVOL, "", NULL, "size=1g", NOT},
	{"incompressible_data", ZVOL, "", "compression=off lz4", "size=1g", FINDING_WARNING},
	{"incompressible_data", ZVOL, "", "compression=off lz4",
	 "size=1g buffer_compress_percentage=50", NOT},
	{"incompressible_data", ZVOL, "", "compression=lz4", "size=1g", NOT},
	{"incompressible_data", ZVOL, "compression=lz4", NULL, "size=1g", NOT},
	{"sync_ignored", ZVOL, "sync=disabled", NULL, "rw=write size=1g sync=dsync",
	 FINDING_WARNING},
	{"sync_ignored", ZVOL, "sync=disabled", NULL, "rw=write size=1g fsync=1", FINDING_WARNING},
	{"sync_ignored", ZVOL, "", "sync=standard disabled", "rw=write size=1g end_fsync=1",
	 FINDING_WARNING},
	{"sync_ignored", ZVOL, "sync=disabled", NULL, "rw=write size=1g", NOT},
	{"sync_ignored", ZVOL, "sync=disabled", NULL, "size=1g", NOT},
	{"sync_ignored", ZVOL, "sync=standard", NULL, "rw=write size=1g fsync=1", NOT},
	{"no_effect", ZVOL, "sync=always", NULL, "size=1g", FINDING_INFO},
	{"no_effect", ZVOL, "", "sync=always standard", "size=1g", FINDING_WARNING},
	{"no_effect", ZVOL, "sync=always", NULL, "rw=write size=1g", NOT},
	{"no_effect", ZVOL, "logbias=throughput", NULL, "rw=write size=1g", FINDING_INFO},
	{"no_effect", ZVOL, "", "logbias=latency throughput", "rw=write size=1g", FINDING_WARNING},
	{"no_effect", ZVOL, "logbias=throughput", NULL, "rw=write size=1g sync=sync", NOT},
	{"no_effect", ZVOL, "logbias=throughput sync=always", NULL, "rw=write size=1g", NOT},
	{"no_effect", ZVOL, "logbias=latency sync=disabled", NULL, "rw=write size=1g fsync=1",
	 FINDING_INFO},
	{"no_effect", ZVOL, "secondarycache=all primarycache=metadata", NULL, "size=1g",
	 FINDING_INFO},
	{"no_effect", ZVOL, "secondarycache=all", NULL, "size=1g", NOT},
	{"no_effect", ZVOL, "prefetch=none", NULL, "rw=write size=1g", FINDING_INFO},
	{"no_effect", ZVOL, "prefetch=none", NULL, "size=1g", NOT},
	{"no_effect", DATASET, "atime=off", NULL, "rw=write size=1g", FINDING_INFO},
	{"no_effect", DATASET, "atime=off", NULL, "size=1g", NOT},
	{"no_effect", DATASET, "atime=off relatime=on", NULL, "size=1g", FINDING_INFO},
	{"no_effect", DATASET, "relatime=on", NULL, "size=1g", NOT},
	{"no_effect", DATASET, "xattr=sa", NULL, "size=1g", FINDING_INFO},
	{"no_effect", DATASET, "dnodesize=auto", NULL, "metadata=create nrfiles=10", NOT},
	{"no_effect", ZVOL, "volblocksize=4K copies=2 checksum=sha256", NULL, "size=1g", NOT},
};

static void each_trap_is_found_and_only_then(void **state)
{
	size_t failed = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct finding *finding;
		int severity;

		make(rows[i].kind, rows[i].properties, rows[i].factor, rows[i].options);
		finding = find(rows[i].code);
		severity = finding ? (int)finding->severity : NOT;
		if (severity != rows[i].severity) {
			print_error("row %zu, %s: %d, not %d: %s\n", i, rows[i].code, severity,
				    rows[i].severity, finding ? finding->message : "");
			failed++;
		}
		if (finding && strlen(finding->message) >= 511) {
			print_error("row %zu, %s: the message is cut\n", i, rows[i].code);
			failed++;
		}
		end();
	}
	assert_int_equal(failed, 0);
}

static void the_limit_of_arc_is_what_the_machine_says(void **state)
{
	const struct finding *finding;
	struct error err = {0};

	(void)state;
	make(ZVOL, "", NULL, "size=1g");
	plan_done(&plan);
	machine.arc_limit_bytes = (UINT64_C(1) << 30) - 1;
	assert_int_equal(plan_make(&d, &machine, &plan, &err), 0);
	assert_null(find("fits_arc"));
	plan_done(&plan);
	machine.arc_limit_bytes = UINT64_C(1) << 30;
	assert_int_equal(plan_make(&d, &machine, &plan, &err), 0);
	finding = find("fits_arc");
	assert_non_null(finding);
	assert_string_equal(finding->expected, "more than 1.0 GiB");
	assert_string_equal(finding->found, "1.0 GiB");
	end();
}

static void a_finding_names_the_level_it_holds_at(void **state)
{
	const struct finding *finding;

	(void)state;
	make(ZVOL, "", "primarycache=metadata all", "size=1g");
	finding = find("fits_arc");
	assert_string_equal(finding->cell, "primarycache=all");
	assert_non_null(strstr(finding->message, "(In 1 of 2 combinations.)"));
	assert_string_equal(find("arc_without_data")->cell, "primarycache=metadata");
	end();
}

/* Workloads with and without O_DIRECT: it is one thing to say. */
static void it_is_said_once(void **state)
{
	const struct machine small = {.memory_bytes = UINT64_C(8) << 30, .cpus = 2};
	struct error err = {0};
	size_t count = 0;

	(void)state;
	start_definition(&d, NULL);
	add_target(&d, ZVOL, NULL, "tank/a");
	add_workload(&d, "name=a rw=randread size=1m direct=1");
	add_workload(&d, "name=b rw=randread size=1m direct=0");
	check_ok(&d);
	assert_int_equal(plan_make(&d, &small, &plan, &err), 0);
	for (size_t i = 0; i < plan.findings.count; i++)
		count += strcmp(plan.findings.list[i].code, "fits_arc") == 0;
	assert_int_equal(count, 1);
	end();
}

/* Once the jobs' parts of the zvol are known. */
static void a_shared_zvol_may_fit_too(void **state)
{
	const struct machine small = {.memory_bytes = UINT64_C(8) << 30, .cpus = 2};
	struct error err = {0};

	(void)state;
	start_definition(&d, NULL);
	add_target(&d, ZVOL, NULL, "tank/a")->size_bytes = UINT64_C(4) << 30;
	add_workload(&d, "rw=randread numjobs=2");
	check_ok(&d);
	assert_int_equal(plan_make(&d, &small, &plan, &err), 0);
	assert_string_equal(find("fits_arc")->found, "4.0 GiB");
	assert_non_null(strstr(find("whole_target")->message, "all of the zvol"));
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_trap_is_found_and_only_then),
		cmocka_unit_test(the_limit_of_arc_is_what_the_machine_says),
		cmocka_unit_test(a_finding_names_the_level_it_holds_at),
		cmocka_unit_test(it_is_said_once),
		cmocka_unit_test(a_shared_zvol_may_fit_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
