/* SPDX-License-Identifier: GPL-3.0-or-later */
/* problem.c - see problem.h. */
#include "api/problem.h"

#include <jansson.h>

#include "server/codec/json.h"

/* 400 the request cannot be understood; 403 forbidden to everybody; 404 no such thing; 409 in
 * conflict with what is there now; 422 understood, but not a definition that can be run; 503 not
 * now; 507 the service's own disk is full. */
static const unsigned short statuses[ERROR_CODE_COUNT] = {
	[ERROR_JSON_INVALID] = 400,
	[ERROR_JSON_TOO_DEEP] = 400,
	[ERROR_JSON_NUMBER] = 400,
	[ERROR_UNKNOWN_FIELD] = 422,
	[ERROR_MISSING_FIELD] = 422,
	[ERROR_WRONG_TYPE] = 422,
	[ERROR_BAD_VALUE] = 422,
	[ERROR_BAD_SIZE] = 422,
	[ERROR_BAD_TIME] = 422,
	[ERROR_OUT_OF_RANGE] = 422,
	[ERROR_TOO_MANY] = 422,
	[ERROR_DUPLICATE] = 422,
	[ERROR_CONFLICT] = 422,
	[ERROR_UNSUPPORTED] = 422,
	[ERROR_UNKNOWN_DEFINITION] = 422,
	[ERROR_UNSUPPORTED_SCHEMA] = 422,
	[ERROR_TARGET_NOT_ALLOWED] = 403,
	[ERROR_TARGET_MISSING] = 422,
	[ERROR_TARGET_TYPE] = 422,
	[ERROR_FILE_EXISTS] = 409,
	[ERROR_TARGET_BUSY] = 409,
	[ERROR_TARGET_READ_ONLY] = 409,
	[ERROR_TARGET_HAS_SIGNATURE] = 409,
	[ERROR_TARGET_NOT_BLANK] = 409,
	[ERROR_TARGET_TOO_SMALL] = 422,
	[ERROR_FINGERPRINT_MISMATCH] = 409,
	[ERROR_DIRECT_UNSUPPORTED] = 422,
	[ERROR_NO_SPACE] = 422,
	[ERROR_ZFS_UNAVAILABLE] = 422,
	[ERROR_ZFS_PERMISSION] = 403,
	[ERROR_ZFS_FAILED] = 502,
	[ERROR_MEMORY_LIMIT] = 503,
	[ERROR_TOO_MANY_THREADS] = 422,
	[ERROR_ENGINE_BUSY] = 503,
	[ERROR_ENGINE_FAILED] = 502,
	[ERROR_IO_ERROR] = 500,
	[ERROR_VERIFY_FAILED] = 500,
	[ERROR_CANCELLED] = 409,
	[ERROR_INTERRUPTED] = 503,
	[ERROR_NOT_FOUND] = 404,
	[ERROR_BAD_ID] = 400,
	[ERROR_BAD_NAME] = 400,
	[ERROR_BAD_PARAMETER] = 400,
	[ERROR_BUILT_IN] = 409,
	[ERROR_NOT_FINISHED] = 409,
	[ERROR_RUN_ACTIVE] = 409,
	[ERROR_ALREADY_FINISHED] = 409,
	[ERROR_QUEUE_FULL] = 503,
	[ERROR_STORAGE_FULL] = 507,
	[ERROR_READ_ONLY] = 503,
	[ERROR_SHUTTING_DOWN] = 503,
	[ERROR_IDEMPOTENCY_MISMATCH] = 409,
	[ERROR_BAD_REQUEST] = 400,
	[ERROR_BAD_HOST] = 400,
	[ERROR_HOST_NOT_ALLOWED] = 421,
	[ERROR_CROSS_ORIGIN] = 403,
	[ERROR_FRAMING] = 400,
	[ERROR_TRANSFER_ENCODING] = 501,
	[ERROR_EXPECTATION] = 417,
	[ERROR_BAD_PATH] = 400,
	[ERROR_METHOD_UNKNOWN] = 501,
	[ERROR_METHOD_NOT_ALLOWED] = 405,
	[ERROR_CONTENT_TYPE] = 415,
	[ERROR_BODY_TOO_LARGE] = 413,
	[ERROR_HEADERS_TOO_LARGE] = 431,
	[ERROR_TOO_MANY_STREAMS] = 503,
	[ERROR_SYSTEM] = 500,
	[ERROR_NO_MEMORY] = 503,
};

int problem_status(enum error_code code)
{
	if ((size_t)code >= ARRAY_SIZE(statuses) || statuses[code] == 0)
		return 500;
	return statuses[code];
}

unsigned int problem_retry_after_s(enum error_code code)
{
	switch (code) {
	case ERROR_QUEUE_FULL:
	case ERROR_STORAGE_FULL:
	case ERROR_READ_ONLY:
		return 60;
	case ERROR_TOO_MANY_STREAMS:
	case ERROR_ENGINE_BUSY:
	case ERROR_MEMORY_LIMIT:
	case ERROR_SHUTTING_DOWN:
	case ERROR_INTERRUPTED:
	case ERROR_NO_MEMORY:
		return 5;
	default:
		return 0;
	}
}

char *problem_text(const struct error *err)
{
	json_t *document = json_problem(err, problem_status(err->code));
	char *text = document ? json_write(document) : NULL;

	json_decref(document);
	return text;
}
