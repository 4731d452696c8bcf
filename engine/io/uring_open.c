/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * uring_open.c - a ring of io_uring is made: each feature is tried and what is in use written down;
 * and the probes of measure.h, which make one for a moment. What is done with it: uring.c.
 *
 * Buffers are registered as one iovec for each GiB of the arena at most (the kernel's limit);
 * buffer_shift turns a slot into its iovec. Where that is refused (RLIMIT_MEMLOCK) plain reads and
 * writes do, and the features text says so.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/uio.h>

#include "engine/io/measure.h"
#include "engine/io/uring_parts.h"

#define IOVEC_BYTES_MAX (UINT64_C(1) << 30)

/* ---- the ring ---- */

static void add_feature(struct uring *uring, const char *format, ...) PRINTF_LIKE(2, 3);

static void add_feature(struct uring *uring, const char *format, ...)
{
	char *text = uring->backend.features;
	size_t length = strlen(text);
	va_list arguments;

	if (length > 0 && length + 2 < BACKEND_FEATURES_MAX) {
		memcpy(text + length, ", ", 3);
		length += 2;
	}
	va_start(arguments, format);
	(void)vsnprintf(text + length, BACKEND_FEATURES_MAX - length, format, arguments);
	va_end(arguments);
}

static void tell_mode(struct uring *uring, const struct backend_config *config, const char *mode)
{
	if (config->polled)
		add_feature(uring, "polled completions");
	if (!config->kernel_thread)
		add_feature(uring, "%s", mode);
	else if (config->kernel_thread_cpu < 0)
		add_feature(uring, "requests taken by a kernel thread");
	else
		add_feature(uring, "requests taken by a kernel thread on CPU %d",
			    config->kernel_thread_cpu);
}

static int open_ring(struct uring *uring, const struct backend_config *config)
{
	const unsigned int asked =
		(config->polled ? IORING_SETUP_IOPOLL : 0) |
		(config->kernel_thread ? IORING_SETUP_SQPOLL : 0) |
		(config->kernel_thread && config->kernel_thread_cpu >= 0 ? IORING_SETUP_SQ_AFF : 0);
	static const struct {
		unsigned int flags;
		const char *name;
	} modes[] = {
		{IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN, "deferred task work"},
		{IORING_SETUP_COOP_TASKRUN, "cooperative task work"},
		{0, "no task work flags"},
	};
	/* Task work is the kernel thread's where there is one: the flags say nothing then. */
	size_t first = config->kernel_thread ? ARRAY_SIZE(modes) - 1 : 0;
	int rc = -EINVAL;

	for (size_t i = first; i < ARRAY_SIZE(modes) && rc == -EINVAL; i++) {
		struct io_uring_params params = {
			.flags = modes[i].flags | asked | IORING_SETUP_R_DISABLED |
				 IORING_SETUP_CQSIZE | IORING_SETUP_CLAMP,
			/* Room for every slot and for its cancellation. */
			.cq_entries = 2 * config->slots,
		};

		if (asked & IORING_SETUP_SQ_AFF)
			params.sq_thread_cpu = (uint32_t)config->kernel_thread_cpu;
		rc = io_uring_queue_init_params(config->slots, &uring->ring, &params);
		if (rc == 0) {
			uring->ring_open = true;
			tell_mode(uring, config, modes[i].name);
		}
	}
	return rc;
}

static int register_files(struct uring *uring, const struct backend_config *config)
{
	int rc = io_uring_register_files(&uring->ring, config->files, config->file_count);

	if (rc == 0)
		add_feature(uring, "registered files");
	return rc;
}

/* Whole buffers in each iovec, a power of two of them: slot >> shift is the iovec. */
static int register_buffers(struct uring *uring, const struct arena *arena)
{
	uint64_t each;
	AUTO_FREE struct iovec *vectors = NULL;
	unsigned int count;

	while ((arena->stride << (uring->backend.buffer_shift + 1)) <= IOVEC_BYTES_MAX)
		uring->backend.buffer_shift++;
	each = UINT64_C(1) << uring->backend.buffer_shift;
	count = (unsigned int)((arena->count + each - 1) / each);
	if (count > UINT16_MAX)
		return -EOVERFLOW;
	vectors = calloc(count, sizeof(*vectors));
	if (!vectors)
		return -ENOMEM;
	for (unsigned int i = 0; i < count; i++) {
		uint64_t first = i * each;
		uint64_t buffers = arena->count - first < each ? arena->count - first : each;

		vectors[i].iov_base = arena_buffer(arena, first);
		vectors[i].iov_len = (size_t)(buffers * arena->stride);
	}
	return io_uring_register_buffers(&uring->ring, vectors, count);
}

static int choose_opcodes(struct uring *uring, const struct backend_config *config)
{
	int rc = register_buffers(uring, config->arena);

	uring->backend.opcodes[REQUEST_SYNC] = IORING_OP_FSYNC;
	uring->backend.opcodes[REQUEST_DATASYNC] = IORING_OP_FSYNC;
	uring->backend.opcodes[REQUEST_END_SYNC] = IORING_OP_FSYNC;
	uring->backend.operation_flags[REQUEST_DATASYNC] = IORING_FSYNC_DATASYNC;
	uring->backend.opcodes[REQUEST_READ] = rc == 0 ? IORING_OP_READ_FIXED : IORING_OP_READ;
	uring->backend.opcodes[REQUEST_WRITE] = rc == 0 ? IORING_OP_WRITE_FIXED : IORING_OP_WRITE;
	if (rc == 0) {
		add_feature(uring, "registered buffers");
		return 0;
	}
	if (config->registered_buffers)
		return rc;
	uring->backend.buffer_shift = 31; /* buffer index 0, which plain operations need */
	add_feature(uring, "buffers not registered (%s%s)", strerrordesc_np(-rc),
		    rc == -ENOMEM ? ": raise RLIMIT_MEMLOCK" : "");
	return 0;
}

/* Requests that would block go to threads of the kernel, which else run anywhere. */
static void place_kernel_threads(struct uring *uring, const struct cpus *cpus)
{
	int rc;

	if (!cpus)
		return;
	rc = io_uring_register_iowq_aff(&uring->ring, sizeof(cpus->bits),
					(const cpu_set_t *)(const void *)cpus->bits);
	if (rc < 0)
		add_feature(uring, "kernel threads on any CPU (%s)", strerrordesc_np(-rc));
}

static int restrict_ring(struct uring *uring, const struct backend_config *config)
{
	struct io_uring_restriction list[REQUEST_KIND_COUNT + 5];
	unsigned int count = 0;
	int rc;

	memset(list, 0, sizeof(list));
	for (int kind = 0; kind < REQUEST_KIND_COUNT; kind++) {
		if (!config->allowed[kind])
			continue;
		list[count].opcode = IORING_RESTRICTION_SQE_OP;
		list[count++].sqe_op = uring->backend.opcodes[kind];
	}
	list[count].opcode = IORING_RESTRICTION_SQE_OP;
	list[count++].sqe_op = IORING_OP_ASYNC_CANCEL;
	list[count].opcode = IORING_RESTRICTION_SQE_FLAGS_ALLOWED;
	list[count++].sqe_flags = IOSQE_FIXED_FILE;
	list[count].opcode = IORING_RESTRICTION_SQE_FLAGS_REQUIRED;
	list[count++].sqe_flags = IOSQE_FIXED_FILE;
	/* What uring_close calls. */
	list[count].opcode = IORING_RESTRICTION_REGISTER_OP;
	list[count++].register_op = IORING_UNREGISTER_RING_FDS;
	list[count].opcode = IORING_RESTRICTION_REGISTER_OP;
	list[count++].register_op = IORING_UNREGISTER_FILES;
	rc = io_uring_register((unsigned int)uring->ring.ring_fd, IORING_REGISTER_RESTRICTIONS,
			       list, count);
	if (rc == -EINVAL) {
		add_feature(uring, "not restricted (kernel before 5.10)");
		rc = 0;
	} else if (rc == 0) {
		add_feature(uring, "restricted to %s%s%s",
			    config->allowed[REQUEST_READ] ? "reads" : "",
			    config->allowed[REQUEST_WRITE]
				    ? (config->allowed[REQUEST_READ] ? " and writes" : "writes")
				    : "",
			    config->allowed[REQUEST_SYNC] || config->allowed[REQUEST_DATASYNC] ||
					    config->allowed[REQUEST_END_SYNC]
				    ? ", syncs"
				    : "");
	}
	return rc < 0 ? rc
		      : io_uring_register((unsigned int)uring->ring.ring_fd,
					  IORING_REGISTER_ENABLE_RINGS, NULL, 0);
}

int uring_set_up(struct uring *uring, const struct backend_config *config, const char **ret_what)
{
	int rc;

	*ret_what = "setting up io_uring";
	rc = open_ring(uring, config);
	if (rc < 0)
		return rc;
	*ret_what = "waiting with a timeout in io_uring, which needs Linux 5.11";
	if (!(uring->ring.features & IORING_FEAT_EXT_ARG))
		return -EOPNOTSUPP;
	*ret_what = "registering the target's descriptors with io_uring";
	rc = register_files(uring, config);
	if (rc < 0)
		return rc;
	*ret_what = "registering buffers with io_uring, on which fixedbufs=1 insists and which "
		    "RLIMIT_MEMLOCK may limit,";
	rc = choose_opcodes(uring, config);
	if (rc < 0)
		return rc;
	place_kernel_threads(uring, config->cpus);
	uring->enter_flags = IORING_ENTER_GETEVENTS;
	/* Saves a lookup an enter; a kernel before 5.18 does without. */
	if (io_uring_register_ring_fd(&uring->ring) == 1) {
		uring->enter_flags |= IORING_ENTER_REGISTERED_RING;
		add_feature(uring, "registered ring");
	} else {
		add_feature(uring, "ring not registered");
	}
	*ret_what = "restricting io_uring to the workload's operations";
	return restrict_ring(uring, config);
}

/* ---- the probe ---- */

/* kernel.io_uring_disabled, or -1 where the kernel has no such switch. */
static int disabled_by_sysctl(void)
{
	FILE *file = fopen("/proc/sys/kernel/io_uring_disabled", "re");
	int value;

	if (!file)
		return -1;
	value = fgetc(file);
	(void)fclose(file); /* only read from */
	return value >= '0' && value <= '9' ? value - '0' : -1;
}

bool measure_polled(int fd)
{
	_Alignas(4096) char buffer[4096];
	struct io_uring_params params = {.flags = IORING_SETUP_IOPOLL};
	int flags = fcntl(fd, F_GETFL);
	struct io_uring_sqe *entry;
	struct io_uring_cqe *answer;
	struct io_uring ring;
	bool polled = false;

	if (flags < 0 || (!(flags & O_DIRECT) && fcntl(fd, F_SETFL, flags | O_DIRECT) < 0))
		return false;
	if (io_uring_queue_init_params(1, &ring, &params) == 0) {
		entry = io_uring_get_sqe(&ring);
		io_uring_prep_read(entry, fd, buffer, sizeof(buffer), 0);
		if (io_uring_submit_and_wait(&ring, 1) == 1 &&
		    io_uring_peek_cqe(&ring, &answer) == 0)
			polled = answer->res == (int)sizeof(buffer);
		io_uring_queue_exit(&ring);
	}
	(void)fcntl(fd, F_SETFL, flags); /* what was so can be so again */
	return polled;
}

int measure_uring_available(char *reason, size_t reason_size)
{
	struct io_uring_params params = {0};
	int fd = io_uring_setup(1, &params), disabled;

	if (fd >= 0) {
		(void)close(fd); /* nothing was done with it */
		if (params.features & IORING_FEAT_EXT_ARG) {
			(void)snprintf(reason, reason_size, "io_uring is available");
			return 0;
		}
		(void)snprintf(reason, reason_size,
			       "this kernel's io_uring is too old: Linux 5.11 is needed");
		return -EOPNOTSUPP;
	}
	disabled = disabled_by_sysctl();
	if (fd == -ENOSYS)
		(void)snprintf(reason, reason_size,
			       "this kernel has no io_uring, or a container's policy hides it");
	else if (fd == -EPERM && disabled > 0)
		(void)snprintf(reason, reason_size, "refused by kernel.io_uring_disabled=%d",
			       disabled);
	else if (fd == -EPERM || fd == -EACCES)
		(void)snprintf(reason, reason_size, "refused: seccomp or a container's policy");
	else
		(void)snprintf(reason, reason_size, "io_uring_setup failed: %s",
			       strerrordesc_np(-fd));
	return fd;
}
