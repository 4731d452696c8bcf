/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * failing_allocation.h - the n-th allocation fails, and all that follow it: `failing_left` is how
 * many still succeed. For one test program alone, whose header comment says to the linker
 *
 *	link: -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray,--wrap=strdup
 */
#ifndef TESTS_UNIT_FAILING_ALLOCATION_H
#define TESTS_UNIT_FAILING_ALLOCATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_reallocarray(void *old, size_t count, size_t size);
char *__real_strdup(const char *text);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_reallocarray(void *old, size_t count, size_t size);
char *__wrap_strdup(const char *text);

static size_t failing_left = SIZE_MAX; /* SIZE_MAX: none fails */

static bool failing_now(void)
{
	if (failing_left == SIZE_MAX)
		return false;
	if (failing_left == 0)
		return true;
	failing_left--;
	return false;
}

void *__wrap_malloc(size_t size)
{
	return failing_now() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	return failing_now() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
	return failing_now() ? NULL : __real_realloc(old, size);
}

void *__wrap_reallocarray(void *old, size_t count, size_t size)
{
	return failing_now() ? NULL : __real_reallocarray(old, count, size);
}

char *__wrap_strdup(const char *text)
{
	return failing_now() ? NULL : __real_strdup(text);
}

#endif
