"""`GET /strategies` lists what can be used, and names what can't."""

import pytest

from acquisition import names, registry


@pytest.fixture
def broken_package(tmp_path, monkeypatch):
    """A distribution on the path whose entry point leads nowhere."""
    told = tmp_path / "shiny-3.1.dist-info"
    told.mkdir()
    (told / "METADATA").write_text("Metadata-Version: 2.1\nName: shiny\nVersion: 3.1\n")
    (told / "entry_points.txt").write_text("[motherlode.strategies]\nshiny = shiny_strategies\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(registry._registry, "_faults", None)


def test_every_strategy_is_listed(api):
    answer = api.get("/strategies").json()
    assert [row["name"] for row in answer["results"]] == names()
    assert answer["faults"] == []


def test_a_package_that_cannot_be_loaded_is_named_and_the_others_are_there(broken_package, api):
    answer = api.get("/strategies").json()
    assert {"random", "margin"} <= {row["name"] for row in answer["results"]}
    (fault,) = answer["faults"]
    assert "entry point shiny = shiny_strategies of shiny 3.1 cannot be loaded: ModuleNotFoundError" in fault
