/* SPDX-License-Identifier: GPL-3.0-or-later */
/* chart.c - see chart.h: keeps the scripts of a report's charts and has them drawn. */
#include "web/chart.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "engine/base/child.h"
#include "engine/base/clock.h"
#include "engine/base/text.h"
#include "web/chart_script.h"
#include "web/svg.h"

#define DRAW_CPU_S 10
#define DRAW_WALL_MS 15000
#define STOP_LOOK_MS 50 /* between two looks whether to stop */
#define DRAW_MEMORY_BYTES (UINT64_C(512) << 20)
#define DRAW_OUTPUT_BYTES (UINT64_C(64) << 20)
#define DRAW_STOPS_MAX 5 /* charts that may fail before the rest is given up */

struct chart {
	char *title;
	char *script[CHART_THEME_COUNT];
	struct chart_layout layout;
	char *svg[CHART_THEME_COUNT];
	size_t size[CHART_THEME_COUNT];
};

struct chart_set {
	size_t count;
	struct chart *charts;
	const char *program;
	const atomic_bool *stop; /* NULL: never */
	char trouble[320];
};

int chart_set_new(struct chart_set **ret_set)
{
	struct chart_set *set = calloc(1, sizeof(*set));

	if (!set)
		return -ENOMEM;
	set->program = "/usr/bin/gnuplot";
	*ret_set = set;
	return 0;
}

static void chart_done(struct chart *chart)
{
	free(chart->title);
	for (size_t theme = 0; theme < CHART_THEME_COUNT; theme++) {
		free(chart->script[theme]);
		free(chart->svg[theme]);
	}
}

void chart_set_free(struct chart_set *set)
{
	if (!set)
		return;
	for (size_t i = 0; i < set->count; i++)
		chart_done(&set->charts[i]);
	free(set->charts);
	free(set);
}

void chart_set_program(struct chart_set *set, const char *path)
{
	set->program = path;
}

/* ---- collecting ---- */

typedef void write_script(FILE *file, const void *what, enum chart_theme theme,
			  struct chart_layout *ret_layout);

static void write_bars(FILE *file, const void *what, enum chart_theme theme,
		       struct chart_layout *ret_layout)
{
	script_bars(file, what, theme, ret_layout);
}

static void write_lines(FILE *file, const void *what, enum chart_theme theme,
			struct chart_layout *ret_layout)
{
	script_lines(file, what, theme, ret_layout);
}

static void write_curves(FILE *file, const void *what, enum chart_theme theme,
			 struct chart_layout *ret_layout)
{
	script_curves(file, what, theme, ret_layout);
}

static void write_heat(FILE *file, const void *what, enum chart_theme theme,
		       struct chart_layout *ret_layout)
{
	script_heat(file, what, theme, ret_layout);
}

static void write_pairs(FILE *file, const void *what, enum chart_theme theme,
			struct chart_layout *ret_layout)
{
	script_pairs(file, what, theme, ret_layout);
}

static int make_script(struct chart *chart, write_script *write_one, const void *what,
		       enum chart_theme theme)
{
	size_t size;
	FILE *file = open_memstream(&chart->script[theme], &size);
	bool bad;

	if (!file)
		return -ENOMEM;
	write_one(file, what, theme, &chart->layout);
	bad = ferror(file) != 0;
	return fclose(file) != 0 || bad ? -ENOMEM : 0;
}

static int add(struct chart_set *set, const char *title, write_script *write_one, const void *what,
	       size_t *ret_index)
{
	struct chart chart = {.title = strdup(title)}, *charts;
	int r = chart.title ? 0 : -ENOMEM;

	if (set->count >= CHART_SET_MAX)
		r = -E2BIG;
	for (size_t theme = 0; theme < CHART_THEME_COUNT && r == 0; theme++)
		r = make_script(&chart, write_one, what, (enum chart_theme)theme);
	charts = r == 0 ? reallocarray(set->charts, set->count + 1, sizeof(*charts)) : NULL;
	if (!charts) {
		chart_done(&chart);
		return r < 0 ? r : -ENOMEM;
	}
	set->charts = charts;
	set->charts[set->count] = chart;
	*ret_index = set->count++;
	return 0;
}

int chart_add_bars(struct chart_set *set, const struct chart_bars *bars, size_t *ret_index)
{
	return add(set, bars->title, write_bars, bars, ret_index);
}

int chart_add_lines(struct chart_set *set, const struct chart_lines *lines, size_t *ret_index)
{
	return add(set, lines->title, write_lines, lines, ret_index);
}

int chart_add_curves(struct chart_set *set, const struct chart_curves *curves, size_t *ret_index)
{
	return add(set, curves->title, write_curves, curves, ret_index);
}

int chart_add_heat(struct chart_set *set, const struct chart_heat *heat, size_t *ret_index)
{
	return add(set, heat->title, write_heat, heat, ret_index);
}

int chart_add_pairs(struct chart_set *set, const struct chart_pairs *pairs, size_t *ret_index)
{
	return add(set, pairs->title, write_pairs, pairs, ret_index);
}

/* ---- drawing ---- */

/* A child's three files and what became of it. */
struct drawing {
	int script_fd, output_fd, message_fd;
	char directory[64]; /* its own, empty; "" when there is none */
	struct child_status status;
};

static int write_all(int fd, const char *data, size_t size)
{
	while (size > 0) {
		ssize_t n = write(fd, data, size);

		if (n < 0)
			return -errno;
		data += n;
		size -= (size_t)n;
	}
	return 0;
}

static int open_files(struct drawing *drawing, const struct chart_set *set, size_t from)
{
	int r = 0;

	drawing->script_fd = memfd_create("script", MFD_CLOEXEC);
	drawing->output_fd = memfd_create("drawings", MFD_CLOEXEC);
	drawing->message_fd = memfd_create("messages", MFD_CLOEXEC);
	if (drawing->script_fd < 0 || drawing->output_fd < 0 || drawing->message_fd < 0)
		return -errno;
	for (size_t i = from; i < set->count && r == 0; i++)
		for (size_t theme = 0; theme < CHART_THEME_COUNT && r == 0; theme++)
			r = write_all(drawing->script_fd, set->charts[i].script[theme],
				      strlen(set->charts[i].script[theme]));
	if (r == 0 && lseek(drawing->script_fd, 0, SEEK_SET) < 0)
		r = -errno;
	return r;
}

#define DIRECTORY_PREFIX "volbench-charts-"
#define DIRECTORY_OLD_S 120 /* no drawing lasts as long */

/* Removes the empty directories that a service which was killed while drawing left in a place. */
static void sweep_directories(const char *place)
{
	time_t now = (time_t)(clock_wall_ms() / 1000);
	const struct dirent *entry;
	struct stat status;
	DIR *directory = opendir(place);

	if (!directory)
		return;
	while ((entry = readdir(directory))) {
		if (strncmp(entry->d_name, DIRECTORY_PREFIX, strlen(DIRECTORY_PREFIX)) != 0 ||
		    fstatat(dirfd(directory), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) < 0 ||
		    status.st_mtime > now - DIRECTORY_OLD_S)
			continue;
		/* What is not empty, or another user's, is not ours and stays. */
		(void)unlinkat(dirfd(directory), entry->d_name, AT_REMOVEDIR);
	}
	(void)closedir(directory); /* was only read */
}

static int make_directory(struct drawing *drawing)
{
	static const char *const places[] = {"/tmp", "/var/tmp", "/dev/shm"};
	int r = -ENOENT;

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		(void)snprintf(drawing->directory, sizeof(drawing->directory),
			       "%s/" DIRECTORY_PREFIX "XXXXXX", places[i]);
		sweep_directories(places[i]);
		if (mkdtemp(drawing->directory))
			return 0;
		r = -errno;
	}
	drawing->directory[0] = '\0';
	return r;
}

static void close_drawing(struct drawing *drawing)
{
	int fds[] = {drawing->script_fd, drawing->output_fd, drawing->message_fd};

	for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
		if (fds[i] >= 0)
			(void)close(fds[i]); /* memory: nothing can be lost */
	/* Nothing was written there; what a child put there none the less stays and is harmless. */
	if (drawing->directory[0])
		(void)rmdir(drawing->directory);
}

static bool stopped(const struct chart_set *set)
{
	return set->stop && atomic_load(set->stop);
}

/* child_wait(), cut into pieces that hear of a stop. */
static int await_child(const struct chart_set *set, pid_t pid, uint64_t wall_ms,
		       struct child_status *ret_status)
{
	uint64_t end_ns = clock_now_ns() + wall_ms * NS_PER_MS;
	int r;

	do {
		r = child_await(pid, STOP_LOOK_MS, ret_status);
	} while (r == -ETIMEDOUT && !stopped(set) && clock_now_ns() < end_ns);
	return r == -ETIMEDOUT ? child_wait(pid, 1, ret_status) : r;
}

/* gnuplot reads its standard input byte by byte, a system call each; the same file by its name it
 * reads in blocks. NULL, which is standard input, where there is no /proc. */
static const char *script_path(void)
{
	static const char path[] = "/proc/self/fd/0";

	return access(path, F_OK) == 0 ? path : NULL;
}

static int run_child(struct drawing *drawing, const struct chart_set *set, size_t from,
		     uint64_t wall_ms)
{
	const struct child_sandbox sandbox = {.write_directory = drawing->directory,
					      .cpu_s = DRAW_CPU_S,
					      .memory_bytes = DRAW_MEMORY_BYTES,
					      .file_bytes = DRAW_OUTPUT_BYTES};
	const char *const argv[] = {set->program, script_path(), NULL};
	const char *const environment[] = {"LC_ALL=C", NULL};
	struct child_options options = {
		.argv = argv, .environment = environment, .sandbox = &sandbox};
	pid_t pid;
	int r = open_files(drawing, set, from);

	if (r == 0)
		r = make_directory(drawing);
	if (r < 0)
		return r;
	options.stdin_fd = drawing->script_fd;
	options.stdout_fd = drawing->output_fd;
	options.stderr_fd = drawing->message_fd;
	r = child_start(&options, &pid);
	return r < 0 ? r : await_child(set, pid, wall_ms, &drawing->status);
}

static int read_memory(int fd, size_t max, char **ret_data, size_t *ret_size)
{
	struct stat status;
	char *data;
	size_t size;
	ssize_t n;

	if (fstat(fd, &status) < 0)
		return -errno;
	size = (size_t)status.st_size < max ? (size_t)status.st_size : max;
	data = malloc(size + 1);
	if (!data)
		return -ENOMEM;
	n = pread(fd, data, size, 0); /* of memory: whole */
	if (n < 0) {
		free(data);
		return -errno;
	}
	data[n] = '\0';
	*ret_data = data;
	*ret_size = (size_t)n;
	return 0;
}

/* Takes the drawings in the order they were asked for; *ret_done: charts that are whole. */
static int take_drawings(struct chart_set *set, size_t from, const struct drawing *drawing,
			 size_t *ret_done)
{
	AUTO_FREE char *data = NULL;
	size_t size, at = from * CHART_THEME_COUNT;
	char *begin, *end;
	int r = read_memory(drawing->output_fd, DRAW_OUTPUT_BYTES, &data, &size);

	if (r < 0)
		return r;
	for (begin = data; at < set->count * CHART_THEME_COUNT; at++) {
		struct chart *chart = &set->charts[at / CHART_THEME_COUNT];
		size_t theme = at % CHART_THEME_COUNT;

		begin = strstr(begin, "<?xml");
		end = begin ? strstr(begin, "</svg>") : NULL;
		if (!end)
			break;
		end += strlen("</svg>");
		r = svg_clean(begin, (size_t)(end - begin), chart->title, &chart->svg[theme],
			      &chart->size[theme]);
		if (r == -ENOMEM)
			return r;
		if (r < 0)
			(void)snprintf(set->trouble, sizeof(set->trouble),
				       "A chart held what a drawing must not hold and was left "
				       "out.");
		begin = end;
	}
	*ret_done = at / CHART_THEME_COUNT;
	return 0;
}

static void tell_stop(struct chart_set *set, const struct drawing *drawing)
{
	AUTO_FREE char *message = NULL;
	char excerpt[TEXT_EXCERPT_MAX] = "";
	size_t size;
	const char *what = "gnuplot stopped";

	if (drawing->status.deadline)
		what = "drawing took longer than it may";
	else if (!drawing->status.exited)
		what = "gnuplot was killed";
	else if (drawing->status.code == CHILD_SANDBOX_NO_PROGRAM)
		what = "gnuplot is not installed";
	else if (drawing->status.code == CHILD_SANDBOX_FAILED)
		what = "gnuplot could not be shut in";
	else if (read_memory(drawing->message_fd, 4096, &message, &size) == 0)
		(void)text_excerpt(message + strspn(message, " \n"), excerpt);
	(void)snprintf(set->trouble, sizeof(set->trouble), "%s%s%s%s", what, excerpt[0] ? " (" : "",
		       excerpt, excerpt[0] ? ")" : "");
}

/* Worth another try without the chart it stopped at? */
static bool may_go_on(const struct drawing *drawing)
{
	return drawing->status.exited && drawing->status.code != CHILD_SANDBOX_NO_PROGRAM &&
	       drawing->status.code != CHILD_SANDBOX_FAILED;
}

static int draw_from(struct chart_set *set, size_t *from, uint64_t wall_ms, bool *ret_on)
{
	struct drawing drawing = {.script_fd = -1, .output_fd = -1, .message_fd = -1};
	int r = run_child(&drawing, set, *from, wall_ms);

	*ret_on = false;
	if (r < 0) {
		(void)snprintf(set->trouble, sizeof(set->trouble), "gnuplot did not start (%s)",
			       strerror(-r));
		r = r == -ENOMEM ? r : 0;
	} else {
		r = take_drawings(set, *from, &drawing, from);
		if (r == 0 && *from < set->count) {
			tell_stop(set, &drawing);
			(*from)++;
			*ret_on = may_go_on(&drawing);
		}
	}
	close_drawing(&drawing);
	return r;
}

void chart_set_stop_with(struct chart_set *set, const atomic_bool *stop)
{
	set->stop = stop;
}

int chart_set_draw(struct chart_set *set)
{
	uint64_t start_ns = clock_now_ns(), spent_ms = 0;
	bool on = true;
	size_t from = 0;
	int r = 0;

	for (int stops = 0; r == 0 && on && from < set->count && stops < DRAW_STOPS_MAX; stops++) {
		r = draw_from(set, &from, DRAW_WALL_MS - spent_ms, &on);
		spent_ms = (clock_now_ns() - start_ns) / NS_PER_MS;
		if (spent_ms >= DRAW_WALL_MS)
			break;
	}
	return r == 0 && stopped(set) ? -ECANCELED : r;
}

/* ---- reading ---- */

const char *chart_set_trouble(const struct chart_set *set)
{
	return set->trouble;
}

size_t chart_count(const struct chart_set *set)
{
	return set->count;
}

void chart_size(const struct chart_set *set, size_t index, unsigned int *ret_width,
		unsigned int *ret_height)
{
	*ret_width = set->charts[index].layout.width;
	*ret_height = set->charts[index].layout.height;
}

const char *chart_svg(const struct chart_set *set, size_t index, enum chart_theme theme,
		      size_t *ret_size)
{
	/* A picture without its other theme is not shown: both or none. */
	for (size_t i = 0; i < CHART_THEME_COUNT; i++)
		if (!set->charts[index].svg[i])
			return NULL;
	*ret_size = set->charts[index].size[theme];
	return set->charts[index].svg[theme];
}
