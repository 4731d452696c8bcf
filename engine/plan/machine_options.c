/* SPDX-License-Identifier: GPL-3.0-or-later */
/* machine_options.c - see machine_options.h. */
#include "engine/plan/machine_options.h"

#include <stdio.h>

#include "engine/plan/cpus.h"

#define CLASS_IDLE 3

static int check_cpus(const struct workload *workload, struct error *err)
{
	struct cpus cpus;
	int r;

	if (!workload->cpus_allowed) {
		if (!workload_is_set(workload, OPTION_ID_CPUS_ALLOWED_POLICY))
			return 0;
		return error_set(err, ERROR_CONFLICT, "cpus_allowed_policy",
				 "cpus_allowed_policy deals out the CPUs of cpus_allowed: give "
				 "that as well, or leave it out");
	}
	r = cpus_parse(workload->cpus_allowed, &cpus, err);
	if (r < 0 && err)
		(void)snprintf(err->field, sizeof(err->field), "cpus_allowed"); /* it fits */
	return r;
}

int machine_options_check(const struct workload *workload, struct error *err)
{
	int r = check_cpus(workload, err);

	if (r == 0 && workload->prioclass == CLASS_IDLE &&
	    workload_is_set(workload, OPTION_ID_PRIO))
		r = error_set(err, ERROR_CONFLICT, "prio",
			      "prioclass=3, idle, has no levels: leave prio out");
	return r;
}
