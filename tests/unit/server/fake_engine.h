/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fake_engine.h - engines that misbehave, for the tests of supervisor and schedule: the test's own
 * program, started again as `volbench engine --state DIR --allow MODE`. Its main must begin with
 * fake_engine_main(). A sweep and a run leave a byte each in DIR.sweeps and DIR.runs.
 * Length: a whole program, in a header so that two tests can be it.
 */
#ifndef TESTS_UNIT_SERVER_FAKE_ENGINE_H
#define TESTS_UNIT_SERVER_FAKE_ENGINE_H

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/plan/option.h"
#include "server/codec/json.h"
#include "server/codec/message.h"
#include "server/codec/sample.h"

#define FAKE_STARTED                                                                               \
	"{\"started\":{\"plan\":{\"findings\":[]},\"environment\":{},\"targets\":[],"              \
	"\"backend\":\"null\",\"backend_reason\":\"\"}}\n"

static inline void fake_say(const char *text)
{
	size_t length = strlen(text);

	while (length > 0) {
		ssize_t written = write(0, text, length);

		if (written <= 0)
			_exit(0); /* nobody listens */
		text += written;
		length -= (size_t)written;
	}
}

static inline void fake_answer(enum message_kind kind, json_t *value)
{
	char *line = message_answer(kind, value);

	if (!line)
		_exit(90);
	fake_say(line);
	free(line);
}

static inline void fake_sample(size_t order)
{
	struct error err = {0};
	struct sample sample;
	json_t *value;

	sample_init(&sample);
	sample.order = order;
	sample.workload = strdup("w");
	sample.repeat = 1;
	sample.target = strdup("/target");
	sample.seconds = 1;
	sample.backend = strdup("null");
	sample.backend_reason = strdup("");
	if (option_parse(option_find("name"), "w", &sample.options, &err) < 0 ||
	    option_parse(option_find("rw"), "randread", &sample.options, &err) < 0 ||
	    option_parse(option_find("size"), "1m", &sample.options, &err) < 0 ||
	    workload_complete(&sample.options, &err) < 0) {
		(void)fprintf(stderr, "fake sample: %s\n", err.message);
		_exit(91);
	}
	value = sample_encode(&sample);
	sample_done(&sample);
	fake_answer(MESSAGE_SAMPLE, value);
}

static inline void fake_progress(uint64_t done)
{
	const struct progress progress = {
		.phase = PHASE_MEASURE, .done = done, .total = 2, .percent = 50, .workload = "w"};

	fake_answer(MESSAGE_PROGRESS, progress_encode(&progress));
}

static inline void fake_end(enum run_state state, const struct error *err)
{
	struct findings findings;

	findings_init(&findings);
	if (findings_add(&findings, FINDING_INFO, "told", NULL, NULL, NULL, NULL, "it ended") < 0)
		_exit(92);
	fake_answer(MESSAGE_END, message_end(state, err, &findings, NULL));
	findings_done(&findings);
}

/* One line into the buffer; false at the end of file. */
static inline bool fake_read(char *line, size_t size)
{
	size_t used = 0;

	while (used + 1 < size && read(0, line + used, 1) == 1)
		if (line[used++] == '\n') {
			line[used - 1] = '\0';
			return true;
		}
	return false;
}

static inline void fake_count(const char *state, const char *what)
{
	char path[256];
	int fd;

	(void)snprintf(path, sizeof(path), "%s.%s", state, what);
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, "x", 1) != 1)
		_exit(93);
	(void)close(fd);
}

static inline void fake_hang(void)
{
	for (;;)
		(void)pause();
}

static inline void fake_huge_line(void)
{
	static char block[1 << 20];

	memset(block, 'x', sizeof(block) - 1);
	for (;;)
		fake_say(block);
}

/* A started document of some megabytes. */
static inline void fake_big_line(void)
{
	char *pad = malloc((5 << 20) + 1);

	if (!pad)
		_exit(94);
	memset(pad, 'p', 5 << 20);
	pad[5 << 20] = '\0';
	fake_answer(MESSAGE_STARTED, json_pack("{s:s}", "pad", pad));
	free(pad);
}

/* The samples of a run that is done; byte by byte where slow. */
static inline void fake_good(bool slow)
{
	if (slow)
		for (const char *p = FAKE_STARTED; *p; p++)
			fake_say((char[]){*p, '\0'});
	else
		fake_say(FAKE_STARTED);
	fake_progress(0);
	fake_sample(0);
	fake_progress(1);
	fake_sample(1);
	fake_end(RUN_DONE, NULL);
}

/* Until something comes or the end of file: says progress in between. */
static inline void fake_measure(void)
{
	struct pollfd in = {.fd = 0, .events = POLLIN};

	fake_say(FAKE_STARTED);
	fake_sample(0);
	while (poll(&in, 1, 20) == 0)
		fake_progress(1);
}

#define MODE(name) (strcmp(mode, "/" name) == 0)

/* Those that come to no end of their own; false where the mode is another. */
static inline bool fake_run_bad(const char *mode)
{
	if (MODE("exits")) {
		fake_say(FAKE_STARTED);
		fake_sample(0);
		_exit(3);
	} else if (MODE("crashes")) {
		fake_say(FAKE_STARTED);
		fake_sample(0);
		(void)raise(SIGTRAP);
	} else if (MODE("killed")) {
		fake_say(FAKE_STARTED);
		fake_sample(0);
		(void)raise(SIGKILL);
	} else if (MODE("silent")) {
		fake_say(FAKE_STARTED);
		fake_hang();
	} else if (MODE("garbage")) {
		fake_say(FAKE_STARTED "}{\n");
		fake_hang();
	} else if (MODE("huge")) {
		fake_huge_line();
	} else if (MODE("early")) {
		fake_sample(0);
		fake_hang();
	} else if (MODE("twice")) {
		fake_say(FAKE_STARTED FAKE_STARTED);
		fake_hang();
	} else if (MODE("lingers")) {
		fake_good(false);
		fake_hang();
	} else if (MODE("stubborn")) {
		fake_say(FAKE_STARTED);
		fake_sample(0);
		fake_hang();
	}
	return false;
}

/* Those that wait to be cancelled; false where the mode is another. */
static inline bool fake_run_waiting(const char *mode)
{
	struct pollfd in = {.fd = 0, .events = POLLIN};
	char line[64];

	if (MODE("measures")) { /* and is polite */
		fake_measure();
		if (!fake_read(line, sizeof(line)))
			return true;
		fake_sample(1);
		fake_end(RUN_CANCELLED, NULL);
	} else if (MODE("deaf")) { /* to a cancel, but not to the socket's end */
		fake_say(FAKE_STARTED);
		while (fake_read(line, sizeof(line)))
			;
	} else if (MODE("floods")) {
		fake_say(FAKE_STARTED);
		while (poll(&in, 1, 0) == 0)
			fake_progress(1);
		fake_end(RUN_CANCELLED, NULL);
	} else {
		return false;
	}
	return true;
}

static inline void fake_run(const char *mode)
{
	struct error err = {0};

	if (fake_run_bad(mode) || fake_run_waiting(mode))
		return;
	if (MODE("good") || MODE("slow")) {
		fake_good(MODE("slow"));
	} else if (MODE("big")) {
		fake_big_line();
		fake_end(RUN_DONE, NULL);
	} else if (MODE("refuses")) {
		(void)error_set(&err, ERROR_TARGET_BUSY, "/target", "it is mounted");
		fake_answer(MESSAGE_ERROR, json_error(&err));
	} else if (MODE("fails")) {
		fake_say(FAKE_STARTED);
		(void)error_set_sys(&err, ERROR_IO_ERROR, EIO, "a read failed");
		fake_end(RUN_FAILED, &err);
	} else if (MODE("stopped")) { /* by a signal from outside, say */
		fake_say(FAKE_STARTED);
		fake_sample(0);
		fake_end(RUN_CANCELLED, NULL);
	} else {
		_exit(95);
	}
}

#undef MODE

static inline void fake_main(const char *state, const char *mode)
{
	static char request[1 << 20];

	if (!fake_read(request, sizeof(request)))
		_exit(0);
	if (strstr(request, "\"sweep\"")) {
		fake_count(state, "sweeps");
		if (strcmp(mode, "/hangs") == 0)
			fake_hang();
		fake_say(strcmp(mode, "/locked") == 0
				 ? "{\"error\":{\"code\":\"engine_busy\",\"message\":\"locked\"}}\n"
				 : "{\"swept\":[{\"severity\":\"info\",\"code\":\"removed\","
				   "\"message\":\"it is gone\"}]}\n");
	} else if (strstr(request, "\"call\":\"plan\"")) {
		if (strcmp(mode, "/silent") == 0)
			fake_hang();
		if (strcmp(mode, "/exits") == 0)
			_exit(3);
		fake_say(strcmp(mode, "/refuses") == 0
				 ? "{\"error\":{\"code\":\"target_busy\",\"field\":\"/target\","
				   "\"message\":\"it is mounted\"}}\n"
			 : strcmp(mode, "/wrong") == 0 ? "{\"targets\":[]}\n"
						       : "{\"plan\":{\"samples\":[]}}\n");
	} else {
		fake_count(state, "runs");
		fake_run(mode);
	}
}

/* Where this program was started as an engine, it is one and never returns. */
static inline void fake_engine_main(int argc, char **argv)
{
	if (argc < 6 || strcmp(argv[1], "engine") != 0)
		return;
	fake_main(argv[3], argv[5]);
	_exit(0);
}

/* How many sweeps or runs there were. */
static inline long fake_counted(const char *state_directory, const char *what)
{
	struct stat status;
	char path[256];

	(void)snprintf(path, sizeof(path), "%s/engine.%s", state_directory, what);
	return stat(path, &status) < 0 ? 0 : (long)status.st_size;
}

#endif
