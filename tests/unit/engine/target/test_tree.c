/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tests of engine/target/tree.c and of what the manifest says of it: nothing of ours is left, and
 * nothing else is touched.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/target/allow.h"
#include "engine/target/manifest.h"
#include "engine/target/tree.h"

struct place {
	char base[64], target[96], state[96];
	int target_fd, state_fd;
	struct allow *allow;
	struct manifest *manifest;
	struct tree *tree;
	struct error err;
};

static void place_open(struct place *place)
{
	const char *paths[] = {place->target};
	struct tree_plan plan = {.run_id = "r1", .directory = place->target};

	memset(place, 0, sizeof(*place));
	snprintf(place->base, sizeof(place->base), "/tmp/volbench-test-XXXXXX");
	assert_non_null(mkdtemp(place->base));
	snprintf(place->target, sizeof(place->target), "%s/target", place->base);
	snprintf(place->state, sizeof(place->state), "%s/state", place->base);
	assert_int_equal(mkdir(place->target, 0700), 0);
	assert_int_equal(mkdir(place->state, 0700), 0);
	place->target_fd = open(place->target, O_PATH | O_DIRECTORY | O_CLOEXEC);
	place->state_fd = open(place->state, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(allow_new(paths, 1, &place->allow, &place->err), 0);
	assert_int_equal(manifest_new(place->state_fd, "r1", &place->manifest), 0);
	plan.manifest = place->manifest;
	plan.dirfd = place->target_fd;
	if (tree_create(&plan, &place->tree, &place->err) < 0)
		fail_msg("%s", place->err.message);
}

static void place_close(struct place *place)
{
	char command[128];

	tree_free(place->tree);
	manifest_free(place->manifest);
	allow_free(place->allow);
	close(place->target_fd);
	close(place->state_fd);
	snprintf(command, sizeof(command), "rm -r %s", place->base);
	assert_int_equal(system(command), 0);
}

static void sh(const struct place *place, const char *command)
{
	char line[512];

	snprintf(line, sizeof(line), "cd %s/.volbench-r1-files-* && %s", place->target, command);
	assert_int_equal(system(line), 0);
}

/* Whether the target's directory is empty. */
static bool clean(const struct place *place)
{
	return rmdir(place->target) == 0 && mkdir(place->target, 0700) == 0;
}

static void make_files(const int *directories, size_t count)
{
	for (size_t i = 0; i < count; i++)
		for (unsigned int n = 0; n < 30; n++) {
			char name[16];
			int fd;

			snprintf(name, sizeof(name), "%c%08u", n % 2 ? 'r' : 'f', n);
			fd = openat(directories[i], name, O_WRONLY | O_CREAT | O_EXCL, 0600);
			assert_true(fd >= 0);
			close(fd);
		}
}

static void test_a_sample_leaves_nothing(void **state)
{
	struct place place;
	int *directories = NULL;

	(void)state;
	place_open(&place);
	for (int n = 0; n < 2; n++) { /* a sample after another, in the same names */
		assert_int_equal(tree_fill(place.tree, 3, 4, &directories, &place.err), 0);
		make_files(directories, 12);
		assert_false(clean(&place));
		assert_int_equal(tree_clear(place.tree, directories, 12, NULL, &place.err), 0);
		sh(&place, "test -z \"$(ls -A)\"");
	}
	assert_int_equal(tree_remove(place.tree, NULL, &place.err), 0);
	assert_true(clean(&place));
	assert_int_equal(manifest_finish(place.manifest), 0);
	assert_int_equal(rmdir(place.state), 0); /* the manifest is gone as well */
	assert_int_equal(mkdir(place.state, 0700), 0);
	place_close(&place);
}

/* What a killed run leaves is swept by the manifest. */
static void test_sweep(void **state)
{
	struct findings findings;
	struct place place;
	int *directories = NULL;

	(void)state;
	findings_init(&findings);
	place_open(&place);
	assert_int_equal(tree_fill(place.tree, 2, 3, &directories, &place.err), 0);
	make_files(directories, 6);
	for (size_t i = 0; i < 6; i++)
		close(directories[i]);
	free(directories);
	assert_int_equal(manifest_sweep(place.state_fd, place.allow, NULL, &findings, &place.err),
			 0);
	assert_int_equal(findings.count, 1);
	assert_string_equal(findings.list[0].code, "removed");
	assert_true(clean(&place));
	findings_done(&findings);
	place_close(&place);
}

/* Foreign files, links and directories stay, with those above them, until somebody takes them. */
static void test_what_is_not_ours_stays(void **state)
{
	static const char *const foreign[] = {
		"echo precious > j0000/d0000/notes",
		"echo precious > j0000/d0000/f1",
		"ln -s ../../../../precious j0000/d0000/f00000005x",
		"ln -s /etc/hostname j0000/d0000/f00000099",
		"mkdir j0000/d0000/f00000098",
		"ln -s /etc j0001",
		"mkdir -p other/d0000 && echo precious > other/d0000/f00000001",
		"echo precious > f00000001",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(foreign); i++) {
		struct findings findings;
		struct place place;
		int *directories = NULL;

		findings_init(&findings);
		place_open(&place);
		assert_int_equal(tree_fill(place.tree, 1, 1, &directories, &place.err), 0);
		make_files(directories, 1);
		sh(&place, foreign[i]);
		assert_int_equal(tree_clear(place.tree, directories, 1, NULL, &place.err), 0);
		assert_true(tree_remove(place.tree, NULL, &place.err) < 0);
		assert_int_equal(place.err.sys, ENOTEMPTY);
		assert_int_equal(access("/etc/hostname", F_OK), 0);
		/* Nor does a sweep: it tells, and remembers. */
		assert_int_equal(manifest_finish(place.manifest), 0);
		assert_int_equal(
			manifest_sweep(place.state_fd, place.allow, NULL, &findings, &place.err),
			0);
		assert_string_equal(findings.list[0].code, "left");
		sh(&place, "test -n \"$(ls -A)\"");
		sh(&place, "test $(find . -name 'f00000002' | wc -l) = 0");
		sh(&place, "rm -rf ./*");
		findings_done(&findings);
		findings_init(&findings);
		assert_int_equal(
			manifest_sweep(place.state_fd, place.allow, NULL, &findings, &place.err),
			0);
		assert_string_equal(findings.list[0].code, "removed");
		assert_true(clean(&place));
		findings_done(&findings);
		place_close(&place);
	}
}

/* Another directory, or a link, of the tree's name is left alone. */
static void test_a_name_that_came_to_be_another(void **state)
{
	struct findings findings;
	struct place place;
	char line[512];

	(void)state;
	findings_init(&findings);
	place_open(&place);
	snprintf(line, sizeof(line),
		 "cd %s && n=$(ls -A) && mv $n away && mkdir -p kept/j0000/d0000 && "
		 "touch kept/j0000/d0000/f00000001 && ln -s kept $n",
		 place.target);
	assert_int_equal(system(line), 0);
	assert_true(tree_remove(place.tree, NULL, &place.err) < 0);
	assert_int_equal(place.err.code, ERROR_TARGET_TYPE);
	assert_int_equal(manifest_sweep(place.state_fd, place.allow, NULL, &findings, &place.err),
			 0);
	assert_string_equal(findings.list[0].code, "left");
	snprintf(line, sizeof(line), "test -f %s/kept/j0000/d0000/f00000001", place.target);
	assert_int_equal(system(line), 0);
	findings_done(&findings);
	place_close(&place);
}

/* In a process of its own, which alone keeps the limit: 0 where it is as it should be. */
static int fill_with_limit(struct place *place, rlim_t soft, rlim_t hard, int expected)
{
	const struct rlimit less = {.rlim_cur = soft, .rlim_max = hard};
	int *directories = NULL, status;
	pid_t child = fork();

	if (child == 0) {
		int r = setrlimit(RLIMIT_NOFILE, &less) < 0
				? 1
				: tree_fill(place->tree, 1, 60, &directories, &place->err);

		if (r == 0)
			_exit(expected != 0);
		_exit(place->err.sys != expected ||
		      !strstr(place->err.message, "directories = 60"));
	}
	assert_true(child > 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	return status;
}

/* A soft limit is raised, a hard one told. */
static void test_descriptors(void **state)
{
	struct rlimit limit;
	struct place place;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	for (int n = 0; n < 2; n++) {
		place_open(&place);
		assert_int_equal(
			fill_with_limit(&place, 40, n ? limit.rlim_max : 40, n ? 0 : EMFILE), 0);
		assert_int_equal(tree_remove(place.tree, NULL, &place.err), 0);
		assert_true(clean(&place));
		place_close(&place);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_sample_leaves_nothing),
		cmocka_unit_test(test_sweep),
		cmocka_unit_test(test_what_is_not_ours_stays),
		cmocka_unit_test(test_a_name_that_came_to_be_another),
		cmocka_unit_test(test_descriptors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
