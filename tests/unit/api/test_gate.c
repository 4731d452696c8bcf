/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_gate.c - what no request may bring: two Hosts, doubtful framing, another site's page. */
#include "api/gate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static struct gate_header one(const char *value)
{
	return (struct gate_header){value, 1};
}

static struct gate_header two(const char *value)
{
	return (struct gate_header){value, 2};
}

static struct gate_facts good(void)
{
	return (struct gate_facts){
		.version = "HTTP/1.1", .method = METHOD_POST, .host = one("127.0.0.1:8090")};
}

static enum error_code framing(const struct gate_facts *facts)
{
	struct error err = {0};
	int r = gate_framing(facts, &err);

	assert_int_equal(r < 0, err.code != ERROR_NONE);
	return err.code;
}

static enum error_code origin(const struct gate_facts *facts, const char *address, uint16_t port)
{
	struct error err = {0};
	int r = gate_origin(facts, address, port, &err);

	assert_int_equal(r < 0, err.code != ERROR_NONE);
	return err.code;
}

static enum error_code body(const struct gate_facts *facts, enum route_body kind, bool has_body)
{
	struct error err = {0};
	int r = gate_body(facts, kind, has_body, &err);

	assert_int_equal(r < 0, err.code != ERROR_NONE);
	return err.code;
}

static void test_framing(void **state)
{
	struct gate_facts facts = good();

	(void)state;
	assert_int_equal(framing(&facts), ERROR_NONE);
	facts.content_length = one("12");
	assert_int_equal(framing(&facts), ERROR_NONE);
	facts.content_length = two("12");
	assert_int_equal(framing(&facts), ERROR_FRAMING);
	facts.content_length = one("+12");
	assert_int_equal(framing(&facts), ERROR_FRAMING);
	facts.content_length = one("");
	assert_int_equal(framing(&facts), ERROR_FRAMING);
	facts.content_length = one("12");
	facts.transfer_encoding = one("chunked");
	assert_int_equal(framing(&facts), ERROR_FRAMING);
	facts = good();
	facts.transfer_encoding = one("Chunked");
	assert_int_equal(framing(&facts), ERROR_NONE);
	facts.transfer_encoding = two("chunked");
	assert_int_equal(framing(&facts), ERROR_FRAMING);
	facts.transfer_encoding = one("gzip, chunked");
	assert_int_equal(framing(&facts), ERROR_TRANSFER_ENCODING);
	facts.transfer_encoding = one("chunked");
	facts.version = "HTTP/1.0";
	assert_int_equal(framing(&facts), ERROR_FRAMING);
	facts = good();
	facts.version = "HTTP/2.0";
	assert_int_equal(framing(&facts), ERROR_BAD_REQUEST);
}

static void test_hosts_and_expectations(void **state)
{
	struct gate_facts facts = good();

	(void)state;
	facts.host = two("127.0.0.1:8090");
	assert_int_equal(framing(&facts), ERROR_BAD_HOST);
	facts.host = (struct gate_header){NULL, 0};
	assert_int_equal(framing(&facts), ERROR_BAD_HOST);
	facts = good();
	facts.expect = one("100-Continue");
	assert_int_equal(framing(&facts), ERROR_NONE);
	facts.expect = one("200-ok");
	assert_int_equal(framing(&facts), ERROR_EXPECTATION);
	facts.expect = two("100-continue");
	assert_int_equal(framing(&facts), ERROR_EXPECTATION);
}

static void test_header_limit(void **state)
{
	struct gate_facts facts = good();

	(void)state;
	facts.header_bytes = GATE_HEADERS_MAX;
	assert_int_equal(framing(&facts), ERROR_NONE);
	facts.header_bytes++;
	assert_int_equal(framing(&facts), ERROR_HEADERS_TOO_LARGE);
}

static void test_whose_host(void **state)
{
	static const char *const ours[] = {"127.0.0.1:8090", "localhost:8090", "LOCALHOST:8090",
					   "[::1]:8090"};
	static const char *const foreign[] = {"evil.example:8090",
					      "127.0.0.1",
					      "127.0.0.1:8091",
					      "127.0.0.1:80900",
					      "localhost.:8090",
					      "127.0.0.2:8090",
					      "",
					      ":8090",
					      "localhost@evil",
					      "127.0.0.1:8090.evil",
					      "[::1]",
					      "127.0.0.1:08090"};
	struct gate_facts facts = good();

	(void)state;
	facts.method = METHOD_GET;
	for (size_t i = 0; i < ARRAY_SIZE(ours); i++) {
		facts.host = one(ours[i]);
		assert_int_equal(origin(&facts, "127.0.0.1", 8090), ERROR_NONE);
	}
	for (size_t i = 0; i < ARRAY_SIZE(foreign); i++) {
		facts.host = one(foreign[i]);
		assert_int_equal(origin(&facts, "127.0.0.1", 8090), ERROR_HOST_NOT_ALLOWED);
	}
	facts.host = one("127.0.0.2:8090");
	assert_int_equal(origin(&facts, "127.0.0.2", 8090), ERROR_NONE);
	facts.host = one("localhost");
	assert_int_equal(origin(&facts, "127.0.0.1", 80), ERROR_NONE);
	facts.host = one("[::1]:81");
	assert_int_equal(origin(&facts, "::1", 81), ERROR_NONE);
}

static void test_whose_page(void **state)
{
	struct gate_facts facts = good();

	(void)state;
	assert_int_equal(origin(&facts, "127.0.0.1", 8090), ERROR_NONE);
	facts.fetch_site = one("same-origin");
	facts.origin = one("http://127.0.0.1:8090");
	assert_int_equal(origin(&facts, "127.0.0.1", 8090), ERROR_NONE);
	facts.fetch_site = one("none");
	assert_int_equal(origin(&facts, "127.0.0.1", 8090), ERROR_NONE);
	facts.fetch_site = one("same-site");
	assert_int_equal(origin(&facts, "127.0.0.1", 8090), ERROR_CROSS_ORIGIN);
	facts.fetch_site = one("cross-site");
	assert_int_equal(origin(&facts, "127.0.0.1", 8090), ERROR_CROSS_ORIGIN);
	facts.method = METHOD_GET; /* a link from elsewhere is fine */
	assert_int_equal(origin(&facts, "127.0.0.1", 8090), ERROR_NONE);
	facts = good();
	facts.origin = one("null");
	assert_int_equal(origin(&facts, "127.0.0.1", 8090), ERROR_CROSS_ORIGIN);
	facts.origin = one("http://localhost:8090");
	assert_int_equal(origin(&facts, "127.0.0.1", 8090), ERROR_CROSS_ORIGIN);
	facts.origin = one("https://127.0.0.1:8090");
	assert_int_equal(origin(&facts, "127.0.0.1", 8090), ERROR_CROSS_ORIGIN);
	facts.origin = two("http://127.0.0.1:8090");
	assert_int_equal(origin(&facts, "127.0.0.1", 8090), ERROR_CROSS_ORIGIN);
}

static void test_idempotency_key(void **state)
{
	struct gate_facts facts = good();
	char key[130];

	(void)state;
	memset(key, 'k', sizeof(key));
	key[128] = '\0';
	facts.idempotency_key = one(key);
	assert_int_equal(origin(&facts, "127.0.0.1", 8090), ERROR_NONE);
	key[128] = 'k';
	key[129] = '\0';
	assert_int_equal(origin(&facts, "127.0.0.1", 8090), ERROR_BAD_REQUEST);
	facts.idempotency_key = one("");
	assert_int_equal(origin(&facts, "127.0.0.1", 8090), ERROR_BAD_REQUEST);
	facts.idempotency_key = one("caf\xc3\xa9");
	assert_int_equal(origin(&facts, "127.0.0.1", 8090), ERROR_BAD_REQUEST);
	facts.idempotency_key = two("a");
	assert_int_equal(origin(&facts, "127.0.0.1", 8090), ERROR_BAD_REQUEST);
}

static void test_content_type(void **state)
{
	static const char *const right[] = {
		"application/json", "Application/JSON", "application/json; charset=utf-8",
		"application/json;charset=\"UTF-8\"", "application/json ; charset=UTF-8"};
	static const char *const texts[] = {"text/plain", "Text/Plain;charset=UTF-8"};
	static const char *const wrong[] = {"text/plain",
					    "text/plain; charset=latin1",
					    "text/plainer",
					    "text/html",
					    "application/jsonp",
					    "",
					    "application/json; charset=latin1",
					    "application/json, text/plain",
					    "application/x-www-form-urlencoded"};
	struct gate_facts facts = good();

	(void)state;
	assert_int_equal(body(&facts, BODY_JSON, true), ERROR_CONTENT_TYPE);
	for (size_t i = 0; i < ARRAY_SIZE(right); i++) {
		facts.content_type = one(right[i]);
		assert_int_equal(body(&facts, BODY_JSON, true), ERROR_NONE);
	}
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		facts.content_type = one(wrong[i]);
		assert_int_equal(body(&facts, BODY_JSON, true), ERROR_CONTENT_TYPE);
	}
	for (size_t i = 0; i < ARRAY_SIZE(right); i++) {
		facts.content_type = one(right[i]);
		assert_int_equal(body(&facts, BODY_TEST, true), ERROR_NONE);
		assert_false(gate_body_is_text(&facts));
	}
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		facts.content_type = one(texts[i]);
		assert_int_equal(body(&facts, BODY_TEST, true), ERROR_NONE);
		assert_true(gate_body_is_text(&facts));
	}
	for (size_t i = 1; i < ARRAY_SIZE(wrong); i++) { /* the first is a text */
		facts.content_type = one(wrong[i]);
		assert_int_equal(body(&facts, BODY_TEST, true), ERROR_CONTENT_TYPE);
		assert_false(gate_body_is_text(&facts));
	}
	facts.content_type = two("text/plain");
	assert_int_equal(body(&facts, BODY_TEST, true), ERROR_CONTENT_TYPE);
	assert_false(gate_body_is_text(&facts));
	facts.content_type = two("application/json");
	assert_int_equal(body(&facts, BODY_JSON, true), ERROR_CONTENT_TYPE);
	assert_int_equal(body(&facts, BODY_TEST, true), ERROR_CONTENT_TYPE);
	assert_int_equal(body(&facts, BODY_NONE, true), ERROR_BAD_REQUEST);
	assert_int_equal(body(&facts, BODY_NONE, false), ERROR_NONE);
}

static void test_announced_length(void **state)
{
	struct gate_facts facts = good();

	(void)state;
	assert_int_equal(gate_content_length(&facts), 0);
	facts.content_length = one("65536");
	assert_int_equal(gate_content_length(&facts), 65536);
	facts.content_length = one("99999999999999999999999");
	assert_true(gate_content_length(&facts) == UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_framing),	     cmocka_unit_test(test_hosts_and_expectations),
		cmocka_unit_test(test_header_limit), cmocka_unit_test(test_whose_host),
		cmocka_unit_test(test_whose_page),   cmocka_unit_test(test_idempotency_key),
		cmocka_unit_test(test_content_type), cmocka_unit_test(test_announced_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
