/* SPDX-License-Identifier: GPL-3.0-or-later */
/* method.c - the names of methods: see router.h. */
#include <string.h>

#include "api/router.h"

const char *const method_names[METHOD_COUNT] = {
	[METHOD_GET] = "GET",	  [METHOD_HEAD] = "HEAD",     [METHOD_POST] = "POST",
	[METHOD_PUT] = "PUT",	  [METHOD_DELETE] = "DELETE", [METHOD_OPTIONS] = "OPTIONS",
	[METHOD_PATCH] = "PATCH", [METHOD_TRACE] = "TRACE",   [METHOD_CONNECT] = "CONNECT",
};

int method_find(const char *name, enum method *ret_method, struct error *err)
{
	for (size_t i = 0; i < METHOD_COUNT; i++) {
		if (strcmp(method_names[i], name) == 0) {
			*ret_method = (enum method)i;
			return 0;
		}
	}
	return error_set(err, ERROR_METHOD_UNKNOWN, "",
			 "there is no such method; GET, POST, PUT and DELETE are in use here");
}

bool method_safe(enum method method)
{
	return method == METHOD_GET || method == METHOD_HEAD || method == METHOD_OPTIONS ||
	       method == METHOD_TRACE;
}
