/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gate.c - see gate.h. */
#include "api/gate.h"

#include <string.h>
#include <strings.h>

/* RFC 2046, 5.1.1: bcharsnospace. */
#define BOUNDARY_CHARACTERS                                                                        \
	"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'()+_,-./:=? "

static bool all_digits(const char *text)
{
	return *text && strspn(text, "0123456789") == strlen(text);
}

static int check_length(const struct gate_facts *facts, struct error *err)
{
	if (facts->content_length.count > 1 || facts->transfer_encoding.count > 1 ||
	    (facts->content_length.count && facts->transfer_encoding.count))
		return error_set(err, ERROR_FRAMING, "",
				 "a request has one Content-Length or one Transfer-Encoding, not "
				 "both and not two");
	if (facts->content_length.count && !all_digits(facts->content_length.value))
		return error_set(err, ERROR_FRAMING, "", "Content-Length must be a number");
	if (!facts->transfer_encoding.count)
		return 0;
	if (strcmp(facts->version, "HTTP/1.1") != 0)
		return error_set(err, ERROR_FRAMING, "", "Transfer-Encoding belongs to HTTP/1.1");
	if (strcasecmp(facts->transfer_encoding.value, "chunked") != 0)
		return error_set(err, ERROR_TRANSFER_ENCODING, "",
				 "the only transfer encoding understood is chunked");
	return 0;
}

int gate_framing(const struct gate_facts *facts, struct error *err)
{
	int r;

	if (strcmp(facts->version, "HTTP/1.1") != 0 && strcmp(facts->version, "HTTP/1.0") != 0)
		return error_set(err, ERROR_BAD_REQUEST, "",
				 "the version of HTTP must be HTTP/1.1 or HTTP/1.0");
	if (facts->header_bytes > GATE_HEADERS_MAX)
		return error_set(err, ERROR_HEADERS_TOO_LARGE, "",
				 "request line and headers are longer than 32 KiB");
	r = check_length(facts, err);
	if (r < 0)
		return r;
	if (facts->host.count != 1)
		return error_set(err, ERROR_BAD_HOST, "", "a request has one Host header");
	if (facts->expect.count &&
	    (facts->expect.count > 1 || strcasecmp(facts->expect.value, "100-continue") != 0))
		return error_set(err, ERROR_EXPECTATION, "",
				 "the only expectation understood is 100-continue");
	return 0;
}

/* Whether `host` is NAME:PORT, or NAME alone where the port is HTTP's own. */
static bool host_is(const char *host, const char *name, uint16_t port)
{
	size_t length = strlen(name);
	char text[8];

	if (strncasecmp(host, name, length) != 0)
		return false;
	if (!host[length])
		return port == 80;
	(void)snprintf(text, sizeof(text), ":%u", port);
	return strcmp(host + length, text) == 0;
}

static bool host_ours(const char *host, const char *address, uint16_t port)
{
	char bracketed[64];

	(void)snprintf(bracketed, sizeof(bracketed), strchr(address, ':') ? "[%s]" : "%s", address);
	return host_is(host, "localhost", port) || host_is(host, "127.0.0.1", port) ||
	       host_is(host, "[::1]", port) || host_is(host, bracketed, port);
}

static int check_site(const struct gate_facts *facts, struct error *err)
{
	static const char scheme[] = "http://";
	const char *site = facts->fetch_site.value, *origin = facts->origin.value;

	if (facts->fetch_site.count > 1 || facts->origin.count > 1)
		return error_set(err, ERROR_CROSS_ORIGIN, "",
				 "Sec-Fetch-Site and Origin may stand once");
	if (site && strcmp(site, "same-origin") != 0 && strcmp(site, "none") != 0)
		return error_set(err, ERROR_CROSS_ORIGIN, "",
				 "another site's page may not change anything here");
	if (!origin)
		return 0;
	if (strncasecmp(origin, scheme, sizeof(scheme) - 1) != 0 ||
	    strcasecmp(origin + sizeof(scheme) - 1, facts->host.value) != 0)
		return error_set(err, ERROR_CROSS_ORIGIN, "",
				 "a page of another origin may not change anything here");
	return 0;
}

static int check_key(const struct gate_header *key, struct error *err)
{
	size_t length = key->value ? strlen(key->value) : 0;

	if (!key->count)
		return 0;
	for (size_t i = 0; i < length; i++)
		if (key->value[i] < 0x20 || key->value[i] > 0x7e)
			length = 0;
	if (key->count > 1 || length == 0 || length > 128)
		return error_set(err, ERROR_BAD_REQUEST, "",
				 "Idempotency-Key must be 1 to 128 printable ASCII characters, "
				 "once");
	return 0;
}

int gate_origin(const struct gate_facts *facts, const char *address, uint16_t port,
		struct error *err)
{
	int r;

	if (!host_ours(facts->host.value, address, port))
		return error_set(err, ERROR_HOST_NOT_ALLOWED, "",
				 "Host must be localhost, 127.0.0.1, [::1] or the address listened "
				 "on, with port %u",
				 port);
	if (method_safe(facts->method))
		return 0;
	r = check_site(facts, err);
	return r < 0 ? r : check_key(&facts->idempotency_key, err);
}

/* The media type `wanted`, with nothing behind it but a charset of utf-8. */
static bool is_type(const char *type, const char *wanted)
{
	size_t length = strlen(wanted);

	if (strncasecmp(type, wanted, length) != 0)
		return false;
	type += length;
	type += strspn(type, " \t");
	if (!*type)
		return true;
	if (*type != ';')
		return false;
	type += 1 + strspn(type + 1, " \t");
	return strcasecmp(type, "charset=utf-8") == 0 || strcasecmp(type, "charset=\"utf-8\"") == 0;
}

const char *gate_boundary(const struct gate_facts *facts, char *buffer)
{
	static const char type[] = "multipart/form-data", name[] = "boundary=";
	const char *at = facts->content_type.value, *end;
	bool quoted;

	buffer[0] = '\0';
	if (facts->content_type.count != 1 || strncasecmp(at, type, sizeof(type) - 1) != 0)
		return buffer;
	at += sizeof(type) - 1;
	at += strspn(at, " \t");
	if (*at++ != ';')
		return buffer;
	at += strspn(at, " \t");
	if (strncasecmp(at, name, sizeof(name) - 1) != 0)
		return buffer;
	at += sizeof(name) - 1;
	quoted = *at == '"';
	at += quoted;
	end = at + strspn(at, BOUNDARY_CHARACTERS);
	if (end == at || end - at > 70 || end[-1] == ' ' || *end != (quoted ? '"' : '\0') ||
	    (quoted && end[1]))
		return buffer;
	memcpy(buffer, at, (size_t)(end - at));
	buffer[end - at] = '\0';
	return buffer;
}

static int check_files(const struct gate_facts *facts, struct error *err)
{
	static const char *const types[] = {"application/json", "text/plain",
					    "text/csv",		"text/xml",
					    "application/xml",	"application/octet-stream"};
	char boundary[72];

	for (size_t i = 0; facts->content_type.count == 1 && i < ARRAY_SIZE(types); i++)
		if (is_type(facts->content_type.value, types[i]))
			return 0;
	if (*gate_boundary(facts, boundary))
		return 0;
	return error_set(err, ERROR_CONTENT_TYPE, "",
			 "one file is sent as it is, as Content-Type: application/octet-stream "
			 "(or application/json, text/plain, text/csv, text/xml, application/xml), "
			 "several as multipart/form-data with a boundary");
}

int gate_body(const struct gate_facts *facts, enum route_body body, bool has_body,
	      struct error *err)
{
	if (body == BODY_NONE) {
		if (has_body)
			return error_set(err, ERROR_BAD_REQUEST, "", "this call takes no body");
		return 0;
	}
	if (body == BODY_FILES)
		return check_files(facts, err);
	if (facts->content_type.count == 1 &&
	    (is_type(facts->content_type.value, "application/json") ||
	     (body == BODY_TEST && gate_body_is_text(facts))))
		return 0;
	return error_set(err, ERROR_CONTENT_TYPE, "",
			 "the body must be sent as Content-Type: application/json%s",
			 body == BODY_TEST ? ", or an fio job file as text/plain" : "");
}

bool gate_body_is_text(const struct gate_facts *facts)
{
	return facts->content_type.count == 1 && is_type(facts->content_type.value, "text/plain");
}

uint64_t gate_content_length(const struct gate_facts *facts)
{
	uint64_t length = 0;

	if (!facts->content_length.count)
		return 0;
	for (const char *p = facts->content_length.value; *p; p++)
		if (__builtin_mul_overflow(length, 10, &length) ||
		    __builtin_add_overflow(length, (uint64_t)(*p - '0'), &length))
			return UINT64_MAX;
	return length;
}
