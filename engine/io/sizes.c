/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sizes.c - see sizes.h. */
#include "engine/io/sizes.h"

void sizes_init(struct sizes *sizes, const struct workload *workload, enum direction direction)
{
	sizes->least = sizes->most = workload->bs[direction];
}
