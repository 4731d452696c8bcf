/* SPDX-License-Identifier: GPL-3.0-or-later */
/* report_zfs.c - what was made on OpenZFS, with the proof of its fill; the pools; the commands. See
 * report_zfs.h. Where memory is short a part of it is left out. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "engine/analysis/volumes.h"
#include "engine/plan/quantity.h"
#include "web/report_zfs.h"

#define ROWS_MAX 200	  /* volumes listed; result.csv has all */
#define PROPERTIES_MAX 24 /* told of a volume */

void report_zfs_kind(const struct target_spec *spec, struct html *html)
{
	if (spec->kind == TARGET_DATASET)
		html_text(html, " (datasets beneath it)");
	else if (spec->size_bytes)
		html_textf(html, " (%szvols of %s beneath it)", spec->sparse ? "sparse " : "",
			   numbers_bytes((double)spec->size_bytes).text);
	else
		html_textf(html, " (%szvols beneath it)", spec->sparse ? "sparse " : "");
}

/* ---- order ---- */

void report_order_note(const struct report *report, struct html *html)
{
	const struct result *result = report->result;
	bool space = analysis_grouped_for_space(result);

	if (!space &&
	    (result->definition.order != ORDER_GROUPED || report->analysis.level_count < 2))
		return;
	html_open(html, "div", "class", "banner warning", "role", "note", NULL);
	html_open(html, "p", NULL);
	html_element(html, "strong", "Drift cannot be told from effect. ", NULL);
	if (space)
		html_text(html, "The pool has no room for all volumes at once, so they were made, "
				"measured and destroyed one after another. ");
	else
		html_text(html, "All repeats of a combination were measured together, as the "
				"definition asks (order grouped). ");
	html_text(html, "What changed meanwhile, such as the pool's free space, its temperature or "
			"what others did, is in the differences between levels, and the intervals "
			"do not show it.");
	html_close(html, "p");
	html_close(html, "div");
}

/* ---- what was made ---- */

/* In the order of the levels shown; nothing to free on failure. */
static int gather(const struct report *report, struct volumes *ret_volumes)
{
	struct volumes all, sorted = {.count = 0};
	int r = volumes_make(&report->analysis.cells, &all);

	if (r < 0)
		return r;
	sorted.list = calloc(all.count + 1, sizeof(*sorted.list));
	for (size_t level = 0; sorted.list && level < report->analysis.level_count; level++)
		for (size_t i = 0; i < all.count; i++)
			if (all.list[i].cell->levels[0] == report->analysis.order[level])
				sorted.list[sorted.count++] = all.list[i];
	volumes_done(&all);
	*ret_volumes = sorted;
	return sorted.list ? 0 : -ENOMEM;
}

/* The value of a property as found; volblocksize and the like as 16K. */
static const char *value_of(const struct volume *volume, const char *name,
			    char buffer[QUANTITY_TEXT_MAX])
{
	const char *value = properties_get(&volume->first->zfs->properties, name);
	size_t length = value ? strlen(value) : 0;
	uint64_t bytes;
	struct error err;

	if (length < 3 || strspn(value, "0123456789") != length || length > QUANTITY_TEXT_MAX - 2 ||
	    quantity_parse_size(value, &bytes, &err) < 0 || bytes < 512)
		return value;
	(void)quantity_format_size(bytes, buffer);
	length = strlen(buffer);
	if (buffer[length - 1] >= 'a' && buffer[length - 1] <= 'z')
		buffer[length - 1] = (char)(buffer[length - 1] - 'a' + 'A');
	return buffer;
}

/* What a property is told of: in a column where its values differ, else once for all that have it.
 */
struct shown_properties {
	size_t count;
	struct shown {
		const char *name; /* borrowed */
		bool differs;
		bool of_zvols, of_datasets; /* which have it */
		const struct volume *any;   /* one that has it */
	} list[PROPERTIES_MAX];
};

/* The table's own columns say these, or the words above the commands. */
static bool told_elsewhere(const char *name)
{
	return strcmp(name, "volsize") == 0 || strcmp(name, "refreservation") == 0 ||
	       strcmp(name, "volmode") == 0;
}

static void add_property(struct shown_properties *shown, const struct property *property,
			 const struct volume *volume)
{
	const struct sample_zfs *zfs = volume->first->zfs;
	struct shown *own = NULL;

	for (size_t i = 0; i < shown->count && !own; i++)
		if (strcmp(shown->list[i].name, property->name) == 0)
			own = &shown->list[i];
	if (!own && shown->count < PROPERTIES_MAX && !told_elsewhere(property->name)) {
		own = &shown->list[shown->count++];
		*own = (struct shown){.name = property->name, .any = volume};
	}
	if (!own)
		return;
	own->of_zvols |= zfs->volume;
	own->of_datasets |= !zfs->volume;
	own->differs |= strcmp(properties_get(&own->any->first->zfs->properties, own->name),
			       property->value) != 0;
}

static void gather_properties(const struct volumes *volumes, struct shown_properties *shown)
{
	*shown = (struct shown_properties){.count = 0};
	for (size_t v = 0; v < volumes->count; v++) {
		const struct properties *own = &volumes->list[v].first->zfs->properties;

		for (size_t i = 0; i < own->count; i++)
			add_property(shown, &own->list[i], &volumes->list[v]);
	}
}

static void number_head(struct html *html, const char *text)
{
	html_element(html, "th", text, "scope", "col", "class", "number", NULL);
}

static void made_head(const struct shown_properties *shown, struct html *html)
{
	html_raw(html, "<thead><tr><th scope=\"col\">Name</th><th scope=\"col\">What</th>");
	for (size_t i = 0; i < shown->count; i++)
		if (shown->list[i].differs)
			number_head(html, shown->list[i].name);
	number_head(html, "Size");
	number_head(html, "written");
	number_head(html, "of its size");
	number_head(html, "logicalused");
	number_head(html, "compressratio");
	html_raw(html, "</tr></thead><tbody>");
}

static void made_row(const struct volume *volume, const struct shown_properties *shown,
		     struct html *html)
{
	const struct sample_zfs *zfs = volume->first->zfs;
	char buffer[QUANTITY_TEXT_MAX];
	double size = (double)zfs->size_bytes, written = (double)zfs->written_bytes;
	const char *name;

	html_raw(html, "<tr>");
	html_open(html, "th", "scope", "row", "title", zfs->dataset, NULL);
	/* Of what was made the parent stands above, for all. */
	name = volume->made ? strrchr(zfs->dataset, '/') : NULL;
	html_name(html, name ? name + 1 : zfs->dataset);
	html_close(html, "th");
	html_open(html, "td", NULL);
	html_textf(html, "%s, %s", zfs->volume ? "zvol" : "dataset",
		   !volume->made			 ? "there before"
		   : zfs->volume && volume->spec->sparse ? "made sparse"
							 : "made");
	html_close(html, "td");
	for (size_t i = 0; i < shown->count; i++) {
		const char *value = value_of(volume, shown->list[i].name, buffer);

		if (shown->list[i].differs)
			html_element(html, "td", value ? value : NUMBERS_UNKNOWN, "class", "number",
				     NULL);
	}
	html_element(html, "td", numbers_bytes(size).text, "class", "number", NULL);
	html_element(html, "td", numbers_bytes(written).text, "class", "number", NULL);
	html_element(html, "td", size > 0 ? numbers_percent(written / size).text : NUMBERS_UNKNOWN,
		     "class", "number", NULL);
	html_element(html, "td", numbers_bytes((double)zfs->logical_bytes).text, "class", "number",
		     NULL);
	html_element(html, "td",
		     zfs->compress_ratio > 0 ? numbers_times(zfs->compress_ratio).text : "unknown",
		     "class", "number", NULL);
	html_raw(html, "</tr>");
}

/* "The same for all: compression=off, primarycache=metadata." Of those that all zvols and all
 * datasets have, or only one of the two kinds. */
static void shared_properties(const struct shown_properties *shown, const char *what, bool zvols,
			      bool datasets, struct html *html)
{
	char buffer[QUANTITY_TEXT_MAX];
	bool any = false;

	for (size_t i = 0; i < shown->count; i++) {
		const struct shown *own = &shown->list[i];

		if (own->differs || own->of_zvols != zvols || own->of_datasets != datasets)
			continue;
		if (!any) {
			html_open(html, "p", "class", "note", NULL);
			html_textf(html, "%s: ", what);
		}
		html_text(html, any ? ", " : "");
		html_open(html, "code", NULL);
		html_textf(html, "%s=%s", own->name, value_of(own->any, own->name, buffer));
		html_close(html, "code");
		any = true;
	}
	if (!any)
		return;
	html_text(html, ".");
	html_close(html, "p");
}

/* "6 zvols were made beneath tank/volbench for this run, ..." */
static void count_words(const struct report *report, const struct volumes *volumes,
			struct html *html)
{
	const struct definition *definition = &report->result->definition;
	size_t zvols = 0, datasets = 0, parents = 0;

	for (size_t i = 0; i < volumes->count; i++) {
		zvols += volumes->list[i].made && volumes->list[i].first->zfs->volume;
		datasets += volumes->list[i].made && !volumes->list[i].first->zfs->volume;
	}
	if (zvols + datasets == 0)
		return;
	if (zvols)
		html_textf(html, "%zu zvol%s", zvols, zvols == 1 ? "" : "s");
	if (datasets)
		html_textf(html, "%s%zu dataset%s", zvols ? " and " : "", datasets,
			   datasets == 1 ? "" : "s");
	html_textf(html, " %s made beneath ", zvols + datasets == 1 ? "was" : "were");
	for (size_t i = 0; i < definition->target_count; i++) {
		const struct target_spec *spec = &definition->targets[i];
		bool told = !target_kind_is_zfs(spec->kind);

		for (size_t k = 0; k < i && !told; k++)
			told = target_kind_is_zfs(definition->targets[k].kind) &&
			       strcmp(definition->targets[k].path, spec->path) == 0;
		if (told)
			continue;
		html_text(html, parents++ ? " and " : "");
		html_element(html, "code", spec->path, NULL);
	}
	html_text(html, " for this run, filled once, and destroyed at its end. ");
}

static void made_words(const struct report *report, const struct volumes *volumes,
		       struct html *html)
{
	html_open(html, "p", "class", "lead", NULL);
	count_words(report, volumes, html);
	html_text(html, "What OpenZFS told of each before its first sample is the proof of the "
			"fill: where written is far below the size, or compressratio far above "
			"1.00x, reads meet holes or little data and are no measure of the pool.");
	html_close(html, "p");
}

void report_zfs_made(const struct report *report, struct html *html)
{
	struct volumes volumes;
	struct shown_properties shown;

	if (gather(report, &volumes) < 0)
		return;
	if (volumes.count) {
		gather_properties(&volumes, &shown);
		html_element(html, "h3", "Volumes and datasets", "id", "zfs-made", NULL);
		made_words(report, &volumes, html);
		html_raw(html, "<div class=\"scroll\"><table class=\"stack\">");
		made_head(&shown, html);
		for (size_t i = 0; i < volumes.count && i < ROWS_MAX; i++)
			made_row(&volumes.list[i], &shown, html);
		html_raw(html, "</tbody></table></div>");
		if (volumes.count > ROWS_MAX)
			html_element(html, "p", "The first 200; result.json has all.", "class",
				     "note", NULL);
		shared_properties(&shown, "The same for all", true, true, html);
		shared_properties(&shown, "The same for all zvols", true, false, html);
		shared_properties(&shown, "The same for all datasets", false, true, html);
	}
	volumes_done(&volumes);
}

/* ---- pools ---- */

static void pool_space(const struct zfs_facts *facts, char *text, size_t size)
{
	(void)snprintf(text, size, "%s of %s", numbers_bytes((double)facts->free_bytes).text,
		       numbers_bytes((double)facts->size_bytes).text);
}

static void show_recommended(const struct report *report, const struct zfs_facts *facts,
			     struct html *html)
{
	char text[160], size[QUANTITY_TEXT_MAX];
	bool compared = strcmp(report->analysis.axis, "volblocksize") == 0;

	if (!facts->recommended_volblocksize)
		return;
	(void)quantity_format_size(facts->recommended_volblocksize, size);
	for (size_t i = 0; size[i]; i++)
		if (size[i] >= 'a' && size[i] <= 'z')
			size[i] = (char)(size[i] - 'a' + 'A');
	(void)snprintf(text, sizeof(text), "volblocksize=%s for such a layout%s", size,
		       !compared ? ""
		       : report->recommended < report->analysis.level_count
			       ? ", underlined in the charts"
			       : ", which was not measured");
	report_fact(html, "TrueNAS recommends", text);
}

static void show_arc(const struct result *result, struct html *html)
{
	uint64_t most = 0, limit = 0;
	char text[128];

	for (size_t i = 0; i < result->sample_count; i++) {
		const struct sample_zfs *zfs = result->samples[i].zfs;

		if (!zfs || !zfs->arc.known)
			continue;
		most = zfs->arc.size_bytes > most ? zfs->arc.size_bytes : most;
		limit = zfs->arc.size_max_bytes > limit ? zfs->arc.size_max_bytes : limit;
	}
	if (!limit)
		return;
	(void)snprintf(text, sizeof(text), "%s used at most, limit %s",
		       numbers_bytes((double)most).text, numbers_bytes((double)limit).text);
	report_fact(html, "ARC, the machine's", text);
}

static void show_pool(const struct report *report, const struct zfs_facts *facts, struct html *html)
{
	char text[160];

	html_open(html, "dl", "class", "facts", NULL);
	report_fact(html, "Pool", facts->pool);
	report_fact(html, "Layout", facts->layout);
	(void)snprintf(text, sizeof(text), "%u", facts->ashift);
	report_fact(html, "ashift", facts->ashift ? text : NULL);
	pool_space(facts, text, sizeof(text));
	report_fact(html, "Free before the run", facts->size_bytes ? text : NULL);
	(void)snprintf(text, sizeof(text), "%.0f %%", facts->fragmentation_percent);
	report_fact(html, "Fragmentation", facts->fragmentation_percent >= 0 ? text : NULL);
	(void)snprintf(text, sizeof(text), "%s%s", facts->health,
		       facts->readonly ? ", read-only" : "");
	report_fact(html, "Health", text);
	report_fact(html, "OpenZFS", facts->version);
	show_recommended(report, facts, html);
	show_arc(report->result, html);
	html_close(html, "dl");
}

void report_zfs_pools(const struct report *report, struct html *html)
{
	const struct result *result = report->result;
	bool any = false;

	for (size_t i = 0; i < result->target_count; i++) {
		const struct zfs_facts *facts = &result->targets[i].zfs;
		bool told = false;

		for (size_t k = 0; k < i; k++)
			told |= strcmp(result->targets[k].zfs.pool, facts->pool) == 0;
		if (!facts->pool[0] || told)
			continue;
		if (!any)
			html_element(html, "h3", "The pool", "id", "zfs-pool", NULL);
		any = true;
		show_pool(report, facts, html);
	}
}

/* ---- the commands ---- */

/* A word of a command line: in single quotes where a shell would make something of it. */
static void put_word(struct html *html, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_./:=,+@%-";

	if (word[0] && word[strspn(word, plain)] == '\0') {
		html_text(html, word);
		return;
	}
	html_text(html, "'");
	for (const char *at = word; *at;) {
		size_t length = strcspn(at, "'");

		html_textf(html, "%.*s%s", (int)length, at, at[length] ? "'\\''" : "");
		at += length + (at[length] != '\0');
	}
	html_text(html, "'");
}

static void put_option(struct html *html, const char *name, const char *value)
{
	AUTO_FREE char *text = NULL;

	if (asprintf(&text, "%s=%s", name, value) < 0)
		text = NULL;
	html_text(html, " -o ");
	put_word(html, text ? text : name);
}

static void put_commands(const struct report *report, const struct volume *volume,
			 struct html *html)
{
	const struct sample_zfs *zfs = volume->first->zfs;
	struct properties properties;

	if (volume_properties(&report->analysis.cells, volume, &properties) < 0)
		return; /* a line less */

	html_text(html, "zfs create");
	if (zfs->volume)
		html_textf(html, "%s -V %" PRIu64, volume->spec->sparse ? " -s" : "",
			   zfs->size_bytes);
	for (size_t i = 0; i < properties.count; i++)
		put_option(html, properties.list[i].name, properties.list[i].value);
	properties_done(&properties);
	html_text(html, " ");
	put_word(html, zfs->dataset);
	html_text(html, "\n");
}

void report_zfs_commands(const struct report *report, struct html *html)
{
	struct volumes volumes;
	size_t made = 0, shown = 0;

	if (gather(report, &volumes) < 0)
		return;
	for (size_t i = 0; i < volumes.count; i++)
		made += volumes.list[i].made;
	if (made) {
		html_element(html, "h3", "Equivalent zfs commands", NULL);
		html_element(html, "p",
			     "What makes the same by hand. Volbench also marks what it makes with "
			     "the property volbench:run, gives zvols volmode=dev, and mounts "
			     "datasets in a private directory.",
			     NULL);
		html_open(html, "pre", "tabindex", "0", NULL);
		for (size_t i = 0; i < volumes.count && shown < ROWS_MAX; i++)
			if (volumes.list[i].made && ++shown)
				put_commands(report, &volumes.list[i], html);
		html_close(html, "pre");
	}
	volumes_done(&volumes);
}
