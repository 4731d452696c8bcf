/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fio_command.c - `volbench fio`: a definition as the job file that makes fio do the same. */
#include <stdio.h>
#include <stdlib.h>

#include "engine/base/macros.h"
#include "engine/plan/fio_job.h"
#include "server/commands.h"
#include "server/source.h"

/* The whole or nothing: half a job file would run. */
static int print(const struct definition *definition, struct error *err)
{
	AUTO_FREE char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int r;

	if (!out)
		return error_no_memory(err);
	r = fio_job_write(definition, out, err);
	if (fclose(out) != 0 && r == 0)
		r = error_no_memory(err);
	if (r == 0)
		(void)fputs(text, stdout); /* its end is looked at by fflush() */
	return r;
}

int command_fio(const struct options *options, const struct command_hooks *hooks)
{
	struct definition definition;
	struct error err;
	int status = 0;

	definition_init(&definition);
	if (source_load(options, hooks, &definition, &err) < 0 || print(&definition, &err) < 0) {
		source_complain(options, &err);
		status = 2;
	}
	definition_done(&definition);
	if ((fflush(stdout) != 0 || ferror(stdout)) && status == 0) {
		perror("volbench: standard output");
		status = 1;
	}
	return status;
}
