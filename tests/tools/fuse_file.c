/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuse_file.c - a file system for tests: it says what arrives, takes a fixed time for each
 * operation, and stands still when it is stopped.
 *
 *     fuse_file [-s BYTES] [-d MICROSECONDS] [-l LOG] [-e KIND:FROM:TO] DIRECTORY
 *
 * Mounts itself on DIRECTORY (root, /dev/fuse) and prints "mounted" on standard output once it
 * serves. With -s there is a file `file` of so many bytes from the start (zeros); files can be
 * made, renamed and removed. Content is kept in memory.
 *   -d   each read, write and sync is answered so long after it arrived. Those outstanding wait
 *        beside each other, not one after another. 0: at once.
 *   -l   every read, write and sync as a line "NAME KIND OFFSET LENGTH NS": KIND is read, write,
 *        fsync or fdatasync; NAME is - where the file was removed; NS is the time of arrival,
 *        CLOCK_MONOTONIC. Nothing is cached in the kernel (FOPEN_DIRECT_IO), so what arrives is
 *        what was asked, up to 1 MiB at a time. The log is whole once the process has ended.
 *   -e   EIO for every read or write (KIND: read, write) of at most 64 KiB that begins in those
 *        bytes of a file, which a fill, in larger pieces, does not meet. Nothing of it is written.
 *        Once for each kind.
 * SIGSTOP is a storage that hangs; SIGCONT lets it go on. SIGTERM (also when the parent dies)
 * unmounts and ends it; so does unmounting. tests/e2e/fuse.py starts and ends it.
 *
 * One thread. The kernel's protocol is spoken as <linux/fuse.h> has it, with no library.
 * Length: one small file system.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/fuse.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define FILES 64
#define NAME_SIZE 256
#define BLOCK_BYTES 4096
#define TRANSFER_BYTES (1u << 20)
#define FAILING_BYTES_MAX (64u << 10)
#define FIRST_NODE (FUSE_ROOT_ID + 1) /* of files[0] */

struct file {
	char name[NAME_SIZE]; /* "": removed */
	int fd;		      /* its content; -1: never made */
};

/* A reply that is due later. All wait equally long, so the first to arrive is the first to go. */
struct reply {
	struct reply *next;
	uint64_t due_ns;
	uint64_t unique;
	int error;
	size_t size;
	char data[];
};

static struct file files[FILES];
static struct reply *first, **last = &first;
static uint64_t delay_ns;
static FILE *log_file;
static int device = -1;
static volatile sig_atomic_t stopping;

/* Where reads and writes fail. */
static struct {
	const char *kind;
	uint64_t from, to;
} bad[] = {{"read", 0, 0}, {"write", 0, 0}};

static void stop(int number)
{
	stopping = number;
}

static void die(const char *what)
{
	fprintf(stderr, "fuse_file: %s: %s\n", what, strerror(errno));
	exit(1);
}

static uint64_t now_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* ---- replies ---- */

/* The kernel refuses a reply to what was interrupted (ENOENT). */
static void send_reply(uint64_t unique, int error, const void *data, size_t size)
{
	struct fuse_out_header header = {
		.len = (uint32_t)(sizeof(header) + size), .error = -error, .unique = unique};
	struct iovec parts[2] = {{&header, sizeof(header)}, {(void *)(uintptr_t)data, size}};

	if (writev(device, parts, size ? 2 : 1) < 0 && errno != ENOENT && errno != ENODEV)
		die("answering");
}

/* Of the delayed kind, with room for size bytes of data. */
static struct reply *new_reply(uint64_t arrived_ns, size_t size)
{
	struct reply *reply = calloc(1, sizeof(*reply) + size);

	if (!reply)
		die("a reply");
	reply->due_ns = arrived_ns + delay_ns;
	return reply;
}

static void answer(struct reply *reply, uint64_t unique, int error, size_t size)
{
	reply->unique = unique;
	reply->error = error;
	reply->size = size;
	*last = reply;
	last = &reply->next;
}

static void send_due(void)
{
	while (first && first->due_ns <= now_ns()) {
		struct reply *reply = first;

		first = reply->next;
		if (!first)
			last = &first;
		send_reply(reply->unique, reply->error, reply->data, reply->size);
		free(reply);
	}
}

/* ---- files ---- */

static struct file *of_node(uint64_t node)
{
	return node >= FIRST_NODE && node < FIRST_NODE + FILES ? &files[node - FIRST_NODE] : NULL;
}

static struct file *of_name(const char *name)
{
	for (size_t i = 0; *name && i < FILES; i++)
		if (strcmp(files[i].name, name) == 0)
			return &files[i];
	return NULL;
}

/* A node is used once; NULL with errno set. */
static struct file *make(const char *name, off_t bytes)
{
	struct file *file = NULL;

	for (size_t i = 0; i < FILES && !file; i++)
		if (files[i].fd < 0)
			file = &files[i];
	errno = ENOSPC;
	if (!file || strlen(name) >= NAME_SIZE)
		return NULL;
	file->fd = memfd_create("fuse_file", MFD_CLOEXEC);
	if (file->fd < 0 || ftruncate(file->fd, bytes) < 0)
		return NULL;
	(void)snprintf(file->name, NAME_SIZE, "%s", name);
	return file;
}

static struct fuse_attr attributes(uint64_t node)
{
	struct fuse_attr attr = {.ino = node, .mode = S_IFDIR | 0755, .nlink = 2};
	struct file *file = of_node(node);
	struct stat status;

	attr.blksize = BLOCK_BYTES;
	if (!file)
		return attr;
	if (fstat(file->fd, &status) < 0)
		die("looking at content");
	attr.size = (uint64_t)status.st_size;
	attr.blocks = (attr.size + 511) / 512; /* nothing is sparse here */
	attr.mode = S_IFREG | 0600;
	attr.nlink = *file->name ? 1 : 0;
	return attr;
}

static struct fuse_entry_out entry_of(const struct file *file)
{
	uint64_t node = FIRST_NODE + (uint64_t)(file - files);

	return (struct fuse_entry_out){.nodeid = node, .attr = attributes(node)};
}

/* ---- what is asked: 0 with the reply sent, or an errno ---- */

static int do_init(const struct fuse_in_header *in, const struct fuse_init_in *init)
{
	struct fuse_init_out out = {.major = FUSE_KERNEL_VERSION, .minor = 31};

	out.max_readahead = init->max_readahead;
	out.flags = init->flags & (FUSE_ASYNC_READ | FUSE_BIG_WRITES | FUSE_ASYNC_DIO |
				   FUSE_PARALLEL_DIROPS | FUSE_MAX_PAGES);
	out.max_background = 512;
	out.congestion_threshold = 384;
	out.max_write = TRANSFER_BYTES;
	out.max_pages = TRANSFER_BYTES / BLOCK_BYTES;
	out.time_gran = 1;
	send_reply(in->unique, 0, &out, sizeof(out));
	printf("mounted\n");
	fflush(stdout);
	return 0;
}

static int done(const struct fuse_in_header *in, const void *data, size_t size)
{
	send_reply(in->unique, 0, data, size);
	return 0;
}

static int do_lookup(const struct fuse_in_header *in, const char *name)
{
	const struct file *file = of_name(name);
	struct fuse_entry_out out;

	if (!file)
		return ENOENT;
	out = entry_of(file);
	return done(in, &out, sizeof(out));
}

static int do_attributes(const struct fuse_in_header *in, const struct fuse_setattr_in *set)
{
	const struct file *file = of_node(in->nodeid);
	struct fuse_attr_out out = {0};

	if (set && file && (set->valid & FATTR_SIZE) && ftruncate(file->fd, (off_t)set->size) < 0)
		return errno;
	out.attr = attributes(in->nodeid);
	return done(in, &out, sizeof(out));
}

static int do_create(const struct fuse_in_header *in, const char *name)
{
	struct {
		struct fuse_entry_out entry;
		struct fuse_open_out open;
	} out = {.open.open_flags = FOPEN_DIRECT_IO | FOPEN_PARALLEL_DIRECT_WRITES};
	const struct file *file = of_name(name);

	if (file)
		return EEXIST;
	file = make(name, 0);
	if (!file)
		return errno;
	out.entry = entry_of(file);
	return done(in, &out, sizeof(out));
}

static int do_open(const struct fuse_in_header *in)
{
	struct fuse_open_out out = {.open_flags =
					    in->opcode == FUSE_OPEN
						    ? FOPEN_DIRECT_IO | FOPEN_PARALLEL_DIRECT_WRITES
						    : 0};

	return done(in, &out, sizeof(out));
}

static int do_rename(const struct fuse_in_header *in, uint32_t flags, const char *name)
{
	const char *to = name + strlen(name) + 1;
	struct file *file = of_name(name), *there = of_name(to);

	if (!file)
		return ENOENT;
	if (there && (flags & RENAME_NOREPLACE))
		return EEXIST;
	if (there)
		there->name[0] = '\0';
	(void)snprintf(file->name, NAME_SIZE, "%s", to);
	return done(in, NULL, 0);
}

/* What a removed file holds is kept as long as the process: it may still be open. */
static int do_unlink(const struct fuse_in_header *in, const char *name)
{
	struct file *file = of_name(name);

	if (!file)
		return ENOENT;
	file->name[0] = '\0';
	return done(in, NULL, 0);
}

/* The files' names, as many as the kernel has room for; an entry's place is that of its file. */
static int do_list(const struct fuse_in_header *in, const struct fuse_read_in *read)
{
	static _Alignas(8) char list[FILES * (sizeof(struct fuse_dirent) + NAME_SIZE)];
	size_t size = 0;

	for (uint64_t i = read->offset; i < FILES; i++) {
		size_t length = strlen(files[i].name);
		struct fuse_dirent *entry = (void *)(list + size);

		if (length == 0)
			continue;
		if (size + FUSE_DIRENT_ALIGN(FUSE_NAME_OFFSET + length) > read->size)
			break;
		*entry = (struct fuse_dirent){.ino = FIRST_NODE + i,
					      .off = i + 1,
					      .namelen = (uint32_t)length,
					      .type = S_IFREG >> 12};
		memcpy(entry->name, files[i].name, length);
		size += FUSE_DIRENT_SIZE(entry);
	}
	return done(in, list, size);
}

static int do_statfs(const struct fuse_in_header *in)
{
	struct fuse_statfs_out out = {.st = {.blocks = 1u << 20,
					     .bfree = 1u << 20,
					     .bavail = 1u << 20,
					     .files = FILES,
					     .ffree = FILES,
					     .bsize = BLOCK_BYTES,
					     .frsize = BLOCK_BYTES,
					     .namelen = NAME_SIZE - 1}};

	return done(in, &out, sizeof(out));
}

static int do_allocate(const struct fuse_in_header *in, const struct fuse_fallocate_in *allocate)
{
	const struct file *file = of_node(in->nodeid);
	off_t end = (off_t)(allocate->offset + allocate->length);

	if (!file || allocate->mode != 0)
		return EOPNOTSUPP;
	if ((uint64_t)end > attributes(in->nodeid).size && ftruncate(file->fd, end) < 0)
		return errno;
	return done(in, NULL, 0);
}

/* ---- what is timed and told ---- */

static void tell(const struct file *file, const char *kind, uint64_t offset, uint32_t length,
		 uint64_t arrived_ns)
{
	if (log_file)
		fprintf(log_file, "%s %s %" PRIu64 " %" PRIu32 " %" PRIu64 "\n",
			*file->name ? file->name : "-", kind, offset, length, arrived_ns);
}

static bool fails(int kind, uint64_t offset, uint32_t length)
{
	return offset >= bad[kind].from && offset < bad[kind].to && length <= FAILING_BYTES_MAX;
}

static int do_read(const struct fuse_in_header *in, const struct fuse_read_in *read)
{
	const struct file *file = of_node(in->nodeid);
	uint64_t arrived_ns = now_ns();
	struct reply *reply;
	ssize_t size;

	if (!file)
		return EISDIR;
	tell(file, "read", read->offset, read->size, arrived_ns);
	reply = new_reply(arrived_ns, read->size);
	size = pread(file->fd, reply->data, read->size, (off_t)read->offset);
	if (fails(0, read->offset, read->size)) {
		size = -1;
		errno = EIO;
	}
	answer(reply, in->unique, size < 0 ? errno : 0, size < 0 ? 0 : (size_t)size);
	return 0;
}

static int do_write(const struct fuse_in_header *in, const struct fuse_write_in *write)
{
	const struct file *file = of_node(in->nodeid);
	struct fuse_write_out out = {.size = write->size};
	uint64_t arrived_ns = now_ns();
	struct reply *reply;

	if (!file)
		return EISDIR;
	tell(file, "write", write->offset, write->size, arrived_ns);
	if (fails(1, write->offset, write->size)) {
		answer(new_reply(arrived_ns, 0), in->unique, EIO, 0);
		return 0;
	}
	if (pwrite(file->fd, write + 1, write->size, (off_t)write->offset) != (ssize_t)write->size)
		return ENOSPC;
	reply = new_reply(arrived_ns, sizeof(out));
	memcpy(reply->data, &out, sizeof(out));
	answer(reply, in->unique, 0, sizeof(out));
	return 0;
}

static int do_sync(const struct fuse_in_header *in, const struct fuse_fsync_in *sync)
{
	const struct file *file = of_node(in->nodeid);
	bool data = sync->fsync_flags & FUSE_FSYNC_FDATASYNC;
	uint64_t arrived_ns = now_ns();

	if (!file)
		return EISDIR;
	tell(file, data ? "fdatasync" : "fsync", 0, 0, arrived_ns);
	answer(new_reply(arrived_ns, 0), in->unique, 0, 0);
	return 0;
}

static int dispatch(const struct fuse_in_header *in)
{
	const void *body = in + 1;

	switch (in->opcode) {
	case FUSE_INIT:
		return do_init(in, body);
	case FUSE_LOOKUP:
		return do_lookup(in, body);
	case FUSE_GETATTR:
		return do_attributes(in, NULL);
	case FUSE_SETATTR:
		return do_attributes(in, body);
	case FUSE_CREATE:
		return do_create(in, (const char *)body + sizeof(struct fuse_create_in));
	case FUSE_OPEN:
	case FUSE_OPENDIR:
		return do_open(in);
	case FUSE_READ:
		return do_read(in, body);
	case FUSE_WRITE:
		return do_write(in, body);
	case FUSE_FSYNC:
		return do_sync(in, body);
	case FUSE_RENAME2:
		return do_rename(in, ((const struct fuse_rename2_in *)body)->flags,
				 (const char *)body + sizeof(struct fuse_rename2_in));
	case FUSE_UNLINK:
		return do_unlink(in, body);
	case FUSE_STATFS:
		return do_statfs(in);
	case FUSE_FALLOCATE:
		return do_allocate(in, body);
	case FUSE_READDIR:
		return do_list(in, body);
	case FUSE_FLUSH:
	case FUSE_RELEASE:
	case FUSE_RELEASEDIR:
	case FUSE_FSYNCDIR:
		return done(in, NULL, 0);
	case FUSE_FORGET: /* these are not answered */
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		return 0;
	default:
		return ENOSYS;
	}
}

/* ---- running ---- */

/* All requests that wait, then all replies that are due, until unmounted or told to stop. */
static void serve(void)
{
	static _Alignas(64) char request[TRANSFER_BYTES + 2 * BLOCK_BYTES];
	const struct fuse_in_header *in = (const void *)request;
	struct pollfd poll_device = {.fd = device, .events = POLLIN};

	while (!stopping) {
		ssize_t size = read(device, request, sizeof(request));
		uint64_t now = now_ns(), wait_ns = 50000000;

		if (size > 0) {
			int error = dispatch(in);

			if (error)
				send_reply(in->unique, error, NULL, 0);
			send_due();
			continue;
		}
		if (size == 0 || errno == ENODEV)
			return;
		if (errno != EAGAIN && errno != EINTR && errno != ENOENT)
			die("reading /dev/fuse");
		if (first && first->due_ns < now + wait_ns)
			wait_ns = first->due_ns > now ? first->due_ns - now : 0;
		(void)ppoll(&poll_device, 1, &(struct timespec){.tv_nsec = (long)wait_ns}, NULL);
		send_due();
	}
}

static void mount_on(const char *directory)
{
	char options[128];

	device = open("/dev/fuse", O_RDWR | O_NONBLOCK | O_CLOEXEC);
	(void)snprintf(options, sizeof(options), "fd=%d,rootmode=40755,user_id=0,group_id=0",
		       device);
	if (device < 0 || mount("fuse_file", directory, "fuse", MS_NOSUID | MS_NODEV, options) < 0)
		die("mounting");
}

/* "read:1048576:2097152" */
static bool set_bad(const char *text)
{
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		size_t length = strlen(bad[i].kind);

		if (strncmp(text, bad[i].kind, length) == 0 && text[length] == ':')
			return sscanf(text + length, ":%" SCNu64 ":%" SCNu64, &bad[i].from,
				      &bad[i].to) == 2;
	}
	return false;
}

int main(int argc, char **argv)
{
	long long bytes = -1;
	int letter;

	while ((letter = getopt(argc, argv, "s:d:l:e:")) != -1) {
		if (letter == 's')
			bytes = strtoll(optarg, NULL, 10);
		else if (letter == 'd')
			delay_ns = strtoull(optarg, NULL, 10) * 1000;
		else if (letter == 'l')
			log_file = fopen(optarg, "we");
		else if (letter != 'e' || !set_bad(optarg))
			return 2;
		if (letter == 'l' && !log_file)
			die(optarg);
	}
	if (optind + 1 != argc) {
		fputs("usage: fuse_file [-s BYTES] [-d MICROSECONDS] [-l LOG] [-e KIND:FROM:TO] "
		      "DIRECTORY\n",
		      stderr);
		return 2;
	}
	for (size_t i = 0; i < FILES; i++)
		files[i].fd = -1;
	if (bytes >= 0 && !make("file", (off_t)bytes))
		die("making the file");
	(void)prctl(PR_SET_PDEATHSIG, SIGTERM);
	(void)sigaction(SIGTERM, &(struct sigaction){.sa_handler = stop}, NULL);
	mount_on(argv[optind]);
	serve();
	if (stopping)
		(void)umount2(argv[optind], MNT_DETACH); /* somebody else may have */
	if (log_file && fclose(log_file) != 0)
		die("the log");
	return 0;
}
