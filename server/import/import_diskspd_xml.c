/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * import_diskspd_xml.c - what `diskspd -Rxml` prints: Results with System, Profile (what was asked
 * for, by time span and target) and a TimeSpan of figures for each of the profile's. Threads and
 * targets of a time span are added up; each is a sample.
 *
 * The parser is expat. A DOCTYPE is refused, and with it every entity but XML's own five: nothing
 * is fetched and nothing grows. Elements lie at most XML_DEPTH_MAX deep; what is not known is
 * passed over.
 *
 * Source: diskspd's XmlResultParser and the GetXml() functions of its Profile.
 *
 * Length: two documents in one, what was asked for and what was found, each with its elements.
 */
#include <errno.h>
#include <expat.h>
#include <inttypes.h>
#include <string.h>

#include "engine/base/text.h"
#include "server/import/import_diskspd.h"
#include "server/import/lines.h"
#include "server/import/printed.h"
#include "server/import/sheet.h"

#define XML_DEPTH_MAX 16
#define PATH_MAX_BYTES 400
#define VALUE_MAX 500 /* bytes of an element that is read */
#define TIMESPANS_MAX 64
#define PERCENTILES_MAX 128
#define NS_PER_MS 1e6

#define ASKED "/Results/Profile/TimeSpans/TimeSpan"
#define ASKED_TARGET ASKED "/Targets/Target"
#define FOUND "/Results/TimeSpan"
#define FOUND_TARGET FOUND "/Thread/Target"
#define BUCKET FOUND "/Latency/Bucket"

struct reading {
	struct import_sheet *sheet;
	struct error *err;
	XML_Parser parser;
	int failed; /* -errno; the parser stops */
	size_t depth;
	char path[PATH_MAX_BYTES];
	char value[VALUE_MAX + 1]; /* of the element that is open */
	size_t value_size;
	bool value_cut, iops_unit;
	char version[32], tool[48];
	size_t asked, found; /* time spans begun */
	struct diskspd_profile profiles[TIMESPANS_MAX];
	struct diskspd_profile first; /* target of the time span at hand */
	char given[TIMESPANS_MAX][DISKSPD_NAME_MAX];
	/* of the time span at hand: */
	struct sample sample;
	struct told_figure seconds;
	uint64_t file_size;
	double percentile;
	struct told_figure bucket[2]; /* read, write */
};

static int bad(struct reading *in, const char *message)
{
	if (in->failed == 0)
		in->failed =
			sheet_error(in->sheet, in->err,
				    (size_t)XML_GetCurrentLineNumber(in->parser), "%s", message);
	(void)XML_StopParser(in->parser, XML_FALSE); /* it is the handlers that return */
	return -EINVAL;
}

static int no_memory(struct reading *in)
{
	in->failed = error_no_memory(in->err);
	(void)XML_StopParser(in->parser, XML_FALSE); /* as above */
	return -ENOMEM;
}

/* What of the path lies below `above`; NULL: it does not. */
static const char *below(const struct reading *in, const char *above)
{
	size_t length = strlen(above);

	return strncmp(in->path, above, length) == 0 && in->path[length] == '/'
		       ? in->path + length + 1
		       : NULL;
}

/* ---- values ---- */

static struct piece value_of(const struct reading *in)
{
	return lines_trim((struct piece){in->value, in->value_size});
}

static int read_count(struct reading *in, uint64_t *ret_count)
{
	if (in->value_cut || lines_count(value_of(in), ret_count) < 0)
		return bad(in, "an element that counts has no whole number");
	return 0;
}

static int add_count(struct reading *in, uint64_t *sum)
{
	uint64_t count = 0;

	if (read_count(in, &count) < 0)
		return -EINVAL;
	return __builtin_add_overflow(*sum, count, sum) ? bad(in, "the sum of counts is too large")
							: 0;
}

static int read_figure(struct reading *in, double unit, struct told_figure *ret_figure)
{
	struct piece value = value_of(in);

	if (in->value_cut || printed_digits(value.text, value.size, unit, ret_figure) < 0)
		return bad(in, "an element that measures has no number");
	return 0;
}

static bool is_true(const struct reading *in)
{
	return lines_are(value_of(in), "true");
}

/* ---- what was asked for ---- */

static void read_asked_cache(struct reading *in, const char *name, struct diskspd_profile *profile)
{
	if (!is_true(in))
		return;
	if (strcmp(name, "DisableOSCache") == 0 || strcmp(name, "DisableAllCache") == 0)
		profile->cache = DISKSPD_UNCACHED;
	if (strcmp(name, "DisableLocalCache") == 0 || strcmp(name, "MemoryMappedIo") == 0)
		profile->cache = DISKSPD_CACHED_OTHERWISE;
	if (strcmp(name, "WriteThrough") == 0 || strcmp(name, "DisableAllCache") == 0)
		profile->write_through = true; /* DisableAllCache: of old versions, -h */
}

static void read_asked_fill(struct reading *in, struct diskspd_profile *profile)
{
	if (lines_are(value_of(in), "zero"))
		profile->fill = DISKSPD_FILL_ZERO;
	else if (lines_are(value_of(in), "random") && profile->fill != DISKSPD_FILL_RANDOM_EACH)
		profile->fill = DISKSPD_FILL_RANDOM;
}

/* A member of the profile that is a number; NULL: none of that name. */
static uint64_t *asked_number(const struct reading *in, const char *name,
			      struct diskspd_profile *profile)
{
	const struct {
		const char *name;
		uint64_t *member;
	} numbers[] = {
		{"BlockSize", &profile->block},
		{"StrideSize", &profile->stride},
		{"Random", &profile->stride},
		{"RandomRatio", &profile->random_percent},
		{"ThreadStride", &profile->thread_stride},
		{"BaseFileOffset", &profile->offset},
		{"MaxFileSize", &profile->max_size},
		{"FileSize", &profile->file_size},
		{"RequestCount", &profile->outstanding},
		{"ThreadsPerFile", &profile->threads},
		{"WriteRatio", &profile->write_percent},
		{"Throughput", in->iops_unit ? &profile->rate_iops : &profile->rate_bytes_per_ms},
	};

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		if (strcmp(name, numbers[i].name) == 0)
			return numbers[i].member;
	return NULL;
}

static int read_asked_target(struct reading *in, const char *name)
{
	struct diskspd_profile *profile = &in->profiles[in->asked - 1];
	uint64_t *number = asked_number(in, name, profile);

	if (number && read_count(in, number) < 0)
		return -EINVAL;
	if (profile->write_percent > 100 || profile->random_percent > 100 || profile->block == 0)
		return bad(in, "a percentage above 100, or blocks of no bytes");
	if (strcmp(name, "Random") == 0)
		profile->random = true;
	else if (strcmp(name, "InterlockedSequential") == 0)
		profile->interlocked = is_true(in);
	else if (strcmp(name, "WriteBufferContent/Pattern") == 0)
		read_asked_fill(in, profile);
	else
		read_asked_cache(in, name, profile);
	return 0;
}

static int read_asked(struct reading *in, const char *name)
{
	struct diskspd_profile *profile = &in->profiles[in->asked - 1];

	if (strcmp(name, "Duration") == 0)
		return read_count(in, &profile->seconds);
	if (strcmp(name, "Warmup") == 0)
		return read_count(in, &profile->warmup_seconds);
	if (strcmp(name, "ThreadCount") == 0)
		return read_count(in, &profile->threads_total);
	if (strcmp(name, "RequestCount") == 0)
		return read_count(in, &profile->outstanding_total);
	if (strcmp(name, "RandomWriteData") == 0 && is_true(in))
		profile->fill = DISKSPD_FILL_RANDOM_EACH;
	return 0;
}

/* Each target begins with diskspd's defaults; what stands above them is of the time span. */
static void begin_asked_target(struct reading *in)
{
	struct diskspd_profile *profile = &in->profiles[in->asked - 1], fresh;

	if (profile->targets == 1)
		in->first = *profile;
	import_diskspd_profile_init(&fresh);
	fresh.unknown = profile->unknown;
	fresh.seconds = profile->seconds;
	fresh.warmup_seconds = profile->warmup_seconds;
	fresh.threads_total = profile->threads_total;
	fresh.outstanding_total = profile->outstanding_total;
	fresh.targets = profile->targets + 1;
	if (profile->fill == DISKSPD_FILL_RANDOM_EACH)
		fresh.fill = profile->fill;
	*profile = fresh;
}

/* Options are of all targets alike; where these differ they are unknown. */
static void end_asked_target(struct reading *in)
{
	struct diskspd_profile *profile = &in->profiles[in->asked - 1];
	const struct diskspd_profile *first = &in->first;

	if (profile->targets > 1 &&
	    (profile->block != first->block || profile->stride != first->stride ||
	     profile->random != first->random || profile->threads != first->threads ||
	     profile->outstanding != first->outstanding ||
	     profile->write_percent != first->write_percent))
		profile->unknown = true;
}

/* ---- what was found ---- */

static int read_found_target(struct reading *in, const char *name)
{
	struct direction_result *directions = in->sample.directions;

	if (strcmp(name, "ReadBytes") == 0)
		return add_count(in, &directions[DIRECTION_READ].bytes);
	if (strcmp(name, "ReadCount") == 0)
		return add_count(in, &directions[DIRECTION_READ].ios);
	if (strcmp(name, "WriteBytes") == 0)
		return add_count(in, &directions[DIRECTION_WRITE].bytes);
	if (strcmp(name, "WriteCount") == 0)
		return add_count(in, &directions[DIRECTION_WRITE].ios);
	if (strcmp(name, "FileSize") == 0)
		return read_count(in, &in->file_size);
	return 0;
}

static int read_latency(struct reading *in, const char *name)
{
	struct told_direction *told = in->sample.source->directions;
	const struct {
		const char *name;
		struct told_figure *figure;
	} figures[] = {
		{"AverageReadMilliseconds", &told[DIRECTION_READ].latency_mean},
		{"ReadLatencyStdev", &told[DIRECTION_READ].latency_stddev},
		{"AverageWriteMilliseconds", &told[DIRECTION_WRITE].latency_mean},
		{"WriteLatencyStdev", &told[DIRECTION_WRITE].latency_stddev},
		{"Bucket/ReadMilliseconds", &in->bucket[DIRECTION_READ]},
		{"Bucket/WriteMilliseconds", &in->bucket[DIRECTION_WRITE]},
	};
	struct told_figure percentile;

	for (size_t i = 0; i < ARRAY_SIZE(figures); i++)
		if (strcmp(name, figures[i].name) == 0)
			return read_figure(in, NS_PER_MS, figures[i].figure);
	if (strcmp(name, "Bucket/Percentile") != 0)
		return 0;
	if (read_figure(in, 1, &percentile) < 0)
		return -EINVAL;
	in->percentile = percentile.value;
	return percentile.value <= 100 ? 0 : bad(in, "a percentile above 100");
}

static int add_percentile(struct reading *in, struct told_direction *told, double ns)
{
	size_t count = told->percentile_count;

	if (!told->percentiles) {
		told->percentiles = calloc(PERCENTILES_MAX, sizeof(*told->percentiles));
		if (!told->percentiles)
			return no_memory(in);
	}
	if (count == PERCENTILES_MAX ||
	    (count > 0 && told->percentiles[count - 1].percentile >= in->percentile))
		return bad(in, "percentiles are not in ascending order, or too many");
	told->percentiles[told->percentile_count++] = (struct told_percentile){in->percentile, ns};
	return 0;
}

/* 0 is the shortest latency, 100 the longest. */
static int end_bucket(struct reading *in)
{
	for (int d = 0; d < 2; d++) {
		struct told_direction *told = &in->sample.source->directions[d];

		if (!in->bucket[d].known)
			continue;
		if (in->percentile <= 0)
			told->latency_min = in->bucket[d];
		else if (in->percentile >= 100)
			told->latency_max = in->bucket[d];
		else if (add_percentile(in, told, in->bucket[d].value) < 0)
			return -EINVAL;
		in->bucket[d] = (struct told_figure){0};
	}
	return 0;
}

static int begin_found(struct reading *in)
{
	if (in->found == in->asked)
		return bad(in, "a TimeSpan of results that the Profile before does not have");
	(void)snprintf(in->tool, sizeof(in->tool), "diskspd%s%s", *in->version ? " " : "",
		       in->version);
	in->sample.source = sample_source_new(in->tool, sheet_file(in->sheet)->name);
	if (!in->sample.source)
		return no_memory(in);
	in->found++;
	in->seconds = (struct told_figure){0};
	in->file_size = 0;
	return 0;
}

static void tell_directions(struct reading *in)
{
	for (int d = 0; d < 2; d++) {
		struct told_direction *told = &in->sample.source->directions[d];

		told->ios_known = told->bytes_known = true;
		told->iops = printed_per_second(in->sample.directions[d].ios, &in->seconds);
		told->bandwidth = printed_per_second(in->sample.directions[d].bytes, &in->seconds);
	}
	in->sample.seconds = in->seconds.value;
	in->sample.source->seconds_known = true;
}

/* Of time spans with one name the later ones get a number. */
static void name_found(struct reading *in, const struct diskspd_profile *profile)
{
	char *name = in->given[in->found - 1], base[DISKSPD_NAME_MAX];
	size_t number = 1;

	(void)import_diskspd_name(profile, in->asked == 1, base);
	(void)snprintf(name, DISKSPD_NAME_MAX, "%s", base);
	for (size_t i = 0; i + 1 < in->found; i++) {
		if (strcmp(in->given[i], name) != 0)
			continue;
		(void)snprintf(name, DISKSPD_NAME_MAX, "%.*s #%zu", DISKSPD_NAME_MAX - 8, base,
			       ++number);
		i = SIZE_MAX; /* from the first again */
	}
}

static int end_found(struct reading *in)
{
	struct diskspd_profile *profile = &in->profiles[in->found - 1];

	if (!in->seconds.known || in->seconds.value <= 0)
		return bad(in, "a TimeSpan without TestTimeSeconds: the test was interrupted");
	if (profile->file_size == 0)
		profile->file_size = in->file_size;
	tell_directions(in);
	name_found(in, profile);
	in->sample.workload = strdup(in->given[in->found - 1]);
	if (!in->sample.workload || import_diskspd_options(profile, &in->sample.options) < 0 ||
	    import_diskspd_findings(profile, true, &in->sample) < 0)
		return no_memory(in);
	in->failed = sheet_add(in->sheet, &in->sample, in->err);
	if (in->failed < 0)
		(void)XML_StopParser(in->parser, XML_FALSE); /* it is the handlers that return */
	return in->failed;
}

/* ---- expat ---- */

static void enter(struct reading *in)
{
	if (strcmp(in->path, ASKED) == 0) {
		if (in->asked == TIMESPANS_MAX)
			(void)bad(in, "more than 64 time spans");
		else
			import_diskspd_profile_init(&in->profiles[in->asked++]);
	} else if (strcmp(in->path, ASKED_TARGET) == 0) {
		begin_asked_target(in);
	} else if (strcmp(in->path, FOUND) == 0) {
		(void)begin_found(in); /* it has told of its failure, as all here */
	}
}

static void leave(struct reading *in)
{
	const char *name;

	if ((name = below(in, ASKED_TARGET)))
		(void)read_asked_target(in, name); /* as above */
	else if ((name = below(in, ASKED)) && strcmp(in->path, ASKED_TARGET) != 0)
		(void)read_asked(in, name);
	else if (strcmp(in->path, ASKED_TARGET) == 0)
		end_asked_target(in);
	else if ((name = below(in, FOUND_TARGET)))
		(void)read_found_target(in, name);
	else if (strcmp(in->path, FOUND "/TestTimeSeconds") == 0)
		(void)read_figure(in, 1, &in->seconds);
	else if (strcmp(in->path, BUCKET) == 0)
		(void)end_bucket(in);
	else if ((name = below(in, FOUND "/Latency")))
		(void)read_latency(in, name);
	else if (strcmp(in->path, FOUND) == 0)
		(void)end_found(in);
	else if (strcmp(in->path, "/Results/System/Tool/Version") == 0)
		(void)text_clean(in->value, in->version, sizeof(in->version));
}

static void on_start(void *data, const XML_Char *name, const XML_Char **attributes)
{
	struct reading *in = data;
	size_t used = strlen(in->path);

	if (in->failed < 0)
		return;
	if (in->depth == 0 && strcmp(name, "Results") != 0) {
		(void)bad(in, "the document is no Results of diskspd");
		return;
	}
	if (in->depth == XML_DEPTH_MAX || used + 1 + strlen(name) >= sizeof(in->path)) {
		(void)bad(in, "elements lie too deep");
		return;
	}
	(void)snprintf(in->path + used, sizeof(in->path) - used, "/%s", name);
	in->depth++;
	in->value_size = 0;
	in->value_cut = in->iops_unit = false;
	for (size_t i = 0; attributes[i]; i += 2)
		if (strcmp(attributes[i], "unit") == 0 && strcmp(attributes[i + 1], "IOPS") == 0)
			in->iops_unit = true;
	enter(in);
}

static void on_end(void *data, const XML_Char *name)
{
	struct reading *in = data;
	char *slash = strrchr(in->path, '/');

	(void)name; /* expat has seen to it that it is the one that is open */
	if (in->failed < 0)
		return;
	in->value[in->value_size] = '\0';
	leave(in);
	*slash = '\0';
	in->depth--;
	in->value_size = 0;
	in->value_cut = false;
}

static void on_text(void *data, const XML_Char *text, int size)
{
	struct reading *in = data;
	size_t room = VALUE_MAX - in->value_size, more = (size_t)size;

	in->value_cut |= more > room;
	more = more < room ? more : room;
	memcpy(in->value + in->value_size, text, more);
	in->value_size += more;
}

static void on_doctype(void *data, const XML_Char *name, const XML_Char *system,
		       const XML_Char *public, int subset)
{
	(void)name;
	(void)system;
	(void)public;
	(void)subset;
	(void)bad(data, "a DOCTYPE is not read: diskspd writes none"); /* it has told */
}

static int parse(struct reading *in, const char *text, size_t size)
{
	enum XML_Status status;

	XML_SetUserData(in->parser, in);
	XML_SetElementHandler(in->parser, on_start, on_end);
	XML_SetCharacterDataHandler(in->parser, on_text);
	XML_SetStartDoctypeDeclHandler(in->parser, on_doctype);
	status = XML_Parse(in->parser, text, (int)size, XML_TRUE);
	if (in->failed < 0)
		return in->failed;
	if (status == XML_STATUS_ERROR && XML_GetErrorCode(in->parser) == XML_ERROR_NO_MEMORY)
		return error_no_memory(in->err);
	if (status == XML_STATUS_ERROR)
		return sheet_error(in->sheet, in->err, (size_t)XML_GetCurrentLineNumber(in->parser),
				   "the XML is not well-formed: %s",
				   XML_ErrorString(XML_GetErrorCode(in->parser)));
	if (in->found == 0)
		return sheet_error(in->sheet, in->err, 0, "there is no TimeSpan of results");
	return 0;
}

/* ---- the reader ---- */

/* "<Results", in ASCII or with a NUL behind each byte. */
static bool recognise(const char *text, size_t size)
{
	static const char mark[] = "<Results", wide[] = "<\0R\0e\0s\0u\0l\0t\0s";
	size_t head = size < 4096 ? size : 4096;

	return lines_wide(text, size) ? memmem(text, head, wide, sizeof(wide) - 1) != NULL
				      : memmem(text, head, mark, sizeof(mark) - 1) != NULL;
}

static int read_text(struct import_sheet *sheet, const char *text, size_t size, struct error *err)
{
	struct reading *in;
	int r = -ENOMEM;

	if (size > IMPORT_TEXT_MAX)
		return sheet_error(sheet, err, 0, "the file is too large");
	in = calloc(1, sizeof(*in));
	if (!in)
		return error_no_memory(err);
	in->sheet = sheet;
	in->err = err;
	in->parser = XML_ParserCreate(NULL);
	sample_init(&in->sample);
	if (in->parser)
		r = parse(in, text, size);
	else
		(void)error_no_memory(err); /* r says so */
	sample_done(&in->sample);
	XML_ParserFree(in->parser);
	free(in);
	return r;
}

const struct import_reader import_reader_diskspd_xml = {IMPORT_DISKSPD_XML, recognise, read_text};
