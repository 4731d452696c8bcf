/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_options.c - what the command line takes, what it refuses and in which words; help. */
#include "server/options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static int parse(struct options *options, struct error *err, const char *const *words)
{
	char *argv[24] = {(char *)"volbench"};
	int argc = 1;

	for (; words[argc - 1]; argc++)
		argv[argc] = (char *)words[argc - 1];
	return options_parse(argc, argv, options, err);
}

#define PARSE(...) parse(&options, &err, (const char *const[]){__VA_ARGS__, NULL})

static void test_run(void **state)
{
	struct options options;
	struct error err;

	(void)state;
	assert_int_equal(PARSE("run", "demo", "--allow", "/a", "--allow=/b", "--target",
			       "file:/a/f", "--override", "size=1M", "--repeats", "100", "--json",
			       "-", "--html=out", "--quiet", "--state", "/s"),
			 0);
	assert_int_equal(options.command, COMMAND_RUN);
	assert_string_equal(options.file, "demo");
	assert_int_equal(options.allow_count, 2);
	assert_string_equal(options.allow[0], "/a");
	assert_string_equal(options.allow[1], "/b");
	assert_string_equal(options.target, "file:/a/f");
	assert_int_equal(options.override_count, 1);
	assert_string_equal(options.overrides[0], "size=1M");
	assert_int_equal(options.repeats.most, 100);
	assert_string_equal(options.json_out, "-");
	assert_string_equal(options.html_out, "out");
	assert_string_equal(options.state, "/s");
	assert_true(options.quiet);
	options_done(&options);

	assert_int_equal(PARSE("plan", "-", "--allow", "/a", "--state", "/s"), 0);
	assert_string_equal(options.file, "-");
	assert_int_equal(options.repeats.most, 0);
	options_done(&options);

	assert_int_equal(PARSE("run", "x", "--allow-dataset", "tank/a", "--allow-dataset=own"), 0);
	assert_int_equal(options.allow_count, 0);
	assert_int_equal(options.allow_dataset_count, 2);
	assert_string_equal(options.allow_datasets[0], "tank/a");
	assert_string_equal(options.allow_datasets[1], "own");
	options_done(&options);
	assert_int_equal(PARSE("run", "--allow", "/a", "--", "--odd-name"), 0);
	assert_string_equal(options.file, "--odd-name");
	options_done(&options);
}

/* As many results as are compared at a time, and one more. */
static void test_words(void **state)
{
	static const char *const nine[] = {"compare", "1", "2", "3", "4", "5", "6", "7", "8", NULL};
	const char *ten[ARRAY_SIZE(nine) + 1];
	struct options options;
	struct error err;

	(void)state;
	assert_int_equal(parse(&options, &err, nine), 0);
	assert_int_equal(options.word_count, 8);
	assert_string_equal(options.words[7], "8");
	assert_string_equal(options.file, "1");
	options_done(&options);
	memcpy(ten, nine, sizeof(nine));
	ten[9] = "9";
	ten[10] = NULL;
	assert_true(parse(&options, &err, ten) < 0);
	assert_non_null(strstr(err.message, "takes at most 8"));
	assert_int_equal(PARSE("compare", "1", "2", "--fail-if", "a=-1", "--fail-if=b=2"), 0);
	assert_int_equal(options.fail_if_count, 2);
	assert_string_equal(options.fail_if[1], "b=2");
	options_done(&options);
}

static void test_defaults(void **state)
{
	struct options options;
	struct error err;

	(void)state;
	assert_int_equal(setenv("STATE_DIRECTORY", "/run/first:/run/second", 1), 0);
	assert_int_equal(PARSE("serve"), 0);
	assert_string_equal(options.state, "/run/first");
	assert_string_equal(options.listen, "127.0.0.1:8090");
	options_done(&options);
	assert_int_equal(unsetenv("STATE_DIRECTORY"), 0);
	assert_int_equal(PARSE("serve"), 0);
	if (geteuid() == 0)
		assert_string_equal(options.state, "/var/lib/volbench");
	else
		assert_non_null(strstr(options.state, "volbench"));
	options_done(&options);
}

static void test_refusals(void **state)
{
	static const struct {
		const char *words[8];
		const char *message; /* part of it */
	} cases[] = {
		{{NULL}, "A command is wanted"},
		{{"measure"}, "no command \"measure\""},
		{{"run", "x", "--allow", "/a", "--colour"}, "no option --colour"},
		{{"run", "x", "--allow", "/a", "--allows=1"}, "no option --allows=1"},
		{{"run", "x", "--allow", "/a", "-x"}, "no option -x"},
		{{"serve", "--json", "x"}, "volbench serve has no option --json"},
		{{"plan", "x", "--allow", "/a", "--html", "d"}, "plan has no option --html"},
		{{"run", "x", "--listen", "1:2"}, "run has no option --listen"},
		{{"run", "x", "--allow"}, "--allow wants a value: --allow PATH"},
		{{"run", "x", "--allow="}, "--allow was given an empty value"},
		{{"run", "x"}, "wants --allow PATH"},
		{{"run", "x", "--allow-dataset"}, "--allow-dataset wants a value"},
		{{"run", "x", "--allow-dataset", "/tank/a"}, "a name has no / before it"},
		{{"serve", "--allow-dataset", "tank/a@b"}, "not \"tank/a@b\"."},
		{{"engine", "--allow-dataset=-r"}, "takes the name of a dataset"},
		{{"fio", "x", "--allow-dataset", "tank"}, "fio has no option --allow-dataset"},
		{{"run", "--allow", "/a"}, "wants a FILE"},
		{{"run", "x", "y", "--allow", "/a"}, "takes one FILE"},
		{{"run", "", "--allow", "/a"}, "FILE is empty"},
		{{"serve", "x"}, "serve takes no \"x\""},
		{{"run", "x", "--quiet=1"}, "--quiet takes no value"},
		{{"run", "x", "--state", "a", "--state", "b"}, "--state was given twice"},
		{{"run", "x", "--repeats", "0"}, "from 1 to 100"},
		{{"run", "x", "--repeats", "101"}, "from 1 to 100"},
		{{"run", "x", "--repeats", "-1"}, "from 1 to 100"},
		{{"run", "x", "--repeats", "3x"}, "from 1 to 100"},
		{{"run", "x", "--repeats", "5-30:2"}, "such as 5-30:2%"},
		{{"run", "x", "--repeats", "99999999999999999999"}, "from 1 to 100"},
		{{"compare", "a.json"}, "wants BASELINE OTHER"},
		{{"compare", "1", "2", "--html", "d"}, "compare has no option --html"},
		{{"report"}, "report wants RESULT"},
		{{"report", "a", "b"}, "takes one RESULT"},
		{{"run", "x", "--fail-if", "iops_percent=-5"}, "run has no option --fail-if"},
		{{"import"}, "wants FILE..."},
		{{"import", "x", "--allow", "/a"}, "import has no option --allow"},
		{{"run", "x", "--label", "a"}, "run has no option --label"},
		{{"help", "nonsense"}, "no help on \"nonsense\""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct options options;
		struct error err = {.code = ERROR_NONE};

		assert_true(parse(&options, &err, cases[i].words) < 0);
		assert_int_equal(err.code, ERROR_BAD_PARAMETER);
		if (!strstr(err.message, cases[i].message))
			fail_msg("case %zu: \"%s\" is not in \"%s\"", i, cases[i].message,
				 err.message);
	}
}

static void test_help(void **state)
{
	static const struct {
		const char *words[4];
		const char *topic;
		const char *text; /* part of it */
	} cases[] = {
		{{"--help"}, NULL, "Commands:"},
		{{"help"}, NULL, "Commands:"},
		{{"-h"}, NULL, "Commands:"},
		{{"run", "--help"}, "run", "--html DIR"},
		{{"plan", "x", "-h"}, "plan", "--override OPTION=VALUE"},
		{{"help", "serve"}, "serve", "--listen ADDR:PORT"},
		{{"compare", "--help"}, "compare", "--fail-if NAME=NUMBER"},
		{{"report", "--help"}, "report", "RESULT is a result.json"},
		{{"import", "--help"}, "import", "--factor NAME"},
		{{"--help", "options"}, "options", "Default: 4k"},
		{{"--help", "options"}, "options", "Range: 1 to 4096 operations"},
		{{"--help", "options"}, "options", "Default: 1 (fio's: 0)"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct options options;
		struct error err;
		char *text = NULL;
		size_t size = 0;
		FILE *out = open_memstream(&text, &size);

		assert_non_null(out);
		assert_int_equal(parse(&options, &err, cases[i].words), 0);
		assert_int_equal(options.command, COMMAND_HELP);
		if (cases[i].topic)
			assert_string_equal(options.help_topic, cases[i].topic);
		else
			assert_null(options.help_topic);
		options_help(options.help_topic, out);
		assert_int_equal(fclose(out), 0);
		assert_non_null(strstr(text, cases[i].text));
		for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
			if (strcspn(line, "\n") > 80)
				fail_msg("too wide: %.*s", (int)strcspn(line, "\n"), line);
		free(text);
		options_done(&options);
	}
}

static void test_listen(void **state)
{
	static const struct {
		const char *text, *address; /* address NULL: refused */
		uint16_t port;
	} cases[] = {
		{"127.0.0.1:8090", "127.0.0.1", 8090},
		{"127.1.2.3:0", "127.1.2.3", 0},
		{"localhost:65535", "127.0.0.1", 65535},
		{"[::1]:80", "::1", 80},
		{"0.0.0.0:80", NULL, 0},
		{"192.168.1.1:80", NULL, 0},
		{"[::]:80", NULL, 0},
		{"::1:80", NULL, 0},
		{"127.0.0.1", NULL, 0},
		{"127.0.0.1:", NULL, 0},
		{"127.0.0.1:-1", NULL, 0},
		{"127.0.0.1: 1", NULL, 0},
		{"127.0.0.1:65536", NULL, 0},
		{"127.0.0.1:80x", NULL, 0},
		{":80", NULL, 0},
		{"", NULL, 0},
		{"example.org:80", NULL, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char address[64];
		uint16_t port = 1;
		struct error err;
		int r = options_listen(cases[i].text, address, sizeof(address), &port, &err);

		if (!cases[i].address) {
			if (r == 0)
				fail_msg("\"%s\" was taken", cases[i].text);
			assert_int_equal(err.code, ERROR_BAD_PARAMETER);
			continue;
		}
		assert_int_equal(r, 0);
		assert_string_equal(address, cases[i].address);
		assert_int_equal(port, cases[i].port);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_run),   cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_words), cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_help),  cmocka_unit_test(test_listen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
