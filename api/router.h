/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * router.h - which handler answers a method and a path.
 *
 * One table (router.c) holds every call the service has. A pattern's parts are literal or one of
 * {id} (a run's), {name} (a definition's), {file} (of a report or of the pages), and the part is
 * checked for its kind here, so a handler never sees a malformed one. Pure functions.
 */
#ifndef API_ROUTER_H
#define API_ROUTER_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/error.h"

enum method {
	METHOD_GET,
	METHOD_HEAD,
	METHOD_POST,
	METHOD_PUT,
	METHOD_DELETE,
	METHOD_OPTIONS,
	METHOD_PATCH,
	METHOD_TRACE,
	METHOD_CONNECT,
	METHOD_COUNT
};

extern const char *const method_names[METHOD_COUNT];

/* METHOD_UNKNOWN where there is no such method. Names are case-sensitive. */
MUST_CHECK int method_find(const char *name, enum method *ret_method, struct error *err);

/* GET and HEAD change nothing. */
bool method_safe(enum method method);

#define PATH_SEGMENTS_MAX 8
#define PATH_TEXT_MAX 1024

/* A path taken apart: "/runs/a%20b/" is "runs", "a b", "". */
struct path {
	char text[PATH_TEXT_MAX]; /* the segments, each with a NUL behind it */
	size_t count;
	const char *segments[PATH_SEGMENTS_MAX];
};

/*
 * Takes a URL's raw path apart and undoes its percent-encoding. BAD_PATH: not beginning with '/',
 * an encoded '/' or NUL, a backslash, an empty segment but the last, "." or "..", a control
 * character, a malformed %XX, longer than PATH_TEXT_MAX; NOT_FOUND: more than PATH_SEGMENTS_MAX
 * segments (no call has so many).
 */
MUST_CHECK int path_parse(const char *raw, struct path *ret_path, struct error *err);

/* Undoes percent-encoding ('+' is a space) into a heap text. BAD_PARAMETER for a
 * malformed one, a control character or bytes that are not UTF-8; -ENOMEM with NO_MEMORY. */
MUST_CHECK int path_decode_parameter(const char *raw, char **ret_text, struct error *err);

struct request;

/* BODY_TEST: JSON, or an fio job file as text. BODY_FILES: results of other tools, one as it is or
 * several as multipart/form-data. */
enum route_body { BODY_NONE, BODY_JSON, BODY_TEST, BODY_FILES };

struct route {
	enum method method; /* GET routes serve HEAD too */
	const char *pattern;
	void (*handle)(struct request *request);
	enum route_body body;
	bool page;		       /* for a browser: errors are pages */
	const char *const *parameters; /* names in the query, NULL-terminated; NULL: none */
};

extern const struct route routes[];
extern const size_t route_count;

#define ROUTE_ALLOW_MAX 64

/*
 * NOT_FOUND; BAD_ID, BAD_NAME; METHOD_NOT_ALLOWED with the methods that are possible in ret_allow
 * ("GET, HEAD, PUT"). *ret_route is also set (to a route of that path) with the latter three.
 */
MUST_CHECK int router_find(enum method method, const struct path *path,
			   const struct route **ret_route, char ret_allow[ROUTE_ALLOW_MAX],
			   struct error *err);

/* The segment of the path that stands for the pattern's "{id}", ...; "" when it has none. */
const char *router_segment(const struct route *route, const struct path *path, const char *kind);

#endif
