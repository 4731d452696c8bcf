/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_run.c - small runs on real files: what they hand out, how they end, what they leave.
 *
 * link: -Wl,--wrap=discard
 *
 * Length: one place for every way a run can go.
 */
#include "engine/run.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "engine/base/file.h"
#include "engine/io/discard.h"
#include "tests/unit/tries.h"

/* A file system without holes. */
static atomic_bool no_holes;

int32_t __real_discard(int fd, bool device, uint64_t offset, uint32_t length);
int32_t __wrap_discard(int fd, bool device, uint64_t offset, uint32_t length);

int32_t __wrap_discard(int fd, bool device, uint64_t offset, uint32_t length)
{
	return no_holes ? -EOPNOTSUPP : __real_discard(fd, device, offset, length);
}

/* One test's place: a scratch directory, a state directory, a definition of one workload. */
struct place {
	char directory[64], state[80], target[80];
	int state_dirfd;
	struct allow *allow;
	struct definition definition;
	struct plan plan;
	struct target_info infos[2];
	enum backend_kind backend;
	char reason[256];
	atomic_bool cancel;
	/* what was told */
	size_t looks, samples;
	bool phases[RUN_PHASE_COUNT];
	double percent;
	enum run_phase cancel_in; /* raises cancel in this phase; PHASE_PREPARE: never */
	bool percent_fell;
	struct workload last;
	uint64_t last_ios[DIRECTION_COUNT];
	char last_backend[16], last_reason[256], last_level[32];
	double last_seconds;
	struct verify_result last_verify;
	bool remove_target; /* once a sample is done */
	bool trims;	    /* the target's holes are to be looked at */
	size_t looked_holes, refills, filled_before;
	struct repeats_outcome repeats;
};

static void place_begin(struct place *place, const char *parent)
{
	const char *paths[] = {place->directory};
	struct error err;

	memset(place, 0, sizeof(*place));
	(void)snprintf(place->directory, sizeof(place->directory), "%s/run-test-XXXXXX", parent);
	assert_non_null(mkdtemp(place->directory));
	(void)snprintf(place->state, sizeof(place->state), "%s/state", place->directory);
	(void)snprintf(place->target, sizeof(place->target), "%s/target", place->directory);
	assert_int_equal(mkdir(place->state, 0700), 0);
	place->state_dirfd = open(place->state, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(place->state_dirfd >= 0);
	assert_int_equal(allow_new(paths, 1, &place->allow, &err), 0);
	definition_init(&place->definition);
}

static size_t entries(const char *path)
{
	DIR *directory = opendir(path);
	size_t count = 0;

	assert_non_null(directory);
	while (readdir(directory))
		count++;
	(void)closedir(directory);
	return count - 2; /* . and .. */
}

/* Nothing but the state directory, and nothing in it but the lock, may be left. */
static void place_end(struct place *place)
{
	char lock[128];

	plan_done(&place->plan);
	definition_done(&place->definition);
	allow_free(place->allow);
	(void)snprintf(lock, sizeof(lock), "%s/lock", place->state);
	(void)unlink(lock); /* not all tests make it */
	assert_int_equal(entries(place->state), 0);
	assert_int_equal(close(place->state_dirfd), 0);
	assert_int_equal(rmdir(place->state), 0);
	assert_int_equal(entries(place->directory), 0);
	assert_int_equal(rmdir(place->directory), 0);
}

/* options: name, value, ..., NULL. Makes a checked definition with factor iodepth (1, 4). */
static void define(struct place *place, enum target_kind kind, const char *const *options)
{
	struct definition *definition = &place->definition;
	struct error err;

	definition->name = strdup("test");
	definition->target_count = 1;
	definition->targets = calloc(1, sizeof(*definition->targets));
	definition->targets[0].kind = kind;
	definition->targets[0].path = strdup(place->target);
	definition->workload_count = 1;
	definition->workloads = calloc(1, sizeof(*definition->workloads));
	workload_init(&definition->workloads[0]);
	definition->workloads[0].name = strdup("w");
	for (; options[0]; options += 2)
		assert_int_equal(option_parse(option_find(options[0]), options[1],
					      &definition->workloads[0], &err),
				 0);
	definition->factor_count = 1;
	definition->factors = calloc(1, sizeof(*definition->factors));
	definition->factors[0].name = strdup("iodepth");
	definition->factors[0].option = option_find("iodepth");
	definition->factors[0].level_count = 2;
	definition->factors[0].levels = calloc(2, sizeof(char *));
	definition->factors[0].levels[0] = strdup("1");
	definition->factors[0].levels[1] = strdup("4");
	definition->repeats = 2;
	definition->seed = 7;
	definition->seed_given = true;
	if (definition_check(definition, &err) < 0)
		fail_msg("%s: %s", err.field, err.message);
}

static void on_look(void *arg)
{
	struct place *place = arg;

	place->looks++;
}

static int inspect(struct place *place, struct error *err)
{
	const struct run_look look = {.allow = place->allow, .tick = on_look, .arg = place};
	struct machine machine;

	telemetry_machine(&machine);
	assert_int_equal(plan_make(&place->definition, &machine, &place->plan, err), 0);
	return run_inspect(&place->plan, &look, place->infos, &place->backend, place->reason,
			   sizeof(place->reason), err);
}

static off_t first_hole(const struct place *place)
{
	int fd = open(place->target, O_RDONLY | O_CLOEXEC);
	off_t at;

	assert_true(fd >= 0);
	at = lseek(fd, 0, SEEK_HOLE);
	(void)close(fd);
	return at;
}

/* Every sample begins with a target that is full, also behind one that has trimmed. */
static void look_at_holes(struct place *place, const struct run_progress *progress)
{
	if (progress->phase == PHASE_FILL && place->filled_before < place->samples) {
		place->filled_before = place->samples;
		place->refills++;
	}
	if (progress->phase != PHASE_MEASURE || place->looked_holes > place->samples)
		return;
	place->looked_holes = place->samples + 1;
	assert_int_equal(first_hole(place), 1 << 20);
}

static void on_progress(void *arg, const struct run_progress *progress)
{
	struct place *place = arg;

	if (place->trims)
		look_at_holes(place, progress);

	place->phases[progress->phase] = true;
	place->percent_fell |= progress->percent < place->percent;
	place->percent = progress->percent;
	assert_true(progress->seconds_left >= 0);
	if (place->definition.until_ci_percent > 0 && progress->phase == PHASE_TEARDOWN)
		assert_int_equal(progress->total, place->samples);
	else
		assert_int_equal(progress->total, place->plan.sample_count);
	if (place->cancel_in != PHASE_PREPARE && progress->phase == place->cancel_in)
		atomic_store(&place->cancel, true);
}

static void on_sample(void *arg, const struct sample *sample)
{
	struct place *place = arg;

	assert_int_equal(sample->order, place->samples);
	place->samples++;
	for (int d = 0; d < DIRECTION_COUNT; d++)
		place->last_ios[d] = sample->directions[d].ios;
	(void)snprintf(place->last_backend, sizeof(place->last_backend), "%s", sample->backend);
	(void)snprintf(place->last_reason, sizeof(place->last_reason), "%s",
		       sample->backend_reason ? sample->backend_reason : "");
	assert_int_equal(sample->level_count, 1);
	assert_string_equal(sample->levels[0].factor, "iodepth");
	(void)snprintf(place->last_level, sizeof(place->last_level), "%s", sample->levels[0].value);
	assert_string_equal(sample->workload, "w");
	assert_string_equal(sample->target, place->target);
	assert_true(sample->started_wall_ms > 0);
	place->last_seconds = sample->seconds;
	if (place->trims)
		assert_int_equal(first_hole(place), 0);
	place->last_verify = sample->verify;
	if (place->remove_target)
		(void)unlink(place->target); /* the test looks at what comes of it */
}

static int execute(struct place *place, struct error *err)
{
	const struct run_config config = {
		.run_id = "test-run",
		.allow = place->allow,
		.state_dirfd = place->state_dirfd,
		.backend = place->backend,
		.backend_reason = place->reason,
		.cancel = &place->cancel,
		.repeats = &place->repeats,
	};
	const struct run_events events = {
		.progress = on_progress, .sample = on_sample, .arg = place};

	return run_execute(&place->plan, &config, &events, err);
}

#define OPTIONS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* Whether the machine let it work in its 0.2 s, and end soon after. */
static bool file_run(void)
{
	struct place place;
	struct error err;
	bool well;

	place_begin(&place, "/var/tmp");
	define(&place, TARGET_FILE,
	       OPTIONS("rw", "randrw", "bs", "4k", "size", "5000k", "runtime", "0.2", "ramp_time",
		       "0.1", "verify", "crc32c"));
	assert_int_equal(inspect(&place, &err), 0);
	assert_int_equal(place.looks, 1);
	assert_int_equal(execute(&place, &err), 0);
	assert_int_equal(place.samples, 4);
	for (int phase = 0; phase < RUN_PHASE_COUNT; phase++)
		assert_true(place.phases[phase]);
	assert_true(place.last_verify.done);
	assert_int_equal(place.last_verify.errors, 0);
	assert_false(place.percent_fell);
	assert_string_equal(place.last_backend, backend_names[place.backend]);
	assert_true(place.last_reason[0]);
	assert_true(place.last_seconds > 0.15);
	well = place.last_verify.blocks > 0 && place.percent > 90 && place.last_seconds < 1 &&
	       place.last_ios[DIRECTION_READ] > 0 && place.last_ios[DIRECTION_WRITE] > 0;
	place_end(&place);
	return well;
}

static void test_file(void **state)
{
	unsigned int tries = 0;
	bool well;

	(void)state;
	do
		well = file_run();
	while (again(well, &tries));
	assert_true(well);
}

/* Pauses of 10 ms hold the figures together, so that five blocks are enough. */
static void test_repeats_end_early(void **state)
{
	struct place place;
	struct error err;

	(void)state;
	place_begin(&place, "/var/tmp");
	define(&place, TARGET_FILE,
	       OPTIONS("rw", "randread", "bs", "4k", "size", "1M", "runtime", "0.1", "thinktime",
		       "10000", "ioengine", "null"));
	repeats_set(&place.definition, &(struct repeats){5, 12, 50});
	assert_int_equal(inspect(&place, &err), 0);
	assert_int_equal(place.plan.sample_count, 24);
	assert_int_equal(execute(&place, &err), 0);
	assert_int_equal(place.repeats.end, REPEATS_END_PRECISE);
	assert_int_equal(place.samples, 2 * place.repeats.made);
	assert_true(place.samples < 24);
	assert_true(place.repeats.ci_percent > 0 && place.repeats.ci_percent <= 50);
	assert_false(place.percent_fell);
	assert_true(place.percent > 99);
	place_end(&place);
}

static void test_directory(void **state)
{
	struct place place;
	struct error err;

	(void)state;
	place_begin(&place, "/var/tmp");
	assert_int_equal(mkdir(place.target, 0700), 0);
	define(&place, TARGET_DIRECTORY,
	       OPTIONS("rw", "randread", "bs", "4k", "size", "2M", "numjobs", "3", "runtime",
		       "0.1"));
	assert_int_equal(inspect(&place, &err), 0);
	if (execute(&place, &err) < 0)
		fail_msg("%s", err.message);
	assert_int_equal(place.samples, 4);
	assert_int_equal(entries(place.target), 0);
	assert_int_equal(rmdir(place.target), 0);
	place_end(&place);
}

static const struct finding *finding(const struct plan *plan, const char *code)
{
	for (size_t i = 0; i < plan->findings.count; i++)
		if (strcmp(plan->findings.list[i].code, code) == 0)
			return &plan->findings.list[i];
	return NULL;
}

/* Two depths, twice: filled before the first and again before each of the three others. */
static void test_trims(void **state)
{
	struct place place;
	struct error err;

	(void)state;
	place_begin(&place, "/var/tmp");
	place.trims = true;
	define(&place, TARGET_FILE,
	       OPTIONS("rw", "randtrim", "bs", "64k", "size", "1M", "time_based", "0"));
	assert_int_equal(inspect(&place, &err), 0);
	assert_int_equal(place.backend, BACKEND_THREADS);
	assert_int_equal(place.plan.estimate.fill_bytes, 4 << 20);
	assert_non_null(finding(&place.plan, "trims_refilled"));
	assert_non_null(finding(&place.plan, "trims_not_as_fio"));
	assert_null(finding(&place.plan, "trims_again"));
	if (execute(&place, &err) < 0)
		fail_msg("%s", err.message);
	assert_int_equal(place.samples, 4);
	assert_int_equal(place.looked_holes, 4);
	assert_int_equal(place.refills, 3);
	assert_int_equal(place.last_ios[DIRECTION_TRIM], 16);
	assert_int_equal(place.last_ios[DIRECTION_READ] + place.last_ios[DIRECTION_WRITE], 0);
	place_end(&place);
}

static void test_trims_of_whole_blocks(void **state)
{
	struct place place;
	struct error err;

	(void)state;
	place_begin(&place, "/var/tmp");
	define(&place, TARGET_FILE, OPTIONS("rw", "trim", "size", "1M", "runtime", "1"));
	assert_int_equal(inspect(&place, &err), 0);
	assert_non_null(finding(&place.plan, "trims_again"));
	place.infos[0].kind = TARGET_DEVICE;
	place.infos[0].logical_block_bytes = 8192;
	assert_true(target_check_workload(&place.infos[0], &place.plan.samples[0].options, &err) <
		    0);
	assert_int_equal(err.code, ERROR_BAD_SIZE);
	assert_string_equal(err.field, "bs");
	place_end(&place);
}

/* Told by the plan, or, where the file system lets nobody ask before, of the file that was made:
 * before it is written. */
static void test_target_that_cannot_be_trimmed(void **state)
{
	struct place place;
	struct error err;

	(void)state;
	place_begin(&place, "/var/tmp");
	define(&place, TARGET_FILE, OPTIONS("rw", "trim", "size", "1M", "runtime", "1"));
	no_holes = true;
	assert_true(inspect(&place, &err) < 0);
	assert_int_equal(err.code, ERROR_UNSUPPORTED);
	assert_string_equal(err.field, "/workloads/0/rw");
	plan_done(&place.plan);
	no_holes = false;
	assert_int_equal(inspect(&place, &err), 0);
	no_holes = true;
	assert_true(execute(&place, &err) < 0);
	no_holes = false;
	assert_int_equal(err.code, ERROR_UNSUPPORTED);
	assert_string_equal(err.field, "/target");
	assert_false(place.phases[PHASE_FILL]);
	assert_int_equal(place.samples, 0);
	place_end(&place);
}

static void test_memory_file_system(void **state)
{
	struct place place;
	struct error err;

	(void)state;
	place_begin(&place, "/dev/shm");
	define(&place, TARGET_FILE,
	       OPTIONS("rw", "read", "bs", "4k", "size", "1M", "runtime", "0.1"));
	assert_int_equal(inspect(&place, &err), 0);
	if (place.infos[0].nowait) {
		print_message("skipped: this kernel's tmpfs has reads that never block\n");
	} else {
		assert_int_equal(place.backend, BACKEND_THREADS);
		assert_non_null(strstr(place.reason, "tmpfs"));
		assert_int_equal(execute(&place, &err), 0);
		assert_string_equal(place.last_backend, "threads");
		assert_string_equal(place.last_reason, place.reason);
	}
	place_end(&place);
}

static void test_null(void **state)
{
	struct place place;
	struct error err;

	(void)state;
	place_begin(&place, "/var/tmp");
	define(&place, TARGET_FILE,
	       OPTIONS("rw", "write", "bs", "4k", "size", "1M", "runtime", "0.1", "ioengine",
		       "null"));
	assert_int_equal(inspect(&place, &err), 0);
	assert_int_equal(place.backend, BACKEND_NULL);
	assert_string_equal(place.reason, "ioengine=null asks for it");
	assert_int_equal(execute(&place, &err), 0);
	assert_false(place.phases[PHASE_FILL]);
	assert_string_equal(place.last_backend, "null");
	place_end(&place);
}

static void cancel_in(enum run_phase phase, const char *size)
{
	bool verify = phase == PHASE_VERIFY;
	struct place place;
	struct error err;

	place_begin(&place, "/var/tmp");
	define(&place, TARGET_FILE,
	       OPTIONS("rw", verify ? "randwrite" : "randread", "bs", "4k", "size", size, "runtime",
		       verify ? "0.2" : "60", "ramp_time", phase == PHASE_RAMP ? "60" : "0",
		       "verify", verify ? "crc32" : "none"));
	assert_int_equal(inspect(&place, &err), 0);
	place.cancel_in = phase;
	assert_int_equal(execute(&place, &err), -ECANCELED);
	assert_int_equal(err.code, ERROR_CANCELLED);
	assert_int_equal(place.samples, 0);
	assert_true(place.phases[PHASE_TEARDOWN]);
	place_end(&place);
}

static void test_cancel(void **state)
{
	(void)state;
	cancel_in(PHASE_FILL, "256M");
	cancel_in(PHASE_RAMP, "1M");
	cancel_in(PHASE_MEASURE, "1M");
	cancel_in(PHASE_VERIFY, "1M");
}

/* What must not begin at all. */
static void refused(const char *parent, const char *const *options, enum error_code code,
		    const char *field)
{
	struct place place;
	struct error err;

	place_begin(&place, parent);
	define(&place, TARGET_FILE, options);
	assert_true(inspect(&place, &err) < 0);
	if (err.code != code)
		fail_msg("%s: %s", error_code_text(err.code), err.message);
	assert_string_equal(err.field, field);
	place_end(&place);
}

static void test_refused(void **state)
{
	(void)state;
	refused("/var/tmp", OPTIONS("rw", "read", "bs", "64M", "size", "64M", "numjobs", "1024"),
		ERROR_MEMORY_LIMIT, "/workloads/0");
	refused("/var/tmp", OPTIONS("rw", "read", "bs", "4k", "size", "1T"), ERROR_NO_SPACE,
		"/target");
	refused("/var/tmp",
		OPTIONS("rw", "read", "bs", "4k", "size", "1M", "numjobs", "300", "ioengine",
			"threads"),
		ERROR_TOO_MANY_THREADS, "/workloads/0");
}

/* An error in the middle of a run points into the definition as well. */
static void test_fails_midway(void **state)
{
	struct place place;
	struct error err = {0};
	int fd;

	(void)state;
	place_begin(&place, "/var/tmp");
	define(&place, TARGET_FILE,
	       OPTIONS("rw", "read", "bs", "4k", "size", "1M", "runtime", "0.1"));
	assert_int_equal(inspect(&place, &err), 0);
	place.remove_target = true;
	assert_true(execute(&place, &err) < 0);
	assert_int_equal(place.samples, 1);
	assert_int_equal(err.code, ERROR_TARGET_MISSING);
	assert_string_equal(err.field, "/workloads/0");

	/* somebody makes a file of that name between the checks and the run */
	fd = open(place.target, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(close(fd), 0);
	assert_true(execute(&place, &err) < 0);
	assert_int_equal(err.code, ERROR_FILE_EXISTS);
	assert_string_equal(err.field, "/target");
	assert_int_equal(unlink(place.target), 0);
	place_end(&place);
}

/* Each of two targets fits; both do not: told before anything is made, also in memory. */
static void test_shared_space(void **state)
{
	struct place place;
	struct definition *definition = &place.definition;
	struct error err;
	uint64_t free_bytes;
	char size[32];

	(void)state;
	place_begin(&place, "/dev/shm");
	assert_int_equal(file_free_bytes(place.state_dirfd, &free_bytes), 0);
	(void)snprintf(size, sizeof(size), "%llu",
		       (unsigned long long)(free_bytes / 10 * 6 / 4096 * 4096));
	define(&place, TARGET_FILE,
	       OPTIONS("rw", "read", "bs", "4k", "size", size, "runtime", "0.1"));
	definition->targets = reallocarray(definition->targets, 2, sizeof(*definition->targets));
	assert_non_null(definition->targets);
	definition->target_count = 2;
	definition->targets[1] = (struct target_spec){.name = strdup("b"), .kind = TARGET_FILE};
	assert_true(asprintf(&definition->targets[1].path, "%s-b", place.target) > 0);
	definition->targets[0].name = strdup("a");
	assert_int_equal(definition_check(definition, &err), 0);
	assert_true(inspect(&place, &err) < 0);
	assert_int_equal(err.code, ERROR_NO_SPACE);
	assert_string_equal(err.field, "/targets/1");
	place_end(&place);
}

static void test_lock(void **state)
{
	struct place place;
	struct error err;
	int first, second;
	bool measuring;

	(void)state;
	place_begin(&place, "/var/tmp");
	assert_int_equal(run_lock(place.state_dirfd, 0, &first, &err), 0);
	assert_int_equal(run_lock(place.state_dirfd, 0, &second, &err), -EWOULDBLOCK);
	assert_int_equal(err.code, ERROR_ENGINE_BUSY);
	assert_int_equal(run_lock(place.state_dirfd, 50, &second, &err), -EWOULDBLOCK);
	/* a question is answered, without opening anything */
	assert_int_equal(run_look(place.state_dirfd, 0, &measuring, &second, &err), 0);
	assert_true(measuring);
	assert_int_equal(second, -1);
	assert_int_equal(close(first), 0);
	/* two questions would find each other's devices busy: they take turns */
	assert_int_equal(run_look(place.state_dirfd, 0, &measuring, &first, &err), 0);
	assert_false(measuring);
	assert_int_equal(run_look(place.state_dirfd, 50, &measuring, &second, &err), -EWOULDBLOCK);
	assert_int_equal(err.code, ERROR_ENGINE_BUSY);
	assert_int_equal(run_lock(place.state_dirfd, 0, &second, &err), -EWOULDBLOCK);
	assert_int_equal(close(first), 0);
	assert_int_equal(run_look(place.state_dirfd, 0, &measuring, &first, &err), 0);
	assert_int_equal(close(first), 0);
	assert_int_equal(run_lock(place.state_dirfd, 0, &first, &err), 0);
	assert_int_equal(close(first), 0);
	place_end(&place);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_file),
		cmocka_unit_test(test_repeats_end_early),
		cmocka_unit_test(test_directory),
		cmocka_unit_test(test_trims),
		cmocka_unit_test(test_trims_of_whole_blocks),
		cmocka_unit_test(test_target_that_cannot_be_trimmed),
		cmocka_unit_test(test_memory_file_system),
		cmocka_unit_test(test_null),
		cmocka_unit_test(test_cancel),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_fails_midway),
		cmocka_unit_test(test_shared_space),
		cmocka_unit_test(test_lock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
