/* SPDX-License-Identifier: GPL-3.0-or-later */
/* io_helpers.h - what tests of engine/io share: a completed workload, made from its options. */
#ifndef TESTS_UNIT_ENGINE_IO_IO_HELPERS_H
#define TESTS_UNIT_ENGINE_IO_IO_HELPERS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/plan/workload.h"

#define KIB UINT64_C(1024)
#define MIB (UINT64_C(1024) * 1024)

/* A workload of these options, "rw=read:64k bs=4k ...", completed. */
static inline void set(struct workload *workload, const char *options)
{
	char *text = strdup(options), *rest = text, *word;
	struct error err;

	assert_non_null(text);
	workload_init(workload);
	while ((word = strsep(&rest, " "))) {
		char *value = strchr(word, '=');

		if (!*word)
			continue;
		assert_non_null(value);
		*value++ = '\0';
		if (option_parse(option_find(word), value, workload, &err) < 0)
			fail_msg("%s", err.message);
	}
	free(text);
	if (workload_complete(workload, &err) < 0)
		fail_msg("%s: %s", options, err.message);
}

#endif
