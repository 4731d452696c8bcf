/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * store_fixture.h - what the tests of the store share: a directory, short ways to a run.
 * Length: bodies of a dozen helpers, which the tests have inline as they have no archive.
 */
#ifndef TESTS_UNIT_SERVER_STORE_FIXTURE_H
#define TESTS_UNIT_SERVER_STORE_FIXTURE_H

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/base/file.h"
#include "server/codec/json.h"
#include "server/store.h"

#define DEFINITION_TEXT "{\"name\":\"a\\u003cb\",\"workloads\":[{\"name\":\"w\",\"rw\":\"read\"}]}"
#define STARTED_TEXT                                                                               \
	"{\"plan\":{\"findings\":[{\"code\":\"trap\"}]},\"environment\":{\"host\":\"h\"},"         \
	"\"targets\":[],\"backend\":\"io_uring\",\"backend_reason\":\"\"}"

static char fixture_root[64];

static inline int fixture_make(void **state)
{
	(void)state;
	(void)snprintf(fixture_root, sizeof(fixture_root), "/var/tmp/store-unit-XXXXXX");
	return mkdtemp(fixture_root) ? 0 : -1;
}

static inline int fixture_remove(void **state)
{
	int fd = open("/var/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int r = fd < 0 ? -1 : file_remove_tree(fd, fixture_root + strlen("/var/tmp/"));

	(void)state;
	if (fd >= 0)
		(void)close(fd);
	return r;
}

static inline struct store *fixture_open(void)
{
	struct store *store = NULL;
	struct error err = {0};

	if (store_open(fixture_root, 0, &store, &err) < 0) {
		print_error("store_open: %s\n", err.message);
		fail();
	}
	return store;
}

static inline int fixture_add(struct store *store, const char *key, uint64_t samples,
			      struct store_run *ret_run, struct error *err)
{
	const struct store_new wanted = {.name = "a<b",
					 .definition = DEFINITION_TEXT,
					 .samples_total = samples,
					 .key = key,
					 .digest = key ? "digest" : NULL};
	bool again;

	return store_add_run(store, &wanted, ret_run, &again, err);
}

/* A run accepted, or the test fails. */
static inline struct store_run fixture_run(struct store *store)
{
	struct store_run run = {0};

	assert_int_equal(fixture_add(store, NULL, 4, &run, NULL), 0);
	return run;
}

static inline char *fixture_sample(size_t order)
{
	char *text = NULL;

	if (asprintf(&text, "{\"schema\":\"volbench.sample/1\",\"order\":%zu}", order) < 0)
		return NULL;
	return text;
}

static inline int fixture_add_sample(struct store *store, const char *id, size_t order,
				     struct error *err)
{
	char *text = fixture_sample(order);
	int r = store_add_sample(store, id, order, text, err);

	free(text);
	return r;
}

static inline struct store_run fixture_get(struct store *store, const char *id)
{
	struct store_run run = {0};

	assert_int_equal(store_get_run(store, id, &run), 0);
	return run;
}

/* The result, parsed; it must be there. */
static inline json_t *fixture_result(struct store *store, const char *id)
{
	struct error err = {0};
	json_t *value = NULL;
	char *text = NULL;
	size_t size = 0;

	if (store_result(store, id, &text, &size, &err) < 0)
		print_error("store_result: %s\n", err.message);
	assert_non_null(text);
	if (json_read_own(text, size, &value, &err) < 0)
		print_error("result: %s\n", err.message);
	assert_non_null(value);
	free(text);
	return value;
}

static inline size_t fixture_result_samples(struct store *store, const char *id)
{
	json_t *value = fixture_result(store, id);
	size_t count = json_array_size(json_object_get(value, "samples"));

	json_decref(value);
	return count;
}

static inline void fixture_assert_text(const json_t *value, const char *member, const char *text)
{
	assert_string_equal(json_string_value(json_object_get(value, member)), text);
}

/* A file below the state directory, written without ceremony. */
static inline void fixture_write(const char *path, const char *text)
{
	char full[256];
	FILE *f;

	(void)snprintf(full, sizeof(full), "%s/%s", fixture_root, path);
	f = fopen(full, "w");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static inline void fixture_mkdir(const char *path)
{
	char full[256];

	(void)snprintf(full, sizeof(full), "%s/%s", fixture_root, path);
	assert_int_equal(mkdir(full, 0700), 0);
}

static inline bool fixture_exists(const char *path)
{
	char full[256];

	(void)snprintf(full, sizeof(full), "%s/%s", fixture_root, path);
	return access(full, F_OK) == 0;
}

#endif
