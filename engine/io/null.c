/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * null.c - a backend.h that does nothing: every request completes at once and in full.
 *
 * What is left is the engine's own cost: pattern, bookkeeping, stamps, refreshing of buffers.
 */
#include <errno.h>
#include <string.h>

#include "engine/io/backend.h"

static int null_exchange(struct backend *backend, const struct request *requests,
			 unsigned int count, unsigned int wait_for, uint64_t timeout_ns,
			 struct completion *completions, unsigned int capacity)
{
	(void)backend;
	(void)wait_for;
	(void)timeout_ns;
	if (count > capacity)
		return -EINVAL;
	for (unsigned int i = 0; i < count; i++) {
		completions[i].slot = requests[i].slot;
		completions[i].result = (int32_t)requests[i].length;
	}
	return (int)count;
}

static void null_cancel(struct backend *backend, const uint32_t *slots, unsigned int count)
{
	(void)backend;
	(void)slots; /* nothing is ever outstanding */
	(void)count;
}

static void null_close(struct backend *backend)
{
	free(backend);
}

static const struct backend_ops null_ops = {
	.exchange = null_exchange,
	.cancel = null_cancel,
	.close = null_close,
};

int null_open(const struct backend_config *config, struct backend **ret_backend, struct error *err)
{
	struct backend *backend = calloc(1, sizeof(*backend));

	(void)config;
	if (!backend)
		return error_set_sys(err, ERROR_NO_MEMORY, ENOMEM, "the null backend");
	backend->ops = &null_ops;
	(void)snprintf(backend->features, sizeof(backend->features),
		       "no operation reaches the target");
	*ret_backend = backend;
	return 0;
}
