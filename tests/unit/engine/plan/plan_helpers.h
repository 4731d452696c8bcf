/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plan_helpers.h - definitions for tests, built without JSON. Include behind cmocka.h. */
#ifndef TESTS_PLAN_HELPERS_H
#define TESTS_PLAN_HELPERS_H

#include <stdlib.h>
#include <string.h>

#include "engine/plan/definition.h"

/* "bs=4k rw=read" into a workload; "fio: --bs=4k" as a command line. */
static inline void set_options(struct workload *workload, const char *options)
{
	char copy[512];
	char *rest = copy, *word;
	struct error err = {0};

	if (strncmp(options, "fio: ", 5) == 0) {
		if (workload_parse_fio(options + 5, workload, &err) != 0)
			fail_msg("%s: %s", options, err.message);
		return;
	}
	(void)snprintf(copy, sizeof(copy), "%s", options);
	while ((word = strsep(&rest, " "))) {
		char *value = strchr(word, '=');

		if (!*word)
			continue;
		assert_non_null(value);
		*value++ = '\0';
		if (option_parse(option_find(word), value, workload, &err) != 0)
			fail_msg("%s=%s: %s", word, value, err.message);
	}
}

static inline struct target_spec *add_target(struct definition *definition, enum target_kind kind,
					     const char *name, const char *path)
{
	struct target_spec *target;

	definition->targets = reallocarray(definition->targets, definition->target_count + 1,
					   sizeof(*definition->targets));
	target = &definition->targets[definition->target_count++];
	*target = (struct target_spec){.kind = kind, .path = strdup(path)};
	target->name = name ? strdup(name) : NULL;
	return target;
}

static inline void add_workload(struct definition *definition, const char *options)
{
	definition->workloads = reallocarray(definition->workloads, definition->workload_count + 1,
					     sizeof(*definition->workloads));
	workload_init(&definition->workloads[definition->workload_count]);
	set_options(&definition->workloads[definition->workload_count++], options);
}

/* levels: "4k 8k" */
static inline void add_factor(struct definition *definition, const char *name, const char *levels)
{
	struct factor *factor;
	char copy[512];
	char *rest = copy, *word;

	definition->factors = reallocarray(definition->factors, definition->factor_count + 1,
					   sizeof(*definition->factors));
	factor = &definition->factors[definition->factor_count++];
	*factor = (struct factor){.name = strdup(name)};
	factor->kind = strcmp(name, "target") == 0 ? FACTOR_TARGET : FACTOR_OPTION;
	factor->option = factor->kind == FACTOR_OPTION ? option_find(name) : NULL;
	if (factor->kind == FACTOR_OPTION && !factor->option) /* sync and direct are options here */
		factor->kind = FACTOR_PROPERTY;
	factor->levels = calloc(80, sizeof(*factor->levels));
	(void)snprintf(copy, sizeof(copy), "%s", levels);
	while ((word = strsep(&rest, " ")))
		factor->levels[factor->level_count++] = strdup(word);
}

/* A fresh definition with a name and, unless path is NULL, a file as target. */
static inline void start_definition(struct definition *definition, const char *path)
{
	definition_init(definition);
	definition->name = strdup("test");
	definition->seed = 1;
	if (path)
		add_target(definition, TARGET_FILE, NULL, path);
}

static inline void check_ok(struct definition *definition)
{
	struct error err = {0};

	if (definition_check(definition, &err) != 0)
		fail_msg("%s: %s: %s", error_code_text(err.code), err.field, err.message);
}

static inline void check_bad(struct definition *definition, enum error_code code,
			     const char *pointer)
{
	struct error err = {0};

	if (definition_check(definition, &err) == 0)
		fail_msg("%s at %s was expected", error_code_text(code), pointer);
	if (err.code != code || strcmp(err.field, pointer) != 0)
		fail_msg("%s at %s was expected, not %s at %s: %s", error_code_text(code), pointer,
			 error_code_text(err.code), err.field, err.message);
	definition_done(definition);
}

#endif
