/* SPDX-License-Identifier: GPL-3.0-or-later */
/* studies.c - see studies.h. */
#include "api/studies.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/embedded.h"
#include "server/codec/result.h"
#include "server/import/import.h"

/* In the order they are listed. A unit test holds them and the embedded texts together. */
const struct study studies[] = {
	{"volblocksize-mirrors", "volblocksize"},
	{"zvol-vs-file", "zvol-vs-file"},
	{"disk-vs-vsan", "disk-vs-vsan"},
	{"stripe-unit", "bonnie, small-files"},
	{"diskspd", "diskspd, atto"},
};
const size_t study_count = ARRAY_SIZE(studies);

const struct study *study_find(const char *name)
{
	for (size_t i = 0; i < study_count; i++)
		if (strcmp(studies[i].name, name) == 0)
			return &studies[i];
	return NULL;
}

const char *study_text(const struct study *study)
{
	const struct embedded *embedded;
	char path[128];

	(void)snprintf(path, sizeof(path), "api/studies/%s.json", study->name);
	embedded = embedded_find(path);
	return embedded ? embedded->data : NULL;
}

int study_result(const struct study *study, struct result *ret_result, struct error *err)
{
	const char *text = study_text(study);
	const struct import_file file = {.name = study->name,
					 .text = text,
					 .size = text ? strlen(text) : 0,
					 .format = IMPORT_TABLE};
	const struct import_request request = {.file_count = 1, .files = &file};
	int r = import_files(&request, ret_result, err);

	if (r == 0)
		(void)snprintf(ret_result->id, sizeof(ret_result->id), "%s", study->name);
	return r;
}

int study_result_text(const char *name, char **ret_text, size_t *ret_size, struct error *err)
{
	const struct study *study = study_find(name);
	struct result result;
	json_t *value;
	int r;

	if (!study) {
		(void)error_set(err, ERROR_NOT_FOUND, "", "there is no study of that name");
		return -ENOENT;
	}
	result_init(&result);
	r = study_result(study, &result, err);
	if (r < 0)
		return r;
	value = result_encode(&result);
	result_done(&result);
	*ret_text = json_write(value);
	json_decref(value);
	if (!*ret_text)
		return error_no_memory(err);
	*ret_size = strlen(*ret_text);
	return 0;
}
