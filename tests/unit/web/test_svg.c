/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_svg.c - a drawing is passed on whole or refused. */
#include "web/svg.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/web/xml.h"
#include "web/svg_short.h"

#define ROOT                                                                                       \
	"<svg viewBox=\"0 0 9 9\" xmlns=\"http://www.w3.org/2000/svg\" "                           \
	"xmlns:xlink=\"http://www.w3.org/1999/xlink\">"

static int clean(const char *text, char **ret_svg)
{
	size_t size = 0;
	int r = svg_clean(text, strlen(text), "a <title>", ret_svg, &size);

	if (r == 0)
		assert_true(xml_valid(*ret_svg, size));
	return r;
}

static void test_keeps_a_drawing(void **state)
{
	char *svg;

	(void)state;
	assert_int_equal(clean("<?xml version=\"1.0\"?>\n" ROOT
			       "<title>t</title><desc>by</desc><!-- c --><g> </g>"
			       "<filter id='f'><feFlood/></filter>"
			       "<g font-family='X' fill='rgb( 1, 2, 3)'><text>a &amp; b</text></g>"
			       "<use xlink:href='#p' transform='scale(2)'/></svg>\n",
			       &svg),
			 0);
	assert_non_null(strstr(svg, "<title>a &lt;title&gt;</title>"));
	assert_non_null(strstr(svg, "<g fill=\"#010203\"><text>a &amp; b</text></g>"));
	assert_non_null(strstr(svg, "<use xlink:href=\"#p\" transform=\"scale(2)\"/>"));
	assert_null(strstr(svg, "filter"));
	assert_null(strstr(svg, "<g>"));
	assert_null(strstr(svg, "by"));
	free(svg);
}

/* What says nothing goes, what is referred to stays. */
static void test_drops_what_says_nothing(void **state)
{
	char *svg;

	(void)state;
	assert_int_equal(
		clean(ROOT
		      "<defs><circle id='a' r='1'/><circle id='ab' r='0.505'/>"
		      "<g id='c'><path d='M0,0.96'/></g></defs><defs><circle id='z'/></defs>"
		      "<g id='plot'><use xlink:href='#ab'/><use xlink:href='#c'/></g>"
		      "<g stroke-linecap='butt' stroke-linejoin='miter'><path d='M1.96,2.04'/></g>"
		      "<g stroke-linecap='round'><g stroke-linecap='butt'><path d='M2'/></g></g>"
		      "</svg>",
		      &svg),
		0);
	assert_string_equal(
		strstr(svg, "</title>") + strlen("</title>\n"),
		"<defs><circle id=\"ab\" r=\"0.51\"/><g id=\"c\"><path d=\"M0,0.96\"/></g>\n"
		"</defs>\n<use xlink:href=\"#ab\"/><use xlink:href=\"#c\"/>"
		"<path d=\"M2 2\"/>"
		"<g stroke-linecap=\"round\"><g stroke-linecap=\"butt\"><path d=\"M2\"/></g>\n"
		"</g>\n</svg>\n");
	free(svg);
}

static void test_shortens(void **state)
{
	static const struct {
		const char *name;
		bool fine;
		const char *in, *out;
	} cases[] = {
		{"d", false, "M61.99,156.01 L83.06,156.05  M-0.04,-12.50 ",
		 "M62 156l21.1 .1M0-12.5"},
		{"d", false, "M62.00,77.94 L68.30,69.50 72.50,58.70\n76,58.70",
		 "M62 77.9l6.3-8.4 4.2-10.8 3.5 0"},
		{"d", false, "M1,1 2,2", "M1 1l1 1"},
		{"d", false, "L1,1", "L1,1"},
		{"d", false, "M1.00,1.00 h2.00", "M1,1 h2"},
		{"d", false, "M1.00,1.00 L2.00 3.00", "M1,1 L2 3"},
		{"d", false, "M1e9,1 L2.00,3.00", "M1e9,1 L2,3"},
		{"d", false, "M0,0L9,9L0,0", "M0 0l9 9-9-9"},
		{"d", false, "M999999,0L0,9", "M999999,0L0,9"},
		{"d", true, "M0,-1.33 L-1.336,0.67 z", "M0,-1.33 L-1.34,0.67 z"},
		{"points", false, "12.86,172.01 51.83,172.01 ", "12.9,172 51.8,172"},
		{"points", false, "100,200 3", "100,200 3"},
		{"transform", false, "translate(83.44,279.60) rotate(-40.00)",
		 "translate(83.4,279.6) rotate(-40)"},
		{"stroke-width", false, "0.242", "0.24"},
		{"stroke-width", false, "1.00", "1"},
		{"stroke-width", false, "100", "100"},
		{"font-size", false, "10.50", "10.5"},
		{"fill", false, "rgb( 11,  92, 173)", "#0b5cad"},
		{"fill", false, "rgb(11, 92, 256)", "rgb(11, 92, 256)"},
		{"fill", false, "rgb(11, 92)", "rgb(11, 92)"},
		{"fill", false, "none", "none"},
		{"viewBox", false, "0 0 360.50 9", "0 0 360.50 9"},
		{"x", false, "1.2.3", "1.2.3"},
		{"x", false, "1.25e3", "1.25e3"},
		{"x", false, "1.00000000000000000000000000000001",
		 "1.00000000000000000000000000000001"},
		{"x", false, ".", "."},
		{"x", false, "-", "-"},
		{"d", false, "", ""},
		{"d", false, "   ", ""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char buffer[80];
		size_t size = strlen(cases[i].in);

		memcpy(buffer, cases[i].in, size + 1);
		size = svg_shorten(cases[i].name, cases[i].fine, buffer, size);
		buffer[size] = '\0';
		assert_string_equal(buffer, cases[i].out);
	}
}

static void test_refuses(void **state)
{
	static const char *const bad[] = {
		"",
		"text",
		"<p/>",
		ROOT,
		ROOT "</g></svg>",
		ROOT "<g></svg></g>",
		ROOT "</svg><svg/>",
		ROOT "</svg>x",
		ROOT "<script>x</script></svg>",
		ROOT "<foreignObject/></svg>",
		ROOT "<image xlink:href='#a'/></svg>",
		ROOT "<a xlink:href='#a'/></svg>",
		ROOT "<style>x</style></svg>",
		ROOT "<g onload='x'/></svg>",
		ROOT "<g style='x'/></svg>",
		ROOT "<use xlink:href='http://x/#a'/></svg>",
		ROOT "<use xlink:href='javascript:x'/></svg>",
		ROOT "<g fill='url(http://x)'/></svg>",
		ROOT "<g fill='url(#x)'/></svg>",
		ROOT "<g clip-path='x url(#x)'/></svg>",
		ROOT "<g fill=red/></svg>",
		ROOT "<g fill='a&#106;'/></svg>",
		ROOT "<g fill='a\"'/></svg>",
		ROOT "<text>&bogus;</text></svg>",
		ROOT "<text>&#x3c;</text></svg>",
		ROOT "<text>\x01</text></svg>",
		ROOT "<![CDATA[x]]></svg>",
		ROOT "<!-- </svg>",
		"<!DOCTYPE svg>" ROOT "</svg>",
		ROOT "<?php x ?></svg>",
		ROOT "loose</svg>",
		ROOT "<title><script/></title></svg>",
		ROOT "<g",
		ROOT "<g fill='",
		"<svg xmlns='http://evil'></svg>",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		char *svg = NULL;

		if (clean(bad[i], &svg) != -EBADMSG)
			fail_msg("not refused: %s", bad[i]);
		assert_null(svg);
	}
}

static void test_refuses_depth(void **state)
{
	char text[2000] = ROOT, *svg = NULL;
	size_t used = strlen(text);

	(void)state;
	for (int i = 0; i < 40; i++, used += 3)
		memcpy(text + used, "<g>", 4);
	assert_int_equal(clean(text, &svg), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keeps_a_drawing),
		cmocka_unit_test(test_drops_what_says_nothing),
		cmocka_unit_test(test_shortens),
		cmocka_unit_test(test_refuses),
		cmocka_unit_test(test_refuses_depth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
