/* SPDX-License-Identifier: GPL-3.0-or-later */
/* discard.c - see discard.h. */
#include "engine/io/discard.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

bool discard_of_device(int fd)
{
	struct stat status;

	return fstat(fd, &status) == 0 && S_ISBLK(status.st_mode);
}

int32_t discard(int fd, bool device, uint64_t offset, uint32_t length)
{
	uint64_t range[2] = {offset, length};
	int rc;

	do {
		if (device)
			rc = ioctl(fd, BLKDISCARD, range);
		else
			rc = fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
				       (off_t)offset, (off_t)length);
	} while (rc < 0 && errno == EINTR);
	return rc < 0 ? -errno : (int32_t)length; /* lengths are at most 64 MiB */
}
