"""The API's shape is a promise: a change of it is seen, and written down on purpose.

After an intended change: ``WRITE_SNAPSHOT=1 make test ARGS=tests/site/test_openapi.py``.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from ninja import Schema

from kbsite.api import api
from tests import people

SNAPSHOT = Path(__file__).with_name("openapi.txt")


def _fields(schema: dict[str, Any]) -> str:
    """A schema in one line: names of fields, ``?`` where one may be left out."""
    if "$ref" in schema:
        return schema["$ref"].rpartition("/")[2]
    if schema.get("type") == "array":
        return f"[{_fields(schema.get('items', {}))}]"
    if choices := schema.get("anyOf"):
        return "|".join(_fields(choice) for choice in choices)
    return str(schema.get("type", "any"))


def _lines() -> list[str]:
    """Every operation with its parameters, body and answers, and every schema with its fields."""
    document = json.loads(json.dumps(api.get_openapi_schema(), default=str))
    schemas = document["components"]["schemas"]
    lines = []
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            parameters = [
                p["name"] + ("" if p.get("required") else "?") for p in operation.get("parameters", [])
            ]
            bodies = [
                f"{kind} {_fields(content['schema'])}"
                for kind, content in operation.get("requestBody", {}).get("content", {}).items()
            ]
            answers = ",".join(sorted(operation["responses"]))
            lines.append(
                f"{method.upper()} {path} ({', '.join(parameters)}) {' '.join(bodies)} -> {answers}".strip()
            )
    for name, schema in schemas.items():
        needed = schema.get("required", [])
        fields = [
            f"{field}{'' if field in needed else '?'}: {_fields(kind)}"
            for field, kind in schema.get("properties", {}).items()
        ]
        lines.append(f"{name} {{{', '.join(fields)}}}")
    return sorted(lines)


def test_the_shape_of_the_api_is_the_one_promised() -> None:
    """Paths, parameters, bodies, answers and fields are those of the snapshot."""
    now = "\n".join(_lines()) + "\n"
    if os.environ.get("WRITE_SNAPSHOT"):
        SNAPSHOT.write_text(now, encoding="utf-8")
    assert now == SNAPSHOT.read_text(encoding="utf-8")


@pytest.mark.django_db
def test_the_api_describes_itself_without_a_foreign_server(client: Client) -> None:
    """The readable page takes its scripts and styles from the package."""
    people.alice()
    client.force_login(people.dave())
    page = client.get("/api/docs").content.decode()
    assert "https://" not in page.replace("https://www.w3.org", "")
    assert client.get("/api/openapi.json").json()["info"]["title"] == "Skill-Know"


def _schemas(base: type[Schema] = Schema) -> set[type[Schema]]:
    ours = ("kbsite", "documents", "skills", "search", "chat")
    found = {kind for kind in base.__subclasses__() if kind.__module__.startswith(ours)}
    return found.union(*(_schemas(kind) for kind in base.__subclasses__()))


def test_no_two_shapes_share_a_name() -> None:
    """Two classes of one name would be described as one."""
    names = sorted(kind.__name__ for kind in _schemas() if "[" not in kind.__name__)
    assert names == sorted(set(names))
