/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * backend.h - how a reactor hands operations to what carries them out, a batch at a time.
 *
 * One thread opens a backend, uses it and closes it. exchange() hands over an array of requests,
 * waits until `wait_for` completions are there or the timeout is over, and hands back what has
 * completed: one call through a pointer a batch, one system call a batch.
 *
 * A slot is an outstanding operation's number, 0 to slots - 1; it has the arena's buffer of that
 * number. The caller gives no slot twice before it has come back.
 *
 * close() with operations outstanding leaves the kernel to end them: the arena must then stay
 * mapped for ever, and the thread that opened the backend cannot be joined before they end.
 */
#ifndef ENGINE_IO_BACKEND_H
#define ENGINE_IO_BACKEND_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/error.h"
#include "engine/io/buffer.h"

/* The first two are equal to enum direction's. */
enum request_kind { REQUEST_READ, REQUEST_WRITE, REQUEST_SYNC, REQUEST_KIND_COUNT };

extern const char *const request_names[REQUEST_KIND_COUNT]; /* "read", "write", "fsync" */

struct request {
	uint64_t offset; /* bytes in the file; 0 for a sync */
	uint32_t length; /* bytes; 0 for a sync */
	uint32_t slot;
	uint32_t file; /* index into the config's files */
	uint32_t kind; /* enum request_kind */
};

struct completion {
	uint32_t slot;
	int32_t result; /* bytes done or -errno */
};

/* The most requests in one exchange. */
#define BACKEND_BATCH_MAX 32
/* The most operations outstanding in one backend. */
#define BACKEND_SLOTS_MAX 65536

struct backend_config {
	uint32_t slots;
	const struct arena *arena; /* a buffer for each slot; outlives the backend */
	const int *files;	   /* descriptors */
	uint32_t file_count;
	bool allowed[REQUEST_KIND_COUNT]; /* the kinds that will be asked for, and no others */
};

struct backend;

struct backend_ops {
	/*
	 * At most BACKEND_BATCH_MAX requests. Returns how many completions were written (at most
	 * capacity; 0 when the timeout was over first) or -errno when the backend itself failed.
	 */
	int (*exchange)(struct backend *backend, const struct request *requests, unsigned int count,
			unsigned int wait_for, uint64_t timeout_ns, struct completion *completions,
			unsigned int capacity);
	/* Asks for outstanding operations to end early; they come back as completions all the
	 * same. An operation that cannot be stopped is left to run. */
	void (*cancel)(struct backend *backend, const uint32_t *slots, unsigned int count);
	void (*close)(struct backend *backend);
};

#define BACKEND_FEATURES_MAX 256

/* What every backend begins with. */
struct backend {
	const struct backend_ops *ops;
	char features[BACKEND_FEATURES_MAX]; /* what is in use and what was refused, for a reader */
};

/* -errno with err set. On success *ret_backend is closed by its close(). */
MUST_CHECK int uring_open(const struct backend_config *config, struct backend **ret_backend,
			  struct error *err);
MUST_CHECK int null_open(const struct backend_config *config, struct backend **ret_backend,
			 struct error *err);

#endif
