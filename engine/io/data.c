/* SPDX-License-Identifier: GPL-3.0-or-later */
/* data.c - see data.h. */
#include "engine/io/data.h"

#include <pthread.h>
#include <string.h>

#include "engine/io/buffer.h"

#define WORD sizeof(uint64_t)
#define LINE_WORDS (64 / WORD) /* a cache line's */
#define SECTOR_LINES (DATA_SECTOR / 64)
#define TABLE_SEED UINT64_C(0x566f6c62656e6368)

/* ---- made data ---- */

static uint64_t table[DATA_TABLE / WORD];
static pthread_once_t table_made = PTHREAD_ONCE_INIT;

static void make_table(void)
{
	struct random random;

	random_init(&random, TABLE_SEED);
	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		table[i] = random_next(&random);
}

/* Four words a step, from and to any address. */
typedef uint64_t words __attribute__((vector_size(32), may_alias, aligned(1)));
typedef uint64_t word __attribute__((may_alias, aligned(1)));

static inline __attribute__((always_inline)) void copy_words(char *to, const char *from,
							     size_t bytes, uint64_t key)
{
	words keys = {key, key, key, key};
	size_t i = 0;

	for (; i + sizeof(words) <= bytes; i += sizeof(words))
		*(words *)(to + i) = *(const words *)(from + i) ^ keys;
	for (; i + WORD <= bytes; i += WORD)
		*(word *)(to + i) = *(const word *)(from + i) ^ key;
	if (i < bytes) {
		uint64_t last = *(const word *)(from + i) ^ key;

		memcpy(to + i, &last, bytes - i);
	}
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void copy_avx2(char *to, const char *from, size_t bytes,
						      uint64_t key)
{
	copy_words(to, from, bytes, key);
}
#endif

static void copy_table(char *to, const char *from, size_t bytes, uint64_t key)
{
#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx2")) {
		copy_avx2(to, from, bytes, key);
		return;
	}
#endif
	copy_words(to, from, bytes, key);
}

/* Random words for the bytes from `at` on of a block; at is a multiple of 8. */
static void make_random(char *buffer, uint64_t at, uint64_t bytes, uint64_t key)
{
	while (bytes > 0) {
		uint64_t place = at % DATA_TABLE, piece = DATA_TABLE - place;

		if (piece > bytes)
			piece = bytes;
		copy_table(buffer, (const char *)table + place, (size_t)piece,
			   at < DATA_TABLE ? key : random_derive(key, at / DATA_TABLE));
		buffer += piece;
		at += piece;
		bytes -= piece;
	}
}

void data_make(void *buffer, uint64_t bytes, uint64_t key, uint32_t compressible, uint64_t chunk)
{
	(void)pthread_once(&table_made, make_table); /* cannot fail */
	if (chunk == 0 || compressible == 0)
		chunk = bytes;
	for (uint64_t at = 0, length; at < bytes; at += length) {
		char *begin = (char *)buffer + at;
		uint64_t random;

		length = bytes - at < chunk ? bytes - at : chunk;
		random = length * (100 - compressible) / 100;
		make_random(begin, (at + WORD - 1) & ~(uint64_t)(WORD - 1), random, key);
		memset(begin + random, 0, (size_t)(length - random));
	}
}

/* ---- a job's ---- */

static enum data_kind kind_of(const struct workload *workload)
{
	if (workload->buffer_compress_percentage > 0 || workload->dedupe_percentage > 0)
		return DATA_MADE;
	if (workload->zero_buffers)
		return DATA_ZERO;
	return workload->refill_buffers ? DATA_FRESH : DATA_SAME;
}

void data_init(struct data *data, const struct workload *workload, uint64_t seed)
{
	memset(data, 0, sizeof(*data));
	data->kind = kind_of(workload);
	if (data->kind == DATA_SAME)
		data->scrambled = workload->scramble_buffers;
	else if (data->kind == DATA_ZERO)
		data->scrambled = workload->scramble_buffers &&
				  workload_is_set(workload, OPTION_ID_SCRAMBLE_BUFFERS);
	data->compressible = (uint32_t)workload->buffer_compress_percentage;
	data->chunk = workload->buffer_compress_chunk;
	data->repeats_below = (workload->dedupe_percentage << 32) / 100;
	random_init(&data->draw, seed);
	data->key = random_next(&data->draw);
}

static bool repeats(const struct data *data, struct random *draw)
{
	return data->repeats_below > 0 && (uint32_t)random_next(draw) < data->repeats_below;
}

uint64_t data_draw(struct data *data)
{
	/* Where a write holds several blocks these repeat each other, not whole writes, unless all
	 * are the same. */
	bool again = data->unit ? data->repeats_below > UINT32_MAX : repeats(data, &data->draw);

	if (!again)
		data->key = random_next(&data->draw);
	return data->key;
}

/* The offset into one cache line of each sector and fresh numbers into its first, as fio puts the
 * offset and the time. */
static void scramble(char *buffer, uint64_t bytes, uint64_t offset, uint64_t key)
{
	uint64_t line = (key ^ offset / DATA_SECTOR) % SECTOR_LINES;

	for (uint64_t at = 0; at + DATA_SECTOR <= bytes; at += DATA_SECTOR) {
		word *sector = (word *)(buffer + at);

		sector[line * LINE_WORDS] = offset + at;
		sector[LINE_WORDS - 2] = key;
		sector[LINE_WORDS - 1] = random_derive(key, at);
	}
}

/* Block by block, where a write holds several: each repeats the one before it by the same odds. */
static void make_units(const struct data *data, char *buffer, uint64_t bytes, uint64_t key)
{
	uint64_t unit = data->unit ? data->unit : bytes;
	struct random draw;

	random_init(&draw, key);
	for (uint64_t at = 0; at < bytes; at += unit) {
		uint64_t length = bytes - at < unit ? bytes - at : unit;

		if (at > 0 && !repeats(data, &draw))
			key = random_next(&draw);
		data_make(buffer + at, length, key, data->compressible, data->chunk);
	}
}

void data_fill(const struct data *data, void *buffer, uint64_t bytes, uint64_t offset, uint64_t key,
	       uint64_t own)
{
	switch (data->kind) {
	case DATA_FRESH:
		buffer_refresh(buffer, (size_t)bytes, key);
		return;
	case DATA_ZERO:
		/* anew, since a read or the scrambling may have left something */
		memset(buffer, 0, (size_t)bytes);
		break;
	case DATA_SAME:
		data_make(buffer, bytes, own, 0, 0);
		break;
	case DATA_MADE:
		make_units(data, buffer, bytes, key);
		return;
	}
	if (data->scrambled)
		scramble(buffer, bytes, offset, key);
}
