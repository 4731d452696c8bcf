/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tests of server/codec/definition.c and its neighbours. tests/data/bad-definitions.json is a list
 * of {"name", "body" (a document, or a text as it is sent) or "hex" (its bytes), "code",
 * "pointer"}; read relative to the source tree's root, where `make unit` runs.
 *
 * Length: all that a document may say is told here, beside the table of what it may not.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/clock.h"
#include "engine/base/embedded.h"
#include "engine/plan/repeats.h"
#include "server/codec/definition.h"

#define BAD_DEFINITIONS "tests/data/bad-definitions.json"

static struct definition d;

static int decode(const char *text, definition_lookup *lookup, struct error *err)
{
	memset(err, 0, sizeof(*err));
	definition_init(&d);
	return definition_decode_text(text, strlen(text), lookup, NULL, &d, err);
}

static void decode_ok(const char *text, definition_lookup *lookup)
{
	struct error err;

	if (decode(text, lookup, &err) != 0)
		fail_msg("%s\n%s: %s", text, err.field, err.message);
}

static void decode_bad(const char *text, definition_lookup *lookup, enum error_code code,
		       const char *pointer)
{
	struct error err;

	if (decode(text, lookup, &err) == 0)
		fail_msg("%s was taken", text);
	if (err.code != code || strcmp(err.field, pointer) != 0)
		fail_msg("%s\n%s at %s was expected, not %s at %s: %s", text, error_code_text(code),
			 pointer, error_code_text(err.code), err.field, err.message);
	assert_null(d.name);
	assert_int_equal(d.workload_count, 0);
}

/* ---- the table of bad ones ---- */

/* The bytes of an entry as they are sent; heap. */
static char *body_of(const json_t *entry, size_t *ret_size)
{
	const json_t *body = json_object_get(entry, "body");
	const char *hex = json_string_value(json_object_get(entry, "hex"));
	char *text;

	if (hex) {
		*ret_size = strlen(hex) / 2;
		text = calloc(1, *ret_size + 1);
		for (size_t i = 0; i < *ret_size; i++) {
			char digits[3] = {hex[2 * i], hex[2 * i + 1], '\0'};

			text[i] = (char)strtoul(digits, NULL, 16);
		}
		return text;
	}
	if (!json_is_string(body)) {
		text = json_write(body);
		*ret_size = strlen(text);
		return text;
	}
	*ret_size = json_string_length(body);
	text = calloc(1, *ret_size + 1);
	memcpy(text, json_string_value(body), *ret_size);
	return text;
}

static bool refused_as_told(const json_t *entry)
{
	const char *name = json_string_value(json_object_get(entry, "name"));
	const char *code = json_string_value(json_object_get(entry, "code"));
	const char *pointer = json_string_value(json_object_get(entry, "pointer"));
	struct error err = {0};
	size_t size;
	char *text = body_of(entry, &size);
	int r;

	definition_init(&d);
	r = definition_decode_text(text, size, NULL, NULL, &d, &err);
	free(text);
	if (r == 0) {
		print_error("%s: taken\n", name);
		definition_done(&d);
		return false;
	}
	if (strcmp(error_code_text(err.code), code) == 0 && strcmp(err.field, pointer) == 0 &&
	    strlen(err.message) > 5)
		return true;
	print_error("%s: %s at \"%s\", not %s at \"%s\": %s\n", name, error_code_text(err.code),
		    err.field, code, pointer, err.message);
	return false;
}

static void bad_definitions_are_refused_with_code_and_pointer(void **state)
{
	json_error_t error;
	json_t *list = json_load_file(BAD_DEFINITIONS, JSON_ALLOW_NUL, &error);
	size_t failed = 0;

	(void)state;
	if (!list)
		fail_msg(BAD_DEFINITIONS ": %s", error.text);
	assert_true(json_array_size(list) >= 200);
	for (size_t i = 0; i < json_array_size(list); i++)
		failed += !refused_as_told(json_array_get(list, i));
	assert_int_equal(failed, 0);
	json_decref(list);
}

/* ---- good ones ---- */

static void a_definition_is_read_whole(void **state)
{
	(void)state;
	decode_ok("{\"schema\": \"volbench.definition/1\", \"name\": \"zvol gegen Datei\","
		  "\"description\": \"two\\nlines\","
		  "\"targets\": [{\"name\": \"a\", \"file\": \"/t/f\"},"
		  "  {\"name\": \"b\", \"device\": \"/dev/x\", \"fingerprint\": \"p 8:0\"}],"
		  "\"factors\": {\"bs\": [4096, \"16k\"], \"runtime\": [0.5, 2.0, \"1m\"],"
		  "  \"direct\": [true, 0]},"
		  "\"defaults\": {\"size\": \"1g\", \"runtime\": 60, \"ramp_time\": 1.5},"
		  "\"workloads\": [{\"name\": \"r\", \"rw\": \"randread\", \"iodepth\": 4,"
		  "  \"sync\": 1, \"numjobs\": 2.0},"
		  "  {\"name\": \"f\", \"fio\": \"--rw=write --name=other\"}],"
		  "\"repeats\": 5, \"order\": \"grouped\", \"seed\": 9007199254740993,"
		  "\"override\": {\"invalidate\": false}}",
		  NULL);
	assert_string_equal(d.description, "two\nlines");
	assert_int_equal(d.target_count, 2);
	assert_int_equal(d.targets[1].kind, TARGET_DEVICE);
	assert_string_equal(d.targets[1].fingerprint, "p 8:0");
	assert_int_equal(d.factor_count, 4);
	assert_string_equal(d.factors[0].levels[0], "4k");
	assert_string_equal(d.factors[1].levels[0], "500ms");
	assert_string_equal(d.factors[1].levels[1], "2");
	assert_string_equal(d.factors[1].levels[2], "60");
	assert_string_equal(d.factors[2].levels[0], "1");
	assert_string_equal(d.factors[3].name, "target");
	assert_int_equal(d.defaults.ramp_time_ns, 1500 * NS_PER_MS);
	assert_int_equal(d.workloads[0].sync, SYNC_SYNC);
	assert_int_equal(d.workloads[0].numjobs, 2);
	assert_true(d.workloads[1].from_fio);
	assert_string_equal(d.workloads[1].name, "f");
	assert_int_equal(d.repeats, 5);
	assert_int_equal(d.order, ORDER_GROUPED);
	assert_int_equal(d.seed, 9007199254740993);
	assert_false(d.override.invalidate);
	definition_done(&d);
}

#define SMALL(members)                                                                             \
	"{\"name\": \"n\", \"target\": {\"file\": \"/t/f\"}, \"workloads\": [{\"size\": "          \
	"\"1m\"}]" members "}"

/* What is written reads back as the same, and is then written the same. */
static void round_trip(const char *text)
{
	char *first, *second;

	decode_ok(text, NULL);
	first = definition_encode_text(&d);
	definition_done(&d);
	decode_ok(first, NULL);
	second = definition_encode_text(&d);
	assert_string_equal(first, second);
	definition_done(&d);
	free(first);
	free(second);
}

static void repeats_may_end_early(void **state)
{
	const char *good[] = {
		"{\"min\": 5, \"max\": 6, \"until_ci_percent\": 0.1}",
		"{\"min\": 99, \"max\": 100, \"until_ci_percent\": 50}",
		"{\"max\": 30, \"until_ci_percent\": 2.5}",
	};
	const struct repeats expected[] = {{5, 6, 0.1}, {99, 100, 50}, {5, 30, 2.5}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		AUTO_FREE char *text = NULL;
		struct repeats repeats;

		assert_true(asprintf(&text,
				     SMALL(", \"factors\": {\"bs\": [\"4k\", \"8k\"]}, "
					   "\"repeats\": %s"),
				     good[i]) > 0);
		decode_ok(text, NULL);
		repeats = repeats_of(&d);
		assert_true(repeats_may_end(&d));
		assert_int_equal(repeats.least, expected[i].least);
		assert_int_equal(repeats.most, expected[i].most);
		assert_true(repeats.until_ci_percent == expected[i].until_ci_percent);
		assert_int_equal(definition_samples(&d), 2 * expected[i].most);
		definition_done(&d);
		round_trip(text);
	}
	decode_ok(SMALL(", \"repeats\": 7"), NULL);
	assert_false(repeats_may_end(&d));
	definition_done(&d);
}

static void workloads_have_weights(void **state)
{
	static const char text[] =
		"{\"name\": \"n\", \"target\": {\"file\": \"/t/f\"}, \"workloads\": ["
		"{\"name\": \"a\", \"size\": \"1m\", \"weight\": 0.001}, "
		"{\"name\": \"b\", \"size\": \"1m\"}, "
		"{\"name\": \"c\", \"fio\": \"--size=1m\", \"weight\": 1000}, "
		"{\"name\": \"d\", \"weight\": 2, \"size\": \"1m\", \"jobs\": [{}]}]}";
	const double expected[] = {0.001, 0, 1000, 2};

	(void)state;
	decode_ok(text, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++)
		assert_true(d.workloads[i].weight == expected[i]);
	definition_done(&d);
	round_trip(text);
}

static void a_seed_is_drawn_where_there_is_none(void **state)
{
	uint64_t first;

	(void)state;
	decode_ok(SMALL(""), NULL);
	first = d.seed;
	assert_true(d.seed_given && first < UINT64_C(1) << 53);
	definition_done(&d);
	decode_ok(SMALL(""), NULL);
	assert_true(d.seed != first);
	definition_done(&d);
	decode_ok(SMALL(", \"seed\": 0"), NULL);
	assert_int_equal(d.seed, 0);
	definition_done(&d);
}

static void definitions_survive_writing(void **state)
{
	char *text;

	(void)state;
	round_trip(SMALL(""));
	round_trip("{\"name\": \"a <b> \\\"c\\\" 😀\", \"targets\": [{\"name\": \"x\", \"file\": "
		   "\"/a b\","
		   "\"existing\": true}, {\"name\": \"y\", \"device\": \"/dev/y\"}],"
		   "\"factors\": {\"target\": [\"y\", \"x\"], \"bs\": [\"4k,128k\"], \"runtime\": "
		   "[\"250ms\"]},"
		   "\"workloads\": [{\"name\": \"it's\", \"fio\": \"--rw=randread --runtime=1500ms "
		   "--bs=4k,8k --group_reporting --regions=disjoint --name=other --direct 0\"}],"
		   "\"override\": {\"direct\": 0, \"randseed\": 9223372036854775807, \"sync\": "
		   "\"dsync\"},"
		   "\"defaults\": {\"ramp_time\": \"1us\", \"offset\": 3}}");
	decode_ok("{\"name\": \"n\", \"workloads\": [{\"size\": 1048576, \"filename\": \"/t/f\"}], "
		  "\"seed\": 1}",
		  NULL);
	text = definition_encode_text(&d);
	assert_string_equal(
		text, "{\"schema\":\"volbench.definition/1\",\"name\":\"n\",\"target\":{"
		      "\"file\":\"/t/f\"},\"workloads\":[{\"name\":\"read\",\"size\":\"1m\"}],"
		      "\"repeats\":1,\"order\":\"interleaved\",\"seed\":1}");
	free(text);
	definition_done(&d);
}

static void workloads_survive_writing(void **state)
{
	struct workload w, back;
	struct error err;
	json_t *value;
	char *text;

	(void)state;
	workload_init(&w);
	workload_init(&back);
	assert_int_equal(workload_parse_fio("--name=a --rw=randrw --rwmixread=70 --bs=4k,8k "
					    "--runtime=1500ms --size=1g --ioengine=psync",
					    &w, &err),
			 0);
	value = workload_encode(&w, false);
	text = json_write(value);
	assert_string_equal(text,
			    "{\"rw\":\"randrw\",\"bs\":\"4k,8k\",\"rwmixread\":70,\"size\":\"1g\","
			    "\"runtime\":\"1500ms\",\"ioengine\":\"psync\",\"name\":\"a\"}");
	free(text);
	json_decref(value);
	assert_int_equal(workload_complete(&w, &err), 0);
	value = workload_encode(&w, true);
	assert_int_equal(json_integer_value(json_object_get(value, "rwmixwrite")), 30);
	assert_string_equal(json_string_value(json_object_get(value, "regions")), "shared");
	assert_null(json_object_get(value, "randseed"));
	assert_int_equal(workload_decode(value, "/o", &back, &err), 0);
	assert_int_equal(back.bs[1], 8192);
	assert_int_equal(back.runtime_ns, w.runtime_ns);
	assert_true(back.time_based);
	assert_string_equal(back.name, "a");
	json_decref(value);

	/* sizes and runtimes that are not there, and what does nothing */
	workload_done(&w);
	w.from_fio = true;
	assert_int_equal(workload_complete(&w, &err), 0);
	value = workload_encode(&w, true);
	assert_string_equal(json_string_value(json_object_get(value, "size")), "0");
	assert_int_equal(json_integer_value(json_object_get(value, "runtime")), 0);
	assert_null(json_object_get(value, "rwmixread"));
	assert_null(json_object_get(value, "ioengine"));
	assert_int_equal(workload_decode(value, "/o", &back, &err), 0);
	assert_int_equal(back.size, 0);
	assert_int_equal(back.runtime_ns, 0);
	json_decref(value);

	value = json_pack("{s:s}", "bs", "4q");
	assert_true(workload_decode(value, "/samples/0/options", &back, &err) < 0);
	assert_string_equal(err.field, "/samples/0/options/bs");
	json_decref(value);
	workload_done(&w);
	workload_done(&back);
}

/* ---- jobs that run together ---- */

static const char together[] =
	"{\"name\":\"d\",\"target\":{\"file\":\"/t/f\"},\"workloads\":[{\"name\":\"mixed-load\","
	"\"size\":\"1g\",\"regions\":\"shared\",\"jobs\":[{\"name\":\"readers\",\"rw\":"
	"\"randread\","
	"\"numjobs\":4,\"time_based\":0},{\"name\":\"logger\",\"fio\":\"--rw=write --bs=64k "
	"--fsync=1\"}]}],\"seed\":1}";

static void jobs_are_read_and_written(void **state)
{
	char *text, *again;

	(void)state;
	decode_ok(together, NULL);
	assert_int_equal(d.workload_count, 1);
	assert_int_equal(d.workloads[0].part_count, 2);
	assert_int_equal(d.workloads[0].parts[0].numjobs, 4);
	assert_false(workload_is_set(&d.workloads[0].parts[0], OPTION_ID_SIZE));
	assert_true(d.workloads[0].parts[1].from_fio);
	text = definition_encode_text(&d);
	assert_non_null(strstr(text, "\"jobs\":[{\"name\":\"readers\",\"rw\":\"randread\""));
	definition_done(&d);
	decode_ok(text, NULL);
	again = definition_encode_text(&d);
	assert_string_equal(text, again);
	free(text);
	free(again);
	definition_done(&d);
}

static void jobs_of_a_sample_are_read_and_written(void **state)
{
	size_t levels[1] = {0};
	struct workload w, back;
	struct error err;
	json_t *value, *again, *jobs;

	(void)state;
	decode_ok(together, NULL);
	assert_int_equal(definition_compose(&d, 0, levels, &w, &err), 0);
	value = workload_encode(&w, true);
	/* beside the jobs stands what all have alike */
	assert_string_equal(json_string_value(json_object_get(value, "name")), "mixed-load");
	assert_string_equal(json_string_value(json_object_get(value, "size")), "1g");
	assert_null(json_object_get(value, "rw"));
	assert_null(json_object_get(value, "numjobs"));
	jobs = json_object_get(value, "jobs");
	assert_int_equal(json_array_size(jobs), 2);
	assert_string_equal(json_string_value(json_object_get(json_array_get(jobs, 1), "bs")),
			    "64k");
	workload_init(&back);
	if (workload_decode(value, "/o", &back, &err) != 0)
		fail_msg("%s: %s", err.field, err.message);
	assert_int_equal(back.part_count, 2);
	assert_int_equal(back.parts[0].numjobs, 4);
	assert_int_equal(back.parts[1].bs[1], 65536);
	assert_string_equal(back.name, "mixed-load");
	assert_int_equal(workload_outstanding(&back), workload_outstanding(&w));
	again = workload_encode(&back, true);
	assert_true(json_equal(value, again));
	json_decref(again);
	/* damaged ones */
	(void)json_object_del(json_array_get(jobs, 1), "name");
	assert_int_equal(workload_decode(value, "/o", &back, &err), -EINVAL);
	assert_string_equal(err.field, "/o/jobs/1");
	assert_int_equal(json_array_clear(jobs), 0);
	assert_int_equal(workload_decode(value, "/o", &back, &err), -EINVAL);
	assert_string_equal(err.field, "/o/jobs");
	assert_int_equal(back.part_count, 2);
	json_decref(value);
	workload_done(&w);
	workload_done(&back);
	definition_done(&d);
}

static void jobs_have_a_limit(void **state)
{
	(void)state;
	for (int above = 0; above < 2; above++) {
		char *text;
		size_t size;
		FILE *out = open_memstream(&text, &size);

		fputs("{\"name\":\"d\",\"target\":{\"file\":\"/"
		      "t\"},\"workloads\":[{\"size\":\"1m\","
		      "\"jobs\":[{}",
		      out);
		for (int i = 1; i < DEFINITION_JOBS_MAX + above; i++)
			fputs(",{}", out);
		fputs("]}]}", out);
		assert_int_equal(fclose(out), 0);
		if (above) {
			decode_bad(text, NULL, ERROR_TOO_MANY, "/workloads/0/jobs");
		} else {
			decode_ok(text, NULL);
			definition_done(&d);
		}
		free(text);
	}
}

/* ---- by name ---- */

static const char *saved;

static int look_up(void *arg, const char *name, char **ret_text)
{
	(void)arg;
	if (strcmp(name, "busy") == 0)
		return -EIO;
	if (strcmp(name, "saved") != 0)
		return -ENOENT;
	*ret_text = strdup(saved);
	return *ret_text ? 0 : -ENOMEM;
}

static void requests_replace_what_they_give(void **state)
{
	(void)state;
	saved = "{\"targets\": [{\"name\": \"a\", \"file\": \"/a\"}, {\"name\": \"b\", \"file\": "
		"\"/b\"}],"
		"\"factors\": {\"target\": [\"a\", \"b\"], \"bs\": [\"4k\"]}, \"repeats\": 7, "
		"\"seed\": 5,"
		"\"workloads\": [{\"name\": \"w\", \"rw\": \"randrw\", \"size\": \"1g\"}],"
		"\"override\": {\"rwmixread\": 70, \"iodepth\": 4}}";
	decode_ok("{\"definition\": \"saved\"}", look_up);
	assert_string_equal(d.name, "saved");
	assert_int_equal(d.factor_count, 2);
	assert_int_equal(d.repeats, 7);
	assert_int_equal(d.override.rwmixread, 70);
	definition_done(&d);

	decode_ok("{\"definition\": \"saved\", \"target\": {\"directory\": \"/d\"}, \"repeats\": 2,"
		  "\"override\": {\"rwmixwrite\": 60, \"size\": \"64m\"}, \"order\": \"grouped\"}",
		  look_up);
	assert_int_equal(d.target_count, 1);
	assert_int_equal(d.targets[0].kind, TARGET_DIRECTORY);
	assert_int_equal(d.factor_count, 1);
	assert_int_equal(d.repeats, 2);
	assert_int_equal(d.seed, 5);
	assert_int_equal(d.order, ORDER_GROUPED);
	assert_false(workload_is_set(&d.override, OPTION_ID_RWMIXREAD));
	assert_int_equal(d.override.rwmixwrite, 60);
	assert_int_equal(d.override.iodepth, 4);
	assert_int_equal(d.override.size, 64 << 20);
	definition_done(&d);

	decode_ok("{\"definition\": \"saved\", \"repeats\": {\"max\": 9, \"until_ci_percent\": 3}}",
		  look_up);
	assert_int_equal(d.repeats, 9);
	assert_int_equal(d.repeats_min, 5);
	assert_true(d.until_ci_percent == 3);
	definition_done(&d);

	decode_ok("{\"definition\": \"saved\", \"factors\": {\"iodepth\": [1, 2]}}", look_up);
	assert_string_equal(d.factors[0].name, "iodepth");
	assert_string_equal(d.factors[1].name, "target");
	definition_done(&d);
}

static void errors_of_requests_point_into_the_request(void **state)
{
	(void)state;
	saved = "{\"name\": \"s\", \"workloads\": [{\"rw\": \"randread\", \"bs\": \"1m\"}],"
		"\"override\": {\"iodepth\": 4}}";
	decode_bad("{\"definition\": \"none\"}", look_up, ERROR_UNKNOWN_DEFINITION, "/definition");
	decode_bad("{\"definition\": \"busy\"}", look_up, ERROR_SYSTEM, "");
	decode_bad("{\"definition\": \"saved\"}", look_up, ERROR_MISSING_FIELD, "/target");
	decode_bad("{\"definition\": \"saved\", \"target\": {\"file\": \"/f\"}}", look_up,
		   ERROR_MISSING_FIELD, "/override/size");
	decode_bad("{\"definition\": \"saved\", \"target\": {\"file\": \"/f\"},"
		   "\"override\": {\"size\": \"64k\"}}",
		   look_up, ERROR_CONFLICT, "/override/size");
	decode_bad("{\"definition\": \"saved\", \"target\": {\"file\": 5}}", look_up,
		   ERROR_WRONG_TYPE, "/target/file");
	decode_bad("{\"definition\": \"saved\", \"target\": {\"file\": \"/f\"},"
		   "\"factors\": {\"size\": [\"64k\"]}}",
		   look_up, ERROR_CONFLICT, "/factors/size/0");
	decode_bad("{\"definition\": \"saved\", \"target\": {\"file\": \"/f\"},"
		   "\"override\": {\"bs\": \"4x\"}}",
		   look_up, ERROR_BAD_SIZE, "/override/bs");

	decode_bad("{\"definition\": \"saved\", \"target\": {\"file\": \"/f\"},"
		   "\"override\": {\"size\": \"2m\"}, "
		   "\"repeats\": {\"max\": 5, \"until_ci_percent\": 3}}",
		   look_up, ERROR_OUT_OF_RANGE, "/repeats/max");

	/* what is wrong in the saved one is the saved one's fault */
	saved = "{\"name\": \"s\", \"workloads\": [{\"size\": \"1m\"}], \"order\": \"grouped\"}";
	decode_bad("{\"definition\": \"saved\", \"target\": {\"file\": \"/f\"}, "
		   "\"repeats\": {\"max\": 9, \"until_ci_percent\": 3}}",
		   look_up, ERROR_CONFLICT, "/definition");
	saved = "{\"name\": \"s\", \"workloads\": [{\"rw\": \"randread\", \"bs\": \"4x\"}]}";
	decode_bad("{\"definition\": \"saved\"}", look_up, ERROR_BAD_SIZE, "/definition");
	saved = "{\"name\": \"s\", \"workloads\": [{\"size\": \"1m\"}], \"override\": {\"bs\": "
		"\"4x\"}}";
	decode_bad("{\"definition\": \"saved\", \"target\": {\"file\": \"/f\"},"
		   "\"override\": {\"iodepth\": 1}}",
		   look_up, ERROR_BAD_SIZE, "/definition");
	saved = "{\"name\": ";
	decode_bad("{\"definition\": \"saved\"}", look_up, ERROR_JSON_INVALID, "/definition");
	saved = "[]";
	decode_bad("{\"definition\": \"saved\"}", look_up, ERROR_WRONG_TYPE, "/definition");
	saved = "{\"definition\": \"saved\", \"workloads\": [{\"size\": \"1m\"}]}";
	decode_bad("{\"definition\": \"saved\"}", look_up, ERROR_UNKNOWN_FIELD, "/definition");
}

static void saved_definitions_may_leave_out_what_a_request_brings(void **state)
{
	static const struct {
		const char *text;
		enum error_code code;
		const char *pointer;
	} table[] = {
		{"{\"workloads\": [{\"rw\": \"randread\"}]}", ERROR_NONE, ""},
		{"{\"workloads\": [{\"fio\": \"--rw=randread\"}]}", ERROR_NONE, ""},
		{"{\"workloads\": [{\"filename\": \"/a\", \"size\": \"1m\"}]}", ERROR_NONE, ""},
		{"{\"workloads\": [{\"filename\": \"/a\"}]}", ERROR_MISSING_FIELD,
		 "/workloads/0/size"},
		{"{\"workloads\": [{\"rw\": \"sideways\"}]}", ERROR_BAD_VALUE, "/workloads/0/rw"},
		{"{\"name\": \"\", \"workloads\": [{}]}", ERROR_OUT_OF_RANGE, "/name"},
		{"{\"factors\": {\"target\": [\"a\"]}, \"workloads\": [{}]}", ERROR_CONFLICT,
		 "/factors/target"},
		{"{\"definition\": \"x\"}", ERROR_UNKNOWN_FIELD, "/definition"},
		{"{}", ERROR_MISSING_FIELD, "/workloads"},
		{"[]", ERROR_WRONG_TYPE, ""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		json_t *value = json_loads(table[i].text, 0, NULL);
		struct error err = {0};
		int r = definition_validate_saved(value, &err);

		if (err.code != table[i].code || strcmp(err.field, table[i].pointer) != 0)
			fail_msg("%s: %s: %s", table[i].text, err.field, err.message);
		assert_int_equal(r < 0, table[i].code != ERROR_NONE);
		json_decref(value);
	}
}

static void built_in_definitions_can_be_run(void **state)
{
	static const char folder[] = "api/definitions/";
	size_t count = 0;

	(void)state;
	for (size_t i = 0; i < embedded_file_count; i++) {
		const struct embedded *file = &embedded_files[i];

		if (strncmp(file->path, folder, strlen(folder)) != 0)
			continue;
		count++;
		saved = file->data;
		/* What is measured on files has no size and no runtime. */
		if (strstr(file->data, "\"metadata\":"))
			decode_ok("{\"definition\": \"saved\", \"target\": {\"directory\": \"/d\"},"
				  "\"override\": {\"nrfiles\": 100}}",
				  look_up);
		else if (strstr(file->data, "\"zvol\":") || strstr(file->data, "\"dataset\":"))
			decode_ok("{\"definition\": \"saved\", \"parent\": \"tank/a\","
				  "\"override\": {\"size\": \"64M\", \"runtime\": 2}}",
				  look_up);
		else
			decode_ok("{\"definition\": \"saved\", \"target\": {\"directory\": \"/d\"},"
				  "\"override\": {\"size\": \"64M\", \"runtime\": 2}}",
				  look_up);
		definition_done(&d);
	}
	if (count == 0)
		print_message("no built-in definitions in this build\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(jobs_are_read_and_written),
		cmocka_unit_test(jobs_of_a_sample_are_read_and_written),
		cmocka_unit_test(jobs_have_a_limit),
		cmocka_unit_test(bad_definitions_are_refused_with_code_and_pointer),
		cmocka_unit_test(a_definition_is_read_whole),
		cmocka_unit_test(repeats_may_end_early),
		cmocka_unit_test(workloads_have_weights),
		cmocka_unit_test(a_seed_is_drawn_where_there_is_none),
		cmocka_unit_test(definitions_survive_writing),
		cmocka_unit_test(workloads_survive_writing),
		cmocka_unit_test(requests_replace_what_they_give),
		cmocka_unit_test(errors_of_requests_point_into_the_request),
		cmocka_unit_test(saved_definitions_may_leave_out_what_a_request_brings),
		cmocka_unit_test(built_in_definitions_can_be_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
