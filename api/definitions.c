/* SPDX-License-Identifier: GPL-3.0-or-later */
/* definitions.c - see definitions.h. */
#include "api/definitions.h"

#include <stdio.h>
#include <string.h>

#include "engine/base/embedded.h"
#include "engine/base/macros.h"

/* In the order they are listed. The texts are embedded; a unit test holds the two together. */
static const char *const built_in[] = {
	"demo",		"volblocksize", "recordsize", "zvol-vs-file", "nine-workloads",
	"disk-vs-vsan", "diskspd",	"atto",	      "bonnie",	      "small-files",
};

size_t built_in_count(void)
{
	return ARRAY_SIZE(built_in);
}

const char *built_in_name(size_t index)
{
	return index < ARRAY_SIZE(built_in) ? built_in[index] : NULL;
}

const char *built_in_text(const char *name)
{
	const struct embedded *embedded = NULL;
	char path[128];

	for (size_t i = 0; i < ARRAY_SIZE(built_in); i++) {
		if (strcmp(built_in[i], name) == 0) {
			(void)snprintf(path, sizeof(path), "api/definitions/%s.json", name);
			embedded = embedded_find(path);
		}
	}
	return embedded ? embedded->data : NULL;
}
