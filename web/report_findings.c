/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * report_findings.c - findings as cards: those of one severity, code and message are one card,
 * which lists where they were found, so that forty samples with one trouble are no wall of forty
 * cards.
 */
#include <string.h>

#include "engine/analysis/words.h"
#include "web/report_rows.h"

#define CARD_PLACES_MAX 100 /* places listed on a card */
#define PLACES_OPEN 6	    /* more than these are folded up */
#define CARDS_MAX 200	    /* cards in all */

/* Findings of the same words, each with its place. */
struct card {
	const struct finding *first;
	size_t count, place_count;
	struct place {
		const struct finding *finding; /* the first of its place */
		size_t count;
	} places[CARD_PLACES_MAX];
};

struct cards {
	size_t count, left_out;
	struct card *list[CARDS_MAX];
};

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_place(const struct finding *a, const struct finding *b)
{
	if (a->workload_count != b->workload_count || !same_text(a->cell, b->cell))
		return false;
	for (size_t i = 0; i < a->workload_count; i++)
		if (!same_text(a->workloads[i], b->workloads[i]))
			return false;
	return true;
}

/* NULL where there is no room for another. */
static struct card *card_of(struct cards *cards, const struct finding *finding)
{
	struct card *card;

	for (size_t i = 0; i < cards->count; i++) {
		const struct finding *other = cards->list[i]->first;

		if (other->severity == finding->severity && same_text(other->code, finding->code) &&
		    same_text(other->message, finding->message))
			return cards->list[i];
	}
	card = cards->count < CARDS_MAX ? calloc(1, sizeof(*card)) : NULL;
	if (!card)
		return NULL;
	card->first = finding;
	cards->list[cards->count++] = card;
	return card;
}

static void add_finding(struct cards *cards, const struct finding *finding)
{
	struct card *card = card_of(cards, finding);

	if (!card) {
		cards->left_out++;
		return;
	}
	card->count++;
	for (size_t i = 0; i < card->place_count; i++)
		if (same_place(card->places[i].finding, finding)) {
			card->places[i].count++;
			return;
		}
	if (card->place_count < CARD_PLACES_MAX)
		card->places[card->place_count] = (struct place){finding, 1};
	card->place_count++;
}

static void gather_cards(const struct report *report, struct cards *cards)
{
	const struct result *result = report->result;

	for (size_t i = 0; i < report->analysis.findings.count; i++)
		add_finding(cards, &report->analysis.findings.list[i]);
	for (size_t i = 0; i < result->findings.count; i++)
		add_finding(cards, &result->findings.list[i]);
	for (size_t s = 0; s < result->sample_count; s++)
		for (size_t i = 0; i < result->samples[s].findings.count; i++)
			add_finding(cards, &result->samples[s].findings.list[i]);
}

static void free_cards(struct cards *cards)
{
	for (size_t i = 0; i < cards->count; i++)
		free(cards->list[i]);
}

size_t report_findings(const struct report *report, enum finding_severity severity)
{
	struct cards cards = {0};
	size_t count = 0;

	gather_cards(report, &cards);
	for (size_t i = 0; i < cards.count; i++)
		count += cards.list[i]->first->severity == severity;
	free_cards(&cards);
	return count;
}

/* Whether a finding's cell is this one: its text is "bs=4k, target=zvol", all levels in order. */
static bool same_cell(const struct cell *cell, const char *text)
{
	for (size_t i = 0; cell->sample_count && i < cell->samples[0]->level_count; i++) {
		const struct level *level = &cell->samples[0]->levels[i];
		size_t factor = strlen(level->factor), value = strlen(level->value);

		if (i > 0 && strncmp(text, ", ", 2) != 0)
			return false;
		text += i > 0 ? 2 : 0;
		if (strncmp(text, level->factor, factor) != 0 || text[factor] != '=' ||
		    strncmp(text + factor + 1, level->value, value) != 0)
			return false;
		text += factor + 1 + value;
	}
	return cell->sample_count && text[0] == '\0';
}

/* Phases of files have no cell of their own to lead to. */
static bool of_files(const struct cell *cell)
{
	return cell->sample_count && cell->samples[0]->file_count > 0;
}

/* The row of a workload, or the cell where the finding names one. */
static void find_place(const struct report *report, const struct finding *finding,
		       const char *workload, char *link, size_t size)
{
	const struct definition *definition = &report->result->definition;
	const struct cells *cells = &report->analysis.cells;
	char id[REPORT_CELL_ID_MAX];
	size_t w = 0;

	link[0] = '\0';
	while (w < definition->workload_count &&
	       !same_text(definition->workloads[w].name, workload))
		w++;
	if (w == definition->workload_count)
		return;
	(void)snprintf(link, size, "#w%zu", w + 1);
	for (size_t i = 0; finding->cell && finding->cell[0] && i < cells->count; i++)
		if (cells->list[i].workload == w && !of_files(&cells->list[i]) &&
		    same_cell(&cells->list[i], finding->cell)) {
			(void)snprintf(link, size, "#%s",
				       report_cell_id(report, &cells->list[i], id));
			return;
		}
}

/* "Exchange, General_IO: iodepth=16" */
static void place_words(const struct report *report, const struct finding *finding,
			struct html *html)
{
	char link[40], name[WORDS_NAME_MAX];

	for (size_t i = 0; i < finding->workload_count; i++) {
		bool last = i + 1 == finding->workload_count;

		html_text(html, i > 0 ? ", " : "");
		find_place(report, finding, finding->workloads[i], link, sizeof(link));
		if (link[0])
			html_open(html, "a", "href", link, NULL);
		html_text(html, words_name(finding->workloads[i], name));
		if (last && finding->cell && finding->cell[0])
			html_textf(html, ": %s", finding->cell);
		if (link[0])
			html_close(html, "a");
	}
	if (!finding->workload_count && finding->cell)
		html_text(html, finding->cell);
}

static bool has_place(const struct finding *finding)
{
	return finding->workload_count || (finding->cell && finding->cell[0]);
}

static void expected_found(const struct finding *finding, struct html *html)
{
	if (!finding->expected && !finding->found)
		return;
	html_raw(html, "<dl>");
	if (finding->expected) {
		html_element(html, "dt", "Expected", NULL);
		html_element(html, "dd", finding->expected, NULL);
	}
	if (finding->found) {
		html_element(html, "dt", "Found", NULL);
		html_element(html, "dd", finding->found, NULL);
	}
	html_raw(html, "</dl>");
}

static void single_place(const struct report *report, const struct card *card, struct html *html)
{
	if (has_place(card->first) || card->count > 1) {
		html_open(html, "p", "class", "place", NULL);
		place_words(report, card->first, html);
		if (card->count > 1)
			html_textf(html, " (%zu times)", card->count);
		html_close(html, "p");
	}
	expected_found(card->first, html);
}

/* The places of several findings, a line each, with what was found there. */
static void list_places(const struct report *report, const struct card *card, struct html *html)
{
	bool folded = card->place_count > PLACES_OPEN;

	if (folded) {
		html_open(html, "details", NULL);
		html_open(html, "summary", NULL);
		html_textf(html, "%zu times, in %zu places", card->count, card->place_count);
		html_close(html, "summary");
	}
	html_open(html, "ul", "class", "places", NULL);
	for (size_t i = 0; i < card->place_count && i < CARD_PLACES_MAX; i++) {
		const struct place *place = &card->places[i];

		html_open(html, "li", NULL);
		if (has_place(place->finding))
			place_words(report, place->finding, html);
		else
			html_text(html, "The whole");
		if (place->finding->found)
			html_textf(html, "; found %s", place->finding->found);
		if (place->finding->expected)
			html_textf(html, "; expected %s", place->finding->expected);
		if (place->count > 1)
			html_textf(html, " (the first of %zu)", place->count);
		html_close(html, "li");
	}
	html_close(html, "ul");
	if (card->place_count > CARD_PLACES_MAX)
		html_element(html, "p", "The other places stand in result.json.", "class", "note",
			     NULL);
	if (folded)
		html_close(html, "details");
}

static void show_card(const struct report *report, const struct card *card, struct html *html)
{
	static const struct {
		const char *word, *class, *icon;
	} severities[] = {
		[FINDING_INFO] = {"Note", "card info", "i"},
		[FINDING_WARNING] = {"Warning", "card warning", "!"},
		[FINDING_ERROR] = {"Error", "card error", "x"},
	};
	const struct finding *finding = card->first;
	size_t severity = finding->severity <= FINDING_ERROR ? finding->severity : FINDING_ERROR;

	html_open(html, "article", "class", severities[severity].class, NULL);
	html_open(html, "h3", NULL);
	html_element(html, "span", severities[severity].icon, "class", "icon", "aria-hidden",
		     "true", NULL);
	html_text(html, severities[severity].word);
	html_element(html, "code", finding->code, "class", "code", NULL);
	html_close(html, "h3");
	html_element(html, "p", finding->message, NULL);
	if (card->place_count > 1)
		list_places(report, card, html);
	else
		single_place(report, card, html);
	html_close(html, "article");
}

void report_finding_cards(const struct report *report, struct html *html)
{
	struct cards cards = {0};

	gather_cards(report, &cards);
	if (cards.count == 0 && cards.left_out == 0)
		html_element(html, "p", "None: no check found anything to tell.", NULL);
	html_open(html, "div", "class", "cards", NULL);
	for (int severity = FINDING_ERROR; severity >= FINDING_INFO; severity--)
		for (size_t i = 0; i < cards.count; i++)
			if ((int)cards.list[i]->first->severity == severity)
				show_card(report, cards.list[i], html);
	html_close(html, "div");
	if (cards.left_out) {
		html_open(html, "p", "class", "note", NULL);
		html_textf(html, "%zu more findings stand in result.json.", cards.left_out);
		html_close(html, "p");
	}
	free_cards(&cards);
}
