/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * error.h - what a user must read when something cannot be done.
 *
 * Functions return 0 or -errno; those whose failure a user must understand also fill a
 * `struct error`, their last parameter. The code is stable and part of the REST contract
 * (api/problem.c maps it to an HTTP status); the field is a JSON pointer (RFC 6901) into the
 * document that was handed in, "" when no field is to blame; the message says what is wrong and
 * what would be right, in one sentence without a trailing newline.
 *
 * `err` may be NULL where the caller does not care. Only the first error is kept: a function that
 * sets one returns at once.
 */
#ifndef ENGINE_BASE_ERROR_H
#define ENGINE_BASE_ERROR_H

#include "engine/base/macros.h"

/* clang-format off */
#define ERROR_CODES(X)                                                                             \
	/* the text of a document */                                                               \
	X(JSON_INVALID, "json_invalid")            /* not JSON, duplicate key, NUL, bad UTF-8 */   \
	X(JSON_TOO_DEEP, "json_too_deep")                                                          \
	X(JSON_NUMBER, "json_number")              /* beyond 2^63-1 or a double */                 \
	/* its members */                                                                          \
	X(UNKNOWN_FIELD, "unknown_field")                                                          \
	X(MISSING_FIELD, "missing_field")                                                          \
	X(WRONG_TYPE, "wrong_type")                                                                \
	X(BAD_VALUE, "bad_value")                  /* of the right type, but not one of those */   \
	X(BAD_SIZE, "bad_size")                                                                    \
	X(BAD_TIME, "bad_time")                                                                    \
	X(OUT_OF_RANGE, "out_of_range")                                                            \
	X(TOO_MANY, "too_many")                                                                    \
	X(DUPLICATE, "duplicate")                  /* a name or level given twice */               \
	X(CONFLICT, "conflicting_options")         /* two members that exclude each other */       \
	X(UNSUPPORTED, "unsupported_option")       /* an fio option Volbench does not have */      \
	X(UNKNOWN_DEFINITION, "unknown_definition")                                                \
	X(UNSUPPORTED_SCHEMA, "unsupported_schema")                                                \
	/* the target */                                                                           \
	X(TARGET_NOT_ALLOWED, "target_not_allowed")                                                \
	X(TARGET_MISSING, "target_missing")                                                        \
	X(TARGET_TYPE, "target_type")                                                              \
	X(FILE_EXISTS, "file_exists")                                                              \
	X(TARGET_BUSY, "target_busy")                                                              \
	X(TARGET_READ_ONLY, "target_read_only")                                                    \
	X(TARGET_HAS_SIGNATURE, "target_has_signature")                                            \
	X(TARGET_NOT_BLANK, "target_not_blank")                                                    \
	X(TARGET_TOO_SMALL, "target_too_small")                                                    \
	X(FINGERPRINT_MISMATCH, "fingerprint_mismatch")                                            \
	X(DIRECT_UNSUPPORTED, "direct_unsupported")                                                \
	X(NO_SPACE, "no_space")                    /* the target's file system is too full */      \
	X(ZFS_UNAVAILABLE, "zfs_unavailable")      /* no OpenZFS on this machine */                \
	X(ZFS_PERMISSION, "zfs_permission")        /* not delegated (zfs allow) */                 \
	X(ZFS_FAILED, "zfs_failed")                /* zfs or zpool refused, or hung */             \
	/* the engine */                                                                           \
	X(MEMORY_LIMIT, "memory_limit")                                                            \
	X(TOO_MANY_THREADS, "too_many_threads")                                                    \
	X(ENGINE_BUSY, "engine_busy")              /* another run holds the engine's lock */       \
	X(ENGINE_FAILED, "engine_failed")          /* it died, or broke the protocol */            \
	X(IO_ERROR, "io_error")                    /* an operation on the target failed */         \
	X(VERIFY_FAILED, "verify_failed")          /* what was read back is not what was written */ \
	X(CANCELLED, "cancelled")                                                                  \
	X(INTERRUPTED, "interrupted")                                                              \
	/* the service */                                                                          \
	X(NOT_FOUND, "not_found")                                                                  \
	X(BAD_ID, "bad_id")                                                                        \
	X(BAD_NAME, "bad_name")                                                                    \
	X(BAD_PARAMETER, "bad_parameter")          /* in the query of a URL */                     \
	X(BUILT_IN, "built_in_definition")         /* cannot be changed or removed */              \
	X(NOT_FINISHED, "not_finished")            /* the run has no such document yet */          \
	X(RUN_ACTIVE, "run_active")                /* cannot be removed while it runs */           \
	X(ALREADY_FINISHED, "already_finished")                                                    \
	X(QUEUE_FULL, "queue_full")                                                                \
	X(STORAGE_FULL, "storage_full")            /* the state directory's file system */         \
	X(READ_ONLY, "read_only")                  /* the store stopped writing after errors */    \
	X(SHUTTING_DOWN, "shutting_down")                                                          \
	X(IDEMPOTENCY_MISMATCH, "idempotency_mismatch")                                            \
	/* HTTP */                                                                                 \
	X(BAD_REQUEST, "bad_request")                                                              \
	X(BAD_HOST, "bad_host")                                                                    \
	X(HOST_NOT_ALLOWED, "host_not_allowed")                                                    \
	X(CROSS_ORIGIN, "cross_origin")                                                            \
	X(FRAMING, "framing")                                                                      \
	X(TRANSFER_ENCODING, "transfer_encoding")                                                  \
	X(EXPECTATION, "expectation")                                                              \
	X(BAD_PATH, "bad_path")                                                                    \
	X(METHOD_UNKNOWN, "method_unknown")                                                        \
	X(METHOD_NOT_ALLOWED, "method_not_allowed")                                                \
	X(CONTENT_TYPE, "content_type")                                                            \
	X(BODY_TOO_LARGE, "body_too_large")                                                        \
	X(HEADERS_TOO_LARGE, "headers_too_large")                                                  \
	X(TOO_MANY_STREAMS, "too_many_streams")                                                    \
	/* anything else: a system call of our own failed */                                       \
	X(SYSTEM, "system_error")                                                                  \
	X(NO_MEMORY, "out_of_memory")
/* clang-format on */

enum error_code {
	ERROR_NONE = 0,
#define X(id, text) ERROR_##id,
	ERROR_CODES(X)
#undef X
		ERROR_CODE_COUNT
};

#define ERROR_FIELD_MAX 256
#define ERROR_MESSAGE_MAX 512

struct error {
	enum error_code code;
	char field[ERROR_FIELD_MAX];	 /* JSON pointer, "" for none */
	char message[ERROR_MESSAGE_MAX]; /* UTF-8, one sentence */
	int sys;			 /* errno behind it, 0 for none */
};

/*
 * error_set - fill *err (nothing when NULL) and return the -errno that goes with the code:
 * -sys where the code is SYSTEM and sys is given, else -EINVAL. A too long text is cut at a
 * character's start.
 */
int error_set(struct error *err, enum error_code code, const char *field, const char *format, ...)
	PRINTF_LIKE(4, 5);

/* The same for a failed system call: the message gets ": " and strerror(sys); returns -sys. */
int error_set_sys(struct error *err, enum error_code code, int sys, const char *format, ...)
	PRINTF_LIKE(4, 5);

/* NO_MEMORY; returns -ENOMEM. */
int error_no_memory(struct error *err);

/* Puts `prefix` (a JSON pointer) before the field, for errors found inside a nested document. */
void error_prefix_field(struct error *err, const char *prefix);

/* "unknown_field" for ERROR_UNKNOWN_FIELD; "none" for ERROR_NONE. Never NULL. */
const char *error_code_text(enum error_code code);

/* The code of a text, ERROR_NONE when there is no such code. */
enum error_code error_code_from_text(const char *text);

#endif
