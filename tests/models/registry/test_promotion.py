"""Aliases move when gates pass, by one writer at a time, and every move is remembered."""

import pytest
from tests.threads import at_once

from core.errors import Conflict, Invalid
from registry.gates import judge_evidence
from registry.models import Alias, Promotion
from registry.promotion import Outdated, judge_promotion, promote, roll_back, settle

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


def test_a_roll_back_moves_nothing_when_somebody_else_was_first(model, version_with, alice):
    promote(version_with(0.9), "production", reason="first", by=alice)
    promote(version_with(0.95), "production", reason="better", by=alice)
    roll_back(model, "production", reason="it flickers", by=alice, expected=1)
    with pytest.raises(
        Conflict, match="alice moved production to v1 meanwhile, so the version before is now v2"
    ) as refusal:
        roll_back(model, "production", reason="it flickers", by=alice, expected=1)
    assert refusal.value.code == "alias_moved"
    assert production(model) == 1


def test_a_version_that_serves_already_is_not_moved_again(model, version_with, alice):
    first, second = version_with(0.9), version_with(0.95)
    promote(first, "production", reason="first", by=alice)
    moved = promote(second, "production", reason="better", by=alice)
    assert promote(second, "production", reason="once more", by=alice) == moved
    assert roll_back(model, "production", reason="it flickers", by=alice).version == first
    assert production(model) == 1


def test_a_roll_back_passes_over_rows_that_moved_nothing(model, version_with, alice):
    first, second = version_with(0.9), version_with(0.95)
    promote(first, "production", reason="first", by=alice)
    again = promote(second, "production", reason="better", by=alice)
    again.pk, again.previous = None, second
    again.save(force_insert=True)
    assert roll_back(model, "production", reason="it flickers", by=alice).version == first


def test_there_must_be_something_to_roll_back_to(model, alice):
    with pytest.raises(Conflict, match="pointed to nothing before"):
        roll_back(model, "production", reason="why not", by=alice)


def test_the_models_own_gates_count_and_others_only_where_they_are_given(model, version_with, alice):
    model.gates = [{"metric": "accuracy", "min": 0.95}]
    model.save()
    version = version_with(0.9, ready=False)
    with pytest.raises(Conflict, match=r"accuracy: 0.9000; at least 0.95 wanted"):
        promote(version, "production", reason="first", by=alice)
    assert promote(version, "production", reason="first", by=alice, gates=[]).gates == []
    model.gates = []
    model.save()
    assert promote(version, "canary", reason="no gates at all", by=alice).gates == []


def test_a_verdict_no_longer_counts_once_the_alias_has_moved_or_the_gates_are_others(model, version_with, alice):
    better, best = version_with(0.9), version_with(0.99)
    judged = judge_promotion(better, "production")
    promote(best, "production", reason="was quicker", by=alice)
    with pytest.raises(Outdated):
        settle(judged, reason="too late", by=alice)
    again = judge_promotion(better, "production", gates=[])
    stricter = judge_promotion(best, "canary")
    model.gates = [{"metric": "accuracy", "min": 1}]
    model.save()
    assert settle(again, reason="its gates were given", by=alice).previous == best
    with pytest.raises(Outdated):
        settle(stricter, reason="too late", by=alice)


def test_who_comes_second_is_judged_against_who_came_first(model, version_with, alice, monkeypatch):
    """Another promotion comes in between judging and moving: the alias is better now, and the verdict turns."""
    slow, quick = version_with(0.9), version_with(0.99)
    judged = []

    def overtaken(evidence, gates, *, against, best):
        judged.append(against and against.version)
        verdicts = judge_evidence(evidence, gates, against=against, best=best)
        if evidence.version == slow and against is None:
            promote(quick, "production", reason="quick", by=alice)
        return verdicts

    monkeypatch.setattr("registry.promotion.judge_evidence", overtaken)
    with pytest.raises(Conflict, match=r"accuracy: 0.9000 against 0.9900 of v2"):
        promote(slow, "production", reason="slow", by=alice)
    assert judged == [None, None, quick]
    assert production(model) == 2


def test_an_alias_that_never_rests_is_given_up_in_the_end(version_with, alice, monkeypatch):
    def outdated(*args, **kwargs):
        raise Outdated

    monkeypatch.setattr("registry.promotion.settle", outdated)
    with pytest.raises(Conflict, match="keeps moving: try again") as refusal:
        promote(version_with(0.9), "production", reason="why not", by=alice)
    assert refusal.value.code == "alias_busy"


@pytest.mark.django_db(transaction=True)
def test_racing_promotions_leave_one_history_without_gaps(model, version_with, alice):
    versions = [version_with(0.9) for _ in range(8)]
    at_once(8, lambda place: promote(versions[place], "production", reason="race", by=alice))
    history = list(model.promotions.order_by("pk"))
    assert len(history) == 8
    assert [row.previous_id for row in history] == [None, *(row.version_id for row in history[:-1])]
    assert Alias.objects.get(model=model).version_id == history[-1].version_id


@pytest.mark.django_db(transaction=True)
def test_of_racing_promotions_that_must_each_be_better_only_improvements_win(model, evaluated, alice):
    """Each is judged by its predictions against whatever is in production at that moment."""
    model.gates = [{"metric": "accuracy", "slice": "night", "min_delta": 0, "confidence": 0.95}]
    model.save()
    versions = [evaluated(night=200 + 20 * place, day=1500) for place in range(8)]

    def race(place):
        try:
            return promote(versions[place], "production", reason="race", by=alice).version
        except Conflict:
            return None

    won = [version for version in at_once(8, race) if version is not None]
    history = list(model.promotions.order_by("pk").select_related("version"))
    assert {row.version for row in history} == set(won)
    assert len(history) == len(won)
    figures = [row.version.metrics["slices"]["night"]["accuracy"] for row in history]
    assert figures == sorted(figures)
    assert [row.previous_id for row in history] == [None, *(row.version_id for row in history[:-1])]
    assert Alias.objects.get(model=model, name="production").version == history[-1].version == versions[-1]
