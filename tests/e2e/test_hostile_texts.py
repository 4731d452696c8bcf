# SPDX-License-Identifier: GPL-3.0-or-later
"""Texts that would be a command, a script or a tag where somebody is careless, in every name."""
import html.parser
import os
import pathlib
import xml.etree.ElementTree

import pytest

CANARY = pathlib.Path("/var/tmp/volbench-e2e-hostile")

TEXTS = [
    f"`touch {CANARY}`",
    f"'.`touch {CANARY}`.'",
    f"\"`touch {CANARY}`\"",
    f"'; system('touch {CANARY}') #",
    f"\" ; system \"touch {CANARY}\"",
    f"!touch {CANARY}",
    f"\n!touch {CANARY}\n",
    f"\r\nsystem('touch {CANARY}')\r\n",
    f"x\nEOD\nset output '{CANARY}'\nplot 1\n",
    f"< touch {CANARY}",
    f"| touch {CANARY}",
    f"$(touch {CANARY})",
    "@macro @ARG1 %s %n %1$s",
    "{/Helvetica=80 big}^{_a}\\\\",
    "<script>alert(1)</script>",
    "</title><svg onload=alert(1)>",
    "\" onmouseover=\"alert(1)",
    "' onfocus='alert(1)' autofocus='",
    "javascript:alert(1)",
    "&#x3c;script&#x3e;&lt;&amp;&bogus;",
    "]]><!--<![CDATA[<?xml?>",
    "\u202egnp.exe\u2066\u061c\u200f",
    "../../../../etc/passwd",
    "=cmd|'/c calc'!A0",
]


class Page(html.parser.HTMLParser):
    """What a browser would run or fetch."""

    def __init__(self, text):
        super().__init__()
        self.scripts, self.handlers, self.links = [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        if tag == "script":
            self.scripts.append(values.get("src"))
        for name, value in attrs:
            if name.startswith("on"):
                self.handlers.append((tag, name))
            if name in ("src", "href", "action", "xlink:href"):
                self.links.append(value or "")


def check_page(body):
    xml.etree.ElementTree.fromstring(body)
    page = Page(body.decode("utf-8"))
    assert not page.handlers, page.handlers
    assert set(page.scripts) <= {"/static/live.js", "live.js", "../../static/live.js"}, page.scripts
    for link in page.links:
        assert not link.strip().lower().startswith(("javascript:", "data:", "http:", "//")), link
    return page


def check_report(client, run_id):
    client.wait_report(run_id)
    page = check_page(client.get(f"/runs/{run_id}/").body)
    for link in set(page.links):
        if link.endswith(".svg"):
            drawing = client.get(f"/runs/{run_id}/{link}")
            assert drawing.status == 200
            root = xml.etree.ElementTree.fromstring(drawing.body)
            for element in root.iter():
                assert not element.tag.endswith(("script", "foreignObject"))
                assert not any(name.rsplit("}")[-1].startswith("on") for name in element.attrib)
    check_page(client.get("/").body)


def cut(text, size):
    return text.encode()[:size].decode("utf-8", "ignore")


# Sanitized, a third of them: the unit tests give the charts and pages all of them.
THROUGH_A_RUN = TEXTS[::3] if os.environ.get("SANITIZED") else TEXTS


@pytest.mark.parametrize("text", THROUGH_A_RUN, ids=map(TEXTS.index, THROUGH_A_RUN))
def test_in_names_and_labels(shared, text):
    client = shared.client
    definition = shared.definition(
        name=cut(text, 128),
        description=text,
        target=None,
        targets=[
            {"name": cut(text, 64), "directory": str(shared.scratch)},
            {"name": "other", "directory": str(shared.scratch)},
        ],
        factors=None,
        defaults={"size": "64k", "runtime": "100ms", "ioengine": "null"},
        workloads=[{"name": cut(text, 64), "rw": "randrw"}],
    )
    answer = client.post("/api/v1/runs", definition)
    if answer.status == 422:
        assert any(ord(c) < 0x20 or c in "\u202e\u2066\u061c\u200f" for c in text), answer
        assert answer.code == "bad_value" and answer.json["field"], answer
        return
    assert answer.status == 202, answer
    run_id = answer.json["id"]
    assert answer.json["name"] == cut(text, 128)
    client.wait_state(run_id, "done")
    result = client.get(f"/api/v1/runs/{run_id}/result").json
    assert {s["workload"] for s in result["samples"]} == {cut(text, 64)}
    check_report(client, run_id)
    table = client.get(f"/api/v1/runs/{run_id}/result.csv").body.decode()
    assert "\n=cmd" not in table and ",=cmd" not in table
    assert client.get(f"/api/v1/runs/{run_id}/fio.json").status == 200
    assert not CANARY.exists()


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_in_urls_and_paths(shared, text):
    """Echoed in an error at most, and then as data."""
    from urllib.parse import quote  # pylint: disable=import-outside-toplevel

    client = shared.client
    for target in (f"/runs/{quote(text, safe='')}/", f"/static/{quote(text, safe='')}",
                   f"/?cursor={quote(text, safe='')}", f"/?{quote(text, safe='')}=1"):
        answer = client.get(target, headers={"Accept": "text/html"})
        assert 400 <= answer.status < 500
        if answer.headers["content-type"].startswith("text/html"):
            check_page(answer.body)
    for value in ({"file": text}, {"file": f"{shared.scratch}/{text}"}):
        answer = client.post("/api/v1/plan", shared.definition(target=value))
        assert answer.status in (200, 400, 403, 409, 422), answer
    assert not CANARY.exists()
