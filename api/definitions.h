/* SPDX-License-Identifier: GPL-3.0-or-later */
/* definitions.h - the built-in definitions, compiled in from api/definitions/(name).json. */
#ifndef API_DEFINITIONS_H
#define API_DEFINITIONS_H

#include <stddef.h>

size_t built_in_count(void);
const char *built_in_name(size_t index);
const char *built_in_text(const char *name); /* NULL: none of that name */

#endif
