/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * openat2.c - preloaded into the engine where valgrind counts its instructions: Debian 12's
 * valgrind knows no openat2, without which the engine opens no target. Here openat does in its
 * place, so nothing but a measurement may run with this.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <sys/types.h>

long syscall(long number, ...);

long syscall(long number, ...)
{
	static long (*next)(long, ...);
	va_list list;
	long a[6];

	va_start(list, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(list, long);
	va_end(list);
	if (number == SYS_openat2) {
		const struct open_how *how = (const void *)a[2];

		return openat((int)a[0], (const char *)a[1], (int)how->flags, (mode_t)how->mode);
	}
	if (!next)
		next = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	return next(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
