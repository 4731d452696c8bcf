/* SPDX-License-Identifier: GPL-3.0-or-later */
/* name.c - see name.h. The characters and the length are those of OpenZFS
 * (module/zcommon/zfs_namecheck.c: valid_char, entity_namecheck), without its blank. */
#include "engine/zfs/name.h"

#include <stddef.h>
#include <string.h>

#include "engine/base/text.h"

static bool letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool component_ok(const char *start, size_t length)
{
	if (length == 0 || (length == 1 && start[0] == '.') ||
	    (length == 2 && start[0] == '.' && start[1] == '.'))
		return false;
	for (size_t i = 0; i < length; i++)
		if (!letter(start[i]) && (start[i] < '0' || start[i] > '9') &&
		    (start[i] == '\0' || !strchr("_.:-", start[i])))
			return false;
	return true;
}

bool zfs_name_ok(const char *name)
{
	if (!letter(name[0]) || strlen(name) >= ZFS_NAME_BYTES)
		return false;
	for (;;) {
		size_t length = strcspn(name, "/");

		if (!component_ok(name, length))
			return false;
		if (name[length] == '\0')
			return true;
		name += length + 1;
	}
}

int zfs_name_check(const char *name, struct error *err)
{
	char excerpt[TEXT_EXCERPT_MAX];

	if (zfs_name_ok(name))
		return 0;
	return error_set(err, ERROR_BAD_NAME, "",
			 "\"%s\" is no name of a dataset such as \"tank/volbench\"",
			 text_excerpt(name, excerpt));
}

bool zfs_name_within(const char *name, const char *ancestor)
{
	size_t length = strlen(ancestor);

	return length > 0 && strncmp(name, ancestor, length) == 0 &&
	       (name[length] == '\0' || name[length] == '/');
}

const char *zfs_name_pool(const char *name, char buffer[ZFS_NAME_BYTES])
{
	size_t length = strcspn(name, "/");

	if (length >= ZFS_NAME_BYTES)
		length = ZFS_NAME_BYTES - 1;
	memcpy(buffer, name, length);
	buffer[length] = '\0';
	return buffer;
}
