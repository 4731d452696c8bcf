/* SPDX-License-Identifier: GPL-3.0-or-later */
/* digest.c - see digest.h. */
#include "api/digest.h"

#include <stdio.h>
#include <string.h>

#include "api/request.h"

void digest_begin(struct digest *digest)
{
	*digest = (struct digest){UINT64_C(0xcbf29ce484222325), UINT64_C(0x6c62272e07bb0142), 0};
}

void digest_add(struct digest *digest, const char *data, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		digest->a = (digest->a ^ (unsigned char)data[i]) * UINT64_C(0x100000001b3);
		digest->b = (digest->b ^ (unsigned char)data[i] ^ 0xa5) * UINT64_C(0x100000001b3);
	}
	digest->size += size;
}

void digest_add_text(struct digest *digest, const char *text)
{
	digest_add(digest, text ? text : "", (text ? strlen(text) : 0) + 1);
}

void digest_add_query(struct digest *digest, const struct request *request)
{
	for (size_t i = 0; request->route->parameters && request->route->parameters[i]; i++) {
		const char *name = request->route->parameters[i];
		const char *value = request_parameter(request, name);

		if (!value)
			continue;
		digest_add_text(digest, name);
		digest_add_text(digest, value);
	}
}

const char *digest_end(const struct digest *digest, char buffer[DIGEST_TEXT_MAX])
{
	(void)snprintf(buffer, DIGEST_TEXT_MAX, "%016llx%016llx%08zx",
		       (unsigned long long)digest->a, (unsigned long long)digest->b, digest->size);
	return buffer;
}
