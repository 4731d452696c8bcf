/* SPDX-License-Identifier: GPL-3.0-or-later */
/* uring_parts.h - what uring.c and uring_open.c share: one ring; see uring.c. */
#ifndef ENGINE_IO_URING_PARTS_H
#define ENGINE_IO_URING_PARTS_H

#include <liburing.h>

#include "engine/io/backend.h"

struct uring {
	struct backend backend;
	struct io_uring ring;
	bool ring_open, kernel_thread;
	unsigned int enter_flags;
	unsigned int unsubmitted; /* after a failure: left in the queue */
	unsigned int told;	  /* completions of the last exchange */
	/* What a wait's end is told with; made anew only when the timeout is another. */
	uint64_t timeout_ns;
	struct __kernel_timespec timeout;
	struct io_uring_getevents_arg wait;
};

/* Makes, restricts and enables the ring of a zeroed uring, and says in its features what is in use.
 * -errno with *ret_what, the step that failed; the ring is then to be closed where it is open. */
MUST_CHECK int uring_set_up(struct uring *uring, const struct backend_config *config,
			    const char **ret_what);

#endif
