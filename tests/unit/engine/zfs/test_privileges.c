/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_privileges.c - what `zfs allow` has printed, and what is missing in it. */
#include "engine/zfs/privileges.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const char *const own_groups[] = {"alice", "staff", NULL};
static const gid_t own_ids[] = {1000, 50, 7777};
static const struct privileges_who alice = {
	.user = "alice",
	.uid = 1000,
	.group_count = ARRAY_SIZE(own_ids),
	.groups = own_groups,
	.gids = own_ids,
};

static bool on_parent(const char *text, const char *name)
{
	const struct privileges_want want = {.name = name, .on_parent = true};

	return privileges_delegated(text, "tank/volbench", &alice, &want);
}

static bool on_made(const char *text, const char *name)
{
	const struct privileges_want want = {.name = name, .on_made = true};

	return privileges_delegated(text, "tank/volbench", &alice, &want);
}

static void test_nothing(void **state)
{
	(void)state;
	assert_false(on_parent("", "create"));
	assert_false(on_made("", "destroy"));
	assert_false(on_made("no such text\n\tuser alice destroy\n", "destroy"));
	/* A list without a section, a section without a title. */
	assert_false(on_made("Local+Descendent permissions:\n\tuser alice destroy\n", "destroy"));
	assert_false(on_made("---- Permissions on tank/volbench ---\n\tuser alice destroy\n",
			     "destroy"));
}

#define PARENT "---- Permissions on tank/volbench ------------------------------------\n"
#define POOL "---- Permissions on tank ---------------------------------------------\n"
#define OTHER "---- Permissions on tank/volbenchx -----------------------------------\n"

static void test_scopes(void **state)
{
	static const char text[] =
		PARENT "Create time permissions:\n"
		       "\tdestroy,volsize\n"
		       "Local permissions:\n"
		       "\tuser alice create\n"
		       "Descendent permissions:\n"
		       "\tuser alice compression\n"
		       "Local+Descendent permissions:\n"
		       "\tuser alice mount,sync\n" POOL "Create time permissions:\n"
		       "\trename\n"
		       "Local permissions:\n"
		       "\tuser alice send\n"
		       "Descendent permissions:\n"
		       "\tuser alice volmode\n" OTHER "Local+Descendent permissions:\n"
		       "\tuser alice dedup\n";
	static const struct {
		const char *name;
		bool parent, made;
	} cases[] = {
		{"create", true, false},	{"destroy", false, true},
		{"volsize", false, true},	{"compression", false, true},
		{"mount", true, true},		{"sync", true, true},
		{"rename", false, true},	{"send", false, false},
		{"volmode", true, true},	{"dedup", false, false},
		{"volblocksize", false, false}, {"", false, false},
		{"mount,sync", false, false},	{"syn", false, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct privileges_want both = {cases[i].name, true, true};

		if (on_parent(text, cases[i].name) != cases[i].parent ||
		    on_made(text, cases[i].name) != cases[i].made)
			fail_msg("%s", cases[i].name);
		assert_int_equal(privileges_delegated(text, "tank/volbench", &alice, &both),
				 cases[i].parent && cases[i].made);
	}
}

static void test_who(void **state)
{
	static const char text[] = PARENT "Local+Descendent permissions:\n"
					  "\tuser bob destroy\n"
					  "\tuser alice smith volmode\n"
					  "\tuser (unknown: 1000) rename\n"
					  "\tgroup staff create\n"
					  "\tgroup alicex send\n"
					  "\tgroup (unknown: 7777) mount\n"
					  "\tgroup (unknown: 50) hold\n"
					  "\teveryone sync\n";
	const struct privileges_who nobody = {.uid = 1000};
	const struct privileges_want rename = {.name = "rename", .on_made = true};

	(void)state;
	assert_false(on_made(text, "destroy"));
	assert_false(on_made(text, "volmode"));
	assert_false(on_made(text, "rename")); /* alice has a name */
	assert_true(on_made(text, "create"));
	assert_false(on_made(text, "send"));
	assert_true(on_made(text, "mount"));
	assert_false(on_made(text, "hold"));
	assert_true(on_made(text, "sync"));
	assert_true(privileges_delegated(text, "tank/volbench", &nobody, &rename));
}

static void test_sets(void **state)
{
	static const char text[] = PARENT "Permission sets:\n"
					  "\t@near create,@more\n"
					  "\t@unused rename\n"
					  "\t@loop @loop,@turn\n"
					  "\t@turn @loop\n"
					  "Create time permissions:\n"
					  "\t@made\n"
					  "Local+Descendent permissions:\n"
					  "\tuser alice @near,@loop,@gone\n"
					  "\tuser bob @unused\n" POOL "Permission sets:\n"
					  "\t@near destroy\n"
					  "\t@more mount\n"
					  "\t@made volsize\n";

	(void)state;
	assert_true(on_parent(text, "create"));
	assert_true(on_parent(text, "mount")); /* by a set of the pool's that a set names */
	assert_false(on_made(text, "rename"));
	assert_false(on_made(text, "destroy")); /* the nearest set of a name counts */
	assert_true(on_made(text, "volsize"));
	assert_false(on_parent(text, "volsize"));
}

/* More sets than are followed, and lines that are cut off. */
static void test_odd(void **state)
{
	char text[8192] = PARENT "Local+Descendent permissions:\n\tuser alice ";
	size_t used = strlen(text);

	(void)state;
	for (unsigned int i = 0; i < 500; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "@set%u,", i);
	(void)snprintf(text + used, sizeof(text) - used, "create");
	assert_true(on_parent(text, "create"));
	assert_false(on_parent(text, "destroy"));
	for (size_t length = strlen(text); length > 0; length--) {
		text[length] = '\0';
		assert_false(on_parent(text, "destroy"));
	}
}

static bool is_wanted(const struct privileges_want *wants, size_t count, const char *name)
{
	size_t times = 0;

	for (size_t i = 0; i < count; i++)
		times += strcmp(wants[i].name, name) == 0;
	assert_true(times <= 1);
	return times == 1;
}

static void test_wanted(void **state)
{
	struct target_spec spec = {.kind = TARGET_ZVOL};
	struct privileges_want *wants;
	size_t count;

	(void)state;
	assert_int_equal(properties_set(&spec.properties, "compression", "off"), 0);
	assert_int_equal(properties_set(&spec.properties, "volmode", "dev"), 0);
	assert_int_equal(properties_set(&spec.properties, "volblocksize", "4K"), 0);
	assert_int_equal(properties_set(&spec.properties, "my:mark", "a"), 0);
	assert_int_equal(privileges_wanted(&spec, &wants, &count), 0);
	for (const char *const *name =
		     (const char *const[]){"create", "mount", "destroy", "userprop", "volmode",
					   "compression", "refreservation", NULL};
	     *name; name++)
		if (!is_wanted(wants, count, *name))
			fail_msg("%s", *name);
	assert_false(is_wanted(wants, count, "my:mark"));
	assert_false(is_wanted(wants, count, "volblocksize"));
	free(wants);
	spec.sparse = true;
	assert_int_equal(privileges_wanted(&spec, &wants, &count), 0);
	assert_false(is_wanted(wants, count, "refreservation"));
	free(wants);
	target_spec_done(&spec);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing), cmocka_unit_test(test_scopes),
		cmocka_unit_test(test_who),	cmocka_unit_test(test_sets),
		cmocka_unit_test(test_odd),	cmocka_unit_test(test_wanted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
