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
	assert_non_null(strstr(svg, "<g fill=\"rgb( 1, 2, 3)\"><text>a &amp; b</text></g>"));
	assert_non_null(strstr(svg, "<use xlink:href=\"#p\" transform=\"scale(2)\"/>"));
	assert_null(strstr(svg, "filter"));
	assert_null(strstr(svg, "<g>"));
	assert_null(strstr(svg, "by"));
	free(svg);
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
		cmocka_unit_test(test_refuses),
		cmocka_unit_test(test_refuses_depth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
