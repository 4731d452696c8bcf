/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * null.c - a backend.h that does nothing: every request completes at once and in full.
 *
 * What is left is the engine's own cost: pattern, bookkeeping, stamps, refreshing of buffers.
 */
#include <errno.h>
#include <string.h>

#include "engine/io/backend.h"

struct null {
	struct backend backend;
	struct completion *completions;
	uint32_t told; /* completions of the last exchange */
};

static int null_exchange(struct backend *backend, unsigned int count, unsigned int wait_for,
			 uint64_t timeout_ns)
{
	struct null *null = (struct null *)backend;

	(void)wait_for;
	(void)timeout_ns;
	backend->completed += null->told;
	for (unsigned int i = 0; i < count; i++) {
		uint32_t slot = backend->queue[backend->submitted++ & backend->queue_mask];
		struct completion *completion =
			&null->completions[(backend->completed + i) & backend->completion_mask];

		completion->slot = slot;
		completion->result = (int32_t)backend->requests[slot].length;
	}
	null->told = count;
	return (int)count;
}

static void null_cancel(struct backend *backend, uint32_t slot)
{
	(void)backend;
	(void)slot; /* nothing is ever outstanding */
}

static void null_close(struct backend *backend)
{
	struct null *null = (struct null *)backend;

	free(backend->requests);
	free(backend->queue);
	free(null->completions);
	free(null);
}

static const struct backend_ops null_ops = {
	.exchange = null_exchange,
	.cancel = null_cancel,
	.close = null_close,
};

int null_open(const struct backend_config *config, struct backend **ret_backend, struct error *err)
{
	struct null *null = calloc(1, sizeof(*null));
	struct backend *backend;
	uint32_t ring = 1;

	if (!null)
		return error_set_sys(err, ERROR_NO_MEMORY, ENOMEM, "the null backend");
	while (ring < config->slots)
		ring *= 2;
	backend = &null->backend;
	backend->ops = &null_ops;
	backend->queue_mask = ring - 1;
	backend->completion_mask = BACKEND_BATCH_MAX - 1;
	backend->arena = config->arena;
	backend->requests = calloc(config->slots, sizeof(*backend->requests));
	backend->queue = calloc(ring, sizeof(*backend->queue));
	null->completions = calloc(BACKEND_BATCH_MAX, sizeof(*null->completions));
	backend->completions = null->completions;
	if (!backend->requests || !backend->queue || !backend->completions) {
		null_close(backend);
		return error_set_sys(err, ERROR_NO_MEMORY, ENOMEM, "the null backend");
	}
	for (uint8_t kind = 0; kind < REQUEST_KIND_COUNT; kind++)
		backend->opcodes[kind] = kind;
	for (uint32_t slot = 0; slot < config->slots; slot++)
		backend->requests[slot].slot = slot;
	(void)snprintf(backend->features, sizeof(backend->features),
		       "no operation reaches the target");
	*ret_backend = backend;
	return 0;
}
