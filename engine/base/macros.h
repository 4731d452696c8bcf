/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * macros.h - the few language helpers every layer uses.
 *
 * A function uses either the cleanup attributes (AUTO_FREE, AUTO_CLOSE, AUTO_FCLOSE) or forward
 * gotos, never both.
 */
#ifndef ENGINE_BASE_MACROS_H
#define ENGINE_BASE_MACROS_H

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The caller must look at the result; ignoring one is written `(void)f();` with a reason. */
#define MUST_CHECK __attribute__((warn_unused_result))

#define PRINTF_LIKE(format_index, first_argument)                                                  \
	__attribute__((format(printf, format_index, first_argument)))

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

static inline void cleanup_free(void *p)
{
	free(*(void **)p);
}

static inline void cleanup_close(int *fd)
{
	if (*fd >= 0)
		(void)close(*fd); /* nothing was promised about this descriptor */
}

static inline void cleanup_fclose(FILE **f)
{
	if (*f)
		(void)fclose(*f); /* a writer that cares closes it itself and looks */
}

#define AUTO_FREE __attribute__((cleanup(cleanup_free)))
#define AUTO_CLOSE __attribute__((cleanup(cleanup_close)))
#define AUTO_FCLOSE __attribute__((cleanup(cleanup_fclose)))

/* Moves a pointer out of an AUTO_FREE variable: yields it and leaves NULL behind. */
#define TAKE_PTR(p)                                                                                \
	__extension__({                                                                            \
		__typeof__(p) taken_pointer = (p);                                                 \
		(p) = NULL;                                                                        \
		taken_pointer;                                                                     \
	})

/* Moves a descriptor out of an AUTO_CLOSE variable. */
#define TAKE_FD(fd)                                                                                \
	__extension__({                                                                            \
		int taken_fd = (fd);                                                               \
		(fd) = -1;                                                                         \
		taken_fd;                                                                          \
	})

#endif
