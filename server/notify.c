/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "server/notify.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "engine/base/macros.h"

void notify_send(const char *state)
{
	const char *path = getenv("NOTIFY_SOCKET");
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	AUTO_CLOSE int fd = -1;
	size_t length;
	ssize_t n;

	if (!path || (path[0] != '/' && path[0] != '@'))
		return;
	length = strlen(path);
	if (length >= sizeof(address.sun_path))
		return;
	memcpy(address.sun_path, path, length);
	if (path[0] == '@')
		address.sun_path[0] = '\0'; /* an abstract name */
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	do {
		n = sendto(fd, state, strlen(state), MSG_NOSIGNAL, (struct sockaddr *)&address,
			   (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length));
	} while (n < 0 && errno == EINTR); /* else the manager is gone: nothing to be done */
}

uint64_t notify_watchdog_us(void)
{
	const char *period = getenv("WATCHDOG_USEC"), *process = getenv("WATCHDOG_PID");
	unsigned long long value;
	char *end;

	if (!period || *period < '0' || *period > '9')
		return 0;
	errno = 0;
	value = strtoull(period, &end, 10);
	if (errno || *end)
		return 0;
	if (process && strtoull(process, NULL, 10) != (unsigned long long)getpid())
		return 0;
	return value;
}
