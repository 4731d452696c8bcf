/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fio_names.h - fio's vocabulary around our option table: second names of the options we have, and
 * the names of those we lack, so that they are refused by name rather than as unknown.
 */
#ifndef ENGINE_PLAN_FIO_NAMES_H
#define ENGINE_PLAN_FIO_NAMES_H

#include "engine/plan/option.h"

/* fio's other name of an option we have ("blocksize" gives "bs"); NULL: none. */
const char *fio_alias(const char *name);

#endif
