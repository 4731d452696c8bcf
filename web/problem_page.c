/* SPDX-License-Identifier: GPL-3.0-or-later */
/* problem_page.c - see problem_page.h. */
#include "web/problem_page.h"

#include <string.h>

#include "web/layout.h"

static const char *title_of(int status)
{
	switch (status) {
	case 400:
		return "This address is not understood";
	case 403:
		return "This is not allowed";
	case 404:
		return "There is nothing here";
	case 405:
	case 501:
		return "This is not possible here";
	case 409:
		return "Not yet";
	case 413:
		return "This is too large";
	case 421:
		return "Not by this name";
	case 503:
		return "Not just now";
	case 507:
		return "There is no space left";
	default:
		return status >= 500 ? "Something failed" : "This cannot be done";
	}
}

/* What to do next, by the code or else by the status; NULL: the message says it all. */
static const char *advice_of(int status, enum error_code code)
{
	switch (code) {
	case ERROR_BAD_ID:
		return "Open the run from the list of runs, which has the whole address.";
	case ERROR_BAD_PARAMETER:
		return "What stands behind the question mark of the address is not right. Runs to "
		       "compare are chosen in the list of runs, by A and B.";
	case ERROR_NOT_FINISHED:
		return "Load this page again once the run has been measured; its own page shows "
		       "how far it is.";
	case ERROR_HOST_NOT_ALLOWED:
		return "Open the address that the service was told to listen on (--listen). From "
		       "another machine a tunnel leads to it: with ssh -L 8090:127.0.0.1:8090 HOST "
		       "open on yours the service stands at http://localhost:8090/ there.";
	case ERROR_STORAGE_FULL:
	case ERROR_READ_ONLY:
		return "Make room where the service keeps its results (--state): a run that is no "
		       "longer needed is removed by DELETE /api/v1/runs/ID. The log says more: "
		       "journalctl -u volbench.";
	default:
		break;
	}
	switch (status) {
	case 404:
		return "It may have been removed, or the address may be mistyped. What there is "
		       "stands in the list of runs.";
	case 405:
	case 501:
		return "Pages are here to be read. What starts, stops or removes a run is a call "
		       "of the API; openapi.yaml lists them.";
	case 503:
		return "Load this page again in a minute.";
	default:
		return status >= 500 ? "Load this page again. If it stays so, the log says more: "
				       "journalctl -u volbench."
				     : NULL;
	}
}

/* Messages are clauses, "there is no such run": made a sentence, unless it begins with a name. */
static void put_sentence(struct html *html, const char *message)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz";
	size_t word = strspn(message, letters), length = strlen(message);

	if (word > 0 && (message[word] == ' ' || message[word] == ',')) {
		html_textf(html, "%c", message[0] - 'a' + 'A');
		html_text(html, message + 1);
	} else {
		html_text(html, message);
	}
	if (length > 0 && !strchr(".!?", message[length - 1]))
		html_text(html, ".");
}

char *page_problem(int status, const struct error *err)
{
	struct html *html = layout_begin(LAYOUT_SERVED, title_of(status));
	const char *advice = advice_of(status, err->code);

	html_element(html, "h1", title_of(status), NULL);
	html_open(html, "p", "class", "headline", NULL);
	put_sentence(html, err->message[0] ? err->message : "this could not be done");
	html_close(html, "p");
	if (err->field[0]) {
		html_open(html, "p", NULL);
		html_text(html, "It is about ");
		html_element(html, "code", err->field, NULL);
		html_text(html, ".");
		html_close(html, "p");
	}
	if (advice)
		html_element(html, "p", advice, NULL);
	html_raw(html, "<p><a href=\"/\">All runs</a></p>");
	html_open(html, "p", "class", "note", NULL);
	html_textf(html, "HTTP status %d, code ", status);
	html_element(html, "code", error_code_text(err->code), NULL);
	html_text(html, ".");
	html_close(html, "p");
	return layout_end(html, NULL);
}
