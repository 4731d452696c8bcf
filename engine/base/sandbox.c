/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sandbox.c - the hidden command `volbench sandbox`: locks itself in, then executes a program.
 *
 * What is applied, in this order:
 *   1. the write directory becomes the current one and, as root, CHILD_SANDBOX_UID's;
 *   2. as root: that user, no groups; in any case no capabilities and no-new-privileges;
 *   3. Landlock: the program and its loader may be executed; /usr, /lib and what a dynamic program
 *      reads at its start may be read; files may be made in the write directory alone (no
 *      directories, links or devices); no TCP, no abstract sockets, no signals to others;
 *   4. seccomp: no new processes, sockets, tracing, io_uring (it would get around all this), no
 *      mounts, anonymous executables, signals to others. Threads are allowed. execve itself cannot
 *      be refused, since the program is still to be executed: Landlock limits it to that program;
 *   5. limits, last, because the memory limit may be smaller than what this program takes.
 * Layers 3, 4 and the user of 2 may be missing (old kernel, container): told on stderr. All else is
 * required. The process dies with its parent.
 *
 * Runs single-threaded in a process of its own; allocates nothing that matters.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "engine/base/child.h"

/* Rights and members younger than Debian 12's header. */
#ifndef LANDLOCK_ACCESS_FS_TRUNCATE
#define LANDLOCK_ACCESS_FS_TRUNCATE (UINT64_C(1) << 14)
#endif
#ifndef LANDLOCK_ACCESS_FS_IOCTL_DEV
#define LANDLOCK_ACCESS_FS_IOCTL_DEV (UINT64_C(1) << 15)
#endif
#define NET_BIND_AND_CONNECT_TCP UINT64_C(3)
#define SCOPE_ABSTRACT_SOCKETS_AND_SIGNALS UINT64_C(3)

struct ruleset {
	uint64_t handled_fs;
	uint64_t handled_net; /* from ABI 4 on */
	uint64_t scoped;      /* from ABI 6 on */
};

#define READ_FILES (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
#define RUN_FILE (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_EXECUTE)
#define USE_DEVICE (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE)
#define WRITE_FILES                                                                                \
	(READ_FILES | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG |                \
	 LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_TRUNCATE)
/* What a rule on a file, not a directory, may grant. */
#define FILE_RIGHTS                                                                                \
	(RUN_FILE | USE_DEVICE | LANDLOCK_ACCESS_FS_TRUNCATE | LANDLOCK_ACCESS_FS_IOCTL_DEV)

struct request {
	const char *write_directory;
	uint64_t cpu_s, memory_bytes, file_bytes;
	char **argv;
};

static void tell_missing(const char *layer, int sys)
{
	(void)fprintf(stderr, CHILD_SANDBOX_NOTE "%s: %s\n", layer, strerror(sys));
}

static int fail(const char *what, int sys)
{
	(void)fprintf(stderr, "volbench sandbox: %s: %s\n", what, strerror(sys));
	return CHILD_SANDBOX_FAILED;
}

/* ---- the user ---- */

static int enter_directory(const char *path, int *ret_fd)
{
	AUTO_CLOSE int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0 || fchdir(fd) < 0)
		return -errno;
	*ret_fd = TAKE_FD(fd);
	return 0;
}

static int become_nobody(int directory)
{
	int sys;

	if (fchown(directory, CHILD_SANDBOX_UID, CHILD_SANDBOX_UID) < 0)
		return -errno;
	if (setgroups(0, NULL) == 0 &&
	    setresgid(CHILD_SANDBOX_UID, CHILD_SANDBOX_UID, CHILD_SANDBOX_UID) == 0 &&
	    setresuid(CHILD_SANDBOX_UID, CHILD_SANDBOX_UID, CHILD_SANDBOX_UID) == 0)
		return 0;
	sys = errno;
	/* Still root, soon without capabilities: then only an owner may write there. Where even
	 * this fails the child cannot write, and says so itself. */
	(void)!fchown(directory, 0, 0);
	return -sys;
}

/* Asked first, since a service manager's filter may kill whoever calls capset, also for nothing. */
static int drop_capabilities(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct now[_LINUX_CAPABILITY_U32S_3] = {0},
				      none[_LINUX_CAPABILITY_U32S_3] = {0};

	if (syscall(SYS_capget, &header, now) < 0)
		return -errno;
	if (memcmp(now, none, sizeof(now)) != 0 && syscall(SYS_capset, &header, none) < 0)
		return -errno;
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ? -errno : 0;
}

/* ---- Landlock ---- */

static int add_rule(int ruleset, const char *path, uint64_t rights, uint64_t handled)
{
	AUTO_CLOSE int fd = open(path, O_PATH | O_CLOEXEC);
	struct landlock_path_beneath_attr rule = {.allowed_access = rights & handled};
	struct stat status;

	if (fd < 0)
		return errno == ENOENT || errno == EACCES ? 0 : -errno; /* nothing to allow */
	if (fstat(fd, &status) < 0)
		return -errno;
	if (!S_ISDIR(status.st_mode))
		rule.allowed_access &= FILE_RIGHTS;
	rule.parent_fd = fd;
	if (rule.allowed_access &&
	    syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) < 0)
		return -errno;
	return 0;
}

/* The loader an ELF program names; -ENOEXEC for a script and the like, "" for a static program. */
static int find_loader(const char *program, char *loader, size_t size)
{
	AUTO_CLOSE int fd = open(program, O_RDONLY | O_CLOEXEC);
	Elf64_Ehdr header;
	Elf64_Phdr segment;

	if (fd < 0)
		return -errno;
	loader[0] = '\0';
	if (pread(fd, &header, sizeof(header), 0) != sizeof(header) ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
	    header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_phentsize != sizeof(segment))
		return -ENOEXEC;
	for (unsigned int i = 0; i < header.e_phnum; i++) {
		off_t at = (off_t)(header.e_phoff + i * sizeof(segment));

		if (pread(fd, &segment, sizeof(segment), at) != sizeof(segment))
			return -ENOEXEC;
		if (segment.p_type != PT_INTERP)
			continue;
		if (segment.p_filesz == 0 || segment.p_filesz > size ||
		    pread(fd, loader, segment.p_filesz, (off_t)segment.p_offset) !=
			    (ssize_t)segment.p_filesz)
			return -ENOEXEC;
		loader[segment.p_filesz - 1] = '\0';
		return 0;
	}
	return 0;
}

static int add_program_rules(int ruleset, const char *program, uint64_t handled)
{
	char loader[256];
	int r;

	r = add_rule(ruleset, program, RUN_FILE, handled);
	if (r < 0)
		return r;
	if (find_loader(program, loader, sizeof(loader)) == 0)
		return loader[0] ? add_rule(ruleset, loader, RUN_FILE, handled) : 0;
	/* Not an ELF program of this size: what interprets it lies in one of these. */
	r = add_rule(ruleset, "/usr", RUN_FILE, handled);
	if (r == 0)
		r = add_rule(ruleset, "/bin", RUN_FILE, handled);
	if (r == 0)
		r = add_rule(ruleset, "/lib", RUN_FILE, handled);
	if (r == 0)
		r = add_rule(ruleset, "/lib64", RUN_FILE, handled);
	return r;
}

static int add_rules(int ruleset, const struct request *request, uint64_t handled)
{
	static const struct {
		const char *path;
		uint64_t rights;
	} rules[] = {
		{"/usr", READ_FILES},		{"/lib", READ_FILES},
		{"/lib64", READ_FILES},		{"/etc/ld.so.cache", READ_FILES},
		{"/etc/localtime", READ_FILES}, {"/etc/fonts", READ_FILES},
		{"/dev/null", USE_DEVICE},	{"/dev/zero", READ_FILES},
		{"/dev/urandom", READ_FILES},	{".", WRITE_FILES},
	};
	int r = add_program_rules(ruleset, request->argv[0], handled);

	for (size_t i = 0; i < ARRAY_SIZE(rules) && r == 0; i++)
		r = add_rule(ruleset, rules[i].path, rules[i].rights, handled);
	return r;
}

static int apply_landlock(const struct request *request)
{
	struct ruleset wanted = {.handled_fs = LANDLOCK_ACCESS_FS_MAKE_SYM * 2 - 1};
	size_t size = sizeof(wanted.handled_fs);
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
	AUTO_CLOSE int ruleset = -1;
	int r;

	if (abi < 0)
		return -errno;
	if (abi >= 2)
		wanted.handled_fs |= LANDLOCK_ACCESS_FS_REFER;
	if (abi >= 3)
		wanted.handled_fs |= LANDLOCK_ACCESS_FS_TRUNCATE;
	if (abi >= 4) {
		wanted.handled_net = NET_BIND_AND_CONNECT_TCP;
		size = offsetof(struct ruleset, scoped);
	}
	if (abi >= 5)
		wanted.handled_fs |= LANDLOCK_ACCESS_FS_IOCTL_DEV;
	if (abi >= 6) {
		wanted.scoped = SCOPE_ABSTRACT_SOCKETS_AND_SIGNALS;
		size = sizeof(wanted);
	}
	ruleset = (int)syscall(SYS_landlock_create_ruleset, &wanted, size, 0);
	if (ruleset < 0)
		return -errno;
	r = add_rules(ruleset, request, wanted.handled_fs);
	if (r == 0 && syscall(SYS_landlock_restrict_self, ruleset, 0) < 0)
		r = -errno;
	return r;
}

/* ---- seccomp ---- */

/* Refused whatever the arguments are. */
static const int refused_calls[] = {
	/* processes and executables */
	SCMP_SYS(fork), SCMP_SYS(vfork), SCMP_SYS(execveat), SCMP_SYS(memfd_create),
	SCMP_SYS(memfd_secret), SCMP_SYS(setns), SCMP_SYS(unshare), SCMP_SYS(setsid),
	SCMP_SYS(setpgid),
	/* other processes */
	SCMP_SYS(ptrace), SCMP_SYS(process_vm_readv), SCMP_SYS(process_vm_writev),
	SCMP_SYS(process_madvise), SCMP_SYS(kcmp), SCMP_SYS(pidfd_open), SCMP_SYS(pidfd_getfd),
	SCMP_SYS(pidfd_send_signal), SCMP_SYS(rt_sigqueueinfo), SCMP_SYS(rt_tgsigqueueinfo),
	SCMP_SYS(tkill),
	/* talking to others */
	SCMP_SYS(socket), SCMP_SYS(socketpair), SCMP_SYS(bind), SCMP_SYS(connect), SCMP_SYS(listen),
	SCMP_SYS(accept), SCMP_SYS(accept4), SCMP_SYS(shmget), SCMP_SYS(shmat), SCMP_SYS(msgget),
	SCMP_SYS(semget), SCMP_SYS(mq_open),
	/* whole subsystems that would get around this filter or widen what can be attacked */
	SCMP_SYS(io_uring_setup), SCMP_SYS(io_uring_enter), SCMP_SYS(io_uring_register),
	SCMP_SYS(bpf), SCMP_SYS(perf_event_open), SCMP_SYS(userfaultfd), SCMP_SYS(add_key),
	SCMP_SYS(request_key), SCMP_SYS(keyctl), SCMP_SYS(fanotify_init), SCMP_SYS(io_setup),
	/* the machine */
	SCMP_SYS(mount), SCMP_SYS(umount2), SCMP_SYS(move_mount), SCMP_SYS(open_tree),
	SCMP_SYS(fsopen), SCMP_SYS(fsmount), SCMP_SYS(fspick), SCMP_SYS(mount_setattr),
	SCMP_SYS(pivot_root), SCMP_SYS(chroot), SCMP_SYS(mknod), SCMP_SYS(mknodat),
	SCMP_SYS(open_by_handle_at), SCMP_SYS(name_to_handle_at), SCMP_SYS(reboot),
	SCMP_SYS(swapon), SCMP_SYS(swapoff), SCMP_SYS(kexec_load), SCMP_SYS(kexec_file_load),
	SCMP_SYS(init_module), SCMP_SYS(finit_module), SCMP_SYS(delete_module), SCMP_SYS(quotactl),
	SCMP_SYS(acct), SCMP_SYS(sethostname), SCMP_SYS(setdomainname), SCMP_SYS(settimeofday),
	SCMP_SYS(clock_settime), SCMP_SYS(clock_adjtime), SCMP_SYS(adjtimex), SCMP_SYS(ioperm),
	SCMP_SYS(iopl), SCMP_SYS(syslog), SCMP_SYS(vhangup)};

/* Refused for some arguments. execve keeps the process's number, so it can be compared with. */
static int add_conditions(scmp_filter_ctx filter)
{
	const uint32_t refuse = SCMP_ACT_ERRNO(EPERM);
	const uint64_t self = (uint64_t)getpid();
	int r;

	/* Threads share the caller's memory and signals; what does not is a process. */
	r = seccomp_rule_add(filter, refuse, SCMP_SYS(clone), 1,
			     SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0));
	/* Its flags lie in memory: "not there" makes libc use clone. */
	if (r == 0)
		r = seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
	if (r == 0) /* abort() signals itself */
		r = seccomp_rule_add(filter, refuse, SCMP_SYS(kill), 1,
				     SCMP_A0(SCMP_CMP_NE, self, 0));
	if (r == 0)
		r = seccomp_rule_add(filter, refuse, SCMP_SYS(tgkill), 1,
				     SCMP_A0(SCMP_CMP_NE, self, 0));
	if (r == 0) /* the limits of other processes of this user */
		r = seccomp_rule_add(filter, refuse, SCMP_SYS(prlimit64), 1,
				     SCMP_A0(SCMP_CMP_GT, 0, 0));
	if (r == 0) /* typing into the terminal of whoever started us; both work on 32 bits */
		r = seccomp_rule_add(filter, refuse, SCMP_SYS(ioctl), 1,
				     SCMP_A1(SCMP_CMP_MASKED_EQ, UINT32_MAX, TIOCSTI));
	if (r == 0)
		r = seccomp_rule_add(filter, refuse, SCMP_SYS(ioctl), 1,
				     SCMP_A1(SCMP_CMP_MASKED_EQ, UINT32_MAX, TIOCLINUX));
	return r;
}

static int apply_seccomp(void)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
	int r = filter ? 0 : -ENOMEM;

	for (size_t i = 0; i < ARRAY_SIZE(refused_calls) && r == 0; i++)
		if (refused_calls[i] >= 0) /* below: not a call of this architecture */
			r = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), refused_calls[i], 0);
	if (r == 0)
		r = add_conditions(filter);
	if (r == 0)
		r = seccomp_load(filter);
	if (filter)
		seccomp_release(filter);
	return r;
}

/* ---- limits ---- */

static int limit(int resource, uint64_t soft, uint64_t hard)
{
	struct rlimit now, wanted = {.rlim_cur = soft, .rlim_max = hard};

	if (getrlimit(resource, &now) < 0)
		return -errno;
	if (wanted.rlim_max > now.rlim_max) /* what we already have is tighter */
		wanted.rlim_max = now.rlim_max;
	if (wanted.rlim_cur > wanted.rlim_max)
		wanted.rlim_cur = wanted.rlim_max;
	return setrlimit(resource, &wanted) < 0 ? -errno : 0;
}

static int apply_limits(const struct request *request)
{
	int r = limit(RLIMIT_CORE, 0, 0);

	if (r == 0)
		r = limit(RLIMIT_NOFILE, 64, 64);
	if (r == 0)
		r = limit(RLIMIT_NPROC, 0, 0);
	if (r == 0 && request->cpu_s) /* SIGXCPU, then SIGKILL */
		r = limit(RLIMIT_CPU, request->cpu_s, request->cpu_s + 1);
	if (r == 0 && request->file_bytes)
		r = limit(RLIMIT_FSIZE, request->file_bytes, request->file_bytes);
	if (r == 0 && request->memory_bytes)
		r = limit(RLIMIT_AS, request->memory_bytes, request->memory_bytes);
	return r;
}

/* ---- the command ---- */

static int read_number(const char *text, uint64_t *ret_value)
{
	char *end;

	errno = 0;
	if (text[0] < '0' || text[0] > '9')
		return -EINVAL;
	*ret_value = strtoull(text, &end, 10);
	return errno || *end ? -EINVAL : 0;
}

static int read_request(int argc, char **argv, struct request *ret_request)
{
	if (argc < 8 || strcmp(argv[6], "--") != 0)
		return -EINVAL;
	ret_request->write_directory = argv[2];
	ret_request->argv = argv + 7;
	if (read_number(argv[3], &ret_request->cpu_s) < 0 ||
	    read_number(argv[4], &ret_request->memory_bytes) < 0 ||
	    read_number(argv[5], &ret_request->file_bytes) < 0)
		return -EINVAL;
	return 0;
}

int child_sandbox_main(int argc, char **argv)
{
	struct request request;
	const char *program;
	int directory = -1, r;

	if (read_request(argc, argv, &request) < 0)
		return fail("usage: sandbox WRITE_DIRECTORY CPU_S MEMORY FILE_BYTES -- ARGV...",
			    EINVAL);
	r = enter_directory(request.write_directory, &directory);
	if (r < 0)
		return fail(request.write_directory, -r);
	r = geteuid() == 0 ? become_nobody(directory) : 0;
	if (r < 0)
		tell_missing("a user of its own", -r);
	(void)close(directory); /* read-only: nothing can be lost */
	r = drop_capabilities();
	if (r < 0)
		return fail("capabilities and no-new-privileges", -r);
	r = apply_landlock(&request);
	if (r < 0)
		tell_missing("Landlock", -r);
	r = apply_seccomp();
	if (r < 0)
		tell_missing("seccomp", -r);
	/* After the change of user, which would clear it. */
	r = prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0 ? -errno : apply_limits(&request);
	if (r < 0)
		return fail("limits", -r);
	program = request.argv[0];
	(void)execv(program, request.argv);
	(void)fail(program, errno);
	/* Exit handlers may want what is refused by now (a leak checker starts a process). */
	_exit(CHILD_SANDBOX_NO_PROGRAM);
}
