/* SPDX-License-Identifier: GPL-3.0-or-later */
/* files_plan.c - see files_plan.h. */
#include "engine/io/files/files_plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engine/io/random.h"

#define DIGITS 8

/* What is derived from a job's seed: sizes, contents, and an order for each phase. */
enum { OF_SIZES, OF_CONTENTS, OF_ORDERS };

void files_plan_init(struct files_plan *plan, const struct workload *workload, size_t job,
		     uint64_t seed)
{
	*plan = (struct files_plan){
		.files = workload->nrfiles,
		.directories = workload->directories,
		.bytes_least = workload->filesize[0],
		.bytes_most = workload->filesize[1],
		.seed = random_derive(seed, job),
	};
}

uint64_t files_plan_directory(const struct files_plan *plan, uint64_t file)
{
	return file * plan->directories / plan->files; /* at most 10^6 x 1000 */
}

static uint64_t draw(const struct files_plan *plan, uint64_t what, uint64_t file)
{
	struct random random;

	random_init(&random, random_derive(random_derive(plan->seed, what), file));
	return random_next(&random);
}

uint64_t files_plan_bytes(const struct files_plan *plan, uint64_t file)
{
	uint64_t span = plan->bytes_most - plan->bytes_least + 1;

	return span == 1 ? plan->bytes_least
			 : plan->bytes_least + random_scale(draw(plan, OF_SIZES, file), span);
}

uint64_t files_plan_content(const struct files_plan *plan, uint64_t file)
{
	return draw(plan, OF_CONTENTS, file);
}

const char *files_plan_name(uint64_t file, bool renamed, char buffer[FILES_NAME_MAX])
{
	buffer[0] = renamed ? 'r' : 'f';
	for (int i = DIGITS; i > 0; i--) {
		buffer[i] = (char)('0' + file % 10);
		file /= 10;
	}
	buffer[DIGITS + 1] = '\0';
	return buffer;
}

bool files_plan_is_name(const char *name)
{
	return (name[0] == 'f' || name[0] == 'r') && strlen(name) == DIGITS + 1 &&
	       strspn(name + 1, "0123456789") == DIGITS;
}

void files_plan_order(const struct files_plan *plan, bool random, enum file_operation phase,
		      uint32_t *order)
{
	struct random keys;

	for (uint64_t i = 0; i < plan->files; i++)
		order[i] = (uint32_t)i;
	if (!random)
		return;
	random_init(&keys, random_derive(plan->seed, (uint64_t)OF_ORDERS + (uint64_t)phase));
	for (uint64_t i = plan->files - 1; i > 0; i--) {
		uint64_t other = random_scale(random_next(&keys), i + 1);
		uint32_t kept = order[i];

		order[i] = order[other];
		order[other] = kept;
	}
}
