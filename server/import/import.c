/* SPDX-License-Identifier: GPL-3.0-or-later */
/* import.c - see import.h: which reader reads a text, and that a request holds together. */
#include "server/import/import.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/text.h"
#include "server/import/sheet_whole.h"

const char *const import_format_names[IMPORT_FORMAT_COUNT] = {
	"any", "fio", "diskspd", "diskspd-xml", "bonnie", "dd", "table"};

/* In the order they are asked whether a text is theirs: a table is JSON with a name of its own, so
 * it comes before fio's. */
static const struct import_reader *const readers[] = {
	&import_reader_table,
	&import_reader_fio,
	&import_reader_diskspd_text,
	&import_reader_diskspd_xml,
	&import_reader_bonnie,
	&import_reader_dd,
	NULL,
};

int import_format_find(const char *name, enum import_format *ret_format, struct error *err)
{
	char quoted[TEXT_EXCERPT_MAX];

	*ret_format = IMPORT_ANY;
	for (size_t i = 0; name && i < IMPORT_FORMAT_COUNT; i++) {
		if (strcmp(name, import_format_names[i]) != 0)
			continue;
		*ret_format = (enum import_format)i;
		return 0;
	}
	return name ? error_set(err, ERROR_BAD_PARAMETER, "",
				"there is no format \"%s\"; there is " IMPORT_FORMATS,
				text_excerpt(name, quoted))
		    : 0;
}

static int check_text(const char *text, const char *field, size_t most, struct error *err)
{
	if (!text || (*text && strlen(text) <= most && text_printable(text)))
		return 0;
	return error_set(err, ERROR_BAD_VALUE, field, "1 to %zu bytes without control characters",
			 most);
}

static int check_file(const struct import_file *file, size_t index, uint64_t *total,
		      struct error *err)
{
	char field[40];

	(void)snprintf(field, sizeof(field), "/files/%zu", index);
	if (!file->text || file->size == 0)
		return error_set(err, ERROR_MISSING_FIELD, field, "the file is empty");
	if (file->size > IMPORT_TEXT_MAX || *total + file->size > IMPORT_TEXT_MAX)
		return error_set(err, ERROR_BODY_TOO_LARGE, field,
				 "the files have more than %llu MiB together, the most that are "
				 "read",
				 (unsigned long long)(IMPORT_TEXT_MAX >> 20));
	*total += file->size;
	(void)snprintf(field, sizeof(field), "/files/%zu/label", index);
	return check_text(file->label, field, DEFINITION_NAME_MAX, err);
}

static int check_request(const struct import_request *request, struct error *err)
{
	uint64_t total = 0;
	int r;

	if (request->file_count == 0)
		return error_set(err, ERROR_MISSING_FIELD, "/files", "there is no file to import");
	if (request->file_count > IMPORT_FILES_MAX)
		return error_set(err, ERROR_TOO_MANY, "/files", "at most %d files, not %zu",
				 IMPORT_FILES_MAX, request->file_count);
	r = check_text(request->factor, "/factor", DEFINITION_NAME_MAX, err);
	for (size_t i = 0; i < request->file_count && r == 0; i++)
		r = check_file(&request->files[i], i, &total, err);
	return r;
}

/* The reader of a format, or the first that knows the text. */
static const struct import_reader *find_reader(const struct import_file *file)
{
	for (size_t i = 0; readers[i]; i++) {
		const struct import_reader *reader = readers[i];

		if (file->format == IMPORT_ANY ? reader->recognise(file->text, file->size)
					       : reader->format == file->format)
			return reader;
	}
	return NULL;
}

/* "fio, diskspd, dd" */
static void list_formats(char *buffer, size_t size)
{
	size_t used = 0;

	buffer[0] = '\0';
	for (size_t i = 0; readers[i] && used < size; i++)
		used += (size_t)snprintf(buffer + used, size - used, "%s%s", i ? ", " : "",
					 import_format_names[readers[i]->format]);
}

static int read_file(struct import_sheet *sheet, size_t index, struct error *err)
{
	const struct import_file *file = &sheet->request->files[index];
	const struct import_reader *reader = find_reader(file);
	char formats[160];
	int r;

	sheet_begin(sheet, index);
	if (reader)
		return reader->read(sheet, file->text, file->size, err);
	list_formats(formats, sizeof(formats));
	r = sheet_error(sheet, err, 0, "no result of a format that is read here (%s)", formats);
	if (err)
		err->code = ERROR_UNSUPPORTED;
	return r;
}

int import_files(const struct import_request *request, struct result *ret_result, struct error *err)
{
	struct import_sheet *sheet;
	int r = check_request(request, err);

	if (r < 0)
		return r;
	sheet = sheet_new(request);
	if (!sheet)
		return error_no_memory(err);
	for (size_t i = 0; i < request->file_count && r == 0; i++)
		r = read_file(sheet, i, err);
	if (r == 0)
		r = sheet_finish(sheet, ret_result, err);
	sheet_free(sheet);
	return r;
}
