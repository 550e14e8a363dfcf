"""Aliases move when gates pass, by one writer at a time, and every move is remembered."""

import threading

import pytest
from django.db import connection

from core.errors import Conflict, Invalid
from registry.models import Alias, Promotion
from registry.promotion import promote, roll_back

pytestmark = pytest.mark.django_db


def production(model):
    return Alias.objects.get(model=model, name="production").version.number


def test_the_first_version_is_promoted_and_the_move_is_remembered(model, version_with, alice):
    made = promote(version_with(0.9), "production", reason="first", by=alice)
    assert production(model) == 1
    assert (made.previous, made.reason, made.overridden) == (None, "first", False)
    assert all(gate["passed"] for gate in made.gates)


def test_a_worse_version_is_refused_with_its_numbers(model, version_with, alice):
    promote(version_with(0.9), "production", reason="first", by=alice)
    with pytest.raises(Conflict, match=r"accuracy: 0.8500 against 0.9000 of v1") as refusal:
        promote(version_with(0.85), "production", reason="second", by=alice)
    assert refusal.value.code == "gates_failed"
    assert production(model) == 1
    assert Promotion.objects.count() == 1


def test_a_gate_that_cannot_be_computed_fails(version_with, alice):
    with pytest.raises(Conflict, match="has no accuracy: the gate can't be computed"):
        promote(version_with(None), "production", reason="first", by=alice)


def test_an_unready_file_is_refused_and_says_why(version_with, alice):
    with pytest.raises(Conflict, match="Bernoulli is not a TensorRT operator"):
        promote(version_with(0.9, ready=False), "production", reason="first", by=alice)


def test_an_override_moves_the_alias_and_says_so(model, version_with, alice):
    made = promote(version_with(0.9, ready=False), "production", reason="demo day", by=alice, override=True)
    assert made.overridden
    assert production(model) == 1


def test_a_move_needs_a_reason(version_with, alice):
    with pytest.raises(Invalid, match="reason: say why"):
        promote(version_with(0.9), "production", reason=" ", by=alice)


def test_a_roll_back_returns_to_the_version_before(model, version_with, alice):
    promote(version_with(0.9), "production", reason="first", by=alice)
    promote(version_with(0.95), "production", reason="better", by=alice)
    roll_back(model, "production", reason="it flickers", by=alice)
    assert production(model) == 1
    assert [row.version.number for row in model.promotions.order_by("pk")] == [1, 2, 1]


def test_there_must_be_something_to_roll_back_to(model, alice):
    with pytest.raises(Conflict, match="pointed to nothing before"):
        roll_back(model, "production", reason="why not", by=alice)


@pytest.mark.django_db(transaction=True)
def test_racing_promotions_leave_one_history_without_gaps(model, version_with, alice):
    versions = [version_with(0.9) for _ in range(8)]
    faults: list[BaseException] = []

    def race(version):
        try:
            promote(version, "production", reason="race", by=alice)
        except BaseException as error:  # noqa: BLE001 - collected for the main thread
            faults.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=race, args=(version,)) for version in versions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    history = list(model.promotions.order_by("pk"))
    assert len(history) == 8
    assert [row.previous_id for row in history] == [None, *(row.version_id for row in history[:-1])]
    assert Alias.objects.get(model=model).version_id == history[-1].version_id
