/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * digest.h - tells one request from another under one Idempotency-Key: FNV-1a with two offsets, and
 * the length. A guard against a client's mistake, not against an enemy.
 */
#ifndef API_DIGEST_H
#define API_DIGEST_H

#include <stddef.h>
#include <stdint.h>

struct request;

#define DIGEST_TEXT_MAX 64

struct digest {
	uint64_t a, b;
	size_t size;
};

void digest_begin(struct digest *digest);
void digest_add(struct digest *digest, const char *data, size_t size);
void digest_add_text(struct digest *digest, const char *text); /* with its end; NULL as "" */
void digest_add_query(struct digest *digest, const struct request *request);
const char *digest_end(const struct digest *digest, char buffer[DIGEST_TEXT_MAX]);

#endif
