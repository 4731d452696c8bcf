/* SPDX-License-Identifier: GPL-3.0-or-later */
/* buffer.c - see buffer.h. */
#include "engine/io/buffer.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "engine/io/random.h"

#define HUGE_PAGE ((size_t)2 << 20)

int arena_size(uint64_t count, uint64_t bytes_each, uint64_t *ret_bytes)
{
	uint64_t total;

	if (bytes_each > UINT64_MAX - BUFFER_ALIGN ||
	    __builtin_mul_overflow(buffer_stride(bytes_each), count, &total) ||
	    total > SIZE_MAX - HUGE_PAGE)
		return -EOVERFLOW;
	*ret_bytes = total;
	return 0;
}

static void fill(void *buffer, size_t bytes, bool random, struct random *generator)
{
	uint64_t *words = buffer;

	if (!random) {
		memset(buffer, 0, bytes); /* no page fault is left to the measurement */
		return;
	}
	for (size_t i = 0; i < bytes / sizeof(*words); i++)
		words[i] = random_next(generator);
}

int arena_init(struct arena *arena, uint64_t count, uint64_t bytes_each, bool random, uint64_t seed,
	       const atomic_int *stop)
{
	struct random generator;
	uint64_t total;
	size_t mapping_size;
	char *mapping;
	int rc;

	memset(arena, 0, sizeof(*arena));
	rc = arena_size(count, bytes_each, &total);
	if (rc < 0 || total == 0)
		return rc < 0 ? rc : -EINVAL;
	/* A huge page more than needed, to begin on one. */
	mapping_size = (size_t)total + (total >= HUGE_PAGE ? HUGE_PAGE : 0);
	mapping = mmap(NULL, mapping_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		       0);
	if (mapping == MAP_FAILED)
		return -errno;
	arena->mapping = mapping;
	arena->mapping_size = mapping_size;
	arena->base = mapping;
	if (mapping_size > total) {
		size_t rest = (uintptr_t)mapping % HUGE_PAGE;

		arena->base = mapping + (rest ? HUGE_PAGE - rest : 0);
		/* Only a wish: without huge pages large transfers cost more CPU. */
		(void)madvise(arena->base, (size_t)total, MADV_HUGEPAGE);
	}
	arena->stride = buffer_stride(bytes_each);
	arena->count = count;
	random_init(&generator, seed);
	for (uint64_t i = 0; i < count; i++) {
		if (stop && atomic_load_explicit(stop, memory_order_relaxed)) {
			arena_done(arena);
			return -ECANCELED;
		}
		fill(arena_buffer(arena, i), (size_t)arena->stride, random, &generator);
	}
	return 0;
}

void arena_done(struct arena *arena)
{
	if (arena->mapping)
		(void)munmap(arena->mapping, arena->mapping_size); /* our own, whole mapping */
	memset(arena, 0, sizeof(*arena));
}

/* Four words a step; the compiler makes one instruction of it where the machine has it. */
typedef uint64_t words __attribute__((vector_size(32), may_alias));

#define LINE 64	  /* bytes: what a buffer is made new in */
#define LINES 256 /* bytes a round of the loop, written out: compilers do not unroll at -O2 */

static inline __attribute__((always_inline)) void xor_words(void *buffer, size_t bytes,
							    uint64_t key)
{
	words *p = buffer, *end = p + (bytes + LINE - 1) / LINE * (LINE / sizeof(*p));
	words keys = {key, key, key, key};

	for (; end - p >= (ptrdiff_t)(LINES / sizeof(*p)); p += LINES / sizeof(*p)) {
		p[0] ^= keys;
		p[1] ^= keys;
		p[2] ^= keys;
		p[3] ^= keys;
		p[4] ^= keys;
		p[5] ^= keys;
		p[6] ^= keys;
		p[7] ^= keys;
	}
	for (; p < end; p++)
		*p ^= keys;
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void xor_avx2(void *buffer, size_t bytes, uint64_t key)
{
	xor_words(buffer, bytes, key);
}
#endif

void buffer_refresh(void *buffer, size_t bytes, uint64_t key)
{
	key |= 1; /* never zero: a buffer always changes */
#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx2")) {
		xor_avx2(buffer, bytes, key);
		return;
	}
#endif
	xor_words(buffer, bytes, key);
}
