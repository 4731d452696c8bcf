# SPDX-License-Identifier: GPL-3.0-or-later
"""Published comparisons that come with the program: their tables, and a page each."""
def test_tables(service):
    client = service.client
    listed = client.get("/api/v1/studies").json["studies"]
    definitions = {d["name"] for d in client.get("/api/v1/definitions").json["definitions"]}
    assert {"volblocksize-mirrors", "zvol-vs-file", "disk-vs-vsan", "stripe-unit", "diskspd"} == {
        study["name"] for study in listed
    }
    for study in listed:
        table = client.get(f"/api/v1/studies/{study['name']}")
        assert table.status == 200
        assert table.json["name"] == study["title"]
        assert set(study["definition"].split(", ")) <= definitions
    for path in ("/api/v1/studies/none", "/studies/none/", "/studies/none/index.html"):
        assert client.get(path).status == 404
    assert client.get("/api/v1/studies/.a").code == "bad_name"


def test_pages(service):
    client = service.client
    moved = client.get("/studies")
    assert (moved.status, moved.headers["location"]) == (301, "/studies/")
    page = client.get("/studies/")
    # as a form: curl alone would call a table's bytes one, and be refused
    assert "curl -F file=@table.json http://" in page.body.decode()
    assert page.status == 200
    for study in client.get("/api/v1/studies").json["studies"]:
        address = f"/studies/{study['name']}/"
        assert f'href="{address}"' in page.body.decode()
        assert study["definition"] in page.body.decode()
        moved = client.get(address[:-1])
        assert (moved.status, moved.headers["location"]) == (301, address)
        report = service.client.wait_drawn(address)
        assert study["title"] in report
        assert client.get(address + "result.csv").status == 200
        assert client.get(address + "style.css").status == 200
        assert client.get(address + "nothing.svg").status == 404


def test_units_of_dd(client):
    """Where one request at a time reads in sequence and sizes are compared: dd's own test."""
    assert "1.94 GB/s" in client.wait_drawn("/studies/zvol-vs-file/")
    assert "GB/s" not in client.wait_drawn("/studies/volblocksize-mirrors/")


def test_those_of_another_service_are_drawn_again(service):
    """What an older version drew would say what that one thought."""
    address = "/studies/disk-vs-vsan/"
    service.client.wait_drawn(address)
    stored = service.state / "studies" / "disk-vs-vsan" / "index.html"
    stored.write_text("stale", encoding="utf-8")
    service.stop()
    service.start()
    assert "stale" not in service.client.wait_drawn(address)
