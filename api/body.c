/* SPDX-License-Identifier: GPL-3.0-or-later */
/* body.c - see body.h. */
#include "api/body.h"

#include <errno.h>
#include <string.h>

static uint64_t taken_max(const struct request *request)
{
	return request->route && request->route->body == BODY_FILES ? REQUEST_FILES_MAX
								    : REQUEST_BODY_MAX;
}

bool body_is_endless(const struct request *request, uint64_t length)
{
	uint64_t max = taken_max(request);

	return length > REQUEST_DRAIN_MAX + (max > REQUEST_BODY_MAX ? max : 0);
}

static int too_large(struct request *request)
{
	return error_set(&request->refused, ERROR_BODY_TOO_LARGE, "",
			 "the body is longer than %llu KiB, the most taken here",
			 (unsigned long long)taken_max(request) >> 10);
}

/* size: bytes that the body has, or will have. */
static int count_large(struct body_budget *budget, struct request *request, uint64_t size)
{
	if (request->body_is_large || size <= REQUEST_BODY_MAX)
		return 0;
	if (atomic_fetch_add(&budget->large, 1) >= REQUEST_LARGE_MAX) {
		(void)atomic_fetch_sub(&budget->large, 1);
		return error_set(&request->refused, ERROR_QUEUE_FULL, "",
				 "%d large files are being taken in already; try again",
				 REQUEST_LARGE_MAX);
	}
	request->body_is_large = true;
	return 0;
}

int body_announce(struct body_budget *budget, struct request *request, uint64_t length)
{
	if (length > taken_max(request))
		return too_large(request);
	return count_large(budget, request, length);
}

/* For so many bytes more, which may come. It grows by doubling: 16 MiB arrive in hundreds of
 * pieces, and to copy all for each takes longer than a client has. */
static int make_room(struct request *request, size_t size)
{
	size_t needed = request->body_size + size + 1, room = 2 * request->body_room;
	char *body;

	if (needed <= request->body_room)
		return 0;
	if (room > taken_max(request) + 1)
		room = (size_t)taken_max(request) + 1;
	if (room < needed)
		room = needed;
	body = realloc(request->body, room);
	if (!body)
		return -ENOMEM;
	request->body = body;
	request->body_room = room;
	return 0;
}

static int keep(struct request *request, const char *data, size_t size)
{
	if (make_room(request, size) < 0)
		return error_no_memory(&request->refused);
	memcpy(request->body + request->body_size, data, size);
	request->body_size += size;
	request->body[request->body_size] = '\0';
	return 0;
}

int body_take(struct body_budget *budget, struct request *request, const char *data, size_t size)
{
	request->body_seen += size;
	if (body_is_endless(request, request->body_seen))
		return -EFBIG;
	if (request->refused.code != ERROR_NONE)
		return 0;
	/* each of these leaves in `refused` why it did not take the piece */
	if (request->body_seen > taken_max(request))
		(void)too_large(request);
	else if (count_large(budget, request, request->body_seen) == 0)
		(void)keep(request, data, size);
	return 0;
}

void body_release(struct body_budget *budget, struct request *request)
{
	if (request->body_is_large)
		(void)atomic_fetch_sub(&budget->large, 1);
	request->body_is_large = false;
}
