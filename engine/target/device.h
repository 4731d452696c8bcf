/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * device.h - block devices as targets: facts, fingerprint, checks 4 to 6 of target.h, the claim.
 *
 * The claim is a descriptor opened O_RDONLY | O_EXCL and kept as long as the target: nobody can
 * mount or claim the device meanwhile. The descriptors that do the work are opened beside it
 * without O_EXCL. Used inside engine/target only; control thread.
 */
#ifndef ENGINE_TARGET_DEVICE_H
#define ENGINE_TARGET_DEVICE_H

#include "engine/target/target.h"

enum device_check {
	DEVICE_LOOK,	/* opens nothing: a run measures */
	DEVICE_INSPECT, /* claims it for the length of the checks */
	DEVICE_CLAIM,	/* claims it and keeps the claim */
};

/* The claim alone of what path_fd (O_PATH) stands for: TARGET_BUSY after 5 s. *ret_claim also holds
 * the lock that keeps udev from reading the device whenever it is closed. */
MUST_CHECK int device_claim(int path_fd, const struct target_info *info, int *ret_claim,
			    struct error *err);

/* kind, size, block size, name, number and fingerprint; opens nothing. info->path is set. */
MUST_CHECK int device_describe(dev_t device, struct target_info *info, struct error *err);

/*
 * Steps 4 to 6 on a device described before; path_fd is an O_PATH descriptor of it. *ret_claim is
 * set for DEVICE_CLAIM only.
 */
MUST_CHECK int device_check(int path_fd, const struct target_spec *spec,
			    const struct target_need *need, enum device_check how,
			    struct target_info *info, int *ret_claim, struct error *err);

#endif
