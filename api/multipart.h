/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * multipart.h - a body of multipart/form-data (RFC 7578, RFC 2046) taken apart where it lies.
 *
 * Strict: the body begins with the boundary; each part has a Content-Disposition of form-data with
 * a name; what another transfer encoding hides is refused. Nothing of the body is copied but names.
 * Any thread; nothing is allocated.
 */
#ifndef API_MULTIPART_H
#define API_MULTIPART_H

#include <stddef.h>

#include "engine/base/error.h"

#define MULTIPART_PARTS_MAX 256
#define MULTIPART_HEADERS_MAX 4096 /* bytes of a part's headers */

struct multipart_part {
	char name[32];
	char filename[256]; /* "" where it is no file; cleaned (text_clean) and cut */
	const char *data;
	size_t size;
};

/* BAD_REQUEST that says which part is wrong; TOO_MANY. */
MUST_CHECK int multipart_parse(const char *boundary, const char *body, size_t size,
			       struct multipart_part parts[MULTIPART_PARTS_MAX], size_t *ret_count,
			       struct error *err);

#endif
