/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * hostile.h - texts that a name, a level or a message may hold and that must come to nothing:
 * no file made, no script in a page, valid XML. The shell ones would make the file
 * HOSTILE_FILE where they were obeyed.
 */
#ifndef TESTS_UNIT_WEB_HOSTILE_H
#define TESTS_UNIT_WEB_HOSTILE_H

#define HOSTILE_FILE "/var/tmp/volbench-hostile"

static const char *const hostile_texts[] = {
	"`touch " HOSTILE_FILE "`",
	"'.`touch " HOSTILE_FILE "`.'",
	"\"`touch " HOSTILE_FILE "`\"",
	"'; system('touch " HOSTILE_FILE "') #",
	"\" ; system \"touch " HOSTILE_FILE "\"",
	"!touch " HOSTILE_FILE,
	"\n!touch " HOSTILE_FILE "\n",
	"\r\nsystem('touch " HOSTILE_FILE "')\r\n",
	"x\nE\nEOD\n$d\nset output '" HOSTILE_FILE "'\nplot 1\n",
	"< touch " HOSTILE_FILE,
	"| touch " HOSTILE_FILE,
	"$(touch " HOSTILE_FILE ")",
	"@macro @ARG1 %s %n %1$s",
	"{/Helvetica=80 big}^{_a}\\\\",
	"<script>alert(1)</script>",
	"</title><svg onload=alert(1)>",
	"\" onmouseover=\"alert(1)",
	"' onfocus='alert(1)' autofocus='",
	"javascript:alert(1)",
	"&#x3c;script&#x3e;&lt;&amp;&bogus;",
	"]]><!--<![CDATA[<?xml?>",
	"<a xlink:href='javascript:alert(1)'>x</a><foreignObject/>",
	"\xc0\xbc\xe0\x80\xbc\xf8\x88\x80\x80\xbc\xff\xfe\xed\xa0\x80",
	"\xe2\x80\xaegnp.exe\xe2\x81\xa6\xd8\x9c\xe2\x80\x8f",
	"\x01\x02\x07\x08\x0b\x0c\x1b[31mred\x7f\xc2\x85\xef\xbf\xbe\xef\xbf\xbf",
	"../../../../etc/passwd",
	"=cmd|'/c calc'!A0",
	"  ",
	"'",
	"\\",
	"\xf0\x9f\x92\xbe\xe2\x82\xac\xe6\xbc\xa2\xd7\xa9\xcc\x81\xcc\x81\xcc\x81\xcc\x81",
	"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
};

#endif
