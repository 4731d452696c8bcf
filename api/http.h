/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * http.h - the HTTP edge. What names libmicrohttpd: http.c (the daemon and its callbacks), admit.c,
 * answer.c, waiters.c and events.c.
 *
 * Two epoll threads; handlers never block: what must wait (an engine's answer, a long poll, an
 * event stream) suspends its request. Every connection has a deadline of its own for header and
 * body (10 s) and for the response (60 s); a long poll is resumed within 15 s.
 */
#ifndef API_HTTP_H
#define API_HTTP_H

#include <stdint.h>

#include "engine/base/error.h"
#include "server/service.h"

struct http;

struct http_config {
	const struct service *service;
	const char *address;				  /* loopback */
	uint16_t port;					  /* 0: the kernel chooses */
	void (*report_wanted)(void *arg, const char *id); /* a page asked for a missing report */
	void *arg;
};

MUST_CHECK int http_start(const struct http_config *config, struct http **ret_http,
			  struct error *err);
uint16_t http_port(const struct http *http);

/* Refuses new work with 503 and resumes every suspended request; then stops. Two steps, so that
 * the run at hand can be stopped in between while readers still see its end. */
void http_drain(struct http *http);
void http_stop(struct http *http);

#endif
