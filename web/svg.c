/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * svg.c - see svg.h. A reader for the small part of XML a plotted drawing uses: tags with quoted
 * attributes, text, comments, one declaration at the start.
 */
#include "web/svg.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "web/html.h"
#include "web/svg_short.h"

#define SVG_DEPTH_MAX 32
#define NAME_MAX_BYTES 32

static const char *const kept_elements[] = {
	"svg",	"g",	 "path",   "rect",     "polygon", "polyline", "line",
	"text", "tspan", "circle", "clipPath", "defs",	  "use",
};
static const char *const dropped_elements[] = {"title", "desc", "filter", "feFlood", "feComposite"};
static const char *const kept_attributes[] = {
	"xmlns",
	"xmlns:xlink",
	"viewBox",
	"id",
	"x",
	"y",
	"width",
	"height",
	"r",
	"cx",
	"cy",
	"d",
	"points",
	"transform",
	"fill",
	"fill-opacity",
	"stroke",
	"stroke-width",
	"stroke-linecap",
	"stroke-linejoin",
	"stroke-dasharray",
	"color",
	"opacity",
	"font-size",
	"font-weight",
	"font-style",
	"text-anchor",
	"shape-rendering",
	"clip-path",
	"xlink:href",
	"xml:space",
	"x1",
	"x2",
	"y1",
	"y2",
};
/* font-family is replaced by one for the whole drawing. */
static const char *const dropped_attributes[] = {"font-family"};

struct open_element {
	char name[NAME_MAX_BYTES];
	size_t start;	/* where its tag begins in the output */
	size_t tag_end; /* and ends */
	bool bare;	/* a group that says nothing: only what it holds is written */
};

struct reader {
	const char *at, *end;
	char *out;
	size_t used, room;
	struct open_element stack[SVG_DEPTH_MAX];
	size_t depth;
	size_t dropping;  /* depth at which a dropped element was opened, 0: none */
	bool begun;	  /* the root was seen */
	bool shaped;	  /* ends or joins of lines are not always the plain ones */
	bool in_defs;	  /* reading what is defined to be used */
	bool named;	  /* the element last opened is referred to by its id */
	const char *data; /* the whole */
	const char *title;
	int error;
};

static bool among(const char *name, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(name, list[i]) == 0)
			return true;
	return false;
}

static int refuse(struct reader *reader)
{
	if (!reader->error)
		reader->error = -EBADMSG;
	return reader->error;
}

static void put(struct reader *reader, const char *text, size_t size)
{
	size_t room = reader->room ? reader->room : 4096;
	char *out;

	if (reader->error || reader->dropping)
		return;
	while (room - reader->used <= size)
		room *= 2; /* bounded by the input's size, to which it stands in proportion */
	if (room != reader->room) {
		out = realloc(reader->out, room);
		if (!out) {
			reader->error = -ENOMEM;
			return;
		}
		reader->out = out;
		reader->room = room;
	}
	memcpy(reader->out + reader->used, text, size);
	reader->used += size;
	reader->out[reader->used] = '\0';
}

static void put_text(struct reader *reader, const char *text)
{
	put(reader, text, strlen(text));
}

static bool starts(const struct reader *reader, const char *text)
{
	size_t length = strlen(text);

	return (size_t)(reader->end - reader->at) >= length &&
	       memcmp(reader->at, text, length) == 0;
}

/* Moves behind the next `text`. */
static int skip_past(struct reader *reader, const char *text)
{
	const char *found =
		memmem(reader->at, (size_t)(reader->end - reader->at), text, strlen(text));

	if (!found)
		return refuse(reader);
	reader->at = found + strlen(text);
	return 0;
}

static void skip_space(struct reader *reader)
{
	while (reader->at < reader->end && isspace((unsigned char)*reader->at))
		reader->at++;
}

static int read_name(struct reader *reader, char name[NAME_MAX_BYTES])
{
	size_t length = 0;

	while (reader->at < reader->end &&
	       (isalnum((unsigned char)*reader->at) || strchr(":_-", *reader->at))) {
		if (*reader->at == '\0' || length + 1 >= NAME_MAX_BYTES)
			return refuse(reader);
		name[length++] = *reader->at++;
	}
	name[length] = '\0';
	return length ? 0 : refuse(reader);
}

/* Text may hold the five named entities, no other "&", "<" or control. */
static bool text_ok(const char *text, size_t size)
{
	static const char *const entities[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;"};
	const char *end = text + size;

	while (text < end) {
		unsigned char c = (unsigned char)*text;
		bool known = false;

		if (c == '<' || c == 0x7f || (c < 0x20 && !isspace(c)))
			return false;
		if (c != '&') {
			text++;
			continue;
		}
		for (size_t i = 0; i < ARRAY_SIZE(entities) && !known; i++) {
			size_t length = strlen(entities[i]);

			if ((size_t)(end - text) >= length &&
			    memcmp(text, entities[i], length) == 0) {
				text += length;
				known = true;
			}
		}
		if (!known)
			return false;
	}
	return true;
}

static bool value_ok(const char *name, const char *value, size_t size)
{
	const char *url = memmem(value, size, "url", 3);

	if (!text_ok(value, size) || memchr(value, '"', size))
		return false;
	if (strcmp(name, "xlink:href") == 0)
		return size > 1 && value[0] == '#';
	if (strcmp(name, "xmlns") == 0)
		return size == 26 && memcmp(value, "http://www.w3.org/2000/svg", 26) == 0;
	if (strcmp(name, "xmlns:xlink") == 0)
		return size == 28 && memcmp(value, "http://www.w3.org/1999/xlink", 28) == 0;
	if (memchr(value, ':', size) || memchr(value, '&', size))
		return false;
	return !url || (strcmp(name, "clip-path") == 0 && size > 5 && url == value &&
			memcmp(value, "url(#", 5) == 0);
}

/* Whether the drawing refers to an id: "#id" with a quote or bracket behind it. */
static bool referred_to(const struct reader *reader, const char *id, size_t size)
{
	const char *at = reader->data;

	while ((at = memmem(at, (size_t)(reader->end - at), id, size))) {
		if (at > reader->data && at[-1] == '#' && at + size < reader->end &&
		    strchr("'\")", at[size]))
			return true;
		at++;
	}
	return false;
}

/* What says what would be so without it: ids that nobody uses, plain ends and joins of lines. */
static bool says_nothing(struct reader *reader, const char *name, const char *value, size_t size)
{
	bool cap = strcmp(name, "stroke-linecap") == 0, join = strcmp(name, "stroke-linejoin") == 0;

	if (strcmp(name, "id") == 0) {
		reader->named = size > 0 && referred_to(reader, value, size);
		return !reader->named;
	}
	if (!cap && !join)
		return false;
	if (size == (cap ? 4 : 5) && memcmp(value, cap ? "butt" : "miter", size) == 0)
		return !reader->shaped;
	reader->shaped = true;
	return false;
}

static void put_attribute(struct reader *reader, const char *name, const char *value, size_t size)
{
	size_t at;

	put_text(reader, " ");
	put_text(reader, name);
	put_text(reader, "=\"");
	at = reader->used;
	put(reader, value, size);
	if (!reader->error)
		reader->used = at + svg_shorten(name, reader->in_defs, reader->out + at, size);
	put_text(reader, "\"");
}

/* name="value" up to the tag's end; writes what is kept. */
static int read_attributes(struct reader *reader)
{
	char name[NAME_MAX_BYTES], quote;
	const char *value;
	size_t size;

	for (;;) {
		skip_space(reader);
		if (reader->at >= reader->end)
			return refuse(reader);
		if (*reader->at == '>' || *reader->at == '/')
			return 0;
		if (read_name(reader, name) < 0)
			return reader->error;
		skip_space(reader);
		if (reader->at >= reader->end || *reader->at++ != '=')
			return refuse(reader);
		skip_space(reader);
		if (reader->at >= reader->end)
			return refuse(reader);
		quote = *reader->at++;
		value = reader->at;
		if (quote != '"' && quote != '\'')
			return refuse(reader);
		while (reader->at < reader->end && *reader->at != quote)
			reader->at++;
		if (reader->at >= reader->end)
			return refuse(reader);
		size = (size_t)(reader->at++ - value);
		if (reader->dropping ||
		    among(name, dropped_attributes, ARRAY_SIZE(dropped_attributes)))
			continue;
		if (!among(name, kept_attributes, ARRAY_SIZE(kept_attributes)) ||
		    !value_ok(name, value, size))
			return refuse(reader);
		if (!says_nothing(reader, name, value, size))
			put_attribute(reader, name, value, size);
	}
}

/* Behind the root's tag: the fonts and the title of the whole. */
static int begin_root(struct reader *reader)
{
	struct html *html = html_new();
	char *title;

	put_text(reader, " font-family=\"system-ui, -apple-system, 'Segoe UI', Roboto, "
			 "'Helvetica Neue', Arial, sans-serif\">");
	html_element(html, "title", reader->title, NULL);
	title = html_finish(html, NULL);
	if (!title)
		return reader->error = -ENOMEM;
	put_text(reader, title);
	free(title);
	return 0;
}

/* Whether anything behind these definitions uses one. */
static bool uses_defs(const struct reader *reader)
{
	const char *end = memmem(reader->at, (size_t)(reader->end - reader->at), "</defs>",
				 strlen("</defs>"));

	return end && (memmem(end, (size_t)(reader->end - end), "href=", strlen("href=")) ||
		       memmem(end, (size_t)(reader->end - end), "url(#", strlen("url(#")));
}

/* What is defined and not used is dropped, and of a group that says nothing the tags. */
static void weigh_tag(struct reader *reader, struct open_element *element)
{
	const char *parent = reader->depth > 1 ? element[-1].name : "";

	element->bare = false;
	if (reader->dropping)
		return;
	if ((strcmp(parent, "defs") == 0 && !reader->named) ||
	    (strcmp(element->name, "defs") == 0 && !uses_defs(reader))) {
		reader->used = element->start;
		reader->dropping = reader->depth;
	} else if (strcmp(element->name, "g") == 0 && reader->used == element->start + 2) {
		reader->used = element->start;
		element->bare = true;
	}
	reader->in_defs |= strcmp(element->name, "defs") == 0;
}

static int open_tag(struct reader *reader)
{
	char name[NAME_MAX_BYTES];
	struct open_element *element;
	bool closed, dropped;

	reader->at++;
	if (read_name(reader, name) < 0)
		return reader->error;
	dropped = among(name, dropped_elements, ARRAY_SIZE(dropped_elements));
	if (reader->depth >= SVG_DEPTH_MAX || (reader->depth == 0) != (strcmp(name, "svg") == 0) ||
	    (reader->depth == 0 && reader->begun) ||
	    (!dropped && !among(name, kept_elements, ARRAY_SIZE(kept_elements))))
		return refuse(reader);
	element = &reader->stack[reader->depth++];
	memcpy(element->name, name, sizeof(name));
	if (dropped && !reader->dropping)
		reader->dropping = reader->depth;
	element->start = reader->used;
	put_text(reader, "<");
	put_text(reader, name);
	reader->named = false;
	if (read_attributes(reader) < 0)
		return reader->error;
	weigh_tag(reader, element);
	closed = *reader->at == '/';
	reader->at += closed;
	if (reader->at >= reader->end || *reader->at++ != '>')
		return refuse(reader);
	if (!reader->begun) {
		reader->begun = true;
		if (closed)
			return refuse(reader);
		return begin_root(reader);
	}
	if (!element->bare)
		put_text(reader, closed ? "/>" : ">");
	element->tag_end = reader->used;
	if (closed) {
		if (reader->dropping == reader->depth)
			reader->dropping = 0;
		reader->depth--;
	}
	return 0;
}

static int close_tag(struct reader *reader)
{
	char name[NAME_MAX_BYTES];
	const struct open_element *element;

	reader->at += 2;
	if (read_name(reader, name) < 0)
		return reader->error;
	skip_space(reader);
	if (reader->depth == 0 || reader->at >= reader->end || *reader->at++ != '>')
		return refuse(reader);
	element = &reader->stack[reader->depth - 1];
	if (strcmp(element->name, name) != 0)
		return refuse(reader);
	if (reader->dropping == reader->depth) {
		reader->dropping = 0;
	} else if (!reader->dropping && element->tag_end == reader->used &&
		   (strcmp(name, "g") == 0 || strcmp(name, "defs") == 0)) {
		reader->used = element->start; /* holds nothing */
	} else if (!element->bare) {
		put_text(reader, "</");
		put_text(reader, name);
		put_text(reader, strcmp(name, "text") == 0 ? ">" : ">\n");
	}
	if (strcmp(name, "defs") == 0)
		reader->in_defs = false;
	reader->depth--;
	return 0;
}

/* What stands between tags: kept inside texts, else it must be blank. */
static int between(struct reader *reader)
{
	const char *text = reader->at;
	const char *parent = reader->depth ? reader->stack[reader->depth - 1].name : "";
	size_t size;

	while (reader->at < reader->end && *reader->at != '<')
		reader->at++;
	size = (size_t)(reader->at - text);
	if (reader->dropping)
		return text_ok(text, size) ? 0 : refuse(reader);
	if (strcmp(parent, "text") == 0 || strcmp(parent, "tspan") == 0) {
		if (!text_ok(text, size))
			return refuse(reader);
		put(reader, text, size);
		return 0;
	}
	for (size_t i = 0; i < size; i++)
		if (!isspace((unsigned char)text[i]))
			return refuse(reader);
	return 0;
}

static int read_all(struct reader *reader)
{
	skip_space(reader);
	if (starts(reader, "<?xml ") && skip_past(reader, "?>") < 0)
		return reader->error;
	while (reader->at < reader->end && !reader->error) {
		if (starts(reader, "<!--"))
			(void)skip_past(reader, "-->"); /* kept in reader->error */
		else if (starts(reader, "</"))
			(void)close_tag(reader);
		else if (*reader->at == '<')
			(void)open_tag(reader);
		else
			(void)between(reader);
	}
	if (!reader->error && (!reader->begun || reader->depth))
		return refuse(reader);
	return reader->error;
}

int svg_clean(const char *data, size_t size, const char *title, char **ret_svg, size_t *ret_size)
{
	struct reader *reader = calloc(1, sizeof(*reader));
	int r;

	if (!reader)
		return -ENOMEM;
	reader->at = reader->data = data;
	reader->end = data + size;
	reader->title = title;
	r = read_all(reader);
	if (r < 0) {
		free(reader->out);
	} else {
		*ret_svg = reader->out;
		*ret_size = reader->used;
	}
	free(reader);
	return r;
}
