/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_report.c - reports of results of every shape: whole files, valid XML, honest words.
 *
 * With KEEP_REPORTS=DIR in the environment the reports stay there, to be looked at. The sandbox
 * starts this program again, so main() knows that command.
 * Length: the shapes of results, which every test of a page shares.
 * link: -Wl,--wrap=chart_set_new -Wl,--wrap=calloc -Wl,--wrap=realloc -Wl,--wrap=reallocarray
 */
#include "web/report.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "engine/base/child.h"
#include "engine/base/file.h"
#include "tests/unit/web/hostile.h"
#include "tests/unit/web/synthetic.h"
#include "tests/unit/web/xml.h"
#include "web/chart.h"

/* ---- what fails on demand ---- */

static const char *drawing_program; /* in gnuplot's place; NULL: gnuplot */
static size_t allocations_left = SIZE_MAX;

int __real_chart_set_new(struct chart_set **ret_set);
int __wrap_chart_set_new(struct chart_set **ret_set);
int __wrap_chart_set_new(struct chart_set **ret_set)
{
	int r = __real_chart_set_new(ret_set);

	if (r == 0 && drawing_program)
		chart_set_program(*ret_set, drawing_program);
	return r;
}

static bool allocation_fails(void)
{
	if (allocations_left == SIZE_MAX)
		return false;
	if (allocations_left == 0)
		return true;
	allocations_left--;
	return false;
}

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size)
{
	return allocation_fails() ? NULL : __real_calloc(count, size);
}

void *__real_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size)
{
	return allocation_fails() ? NULL : __real_realloc(old, size);
}

void *__real_reallocarray(void *old, size_t count, size_t size);
void *__wrap_reallocarray(void *old, size_t count, size_t size);
void *__wrap_reallocarray(void *old, size_t count, size_t size)
{
	return allocation_fails() ? NULL : __real_reallocarray(old, count, size);
}

static char directory[] = "/var/tmp/web-report-XXXXXX";
static int directory_fd = -1;

static int make_directory(void **state)
{
	const char *keep = getenv("KEEP_REPORTS");

	(void)state;
	if (keep)
		return file_open_directory_path(keep, &directory_fd);
	if (!mkdtemp(directory))
		return -1;
	directory_fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return directory_fd < 0;
}

static int remove_directory(void **state)
{
	int parent, r;

	(void)state;
	(void)close(directory_fd);
	if (getenv("KEEP_REPORTS"))
		return 0;
	parent = open("/var/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	r = file_remove_tree(parent, strrchr(directory, '/') + 1);
	(void)close(parent);
	return r;
}

struct written {
	int dirfd;
	char *page;
	size_t size;
};

/* Writes a report into a directory of its own and reads the page back. */
static void write_report(const struct result *result, const char *name, struct written *written)
{
	static const char json[] = "{\"schema\": \"volbench.result/1\"}";
	static const char *const files[] = {"style.css", "result.csv", "fio.json", "icon.svg"};
	struct error err = {0};
	char *text;
	size_t size;

	assert_int_equal(file_open_directory(directory_fd, name, &written->dirfd), 0);
	if (report_write(result, json, sizeof(json) - 1, written->dirfd, NULL, &err) < 0)
		fail_msg("%s", err.message);
	assert_int_equal(
		file_read(written->dirfd, "index.html", 64 << 20, &written->page, &written->size),
		0);
	assert_true(xml_valid(written->page, written->size));
	assert_null(strstr(written->page, "<script"));
	assert_null(strstr(written->page, "style=\""));
	assert_int_equal(file_read(written->dirfd, "result.json", 1 << 20, &text, &size), 0);
	assert_string_equal(text, json);
	free(text);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		bool absent = result->definition.imported && strcmp(files[i], "fio.json") == 0;
		int r = file_read(written->dirfd, files[i], 64 << 20, &text, &size);

		assert_int_equal(r, absent ? -ENOENT : 0);
		if (absent)
			continue;
		assert_true(size > 0);
		free(text);
	}
}

static void done(struct result *result, struct written *written)
{
	(void)close(written->dirfd);
	free(written->page);
	result_done(result);
}

static size_t count_of(const char *text, const char *what)
{
	size_t count = 0;

	for (; (text = strstr(text, what)); text++)
		count++;
	return count;
}

/* Every picture of the page is there, in both themes, and valid. */
static void assert_pictures(const struct written *written, size_t count)
{
	size_t seen = 0;

	for (const char *at = written->page; (at = strstr(at, "<img src=\"")); seen++) {
		char light[64], dark[64], *svg;
		size_t size;

		at += strlen("<img src=\"");
		assert_int_equal(sscanf(at, "%60[^\"]", light), 1);
		(void)snprintf(dark, sizeof(dark), "%.*s-dark.svg", (int)(strlen(light) - 4),
			       light);
		assert_int_equal(file_read(written->dirfd, light, 1 << 20, &svg, &size), 0);
		assert_true(xml_valid(svg, size));
		free(svg);
		assert_int_equal(file_read(written->dirfd, dark, 1 << 20, &svg, &size), 0);
		assert_true(xml_valid(svg, size));
		free(svg);
	}
	assert_int_equal(seen, count);
	assert_int_equal(count_of(written->page, "could not be drawn"), 0);
}

static void assert_has(const struct written *written, const char *text)
{
	if (!strstr(written->page, text))
		fail_msg("the page lacks: %s", text);
}

static const struct synthetic request_sizes = {
	.name = "Request sizes on scratch",
	.state = RUN_DONE,
	.repeats = 3,
	.seconds = 10,
	.ramp = 2,
	.noise = 0.01,
	.workloads = {{"randread", "--rw=randread --size=1G --iodepth=16", 40000},
		      {"randwrite", "--rw=randwrite --size=1G --iodepth=16", 21000},
		      {"mix", "--rw=randrw --rwmixread=70 --size=1G --iodepth=16", 30000}},
	.factors = {{"bs", {"4k", "16k", "64k", "256k", "1m"}}},
};

static const struct synthetic nine_workloads = {
	.name = "Nine workloads over queue depths on tank",
	.state = RUN_DONE,
	.repeats = 5,
	.seconds = 60,
	.ramp = 5,
	.noise = 0.03,
	.workloads =
		{{"General_IO",
		  "--bs=4k,128k --rw=randrw --rwmixread=50 --size=4G --numjobs=12 --runtime=60",
		  8400},
		 {"Exchange",
		  "--bs=8k --rw=randrw --rwmixread=70 --size=4G --numjobs=12 --runtime=120", 48300},
		 {"Security_Onion_Ingest", "--bs=128k --rw=write --size=16G --numjobs=16", 6800},
		 {"Security_Onion_Search", "--bs=4k --rw=randread --size=8G --numjobs=12", 378000},
		 {"Elastiflow", "--bs=64k --rw=write --size=10G --numjobs=8", 9500},
		 {"Trellix", "--bs=8k --rw=randrw --rwmixread=50 --size=4G --numjobs=16", 48200},
		 {"File_Server", "--bs=4k,64k --rw=randrw --rwmixread=60 --size=8G --numjobs=10",
		  14500},
		 {"VMware_Appliances",
		  "--bs=4k,32k --rw=randrw --rwmixread=70 --size=16G --numjobs=16", 32000},
		 {"Mixed_VMs", "--bs=4k,128k --rw=randrw --rwmixread=50 --size=32G --numjobs=24",
		  7800}},
	.factors = {{"iodepth", {"1", "2", "4", "8", "16", "32"}}},
};

static struct synthetic volblocksizes(void)
{
	struct synthetic shape = nine_workloads;

	shape.name = "volblocksize on tank";
	shape.zfs = true;
	shape.factors[0] = (struct synthetic_factor){"volblocksize",
						     {"128K", "4K", "8K", "16K", "32K", "64K"}};
	return shape;
}

/* Levels by size; the recommended one marked; both figures with their tables; what was made, the
 * pool and the commands. */
static void test_volumes(void **state)
{
	struct synthetic shape = volblocksizes();
	struct result result;
	struct written written;

	(void)state;
	synthetic_make(&shape, &result);
	write_report(&result, "volumes", &written);
	assert_pictures(&written, 1 + 9 * 2 + 15 + 9 + 7 + 8);
	assert_has(&written, "<section id=\"map\">");
	assert_has(&written, "alt=\"Each level of volblocksize in percent of the best. General_IO: "
			     "best ");
	assert_has(&written, "; not shown worse ");
	assert_has(&written, ">4K</th><th scope=\"col\" class=\"number\">8K</th>");
	assert_has(&written, ">16K<span class=\"axis\" title=\"what TrueNAS recommends for the "
			     "layout of this pool\">TrueNAS</span></th>");
	assert_has(&written, ">64K</th><th scope=\"col\" class=\"number\">128K</th>");
	assert_has(&written, "<h3 id=\"zfs-reads\">");
	assert_has(&written, "<h3 id=\"zfs-writes\">");
	assert_has(&written, "6 zvols were made beneath <code>tank/volbench</code> for this run, "
			     "filled once, and destroyed at its end.");
	assert_has(&written, "<dd>4 x mirror of 2</dd>");
	assert_has(&written,
		   "<dd>volblocksize=16K for such a layout, underlined in the charts</dd>");
	assert_has(&written, "zfs create -V 68719476736 -o compression=off -o primarycache=metadata"
			     " -o volblocksize=4K tank/volbench/volbench-20261130-113000-abc123-2");
	assert_has(&written,
		   "--filename=/dev/zvol/tank/volbench/volbench-20261130-113000-abc123-1");
	assert_int_equal(count_of(written.page, ">unknown</td>"), 0);
	assert_int_equal(count_of(written.page, "Drift cannot be told"), 0);
	done(&result, &written);
}

/* A property has a column where its values differ; what only one kind has is said of that kind. */
static void test_kinds_of_volumes(void **state)
{
	struct synthetic shape = volblocksizes();
	struct result result;
	struct written written;

	(void)state;
	shape.repeats = 1;
	synthetic_make(&shape, &result);
	for (size_t i = 0; i < result.sample_count; i++) {
		struct sample_zfs *zfs = result.samples[i].zfs;

		zfs->volume = strcmp(result.samples[i].levels[0].value, "4K") != 0;
		assert_int_equal(properties_set(&zfs->properties,
						zfs->volume ? "volthreading" : "recordsize",
						zfs->volume ? "on" : "131072"),
				 0);
		assert_int_equal(properties_set(&zfs->properties, "sync",
						zfs->volume ? "always" : "disabled"),
				 0);
		assert_int_equal(properties_set(&zfs->properties, "volmode", "dev"), 0);
	}
	write_report(&result, "kinds", &written);
	assert_has(&written, "5 zvols and 1 dataset were made beneath ");
	assert_has(&written, "<td data-l=\"What\">dataset, made</td>");
	assert_has(&written, "<th scope=\"col\" class=\"number\">sync</th>");
	assert_has(&written, "<td data-l=\"sync\" class=\"number\">disabled</td>");
	assert_has(&written, "The same for all zvols: <code>volthreading=on</code>.");
	assert_has(&written, "The same for all datasets: <code>recordsize=128K</code>.");
	assert_int_equal(count_of(written.page, "volmode=dev"), 1); /* the words on commands */
	done(&result, &written);
}

/* What is not known is unknown, and drawn as nothing; of what is partly known the rest is told. */
static void test_unknown_figures(void **state)
{
	struct synthetic shape = volblocksizes();
	struct result result;
	struct written written;

	(void)state;
	shape.repeats = 2;
	synthetic_make(&shape, &result);
	for (size_t i = 0; i < result.sample_count; i++) {
		struct sample_zfs *zfs = result.samples[i].zfs;

		zfs->pool.known = false;
		zfs->arc.known = strcmp(result.samples[i].workload, "Exchange") != 0 &&
				 strcmp(result.samples[i].levels[0].value, "8K") != 0;
	}
	result.targets[0].zfs = (struct zfs_facts){.pool = "tank", .fragmentation_percent = -1};
	assert_int_equal(findings_add(&result.findings, FINDING_WARNING, "grouped_for_space", NULL,
				      NULL, NULL, NULL, "One volume after another."),
			 0);
	write_report(&result, "unknown", &written);
	assert_pictures(&written, 1 + 9 * 2 + 15 + 9 + 6 + 0);
	assert_has(&written, "Unknown: not all disks of the pool have counters, or nothing was "
			     "written.");
	assert_int_equal(count_of(written.page, ">unknown</td>"), 6 + 6);
	assert_has(&written, "8K unknown, 16K ");
	assert_has(&written, "<dt>Layout</dt><dd>unknown</dd>");
	assert_has(&written, "<dt>ashift</dt><dd>unknown</dd>");
	assert_has(&written, "<dt>Free before the run</dt><dd>unknown</dd>");
	assert_has(&written, "<dt>Fragmentation</dt><dd>unknown</dd>");
	assert_int_equal(count_of(written.page, "TrueNAS"), 0);
	assert_has(&written, "Drift cannot be told from effect.");
	assert_int_equal(count_of(written.page, "One volume was measured after another"), 0);
	assert_has(&written, "42, order grouped by volume, for want of space");
	done(&result, &written);
}

static void test_one_factor(void **state)
{
	struct result result;
	struct written written;

	(void)state;
	synthetic_make(&request_sizes, &result);
	write_report(&result, "one-factor", &written);
	assert_pictures(&written, 1 + 3 * 2 + 4 + 3);
	assert_has(&written, "<td data-l=\"Best at\">1m</td><td data-l=\"IOPS\" class=\"number\"");
	assert_int_equal(count_of(written.page, "class=\"banner"), 0);
	/* request sizes are judged by bytes, whatever the panel shows */
	assert_has(&written, "<b>1m</b> serves these three workloads best: ");
	assert_has(&written, "<span>by MiB/s: 1m is best</span>");
	assert_has(&written, "Levels are judged by bytes a second, since request sizes differ.");
	assert_has(&written, "<td data-l=\"Over all\" class=\"strong\">best</td>");
	done(&result, &written);
}

static void test_nine_workloads(void **state)
{
	struct result result;
	struct written written;

	(void)state;
	synthetic_make(&nine_workloads, &result);
	assert_int_equal(findings_add(&result.findings, FINDING_WARNING, "working_set_in_memory",
				      "Exchange", NULL, "more than 220 GiB", "48 GiB",
				      "The workload's files fit into memory; reads may be served "
				      "without a disk. Raise size, or keep direct=1."),
			 0);
	assert_int_equal(findings_add(&result.findings, FINDING_INFO, "fio_default_differs", NULL,
				      NULL, NULL, NULL,
				      "direct is 1 where fio's default is 0: the page cache is "
				      "gone around."),
			 0);
	for (size_t i = 0; i < 40; i++) /* one card, and another for other words */
		assert_int_equal(findings_add(&result.samples[i].findings, FINDING_WARNING,
					      "depth_not_reached", result.samples[i].workload,
					      "iodepth=32", "384", "310.2",
					      i < 39 ? "Fewer operations were outstanding."
						     : "None was outstanding."),
				 0);
	write_report(&result, "nine-workloads", &written);
	assert_pictures(&written, 1 + 9 * 2 + 2 + 15 + 9);
	assert_int_equal(count_of(written.page, "class=\"card warning\""), 3);
	assert_has(&written, ">3 warnings</a>");
	assert_has(&written, "alt=\"IOPS of All workloads by iodepth; General_IO: from ");
	assert_has(&written, "alt=\"mean latency of All workloads by iodepth; General_IO: from ");
	assert_has(&written, "<summary>39 times, in 9 places</summary>");
	/* places lead to their cells */
	assert_has(&written, "<a href=\"#c12\">Exchange: iodepth=32</a>; found 310.2; expected 384 "
			     "(the first of 5)</li>");
	assert_has(&written, " id=\"c12\">~");
	assert_has(&written, "<a href=\"#w2\">Exchange</a>");
	assert_has(&written, "<tr id=\"w2\">");
	assert_has(&written, "samples, 95 % intervals");
	assert_has(&written, " serves these nine workloads best: ");
	assert_has(&written, "Worst loss of iodepth=");
	assert_has(&written, ">From one level to the next</h3>");
	assert_has(&written, "<td data-l=\"Verdict\" class=\"strong\">faster by ");
	done(&result, &written);
}

static void test_two_factors(void **state)
{
	struct synthetic shape = request_sizes;
	struct result result;
	struct written written;

	(void)state;
	shape.name = "Request sizes and depths";
	shape.factors[1] = (struct synthetic_factor){"iodepth", {"1", "8", "32"}};
	synthetic_make(&shape, &result);
	write_report(&result, "two-factors", &written);
	assert_pictures(&written, 1 + 9 * 2 + 12 + 9);
	/* panels of a workload below its name, a panel a level of the second factor */
	assert_has(&written, "<h3>mix</h3>");
	assert_has(&written, "<figcaption><b>iodepth=32</b>");
	assert_has(&written, "mix, iodepth=32");
	/* along bs a curve a depth; of sizes reads beside writes, at the same depth */
	assert_has(&written, "alt=\"mean latency of mix by bs; 1: from ");
	assert_has(&written, "randread, iodepth=8 and randwrite, iodepth=8");
	assert_has(&written, "MiB/s of mix, iodepth=8 by request size; 4k: read ");
	assert_has(&written, "is best over these nine comparisons: ");
	/* judged by bytes a second: the bars of operations tell no best, and the page says so */
	assert_has(&written, "All levels have one tone, since they are not judged by these");
	assert_int_equal(count_of(written.page, "in the strong tone"), 0);
	done(&result, &written);
}

static void test_no_factors(void **state)
{
	struct synthetic shape = nine_workloads;
	struct result result;
	struct written written;

	(void)state;
	shape.name = "Nine workloads, no factor";
	shape.factors[0] = (struct synthetic_factor){0};
	synthetic_make(&shape, &result);
	write_report(&result, "no-factors", &written);
	assert_pictures(&written, 2 + 15 + 9);
	assert_has(&written, "9 workloads measured: General_IO <b>");
	done(&result, &written);
}

static void test_single_samples(void **state)
{
	struct synthetic shape = nine_workloads;
	struct result result;
	struct written written;

	(void)state;
	shape.name = "One sample a cell";
	shape.repeats = 1;
	synthetic_make(&shape, &result);
	write_report(&result, "single-samples", &written);
	assert_has(&written, "another, so none is ruled out.");
	assert_has(&written, "highest figure at ");
	assert_int_equal(count_of(written.page, "\"interval\""), 0);
	assert_has(&written, "One sample each can name no best level of iodepth");
	assert_has(&written, "one sample: no verdict</td>");
	assert_int_equal(count_of(written.page, " is best<"), 0);
	assert_int_equal(count_of(written.page, "faster"), 0);
	done(&result, &written);
}

static void test_noise_shows_no_level(void **state)
{
	struct synthetic shape = request_sizes;
	struct result result;
	struct written written;

	(void)state;
	shape.name = "Noise";
	shape.noise = 0.9;
	shape.repeats = 5;
	shape.factors[0] = (struct synthetic_factor){"iodepth", {"15", "16"}};
	synthetic_make(&shape, &result);
	write_report(&result, "noise", &written);
	assert_has(&written, "These samples do not tell iodepth=15 and iodepth=16 apart");
	assert_has(&written, "no difference shown</td>");
	assert_int_equal(count_of(written.page, "faster by"), 0);
	done(&result, &written);
	/* of request sizes it is said once for both figures */
	shape.noise = 2;
	shape.repeats = 2;
	shape.factors[0] = (struct synthetic_factor){"bs", {"4k", "8k"}};
	synthetic_make(&shape, &result);
	write_report(&result, "noise-of-sizes", &written);
	done(&result, &written);
}

static void test_partial_run(void **state)
{
	struct synthetic shape = nine_workloads;
	struct result result;
	struct written written;

	(void)state;
	shape.name = "Interrupted";
	shape.state = RUN_INTERRUPTED;
	shape.measured = 31;
	synthetic_make(&shape, &result);
	(void)error_set(&result.error, ERROR_INTERRUPTED, "", "the service was stopped");
	write_report(&result, "partial", &written);
	assert_has(&written, "class=\"banner warning\"");
	assert_has(&written, "This run was interrupted: 31 of 270 samples were measured.");
	assert_has(&written, "title=\"not measured\"");
	done(&result, &written);
}

static void test_failed_run(void **state)
{
	struct synthetic shape = request_sizes;
	struct result result;
	struct written written;

	(void)state;
	shape.state = RUN_FAILED;
	synthetic_make(&shape, &result);
	for (size_t i = 0; i < result.sample_count; i++)
		sample_done(&result.samples[i]);
	result.sample_count = 0;
	(void)error_set(&result.error, ERROR_NO_SPACE, "/target",
			"the file system has 1 GiB free, 4 GiB are needed");
	write_report(&result, "failed", &written);
	assert_pictures(&written, 0);
	assert_has(&written, "class=\"banner error\"");
	assert_has(&written, "0 of 45 samples were measured.");
	assert_has(&written, "Nothing was measured.");
	assert_has(&written, "the file system has 1 GiB free");
	done(&result, &written);
}

static const struct synthetic plain = {
	.name = "Plain",
	.state = RUN_FAILED,
	.repeats = 1,
	.seconds = 2,
	.workloads = {{"First", "--rw=randrw --size=1G", 1000},
		      {"Second", "--rw=randread --size=1G", 2000}},
	.factors = {{"iodepth", {"1", "2"}}},
};

static void test_hostile_texts(void **state)
{
	struct stat status;

	(void)state;
	(void)unlink(HOSTILE_FILE);
	for (size_t i = 0; i < 2 * ARRAY_SIZE(hostile_texts); i++) {
		struct synthetic shape = plain;
		struct result result;
		struct written written;

		shape.zfs = i % 2;
		synthetic_make(&shape, &result);
		synthetic_taint(&result, hostile_texts[i / 2]);
		write_report(&result, "hostile", &written);
		assert_null(strstr(written.page, "href=\"javascript"));
		assert_null(strstr(written.page, "onmouseover=\""));
		assert_pictures(&written, 1 + 2 * 2 + 3 + 2 + (shape.zfs ? 2 + 1 : 0));
		done(&result, &written);
	}
	assert_int_equal(stat(HOSTILE_FILE, &status), -1);
}

/* A number that is none must not stop a report: stored files may have been damaged. */
static void test_odd_samples(void **state)
{
	struct result result;
	struct written written;

	(void)state;
	synthetic_make(&plain, &result);
	result.samples[0].seconds = 0;
	result.samples[1].series.last_span_ns = 0;
	free(result.samples[2].directions[DIRECTION_READ].latency);
	result.samples[2].directions[DIRECTION_READ].latency = NULL;
	result.samples[2].directions[DIRECTION_READ].ios = 0;
	free(result.samples[3].series.seconds);
	result.samples[3].series = (struct series){0};
	write_report(&result, "odd", &written);
	done(&result, &written);
}

/* Of one second there is a row in the table, and no line: the page says so. */
static void test_short_samples(void **state)
{
	struct result result;
	struct written written;

	(void)state;
	synthetic_make(&plain, &result);
	for (size_t i = 0; i < result.sample_count; i++)
		result.samples[i].series.count = 1;
	write_report(&result, "short", &written);
	assert_has(&written, "No sample lasted long enough for a line");
	assert_has(&written, "Table: slowest, median and fastest second");
	assert_int_equal(count_of(written.page, "as a pale band"), 0);
	done(&result, &written);
}

/* A rate's second latency has rows of its own, with a word on what they are; columns are those that
 * percentile_list names. */
static void test_intended_starts(void **state)
{
	struct written written;
	struct result result;

	(void)state;
	synthetic_make(&plain, &result);
	for (size_t i = 0; i < result.sample_count; i++) {
		struct direction_result *read = &result.samples[i].directions[DIRECTION_READ];

		free(result.samples[i].options.percentile_list);
		result.samples[i].options.percentile_list = synthetic_text("12.5:99.5");
		if (read->latency)
			read->intended = synthetic_latency(read->ios, 7e6);
	}
	write_report(&result, "intended", &written);
	assert_has(&written, "12.5 %");
	assert_has(&written, "99.5 %");
	assert_has(&written, "intended start</td>");
	assert_has(&written, "submission</td>");
	assert_has(&written, "coordinated omission");
	done(&result, &written);
}

/* Syncs have rows in the table of latencies. */
static void test_syncs(void **state)
{
	struct written written;
	struct result result;

	(void)state;
	synthetic_make(&plain, &result);
	for (size_t i = 0; i < result.sample_count; i++) {
		result.samples[i].sync = synthetic_latency(5000, 4e6);
		result.samples[i].datasync = synthetic_latency(5000, 2e6);
		result.samples[i].end_fsync = synthetic_latency(2, 90e6);
	}
	write_report(&result, "syncs", &written);
	assert_has(&written, "<span class=\"direction\">fsync</span>");
	assert_has(&written, "<span class=\"direction\">fdatasync</span>");
	assert_has(&written, "<span class=\"direction\">end_fsync</span>");
	done(&result, &written);
}

/* A result of another tool: what it told, rounded as it told it. */
static void make_imported(struct result *result)
{
	struct synthetic shape = plain;

	shape.name = "Imported";
	shape.state = RUN_DONE;
	synthetic_make(&shape, result);
	result->definition.imported = true;
	result->environment = (struct environment){.cpus = 0};
	result->backend[0] = '\0';
	result->started_wall_ms = result->ended_wall_ms = 0;
	result->target_count = 0;
	result->facts = calloc(1, sizeof(*result->facts));
	assert_non_null(result->facts);
	result->fact_count = 1;
	result->facts[0].name = synthetic_text("pool");
	result->facts[0].value = synthetic_text("3 disks & a <cache>");
	for (size_t i = 0; i < result->sample_count; i++) {
		struct sample *sample = &result->samples[i];
		struct sample_source *source = sample_source_new("diskspd 2.0.17", "a.txt");

		assert_non_null(source);
		free(sample->series.seconds);
		sample->series = (struct series){0};
		sample->source = source;
		source->given = synthetic_text("-w<20> -d10");
		for (int d = 0; d < DIRECTION_COUNT; d++) {
			free(sample->directions[d].latency);
			sample->directions[d] = (struct direction_result){0};
		}
		source->directions[DIRECTION_READ].iops = (struct told_figure){
			.known = true, .value = 33800, .low = 33750, .high = 33850};
		source->directions[DIRECTION_READ].latency_mean = told_exactly(2.5e6);
		sample->seconds = sample->depth_mean = 0;
		sample->started_wall_ms = 0;
	}
}

static void add_percentile(struct result *result)
{
	struct told_direction *told = &result->samples[0].source->directions[DIRECTION_READ];

	told->percentiles = calloc(1, sizeof(*told->percentiles));
	assert_non_null(told->percentiles);
	told->percentile_count = 1;
	told->percentiles[0] = (struct told_percentile){99.9, 7.25e6};
}

static void test_imported(void **state)
{
	struct result result;
	struct written written;

	(void)state;
	make_imported(&result);
	add_percentile(&result);
	write_report(&result, "imported", &written);
	assert_has(&written, "<dt>Measured by</dt><dd>diskspd 2.0.17</dd>");
	assert_has(&written, "<dt>pool</dt><dd>3 disks &amp; a &lt;cache&gt;</dd>");
	assert_has(&written, "<td data-l=\"File\">a.txt</td>");
	assert_has(&written, "<code>-w&lt;20&gt; -d10</code>");
	assert_has(&written, "~33.8k / –</td>");
	assert_has(&written, "33,800.0 IOPS (told rounded: 33,750.0 to 33,850.0); MiB/s unknown");
	assert_has(&written,
		   "<th scope=\"row\">99.9 %</th>"
		   "<td data-l=\"First read, iodepth=1\" class=\"number\" title=\"7,250.0 us\">"
		   "7.25 ms</td><td data-l=\"Second read, iodepth=1\" class=\"number\" "
		   "title=\"not told\">–</td>");
	assert_int_equal(count_of(written.page, "class=\"banner"), 0);
	assert_int_equal(count_of(written.page, "fio.json"), 0);
	assert_int_equal(count_of(written.page, "Equivalent fio"), 0);
	assert_int_equal(count_of(written.page, "<h3>Environment"), 0);
	assert_int_equal(count_of(written.page, "id=\"series\""), 0);
	assert_int_equal(count_of(written.page, "id=\"bandwidth\""), 0);
	assert_int_equal(count_of(written.page, ">0 MiB"), 0);
	assert_int_equal(count_of(written.page, ">0.0</td>"), 0);
	done(&result, &written);
}

/* Percentiles as told are drawn from the median on, where a single sample tells at least two. */
static void test_told_tails(void **state)
{
	static const struct told_percentile told[] = {
		{25, 1e6}, {50, 2e6}, {99, 4e6}, {99.9, 7e6}, {100, 9e6}};
	struct result result;
	struct written written;

	(void)state;
	make_imported(&result);
	for (size_t i = 0; i < 2; i++) { /* the second one has too few */
		struct told_direction *direction =
			&result.samples[i].source->directions[DIRECTION_READ];

		direction->percentiles = calloc(ARRAY_SIZE(told), sizeof(*told));
		assert_non_null(direction->percentiles);
		direction->percentile_count = i ? 2 : ARRAY_SIZE(told);
		memcpy(direction->percentiles, told, sizeof(told));
	}
	write_report(&result, "told-tails", &written);
	assert_int_equal(count_of(written.page, "alt=\"Percentiles of read latency of "), 1);
	assert_has(&written, "lines join the percentiles that it told.");
	done(&result, &written);
}

/* A sample that falls by half is counted, its neighbour is told apart. */
static void test_not_steady(void **state)
{
	struct synthetic shape = plain;
	struct result result;
	struct written written;

	(void)state;
	shape.seconds = 20;
	shape.repeats = 2;
	synthetic_make(&shape, &result);
	for (size_t i = 0; i < result.samples[1].series.count; i++)
		for (int d = 0; d < DIRECTION_COUNT; d++) {
			struct series_second *second = &result.samples[1].series.seconds[i];

			second->ios[d] = second->ios[d] * (40 - i) / 40;
			second->bytes[d] = second->bytes[d] * (40 - i) / 40;
		}
	write_report(&result, "not-steady", &written);
	assert_has(&written, "1 of 4 samples not steady</span>");
	assert_has(&written, "all samples were steady</span>");
	done(&result, &written);
}

/* An index has no unit. */
static void test_index(void **state)
{
	struct result result;
	struct written written;

	(void)state;
	make_imported(&result);
	for (size_t i = 0; i < result.sample_count; i++) {
		struct told_direction *told = &result.samples[i].source->directions[DIRECTION_READ];

		result.samples[i].source->index = true;
		told->iops = (struct told_figure){0};
		told->bandwidth = told_exactly(i < 2 ? 100 : 156);
	}
	write_report(&result, "index", &written);
	assert_has(&written, ">Index by iodepth</h2>");
	assert_has(&written, "title=\"156.0 of 100; 1 sample\"");
	assert_has(&written, "100 being the level that others");
	assert_int_equal(count_of(written.page, "MiB/s</th>"), 0);
	assert_int_equal(count_of(written.page, ">IOPS</th>"), 0);
	done(&result, &written);
}

static void test_without_charts(void **state)
{
	struct result result;
	struct written written;

	(void)state;
	synthetic_make(&plain, &result);
	result.state = RUN_DONE;
	drawing_program = "/nonexistent/gnuplot";
	write_report(&result, "without-charts", &written);
	drawing_program = NULL;
	assert_has(&written, "Charts are missing.");
	assert_has(&written, "gnuplot is not installed");
	assert_int_equal(count_of(written.page, "<img"), 0);
	assert_int_equal(count_of(written.page, "could not be drawn; see its table"), 10);
	assert_int_equal(count_of(written.page, "<details open"), 5);
	done(&result, &written);
}

/* The n-th allocation of ours fails, for every n: an error that says so, and nothing leaks. */
static void test_no_memory(void **state)
{
	struct synthetic shape = plain;
	struct result result;
	size_t n = 0;
	int r = -ENOMEM, dirfd;

	(void)state;
	shape.zfs = true;
	synthetic_make(&shape, &result);
	assert_int_equal(file_open_directory(directory_fd, "no-memory", &dirfd), 0);
	drawing_program = "/bin/true"; /* draws nothing, at once */
	for (; r < 0; n++) {
		struct error err = {0};

		allocations_left = n;
		r = report_write(&result, "{}", 2, dirfd, NULL, &err);
		allocations_left = SIZE_MAX;
		if (r < 0) {
			assert_int_equal(r, -ENOMEM);
			assert_int_equal(err.code, ERROR_NO_MEMORY);
		}
		assert_true(n < 5000);
	}
	drawing_program = NULL;
	assert_true(n > 50);
	(void)close(dirfd);
	result_done(&result);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_volumes),
		cmocka_unit_test(test_unknown_figures),
		cmocka_unit_test(test_kinds_of_volumes),
		cmocka_unit_test(test_one_factor),
		cmocka_unit_test(test_nine_workloads),
		cmocka_unit_test(test_two_factors),
		cmocka_unit_test(test_no_factors),
		cmocka_unit_test(test_single_samples),
		cmocka_unit_test(test_noise_shows_no_level),
		cmocka_unit_test(test_partial_run),
		cmocka_unit_test(test_failed_run),
		cmocka_unit_test(test_hostile_texts),
		cmocka_unit_test(test_odd_samples),
		cmocka_unit_test(test_short_samples),
		cmocka_unit_test(test_without_charts),
		cmocka_unit_test(test_no_memory),
		cmocka_unit_test(test_intended_starts),
		cmocka_unit_test(test_syncs),
		cmocka_unit_test(test_imported),
		cmocka_unit_test(test_told_tails),
		cmocka_unit_test(test_not_steady),
		cmocka_unit_test(test_index),
	};

	if (argc > 1 && strcmp(argv[1], "sandbox") == 0)
		return child_sandbox_main(argc, argv);
	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
