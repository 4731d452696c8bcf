/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * dataset_create.c - `zfs create`, in earnest and as a dry run: zfs-create(8), zfs_do_create() of
 * cmd/zfs/zfs_main.c. A dry run with -P prints "create<tab>NAME" and a line
 * "property<tab>NAME<tab>VALUE" for each property that would be set.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/zfs/dataset.h"

#define FIXED_ARGUMENTS 16

/* Those that this room sets itself. */
static const char *const own_properties[] = {"volmode", "volsize", "canmount", "mountpoint",
					     ZFS_RUN_PROPERTY};

/* An argument vector; what was formatted for it is in `heap`. */
struct arguments {
	size_t count, room, heap_count;
	const char **list;
	char **heap;
};

static int arguments_init(struct arguments *arguments, size_t room)
{
	*arguments = (struct arguments){
		.room = room,
		.list = calloc(room + 1, sizeof(char *)),
		.heap = calloc(room + 1, sizeof(char *)),
	};
	return arguments->list && arguments->heap ? 0 : -ENOMEM;
}

static void arguments_done(struct arguments *arguments)
{
	for (size_t i = 0; i < arguments->heap_count; i++)
		free(arguments->heap[i]);
	free(arguments->heap);
	free(arguments->list);
}

static int add(struct arguments *arguments, const char *text)
{
	if (!text || arguments->count == arguments->room)
		return -ENOMEM;
	arguments->list[arguments->count++] = text;
	return 0;
}

/* "-o", "name=value". */
static int add_property(struct arguments *arguments, const char *name, const char *value)
{
	char *text;

	if (asprintf(&text, "%s=%s", name, value) < 0)
		return -ENOMEM;
	if (arguments->heap_count == arguments->room) {
		free(text);
		return -ENOMEM;
	}
	arguments->heap[arguments->heap_count++] = text;
	return add(arguments, "-o") < 0 ? -ENOMEM : add(arguments, text);
}

static int add_volume(struct arguments *arguments, const struct zfs_creation *creation, bool sparse)
{
	char *size;
	int r = sparse ? add(arguments, "-s") : 0;

	if (r < 0 || asprintf(&size, "%llu", (unsigned long long)creation->volsize) < 0)
		return -ENOMEM;
	arguments->heap[arguments->heap_count++] = size;
	r = add(arguments, "-V");
	if (r == 0)
		r = add(arguments, size);
	return r < 0 ? r : add_property(arguments, "volmode", "dev");
}

static int add_filesystem(struct arguments *arguments, const struct zfs_creation *creation)
{
	int r = add_property(arguments, "canmount", "noauto");

	return r < 0 ? r : add_property(arguments, "mountpoint", creation->mountpoint);
}

/* without: a property left out, or NULL. */
static int add_all(struct arguments *arguments, const struct zfs_creation *creation, bool dry,
		   bool sparse, const char *without)
{
	int r = add(arguments, "create");

	if (r == 0 && dry)
		r = add(arguments, "-nP");
	if (r == 0)
		r = creation->volume ? add_volume(arguments, creation, sparse)
				     : add_filesystem(arguments, creation);
	if (r == 0)
		r = add_property(arguments, ZFS_RUN_PROPERTY, creation->run_id);
	for (size_t i = 0; r == 0 && i < creation->properties->count; i++) {
		const struct property *property = &creation->properties->list[i];

		if (!without || strcmp(property->name, without) != 0)
			r = add_property(arguments, property->name, property->value);
	}
	return r < 0 ? r : add(arguments, creation->name);
}

static int check_creation(const struct zfs_creation *creation, struct error *err)
{
	for (size_t i = 0; i < creation->properties->count; i++) {
		const char *name = creation->properties->list[i].name;

		for (size_t j = 0; j < ARRAY_SIZE(own_properties); j++)
			if (strcmp(name, own_properties[j]) == 0)
				return error_set(err, ERROR_BAD_VALUE, name,
						 "the property %s is set by Volbench itself", name);
		if (!name[0] || strchr(name, '=') || strchr(name, ','))
			return error_set(err, ERROR_BAD_VALUE, name,
					 "this is no name of a property of OpenZFS");
	}
	return zfs_name_check(creation->name, err);
}

/* Those with values that need a feature of the pool (zpool-features(7)); blocks' sizes are told by
 * their names. */
static const char *const featured[] = {"compression", "checksum", "dedup", "dnodesize",
				       "encryption"};

/* "pool must be upgraded to set this property or value": the one it can be; "" where several. */
static const char *featured_property(const struct zfs_creation *creation)
{
	const char *found = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(featured); i++) {
		if (!properties_get(creation->properties, featured[i]))
			continue;
		if (found)
			return "";
		found = featured[i];
	}
	return found ? found : "";
}

/* Of words such as "cannot create 'tank/x': 'recordsize' must be power of 2 from 512B to 1M": the
 * property that is refused; NULL where no property is. */
static const char *refused_property(const struct zfs_creation *creation, const char *words)
{
	for (size_t i = 0; i < creation->properties->count; i++) {
		const char *name = creation->properties->list[i].name;
		char quoted[ZFS_NAME_BYTES];

		(void)snprintf(quoted, sizeof(quoted), "'%s'", name);
		if (strstr(words, quoted))
			return name;
	}
	if (strstr(words, "volume block size")) /* EDOM in zfs_create() of libzfs_dataset.c */
		return "volblocksize";
	return strstr(words, "set this property or value") ? featured_property(creation) : NULL;
}

static int tell_creation(const struct zfs_creation *creation, const struct zfs_output *output,
			 const char *doing, struct error *err)
{
	const char *name;
	int r = zfs_told(output, doing, err);

	if (r != -EIO) /* other than ZFS_FAILED */
		return r;
	name = refused_property(creation, output->error_text);
	if (!name)
		return r;
	return error_set(err, ERROR_BAD_VALUE, name, "%s: %s", doing, output->error_text);
}

/* `zfs create` in one of its forms. ret_out may be NULL. */
static int create(const struct zfs_creation *creation, bool dry, bool sparse, const char *without,
		  const struct zfs_patience *patience, char **ret_out, struct error *err)
{
	struct arguments arguments;
	char doing[ZFS_NAME_BYTES + 32];
	struct zfs_output output;
	int r;

	r = check_creation(creation, err);
	if (r < 0)
		return r;
	r = arguments_init(&arguments, FIXED_ARGUMENTS + 2 * creation->properties->count);
	if (r == 0)
		r = add_all(&arguments, creation, dry, sparse, without);
	if (r < 0)
		r = error_no_memory(err);
	if (r == 0)
		r = zfs_run(ZFS_PROGRAM_ZFS, arguments.list, patience, &output, err);
	arguments_done(&arguments);
	if (r < 0)
		return r;
	(void)snprintf(doing, sizeof(doing), "creating %s", creation->name);
	if (output.status != 0)
		r = tell_creation(creation, &output, doing, err);
	else if (ret_out)
		*ret_out = TAKE_PTR(output.out);
	zfs_output_done(&output);
	return r;
}

/* Of "property<tab>refreservation<tab>68423680" among the lines. */
static bool find_number(const char *out, const char *name, uint64_t *ret_number)
{
	char mark[64], number[24];
	size_t length;

	(void)snprintf(mark, sizeof(mark), "property\t%s\t", name); /* our own names: they fit */
	while (out && *out) {
		if (strncmp(out, mark, strlen(mark)) == 0) {
			out += strlen(mark);
			length = strcspn(out, "\n");
			if (length >= sizeof(number))
				return false;
			memcpy(number, out, length);
			number[length] = '\0';
			return zfs_number(number, ret_number);
		}
		out = strchr(out, '\n');
		out = out ? out + 1 : NULL;
	}
	return false;
}

/* What a dry run of a volume printed. */
static int take_figures(const struct zfs_creation *creation, const char *out,
			uint64_t *ret_reserved, struct error *err)
{
	uint64_t volsize, reserved;

	if (!find_number(out, "volsize", &volsize) ||
	    !find_number(out, "refreservation", &reserved)) {
		(void)error_set(err, ERROR_ZFS_FAILED, "",
				"zfs create -nP of %s does not tell volsize and refreservation",
				creation->name);
		return -EBADMSG;
	}
	if (volsize != creation->volsize)
		return error_set(
			err, ERROR_BAD_SIZE, "size",
			"%llu bytes are no multiple of the zvol's volblocksize; %llu bytes "
			"would be",
			(unsigned long long)creation->volsize, (unsigned long long)volsize);
	*ret_reserved = reserved;
	return 0;
}

int zfs_create_dry(const struct zfs_creation *creation, uint64_t *ret_reserved, struct error *err)
{
	AUTO_FREE char *out = NULL;
	int r;

	/* Not sparse, for its figure; an own refreservation would take that figure's place. */
	if (!creation->volume || properties_get(creation->properties, "refreservation")) {
		r = create(creation, true, creation->sparse, NULL, NULL, NULL, err);
		if (r < 0)
			return r;
	}
	if (!creation->volume) {
		*ret_reserved = 0;
		return 0;
	}
	r = create(creation, true, false, "refreservation", NULL, &out, err);
	return r < 0 ? r : take_figures(creation, out, ret_reserved, err);
}

/* ---- in earnest ---- */

/* A pool that was imported with an altroot (zpoolprops(7); TrueNAS imports all with /mnt) has its
 * datasets mounted at that and `mountpoint` behind it. *ret_altroot, heap: "" without one. */
static int read_altroot(const char *dataset, const struct zfs_patience *patience,
			char **ret_altroot, struct error *err)
{
	char pool[ZFS_NAME_BYTES], doing[ZFS_NAME_BYTES + 32];
	const char *arguments[] = {
		"get", "-Hp", "-o", "value", "altroot", zfs_name_pool(dataset, pool), NULL};
	AUTO_FREE char *out = NULL;
	char *real;
	int r;

	(void)snprintf(doing, sizeof(doing), "asking for the altroot of pool %s", pool);
	r = zfs_do(ZFS_PROGRAM_ZPOOL, arguments, patience, doing, &out, err);
	if (r < 0)
		return r;
	out[strcspn(out, "\n")] = '\0';
	if (out[0] != '/' || !out[1])
		out[0] = '\0'; /* "-" */
	real = out[0] ? realpath(out, NULL) : NULL;
	*ret_altroot = real ? real : TAKE_PTR(out);
	return 0;
}

/* What `mountpoint` must be for it to be mounted where the creation says. */
static int set_mountpoint(struct zfs_creation *creation, const struct zfs_patience *patience,
			  struct error *err)
{
	AUTO_FREE char *altroot = NULL;
	char pool[ZFS_NAME_BYTES];
	size_t length;
	int r = zfs_name_check(creation->name, err);

	if (r == 0)
		r = read_altroot(creation->name, patience, &altroot, err);
	if (r < 0)
		return r;
	length = strlen(altroot);
	if (strncmp(creation->mountpoint, altroot, length) == 0 &&
	    creation->mountpoint[length] == '/') {
		creation->mountpoint += length;
		return 0;
	}
	return error_set(err, ERROR_CONFLICT, "",
			 "the pool %s is imported with altroot=%s and mounts its datasets beneath "
			 "that only; start with a --state directory that lies there, too",
			 zfs_name_pool(creation->name, pool), altroot);
}

int zfs_create(const struct zfs_creation *creation, const struct zfs_patience *patience,
	       struct error *err)
{
	struct zfs_creation made = *creation;
	int r = made.volume ? 0 : set_mountpoint(&made, patience, err);

	return r < 0 ? r : create(&made, false, made.sparse, NULL, patience, NULL, err);
}
