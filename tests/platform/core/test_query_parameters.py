"""Query parameters that an operation does not declare are refused by name; the schema's declaration is the one."""

from collections.abc import Iterator

import pytest
from drf_spectacular.generators import SchemaGenerator
from rest_framework.test import APIClient

from core.bounds import MAX_TEXT
from core.query_parameters import declared


def test_an_unknown_query_parameter_is_refused_by_name(api: APIClient) -> None:
    answer = api.get("/datasets?limt=5")
    assert answer.status_code == 400
    assert answer.json()["code"] == "unknown_parameter"
    assert answer.json()["errors"] == {"limt": ["is not a query parameter here; did you mean limit?"]}
    assert api.get("/datasets?limit=5").status_code == 200


def test_an_operation_without_parameters_says_that_it_takes_none(api: APIClient) -> None:
    answer = api.post("/datasets?dry_run=true", {"name": "pets", "task": "classification", "classes": ["cat"]})
    assert answer.json()["errors"] == {"dry_run": ["is not a query parameter here: this operation takes none"]}
    assert api.get("/datasets").json()["results"] == []


@pytest.mark.parametrize(
    ("address", "known"),
    [("/health/live", "takes none"), ("/health/ready", "takes none"), ("/dvc/datasets/x/files/md5", "takes none"),
     ("/datasets/x.git/info/refs", "there are service")],
)  # fmt: skip
def test_addresses_outside_the_schema_refuse_unknown_parameters_too(
    client: APIClient, address: str, known: str
) -> None:
    answer = client.get(f"{address}?utm=1")
    assert (answer.status_code, answer.json()["code"]) == (400, "unknown_parameter")
    assert known in answer.json()["errors"]["utm"][0]


def test_pages_of_the_web_application_take_any_query(client: APIClient) -> None:
    assert client.get("/app/?utm=1").status_code == 200


@pytest.mark.django_db
def test_what_is_checked_is_what_the_schema_declares() -> None:
    paths = SchemaGenerator().get_schema(public=True)["paths"]
    stated = {
        (path, method.upper()): {one["name"] for one in operation.get("parameters", ()) if one["in"] == "query"}
        for path, operations in paths.items()
        for method, operation in operations.items()
    }
    taken = {(path, method): declared(view, method) for path, method, view in _operations()}
    assert {key: set(taken[key] or ()) for key in stated} == stated


def _operations() -> Iterator[tuple[str, str, type]]:
    """(path of the schema, method, view) of each."""
    generator = SchemaGenerator()
    generator.parse(None, public=True)
    for path, _, method, view in generator._get_paths_and_endpoints():
        yield path, method, type(view)


@pytest.mark.parametrize("text", ["a\0b", "a" * (MAX_TEXT + 1)])
def test_text_that_no_database_holds_is_refused_by_name(api: APIClient, text: str) -> None:
    answer = api.get("/runs", {"model": text})
    assert (answer.status_code, answer.json()["code"], [*answer.json()["errors"]]) == (400, "invalid", ["model"])


def test_a_method_that_is_not_there_is_405_whatever_the_query_says(api: APIClient) -> None:
    assert api.generic("TRACE", "/runs?model=x").status_code == 405


def test_a_parameter_that_takes_one_value_stands_once(api: APIClient) -> None:
    answer = api.get("/datasets?limit=1&limit=2")
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid")
    assert answer.json()["errors"] == {"limit": ["stands here 2 times: at most 1"]}
