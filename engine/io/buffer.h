/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * buffer.h - the memory operations read into and write from.
 *
 * An arena is one mapping of equal buffers, each aligned to 4 KiB, on huge pages where the kernel
 * gives them. Buffers to write from hold incompressible data; buffer_refresh() makes them new
 * before each write at the price of one pass over them: every 64-bit word is XORed with one fresh
 * odd key, so no two writes carry the same word in the same place (but by chance, 2^-63), while
 * compression finds as little in them as in the random data they began with.
 *
 * A buffer in flight is never touched: the caller refreshes before it submits.
 * Threads: an arena may be used by several, each its own buffers.
 */
#ifndef ENGINE_IO_BUFFER_H
#define ENGINE_IO_BUFFER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/macros.h"

#define BUFFER_ALIGN UINT64_C(4096)

struct arena {
	void *base;	 /* NULL: none */
	uint64_t stride; /* bytes from buffer to buffer */
	uint64_t count;
	void *mapping;
	size_t mapping_size;
};

/* Bytes from buffer to buffer for operations of at most so many bytes. */
static inline uint64_t buffer_stride(uint64_t bytes)
{
	return (bytes + BUFFER_ALIGN - 1) & ~(BUFFER_ALIGN - 1);
}

/* Bytes an arena takes. -EOVERFLOW. */
MUST_CHECK int arena_size(uint64_t count, uint64_t bytes_each, uint64_t *ret_bytes);

/*
 * Maps and touches count buffers; with `random` they are filled with incompressible data. *stop
 * (may be NULL) is looked at between buffers: -ECANCELED. -ENOMEM, -EOVERFLOW. On failure nothing
 * is left behind.
 */
MUST_CHECK int arena_init(struct arena *arena, uint64_t count, uint64_t bytes_each, bool random,
			  uint64_t seed, const atomic_int *stop);
void arena_done(struct arena *arena);

static inline void *arena_buffer(const struct arena *arena, uint64_t index)
{
	return (char *)arena->base + index * arena->stride;
}

/* Makes the first `bytes` (rounded up to 64) of a buffer new; key must be a fresh random one. */
void buffer_refresh(void *buffer, size_t bytes, uint64_t key);

#endif
