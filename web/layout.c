/* SPDX-License-Identifier: GPL-3.0-or-later */
/* layout.c - see layout.h. */
#include "web/layout.h"

#include "web/table_labels.h"

struct html *layout_begin(enum layout_kind kind, const char *title)
{
	struct html *html = html_new();

	html_raw(html, "<!DOCTYPE html>\n");
	html_open(html, "html", "xmlns", "http://www.w3.org/1999/xhtml", "lang", "en", NULL);
	html_open(html, "head", NULL);
	html_void(html, "meta", "charset", "utf-8", NULL);
	html_void(html, "meta", "name", "viewport", "content", "width=device-width", NULL);
	html_void(html, "meta", "name", "color-scheme", "content", "light dark", NULL);
	html_void(html, "meta", "name", "generator", "content", "Volbench " VOLBENCH_VERSION, NULL);
	html_open(html, "title", NULL);
	html_textf(html, "%s - Volbench", title);
	html_close(html, "title");
	html_void(html, "link", "rel", "stylesheet", "href",
		  kind == LAYOUT_STORED ? "style.css" : "/static/style.css", NULL);
	html_void(html, "link", "rel", "stylesheet", "href", "/static/service.css", NULL);
	html_void(html, "link", "rel", "icon", "href",
		  kind == LAYOUT_STORED ? "icon.svg" : "/static/icon.svg", NULL);
	if (kind == LAYOUT_AGAIN)
		html_void(html, "meta", "http-equiv", "refresh", "content", "2", NULL);
	if (kind == LAYOUT_LIVE) {
		html_raw(html, "<noscript><meta http-equiv=\"refresh\" content=\"5\"/></noscript>");
		html_element(html, "script", NULL, "src", "/static/live.js", "defer", "defer",
			     NULL);
	}
	html_close(html, "head");
	html_open(html, "body", NULL);
	html_raw(html, "<header class=\"service\"><a href=\"/\">Volbench</a> "
		       "<a href=\"/studies/\">Studies</a></header>");
	html_open(html, "main", NULL);
	return html;
}

char *layout_end(struct html *html, size_t *ret_size)
{
	html_close(html, "main");
	html_raw(html, "<footer>Volbench " VOLBENCH_VERSION ". Units: k is 1000 operations; KiB, "
		       "MiB and GiB are powers of 1024 bytes.</footer>");
	html_close(html, "body");
	html_close(html, "html");
	return table_labels(html_finish(html, NULL), ret_size);
}
