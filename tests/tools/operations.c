/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * operations.c - the whole program, but that its null backend writes down what it is given.
 *
 *     VOLBENCH_OPERATIONS=LOG operations run JOB.fio ...
 *
 * With ioengine=null each job's operations go to LOG.B.F as an iolog of fio's version 2, which fio
 * can replay: B counts the backends in the order they were opened (one a reactor), F is the job in
 * it, or the file where jobs have several; LOG-order.B has the F of every operation, in order. All
 * else is the program as it is shipped: definition or job file, plan, target, reactors, loops; the
 * null backend alone is wrapped (the Makefile says --wrap=null_open), and what it hands on is what
 * the engine put into its queue. tests/e2e/operations.py runs it.
 *
 * Threads: a backend belongs to one; the count of backends is atomic.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdatomic.h>
#include <string.h>

#include "engine/base/macros.h"
#include "engine/io/backend.h"

int __real_null_open(const struct backend_config *config, struct backend **ret_backend,
		     struct error *err);
int __wrap_null_open(const struct backend_config *config, struct backend **ret_backend,
		     struct error *err);

struct log {
	FILE *out;
	char path[PATH_MAX];
};

struct logged {
	struct backend_ops ops; /* what the engine calls */
	const struct backend_ops *real;
	FILE *order;
	uint32_t count;
	struct log logs[];
};

static const char *const words[REQUEST_KIND_COUNT] = {"read", "write", "trim", "sync", "datasync"};

static int exchange(struct backend *backend, unsigned int count, unsigned int wait_for,
		    uint64_t timeout_ns)
{
	const struct logged *logged = (const void *)backend->ops;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t slot = backend->queue[(backend->submitted + i) & backend->queue_mask];
		const struct request *request = &backend->requests[slot];
		const struct log *log = &logged->logs[request->file];

		fprintf(logged->order, "%" PRIu32 "\n", request->file);
		fprintf(log->out, "%s %s %" PRIu64 " %" PRIu32 "\n", log->path,
			words[request->opcode], request->offset, request->length);
	}
	return logged->real->exchange(backend, count, wait_for, timeout_ns);
}

static void cancel(struct backend *backend, uint32_t slot)
{
	const struct logged *logged = (const void *)backend->ops;

	logged->real->cancel(backend, slot);
}

static void close_logged(struct backend *backend)
{
	struct logged *logged = (struct logged *)(uintptr_t)backend->ops;

	logged->real->close(backend);
	for (uint32_t i = 0; i < logged->count; i++) {
		fprintf(logged->logs[i].out, "%s close\n", logged->logs[i].path);
		if (fclose(logged->logs[i].out) != 0)
			abort(); /* a log cut short would pass for a short run */
	}
	if (fclose(logged->order) != 0)
		abort();
	free(logged);
}

static FILE *open_order(const char *base, unsigned int backend)
{
	char name[PATH_MAX];
	FILE *out;

	(void)snprintf(name, sizeof(name), "%s-order.%u", base, backend);
	out = fopen(name, "we");
	if (!out)
		abort();
	return out;
}

static void open_log(struct log *log, const char *base, unsigned int backend, uint32_t file, int fd)
{
	char name[PATH_MAX];
	ssize_t length;

	(void)snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	length = readlink(name, log->path, sizeof(log->path) - 1);
	log->path[length > 0 ? length : 0] = '\0';
	(void)snprintf(name, sizeof(name), "%s.%u.%" PRIu32, base, backend, file);
	log->out = fopen(name, "we");
	if (!log->out) {
		perror(name);
		abort();
	}
	fprintf(log->out, "fio version 2 iolog\n%s add\n%s open\n", log->path, log->path);
}

int __wrap_null_open(const struct backend_config *config, struct backend **ret_backend,
		     struct error *err)
{
	static atomic_uint backends;
	const char *base = getenv("VOLBENCH_OPERATIONS");
	struct logged *logged;
	unsigned int number = atomic_fetch_add(&backends, 1);
	int r = __real_null_open(config, ret_backend, err);

	if (r < 0 || !base)
		return r;
	logged = calloc(1, sizeof(*logged) + config->file_count * sizeof(logged->logs[0]));
	if (!logged)
		abort();
	logged->real = (*ret_backend)->ops;
	logged->ops = (struct backend_ops){exchange, cancel, close_logged};
	logged->count = config->file_count;
	logged->order = open_order(base, number);
	for (uint32_t i = 0; i < config->file_count; i++)
		open_log(&logged->logs[i], base, number, i, config->files[i]);
	(*ret_backend)->ops = &logged->ops;
	return 0;
}
