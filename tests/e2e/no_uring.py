#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a command under a seccomp filter that refuses io_uring_setup with EPERM, as containers do.

Usage: no_uring.py COMMAND [ARGUMENT]...
"""
import ctypes
import os
import struct
import sys

IO_URING_SETUP = 425  # of every architecture
EPERM = 1
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
LOAD, JUMP_EQUAL, RETURN = 0x20, 0x15, 0x06
SECCOMP_RET_ERRNO, SECCOMP_RET_ALLOW = 0x00050000, 0x7FFF0000


def main():
    instructions = [
        (LOAD, 0, 0, 0),  # seccomp_data.nr
        (JUMP_EQUAL, 0, 1, IO_URING_SETUP),
        (RETURN, 0, 0, SECCOMP_RET_ERRNO | EPERM),
        (RETURN, 0, 0, SECCOMP_RET_ALLOW),
    ]
    code = b"".join(struct.pack("HBBI", *one) for one in instructions)
    program = struct.pack("HxxxxxxP", len(instructions),
                          ctypes.addressof(buffer := ctypes.create_string_buffer(code)))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        sys.exit(f"no_new_privs: {os.strerror(ctypes.get_errno())}")
    if libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program, 0, 0) != 0:
        sys.exit(f"seccomp: {os.strerror(ctypes.get_errno())}")
    del buffer
    os.execv(sys.argv[1], sys.argv[1:])


if __name__ == "__main__":
    main()
