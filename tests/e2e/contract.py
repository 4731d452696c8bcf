# SPDX-License-Identifier: GPL-3.0-or-later
"""Holds responses against openapi.yaml: status, media type, headers, body."""
import json
import pathlib
import re

import jsonschema
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCUMENT = yaml.safe_load((ROOT / "openapi.yaml").read_text(encoding="utf-8"))

# Every answer has these, whatever it is.
SECURITY_HEADERS = {
    "x-content-type-options": r"nosniff",
    "referrer-policy": r"no-referrer",
    "content-security-policy": re.escape(
        "default-src 'none'; style-src 'self'; img-src 'self'; script-src 'self'; "
        "connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
    ),
    "cache-control": r"no-store|no-cache",
}

FORMATS = jsonschema.FormatChecker()


@FORMATS.checks("date-time")
def _is_date_time(value):
    if not isinstance(value, str):
        return True
    return re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", value) is not None


def resolve(node):
    """Follows a $ref to the object it names."""
    while isinstance(node, dict) and "$ref" in node:
        target = DOCUMENT
        for part in node["$ref"].lstrip("#/").split("/"):
            target = target[part.replace("~1", "/").replace("~0", "~")]
        node = target
    return node


def validator(schema):
    whole = {"components": DOCUMENT["components"], **schema}
    return jsonschema.Draft202012Validator(whole, format_checker=FORMATS)


def check_value(schema_name, value):
    """Raises where the value is not what the named schema says."""
    schema = {"$ref": f"#/components/schemas/{schema_name}"}
    validator(schema).validate(value)


# (method, path of the document, status) of every answer that was checked.
MET = set()


def find_operation(method, path):
    """The path of the document and its operation, None where it has none (an error is then due)."""
    method = "get" if method == "HEAD" else method.lower()
    for template, item in DOCUMENT["paths"].items():
        pattern = "".join(
            "[^/]+" if part.startswith("{") else re.escape(part)
            for part in re.split(r"(\{[^}]*\})", template)
        )
        if re.fullmatch(pattern, path) and method in item:
            return template, item[method]
    return None, None


def check_headers(expected, headers):
    for name, header in expected.items():
        header = resolve(header)
        value = headers.get(name.lower())
        assert value is not None or not header.get("required"), f"no {name} header"
        if value is not None:
            validator(header["schema"]).validate(value)


def check_body(content, headers, body):
    media = headers.get("content-type", "").split(";")[0].strip()
    assert media in content, f"media type {media!r}, not one of {sorted(content)}"
    if media.endswith("json"):
        value = json.loads(body)
        validator(content[media].get("schema", {})).validate(value)
        return value
    body.decode("utf-8")
    return None


def check_problem(status, headers, body):
    """A problem document, whatever the operation."""
    value = check_body(DOCUMENT["components"]["responses"]["Problem"]["content"], headers, body)
    assert value["status"] == status
    if status in (503, 507):
        assert int(headers["retry-after"]) > 0
    if status == 405:
        assert headers["allow"]
    return value


def check_response(method, target, status, headers, body):
    """headers: names in lower case. Returns the decoded JSON, or None where it is none."""
    for name, pattern in SECURITY_HEADERS.items():
        assert re.fullmatch(pattern, headers.get(name, "")), f"{name}: {headers.get(name)!r}"
    template, operation = find_operation(method, target.split("?")[0])
    if operation is None:
        assert status >= 400, f"{method} {target} is not in openapi.yaml, yet it was answered {status}"
        if method == "HEAD":
            return None
        if headers["content-type"].startswith("text/html") and not target.startswith("/api/"):
            return check_body(DOCUMENT["components"]["responses"]["PageProblem"]["content"], headers, body)
        return check_problem(status, headers, body)
    MET.add(("get" if method == "HEAD" else method.lower(), template, str(status)))
    response = operation["responses"].get(str(status))
    if response is None:
        assert status >= 400, f"{method} {target}: status {status} is not in openapi.yaml"
        response = operation["responses"]["default"]
    response = resolve(response)
    check_headers(response.get("headers", {}), headers)
    content = response.get("content")
    if method == "HEAD":
        return None
    if content is None:
        assert body == b"", f"{status} has a body"
        return None
    value = check_body(content, headers, body)
    if status >= 400 and value is not None:
        assert check_problem(status, headers, body) == value
    return value
