/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pool.c - `zpool get` for figures, `zpool status -PL` for the tree of vdevs.
 *
 * The tree (print_status_config() of cmd/zpool/zpool_main.c) stands between "config:" and
 * "errors:", a vdev a line, after a tab, indented by two blanks a level: the pool itself, its
 * top-level vdevs and what is below them; then, not indented, a heading for each class of other
 * vdevs ("special", "dedup", "logs", "cache", "spares"), whose vdevs are indented once more.
 * `zpool list -v` has the same vdevs, but with -H no levels.
 */
#include "engine/zfs/pool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/zfs/command.h"
#include "engine/zfs/dataset.h"

#define LEAVES_MAX 4096
#define GROUPS_MAX 16
#define DATA_MAX 64 /* data disks that are asked for their ashift */
#define KIND_BYTES 40
#define KIB UINT64_C(1024)

/* ---- version ---- */

const char *zfs_version(char buffer[64])
{
	AUTO_CLOSE int fd = open("/sys/module/zfs/version", O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? 0 : read(fd, buffer, 63);

	buffer[got > 0 ? got : 0] = '\0';
	buffer[strcspn(buffer, "\n")] = '\0';
	return buffer;
}

bool zfs_version_at_least(unsigned int major, unsigned int minor)
{
	char text[64];
	unsigned int have_major, have_minor;

	if (sscanf(zfs_version(text), "%3u.%3u", &have_major, &have_minor) != 2)
		return false;
	return have_major > major || (have_major == major && have_minor >= minor);
}

/* ---- the tree of vdevs ---- */

enum section {
	SECTION_DATA,
	SECTION_SPECIAL,
	SECTION_DEDUP,
	SECTION_LOG,
	SECTION_CACHE,
	SECTION_SPARE,
	SECTION_COUNT
};

static const char *const headings[SECTION_COUNT] = {
	[SECTION_DATA] = "data", [SECTION_SPECIAL] = "special", [SECTION_DEDUP] = "dedup",
	[SECTION_LOG] = "logs",	 [SECTION_CACHE] = "cache",	[SECTION_SPARE] = "spares",
};

/* Equal top-level vdevs of one section. */
struct group {
	enum section section;
	char kind[KIND_BYTES]; /* "mirror of 2", "disk" */
	unsigned int count;
};

struct tree {
	size_t group_count;
	struct group groups[GROUPS_MAX];
	bool incomplete;      /* more groups than there is room for */
	uint64_t widest_data; /* most data disks of a data vdev; mirrors count as one */
	bool raidz, draid;    /* among the data vdevs */
	size_t leaf_count, leaf_room;
	struct zfs_leaf *leaves;
	size_t data_count; /* of the names of data vdevs at the bottom, the first ones */
	const char *data[DATA_MAX];
};

/* A line of it. */
struct entry {
	unsigned int level; /* 0: the pool, or a heading */
	char *name;
};

/* The top-level vdev whose children are being read. */
struct top {
	bool open;
	char *name;
	unsigned int children;
};

static bool begins(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

/* Of a line's name, level and the rest, the first two; false where it is none. */
static bool take_entry(char *line, struct entry *entry)
{
	size_t blanks;
	char *end;

	if (line[0] != '\t')
		return false;
	line++;
	blanks = strspn(line, " ");
	line += blanks;
	if (!*line)
		return false;
	/* A path may hold single blanks; two come before the state at the least. */
	end = strstr(line, "  ");
	if (end)
		*end = '\0';
	line[strcspn(line, "\t")] = '\0'; /* behind a heading */
	*entry = (struct entry){.level = (unsigned int)(blanks / 2), .name = line};
	return true;
}

static bool is_draid_group(const char *name)
{
	return begins(name, "draid") && strchr(name, ':');
}

/* What stands between disks and is no vdev of its own: one in their place. */
static bool is_interior(const char *name)
{
	return begins(name, "mirror-") || begins(name, "raidz") || is_draid_group(name) ||
	       begins(name, "spare-") || begins(name, "replacing-");
}

static bool is_file(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

/* "mirror of 2"; of a dRAID its own words, "draid2:4d:11c:1s" without the number at the end. */
static void name_kind(const struct top *top, char kind[KIND_BYTES])
{
	size_t length = strcspn(top->name, "-");

	if (is_draid_group(top->name))
		(void)snprintf(kind, KIND_BYTES, "%.*s", (int)(length < 32 ? length : 32),
			       top->name);
	else if (is_interior(top->name))
		(void)snprintf(kind, KIND_BYTES, "%.*s of %u", (int)(length < 16 ? length : 16),
			       begins(top->name, "raidz-") ? "raidz1" : top->name, top->children);
	else
		(void)snprintf(kind, KIND_BYTES, "%s", is_file(top->name) ? "file" : "disk");
}

/* Data disks a stripe of it is spread over. */
static uint64_t data_disks(const struct top *top)
{
	unsigned int parity = 1, data = 0;

	if (is_draid_group(top->name))
		return sscanf(strchr(top->name, ':'), ":%4ud", &data) == 1 ? data : 0;
	if (!begins(top->name, "raidz"))
		return 1;
	(void)sscanf(top->name, "raidz%1u", &parity); /* "raidz-0" is raidz1 */
	return top->children > parity ? top->children - parity : 0;
}

static void close_top(struct tree *tree, enum section section, struct top *top)
{
	char kind[KIND_BYTES];
	size_t i;

	if (!top->open)
		return;
	top->open = false;
	if (section == SECTION_SPARE)
		return;
	name_kind(top, kind);
	if (section == SECTION_DATA) {
		uint64_t disks = data_disks(top);

		tree->raidz = tree->raidz || begins(top->name, "raidz");
		tree->draid = tree->draid || is_draid_group(top->name);
		if (disks > tree->widest_data)
			tree->widest_data = disks;
	}
	for (i = 0; i < tree->group_count; i++)
		if (tree->groups[i].section == section && strcmp(tree->groups[i].kind, kind) == 0)
			break;
	if (i == GROUPS_MAX) {
		tree->incomplete = true;
		return;
	}
	if (i == tree->group_count) {
		tree->groups[i].section = section;
		memcpy(tree->groups[i].kind, kind, sizeof(kind));
		tree->group_count++;
	}
	tree->groups[i].count++;
}

static int add_leaf(struct tree *tree, enum section section, const char *path)
{
	struct stat status;
	struct zfs_leaf *leaf;

	if (section == SECTION_SPARE || is_interior(path) || begins(path, "draid"))
		return 0; /* "draid2-0-0" is a spare made of the others' space */
	if (tree->leaf_count == tree->leaf_room) {
		size_t room = tree->leaf_room ? tree->leaf_room * 2 : 16;
		struct zfs_leaf *leaves;

		if (room > LEAVES_MAX)
			return -E2BIG;
		leaves = realloc(tree->leaves, room * sizeof(*leaves));
		if (!leaves)
			return -ENOMEM;
		tree->leaves = leaves;
		tree->leaf_room = room;
	}
	leaf = &tree->leaves[tree->leaf_count++];
	*leaf = (struct zfs_leaf){.class = section == SECTION_LOG     ? ZFS_VDEV_LOG
					   : section == SECTION_CACHE ? ZFS_VDEV_CACHE
								      : ZFS_VDEV_DATA};
	if (path[0] == '/' && stat(path, &status) == 0 && S_ISBLK(status.st_mode))
		leaf->device = status.st_rdev;
	if (section == SECTION_DATA && path[0] == '/' && tree->data_count < DATA_MAX)
		tree->data[tree->data_count++] = path;
	return 0;
}

static enum section section_of(const char *name)
{
	for (int i = SECTION_SPECIAL; i < SECTION_COUNT; i++)
		if (strcmp(name, headings[i]) == 0)
			return (enum section)i;
	return SECTION_COUNT;
}

/* Reads the lines of the tree. What is none of its lines ends it. */
static int take_tree(char *line, struct tree *tree)
{
	enum section section = SECTION_DATA;
	struct top top = {0};
	bool pool_seen = false;
	int r = 0;

	while (line && r == 0) {
		char *end = strchr(line, '\n');
		struct entry entry;

		if (end)
			*end = '\0';
		if (!take_entry(line, &entry))
			break;
		if (entry.level == 0) {
			close_top(tree, section, &top);
			if (pool_seen)
				section = section_of(entry.name);
			if (section == SECTION_COUNT)
				break; /* a heading that is not known */
			pool_seen = true;
		} else if (!begins(entry.name, "indirect-")) {
			if (entry.level == 1) {
				close_top(tree, section, &top);
				top = (struct top){.open = true, .name = entry.name};
			} else if (entry.level == 2) {
				top.children++;
			}
			r = add_leaf(tree, section, entry.name);
		}
		line = end ? end + 1 : NULL;
	}
	close_top(tree, section, &top);
	return r;
}

/* "4 x disk + mirror of 2; logs: disk", the sections in their order. */
static void write_layout(const struct tree *tree, char *layout, size_t size)
{
	size_t used = 0;

	layout[0] = '\0';
	for (int section = 0; section < SECTION_COUNT; section++) {
		bool first = true;

		for (size_t i = 0; i < tree->group_count; i++) {
			const struct group *group = &tree->groups[i];
			char text[KIND_BYTES + 48], times[16] = "";
			int length;

			if (group->section != (enum section)section)
				continue;
			if (group->count > 1)
				(void)snprintf(times, sizeof(times), "%u x ", group->count);
			length = snprintf(text, sizeof(text), "%s%s%s%s%s",
					  !first     ? " + "
					  : used > 0 ? "; "
						     : "",
					  first && section > 0 ? headings[section] : "",
					  first && section > 0 ? ": " : "", times, group->kind);
			if (used + (size_t)length >= size)
				return;
			memcpy(layout + used, text, (size_t)length + 1);
			used += (size_t)length;
			first = false;
		}
	}
}

/*
 * TrueNAS's rule for new zvols (middlewared, recommended_zvol_blocksize): the widest data vdev's
 * data disks x 8K, up to the next power of two, 16K to 128K; 32K at least on dRAID.
 */
static uint64_t recommend(const struct tree *tree)
{
	const uint64_t least = tree->draid ? 32 * KIB : 16 * KIB;
	uint64_t size = least;

	if (tree->widest_data == 0)
		return 0;
	while (size < 128 * KIB && size < tree->widest_data * 8 * KIB)
		size *= 2;
	return size;
}

/*
 * The ashift that all data vdevs share, 0 where they differ. A property of vdevs only since 2.2;
 * that of the pool (vdevprops(7), zpoolprops(7)) says what a new vdev gets, 0 where it was left to
 * the disk, and remains where the vdevs are not to be asked.
 */
static void read_ashift(const char *pool, const struct tree *tree, struct zfs_facts *facts)
{
	const char *arguments[DATA_MAX + 8] = {"get", "-Hp", "-o", "value", "ashift", pool};
	AUTO_FREE char *out = NULL;
	char *line, *next;
	uint64_t ashift, first = 0;
	bool differ = false;

	if (tree->data_count == 0 || !zfs_version_at_least(2, 2))
		return;
	memcpy(arguments + 6, tree->data, tree->data_count * sizeof(tree->data[0]));
	if (zfs_do(ZFS_PROGRAM_ZPOOL, arguments, NULL, "", &out, NULL) < 0)
		return; /* what the pool itself says remains */
	for (line = out; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		if (!zfs_number(line, &ashift) || ashift == 0 || ashift > 63)
			continue;
		differ = differ || (first > 0 && first != ashift);
		first = ashift;
	}
	if (first > 0)
		facts->ashift = differ ? 0 : (unsigned int)first;
}

static int read_tree(const char *pool, struct zfs_pool *result, struct error *err)
{
	const char *arguments[] = {"status", "-PL", pool, NULL};
	AUTO_FREE char *out = NULL;
	struct tree tree = {0};
	char doing[ZFS_NAME_BYTES + 32];
	char *config;
	int r;

	(void)snprintf(doing, sizeof(doing), "reading the layout of pool %s", pool);
	r = zfs_do(ZFS_PROGRAM_ZPOOL, arguments, NULL, doing, &out, err);
	if (r < 0)
		return r;
	config = strstr(out, "\n\tNAME ");
	config = config ? strchr(config + 1, '\n') : NULL;
	if (config)
		r = take_tree(config + 1, &tree);
	if (r < 0) {
		free(tree.leaves);
		if (r == -ENOMEM)
			return error_no_memory(err);
		(void)error_set(err, ERROR_ZFS_FAILED, "", "%s: it has more than %d disks", doing,
				LEAVES_MAX);
		return r;
	}
	write_layout(&tree, result->facts.layout, sizeof(result->facts.layout));
	result->facts.parity = tree.raidz || tree.draid;
	result->facts.recommended_volblocksize = recommend(&tree);
	read_ashift(pool, &tree, &result->facts);
	result->leaf_count = tree.leaf_count;
	result->leaves = tree.leaves;
	return 0;
}

/* ---- its properties ---- */

/* A line's columns, cut at tabs; how many there are. */
static size_t cut(char *line, char *columns[], size_t room)
{
	size_t count = 0;

	while (line && count < room) {
		columns[count++] = line;
		line = strchr(line, '\t');
		if (line)
			*line++ = '\0';
	}
	return count;
}

static void take_property(const char *name, const char *value, struct zfs_facts *facts)
{
	uint64_t number;

	if (strcmp(name, "size") == 0 && zfs_number(value, &number))
		facts->size_bytes = number;
	else if (strcmp(name, "free") == 0 && zfs_number(value, &number))
		facts->free_bytes = number;
	else if (strcmp(name, "ashift") == 0 && zfs_number(value, &number) && number < 64)
		facts->ashift = (unsigned int)number;
	else if (strcmp(name, "fragmentation") == 0 && zfs_number(value, &number) && number <= 100)
		facts->fragmentation_percent = (double)number;
	else if (strcmp(name, "health") == 0)
		(void)snprintf(facts->health, sizeof(facts->health), "%s", value);
	else if (strcmp(name, "readonly") == 0)
		facts->readonly = strcmp(value, "on") == 0;
}

static int read_properties(const char *pool, struct zfs_facts *facts, struct error *err)
{
	const char *arguments[] = {"get",
				   "-Hp",
				   "-o",
				   "property,value",
				   "size,free,fragmentation,health,readonly,ashift",
				   pool,
				   NULL};
	AUTO_FREE char *out = NULL;
	char doing[ZFS_NAME_BYTES + 32];
	char *line, *next;
	int r;

	(void)snprintf(doing, sizeof(doing), "asking OpenZFS of pool %s", pool);
	r = zfs_do(ZFS_PROGRAM_ZPOOL, arguments, NULL, doing, &out, err);
	if (r < 0)
		return r;
	for (line = out; line; line = next) {
		char *columns[2];

		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		if (cut(line, columns, 2) == 2)
			take_property(columns[0], columns[1], facts);
	}
	return 0;
}

int zfs_pool_read(const char *pool, struct zfs_pool *ret_pool, struct error *err)
{
	struct zfs_pool result = {.facts.fragmentation_percent = -1};
	int r = zfs_name_check(pool, err);

	if (r < 0)
		return r;
	(void)snprintf(result.facts.pool, sizeof(result.facts.pool), "%s", pool);
	(void)zfs_version(result.facts.version);
	r = read_properties(pool, &result.facts, err);
	if (r == 0)
		r = read_tree(pool, &result, err);
	if (r < 0)
		zfs_pool_done(&result);
	else
		*ret_pool = result;
	return r;
}

void zfs_pool_done(struct zfs_pool *pool)
{
	free(pool->leaves);
	*pool = (struct zfs_pool){0};
}
