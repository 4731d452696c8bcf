/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * delegation.c - what `zfs allow` has printed, read (privileges.h).
 *
 * The text has a section for the dataset and one for each ancestor that delegates anything, in
 * them lists by scope (print_fs_perms() in cmd/zfs/zfs_main.c):
 *
 *	---- Permissions on tank/volbench ------------------------------------
 *	Permission sets:
 *		@bench create,destroy,@more
 *	Create time permissions:
 *		destroy
 *	Local permissions:
 *		group staff create
 *	Descendent permissions:
 *		everyone mount
 *	Local+Descendent permissions:
 *		user alice create,@bench
 *
 * A set is looked for from the dataset that grants it upward, and the nearest of its name counts
 * (dsl_deleg_access_impl() in module/zfs/dsl_deleg.c).
 */
#include <stdio.h>
#include <string.h>

#include "engine/zfs/name.h"
#include "engine/zfs/privileges.h"

#define SETS_MAX 64 /* of one permission's search; what is beyond grants nothing */

enum scope { SCOPE_NONE, SCOPE_SETS, SCOPE_CREATE, SCOPE_LOCAL, SCOPE_DESCENDENT, SCOPE_BOTH };

static const char *const scope_titles[] = {
	[SCOPE_SETS] = "Permission sets:",
	[SCOPE_CREATE] = "Create time permissions:",
	[SCOPE_LOCAL] = "Local permissions:",
	[SCOPE_DESCENDENT] = "Descendent permissions:",
	[SCOPE_BOTH] = "Local+Descendent permissions:",
};

/* A part of the text. */
struct piece {
	const char *start;
	size_t length;
};

static bool piece_is(struct piece piece, const char *text)
{
	return piece.length == strlen(text) && memcmp(piece.start, text, piece.length) == 0;
}

static bool pieces_same(struct piece a, struct piece b)
{
	return a.length == b.length && memcmp(a.start, b.start, a.length) == 0;
}

static bool take_prefix(struct piece *piece, const char *prefix)
{
	size_t length = strlen(prefix);

	if (piece->length < length || memcmp(piece->start, prefix, length) != 0)
		return false;
	piece->start += length;
	piece->length -= length;
	return true;
}

/* A search for one permission, from the parent upward. */
struct search {
	const char *text;
	const struct privileges_who *who;
	struct piece permission;
	bool made; /* on what is made beneath the parent, else on the parent itself */
	size_t set_count;
	struct set {
		struct piece name; /* with its '@' */
		bool resolved;
	} sets[SETS_MAX];
};

static void add_set(struct search *search, struct piece name)
{
	for (size_t i = 0; i < search->set_count; i++)
		if (pieces_same(search->sets[i].name, name))
			return;
	if (search->set_count < SETS_MAX)
		search->sets[search->set_count++] = (struct set){.name = name};
}

/* Whether the permission is in a list "create,@set,mount"; its sets are noted. */
static bool in_list(struct search *search, struct piece list)
{
	while (list.length > 0) {
		const char *comma = memchr(list.start, ',', list.length);
		size_t length = comma ? (size_t)(comma - list.start) : list.length;
		struct piece one = {list.start, length};

		if (pieces_same(one, search->permission))
			return true;
		if (length > 0 && one.start[0] == '@')
			add_set(search, one);
		length += comma ? 1 : 0;
		list.start += length;
		list.length -= length;
	}
	return false;
}

/* "NAME LIST": the list has no blank in it. */
static bool split_last(struct piece line, struct piece *ret_name, struct piece *ret_list)
{
	size_t at = line.length;

	while (at > 0 && line.start[at - 1] != ' ')
		at--;
	if (at == 0)
		return false;
	*ret_name = (struct piece){line.start, at - 1};
	*ret_list = (struct piece){line.start + at, line.length - at};
	return true;
}

static bool named(struct piece name, const char *text, unsigned int id)
{
	char unknown[48];

	if (text)
		return piece_is(name, text);
	(void)snprintf(unknown, sizeof(unknown), "(unknown: %u)", id);
	return piece_is(name, unknown);
}

static bool is_who(const struct privileges_who *who, struct piece name, bool group)
{
	if (!group)
		return named(name, who->user, who->uid);
	for (size_t i = 0; i < who->group_count; i++)
		if (named(name, who->groups[i], who->gids[i]))
			return true;
	return false;
}

/* A line "user NAME LIST", "group NAME LIST" or "everyone LIST". */
static bool line_grants(struct search *search, struct piece line)
{
	struct piece name, list;
	bool group;

	if (take_prefix(&line, "everyone "))
		return in_list(search, line);
	group = take_prefix(&line, "group ");
	if (!group && !take_prefix(&line, "user "))
		return false;
	return split_last(line, &name, &list) && is_who(search->who, name, group) &&
	       in_list(search, list);
}

static bool scope_counts(enum scope scope, bool made, bool at_parent)
{
	switch (scope) {
	case SCOPE_BOTH:
		return true;
	case SCOPE_LOCAL:
		return !made && at_parent;
	case SCOPE_DESCENDENT:
		return made || !at_parent;
	case SCOPE_CREATE:
		return made;
	case SCOPE_NONE:
	case SCOPE_SETS:
		break;
	}
	return false;
}

/* The next line of what is left of a text, without its newline; false at the end. */
static bool next_line(const char **rest, struct piece *ret_line)
{
	if (**rest == '\0')
		return false;
	*ret_line = (struct piece){*rest, strcspn(*rest, "\n")};
	*rest += ret_line->length;
	*rest += **rest == '\n';
	return true;
}

static enum scope scope_of(struct piece line)
{
	for (size_t i = SCOPE_SETS; i < ARRAY_SIZE(scope_titles); i++)
		if (piece_is(line, scope_titles[i]))
			return (enum scope)i;
	return SCOPE_NONE;
}

/* Calls visit with the lines of one dataset's section and their scopes until it returns true. */
static bool each_line(struct search *search, struct piece level,
		      bool (*visit)(struct search *search, enum scope scope, struct piece line,
				    void *arg),
		      void *arg)
{
	const char *rest = search->text;
	enum scope scope = SCOPE_NONE;
	bool ours = false;
	struct piece line;

	while (next_line(&rest, &line)) {
		if (take_prefix(&line, "---- Permissions on ")) {
			const char *blank = memchr(line.start, ' ', line.length);

			line.length = blank ? (size_t)(blank - line.start) : line.length;
			ours = pieces_same(line, level);
			scope = SCOPE_NONE;
		} else if (!take_prefix(&line, "\t")) {
			scope = scope_of(line);
		} else if (ours && visit(search, scope, line, arg)) {
			return true;
		}
	}
	return false;
}

static bool visit_grant(struct search *search, enum scope scope, struct piece line, void *arg)
{
	const bool *at_parent = arg;

	if (!scope_counts(scope, search->made, *at_parent))
		return false;
	return scope == SCOPE_CREATE ? in_list(search, line) : line_grants(search, line);
}

static bool visit_set(struct search *search, enum scope scope, struct piece line, void *arg)
{
	struct set *set = arg;
	struct piece name, list;

	if (scope != SCOPE_SETS || !split_last(line, &name, &list) || !pieces_same(name, set->name))
		return false;
	set->resolved = true;
	return in_list(search, list);
}

static bool level_grants(struct search *search, struct piece level, bool at_parent)
{
	if (each_line(search, level, visit_grant, &at_parent))
		return true;
	/* Sets that are met while this goes on are added at the end. */
	for (size_t i = 0; i < search->set_count; i++)
		if (!search->sets[i].resolved &&
		    each_line(search, level, visit_set, &search->sets[i]))
			return true;
	return false;
}

static bool search_grants(struct search *search, const char *parent)
{
	struct piece level = {parent, strlen(parent)};

	for (bool at_parent = true;; at_parent = false) {
		if (level_grants(search, level, at_parent))
			return true;
		while (level.length > 0 && level.start[level.length - 1] != '/')
			level.length--;
		if (level.length == 0)
			return false;
		level.length--; /* the '/' */
	}
}

bool privileges_delegated(const char *text, const char *parent, const struct privileges_who *who,
			  const struct privileges_want *want)
{
	struct search search = {
		.text = text,
		.who = who,
		.permission = {want->name, strlen(want->name)},
	};

	if (want->on_parent && !search_grants(&search, parent))
		return false;
	if (!want->on_made)
		return true;
	search.made = true;
	search.set_count = 0;
	return search_grants(&search, parent);
}
