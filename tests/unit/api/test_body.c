/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_body.c - bodies at each limit and one byte above, in one piece and in many. */
#include "api/body.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define MIB (1u << 20)

static const struct route for_json = {.body = BODY_JSON};
static const struct route for_files = {.body = BODY_FILES};
static char piece[MIB];

static struct request *make(const struct route *route)
{
	struct request *request = request_new();

	assert_non_null(request);
	request->route = route;
	return request;
}

/* `size` bytes arrive in pieces of a mebibyte at most; the last one's result. */
static int send(struct body_budget *budget, struct request *request, uint64_t size)
{
	int r = 0;

	for (uint64_t n; size && r == 0; size -= n) {
		n = size < sizeof(piece) ? size : sizeof(piece);
		r = body_take(budget, request, piece, (size_t)n);
	}
	return r;
}

static void end(struct body_budget *budget, struct request *request)
{
	body_release(budget, request);
	request_free(request);
}

static void test_pieces_are_one_body(void **state)
{
	struct body_budget budget = {0};
	struct request *request = make(&for_json);

	(void)state;
	assert_int_equal(body_announce(&budget, request, 0), 0);
	assert_int_equal(body_take(&budget, request, "{\"a\"", 4), 0);
	assert_int_equal(body_take(&budget, request, ":1}", 3), 0);
	assert_int_equal(request->body_size, 7);
	assert_string_equal(request->body, "{\"a\":1}");
	end(&budget, request);
}

/* What a route takes, announced and come, is kept; one byte more is not, told before or found. */
static void hold_limit(const struct route *route, uint64_t max)
{
	struct body_budget budget = {0};
	struct request *request = make(route);

	assert_int_equal(body_announce(&budget, request, max), 0);
	assert_int_equal(send(&budget, request, max), 0);
	assert_int_equal(request->refused.code, ERROR_NONE);
	assert_int_equal(request->body_size, max);
	assert_int_equal(send(&budget, request, 1), 0);
	assert_int_equal(request->refused.code, ERROR_BODY_TOO_LARGE);
	assert_int_equal(request->body_size, max);
	end(&budget, request);
	request = make(route);
	assert_true(body_announce(&budget, request, max + 1) < 0);
	assert_int_equal(request->refused.code, ERROR_BODY_TOO_LARGE);
	assert_int_equal(send(&budget, request, max + 1), 0); /* thrown away */
	assert_null(request->body);
	end(&budget, request);
	assert_int_equal(budget.large, 0);
}

static void test_limit_of_a_route(void **state)
{
	(void)state;
	hold_limit(&for_json, REQUEST_BODY_MAX);
	hold_limit(&for_files, REQUEST_FILES_MAX);
	hold_limit(NULL, REQUEST_BODY_MAX); /* nothing stands at its path */
}

/* Beyond what is read and thrown away, chunks without end are told from a long body. */
static void hold_end(const struct route *route, uint64_t max)
{
	struct body_budget budget = {0};
	struct request *request = make(route);

	assert_false(body_is_endless(request, max));
	assert_true(body_is_endless(request, max + 1));
	assert_int_equal(send(&budget, request, max), 0);
	assert_int_equal(request->refused.code, ERROR_BODY_TOO_LARGE);
	assert_int_equal(send(&budget, request, 1), -EFBIG);
	end(&budget, request);
}

static void test_what_is_read_at_all(void **state)
{
	(void)state;
	hold_end(&for_json, REQUEST_DRAIN_MAX);
	hold_end(NULL, REQUEST_DRAIN_MAX);
	hold_end(&for_files, REQUEST_DRAIN_MAX + REQUEST_FILES_MAX);
}

/* Large bodies are counted when they are announced or, without that, once they are large. */
static void test_no_more_are_large_than_may(void **state)
{
	struct body_budget budget = {0};
	struct request *large[REQUEST_LARGE_MAX], *more = make(&for_files);

	(void)state;
	for (size_t i = 0; i < REQUEST_LARGE_MAX; i++) {
		large[i] = make(&for_files);
		if (i % 2)
			assert_int_equal(body_announce(&budget, large[i], REQUEST_BODY_MAX + 1), 0);
		assert_int_equal(send(&budget, large[i], REQUEST_BODY_MAX + 1), 0);
		assert_int_equal(large[i]->refused.code, ERROR_NONE);
	}
	assert_int_equal(body_announce(&budget, more, REQUEST_BODY_MAX), 0); /* not large */
	assert_int_equal(send(&budget, more, REQUEST_BODY_MAX), 0);
	assert_int_equal(more->refused.code, ERROR_NONE);
	assert_int_equal(send(&budget, more, 1), 0);
	assert_int_equal(more->refused.code, ERROR_QUEUE_FULL);
	end(&budget, more);
	end(&budget, large[0]); /* makes room for one */
	more = make(&for_files);
	assert_int_equal(body_announce(&budget, more, REQUEST_FILES_MAX), 0);
	large[0] = more;
	more = make(&for_files);
	assert_true(body_announce(&budget, more, REQUEST_BODY_MAX + 1) < 0);
	assert_int_equal(more->refused.code, ERROR_QUEUE_FULL);
	end(&budget, more);
	for (size_t i = 0; i < REQUEST_LARGE_MAX; i++)
		end(&budget, large[i]);
	assert_int_equal(budget.large, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pieces_are_one_body),
		cmocka_unit_test(test_limit_of_a_route),
		cmocka_unit_test(test_what_is_read_at_all),
		cmocka_unit_test(test_no_more_are_large_than_may),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
