"""The client's types say what the API's schema says."""

import json
import typing
from pathlib import Path

import pytest

from embedded import client_types
from embedded.client_types import write_client_types
from embedded.layout import project_root
from motherlode import documents

SCHEMA = project_root() / "frontend" / "openapi.json"


def test_every_document_has_the_fields_of_its_schema() -> None:
    schemas = json.loads(SCHEMA.read_text())["components"]["schemas"]
    compared = 0
    for name, schema in client_types._reached(schemas, client_types._named()).items():
        document = getattr(documents, name)
        if "properties" in schema:
            assert set(typing.get_type_hints(document)) == set(schema["properties"]), name
            assert document.__required_keys__ >= set(schema.get("required", [])), name
            compared += 1
        elif "enum" in schema:
            assert set(typing.get_args(document)) == set(schema["enum"]) - {None}, name
    assert compared > 100


def test_a_type_that_the_api_lacks_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gone.py").write_text("from motherlode.documents import Gone\n")
    monkeypatch.setattr(client_types, "CLIENT", tmp_path)
    with pytest.raises(KeyError, match="Gone"):
        write_client_types(SCHEMA, tmp_path / "documents.py", tmp_path)
