"""What a report says of curves that are known."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from backtest import Arm, Curve, chosen, report

LABELS = [20, 40, 60, 80]


def curves(*rows):
    return {seed: Curve(LABELS, list(row)) for seed, row in enumerate(rows)}


def noisy(rng, height, *, seeds=10, spread=0.01):
    rise = np.array([-0.3, -0.1, -0.05, 0.0])
    return curves(*(height + rise + rng.normal(0, spread, 4) for _ in range(seeds)))


def told(*, target=None, **arms):
    return report([(Arm(name), found) for name, found in arms.items()], target=target)


def test_a_clear_winner_is_named_with_its_numbers():
    rng = np.random.default_rng(0)
    found = told(random=noisy(rng, 0.8), entropy=noisy(rng, 0.82), margin=noisy(rng, 0.85), target=0.75)
    best, test = found["best"], found["tests"][1]
    assert (best["strategy"], best["clear"]) == ("margin", True)
    assert best["headline"] == (
        f"Best over all budgets: margin (mean accuracy {best['mean_accuracy']:.3f}, {test['difference']:+.3f} over "
        f"random, 95 % interval {test['low']:+.3f} to {test['high']:+.3f})"
    )
    assert f"better than random in {test['wins']} of 10 seeds, p = " in best["reason"]
    assert "no other strategy's interval overlaps" in best["reason"]
    needed = {row["strategy"]: row["median"] for row in found["labels_to_target"]}
    needs = f"It needs {needed['margin']:.0f} labels to the target; random needs {needed['random']:.0f}."
    assert needs in best["reason"]


def test_best_over_all_budgets_is_not_best_at_the_end():
    """The strategy that is ahead early and overtaken at the last budget is best, and the page says who ends highest."""
    early = curves(*((0.5 + bump, 0.8 + bump, 0.85, 0.86) for bump in (0, 0.01, 0.02)))
    late = curves(*((0.5 + bump, 0.6 + bump, 0.7, 0.9) for bump in (0, 0.01, 0.02)))
    fair = curves(*((0.5 + bump, 0.55 + bump, 0.6, 0.65 + bump / 2) for bump in (0, 0.01, 0.02)))
    best = told(random=fair, margin=early, typiclust=late)["best"]
    assert (best["strategy"], best["clear"]) == ("margin", True)
    assert best["end"] == {"strategy": "typiclust", "params": {}, "labels": 80, "accuracy": pytest.approx(0.9)}
    assert best["reason"].endswith(" At the last budget, 80 labels, typiclust is highest (0.900; margin 0.860).")


def test_where_intervals_overlap_no_strategy_is_clearly_best():
    rng = np.random.default_rng(5)
    found = told(random=noisy(rng, 0.8), entropy=noisy(rng, 0.85), margin=noisy(rng, 0.851))
    best = found["best"]
    leads, other = sorted(found["tests"], key=lambda test: -test["difference"])
    assert other["high"] >= leads["low"], "else this tests nothing"
    assert (best["strategy"], best["clear"]) == (leads["strategy"], False)
    assert best["headline"].startswith(
        f"No strategy is clearly best over all budgets: {leads['strategy']} (mean accuracy"
    )
    assert f"its interval overlaps that of {other['strategy']} ({other['low']:+.3f} to " in best["reason"]


def test_a_lead_that_may_be_chance_is_not_clear():
    rng = np.random.default_rng(1)
    found = told(random=noisy(rng, 0.8), margin=noisy(rng, 0.78), entropy=noisy(rng, 0.802, spread=0.05))
    assert found["best"]["clear"] is False
    assert "may be chance" in found["best"]["reason"]
    taken = chosen(found, among=[Arm("margin"), Arm("entropy")])
    assert (taken["strategy"], taken["params"]) == ("random", {})
    assert "nothing beats it significantly over 10 seeds; nearest: entropy" in taken["reason"]


def test_random_can_be_best():
    rng = np.random.default_rng(6)
    best = told(random=noisy(rng, 0.8), margin=noisy(rng, 0.7), entropy=noisy(rng, 0.72))["best"]
    assert (best["strategy"], best["clear"], best["difference"]) == ("random", True, None)
    assert best["headline"] == f"Best over all budgets: random (mean accuracy {best['mean_accuracy']:.3f})"
    assert best["reason"].startswith("Every other strategy is significantly worse.")
    near = told(random=noisy(rng, 0.8, spread=0.05), margin=noisy(rng, 0.795, spread=0.05))["best"]
    assert near["clear"] is False


@given(
    heights=st.lists(st.lists(st.lists(st.floats(0, 1), min_size=4, max_size=4), min_size=3, max_size=3), min_size=2,
                     max_size=5),
)  # fmt: skip
def test_what_is_reported_is_what_anyone_computes(heights):
    """Area by area, seed by seed, without this package's own arithmetic."""
    names = ["random", "a", "b", "c", "d"][: len(heights)]
    found = told(**{name: curves(*rows) for name, rows in zip(names, heights, strict=True)})
    naive = {
        name: sum(sum((row[at] + row[at + 1]) / 2 * 20 for at in range(3)) / 60 for row in rows) / len(rows)
        for name, rows in zip(names, heights, strict=True)
    }
    assert {curve["strategy"]: curve["mean_accuracy"] for curve in found["curves"]} == pytest.approx(naive)
    best = found["best"]
    assert naive[best["strategy"]] == pytest.approx(max(naive.values()))
    assert best["mean_accuracy"] == pytest.approx(naive[best["strategy"]])
    if best["strategy"] != "random":
        assert best["difference"] == pytest.approx(naive[best["strategy"]] - naive["random"], abs=1e-12)
    ends = {name: np.mean([row[-1] for row in rows]) for name, rows in zip(names, heights, strict=True)}
    assert ends[best["end"]["strategy"]] == pytest.approx(max(ends.values()))
    apart = all(
        test["high"] < best["low"]
        for test in found["tests"]
        if best["low"] is not None and test["strategy"] != best["strategy"]
    )
    assert not best["clear"] or apart
    assert best["headline"].startswith("Best over all budgets: " if best["clear"] else "No strategy is clearly best")


def test_without_a_difference_random_stays_as_often_as_promised():
    """Four strategies that are random by another name: Holm keeps false winners below 5 %."""
    rng = np.random.default_rng(2)
    won = 0
    names = ("a", "b", "c", "d")
    for _ in range(300):
        found = told(random=noisy(rng, 0.8), **{name: noisy(rng, 0.8) for name in names})
        won += chosen(found, among=[Arm(name) for name in names])["strategy"] != "random"
        assert not found["best"]["clear"] or found["best"]["low"] is None or found["best"]["low"] > 0
    assert won / 300 < 0.06


def test_only_what_is_asked_for_is_chosen_from():
    rng = np.random.default_rng(3)
    found = told(random=noisy(rng, 0.8), entropy=noisy(rng, 0.82), margin=noisy(rng, 0.85))
    among = [Arm("entropy"), Arm("badge"), Arm("margin", {"with": "other parameters"})]
    assert chosen(found, among=among)["strategy"] == "entropy"
    nothing = chosen(found, among=[])
    assert (nothing["strategy"], nothing["reason"]) == ("random", "random: nothing else was tried.")


def test_one_strategy_with_two_settings_is_told_apart():
    rng = np.random.default_rng(7)
    arms = [(Arm("random"), noisy(rng, 0.8)), (Arm("k_center", {"block": 8}), noisy(rng, 0.85)),
            (Arm("k_center", {"block": 64}), noisy(rng, 0.9))]  # fmt: skip
    assert report(arms)["best"]["headline"].startswith("Best over all budgets: k center {'block': 64} (mean accuracy")


def test_without_a_target_it_is_where_random_ends():
    found = told(
        random=curves((0.1, 0.2, 0.3, 0.4), (0.1, 0.2, 0.3, 0.6)),
        margin=curves((0.1, 0.5, 0.6, 0.7), (0.1, 0.5, 0.7, 0.7)),
    )
    assert found["target"] == pytest.approx(0.5)
    assert found["labels_to_target"][1]["median"] == 40
    assert [row["reached"] for row in found["labels_to_target"]] == [1, 2]


def test_labels_saved_are_told_against_random():
    found = told(
        random=curves((0.1, 0.2, 0.3, 0.5), (0.1, 0.2, 0.3, 0.5)),
        margin=curves((0.1, 0.5, 0.6, 0.7), (0.1, 0.5, 0.7, 0.7)),
        target=0.5,
    )
    random, margin = found["labels_to_target"]
    assert (random["median"], random["saved"], random["saved_at_least"]) == (80, None, False)
    assert (margin["median"], margin["saved"], margin["saved_at_least"]) == (40, 0.5, False)


def test_what_is_never_reached_is_censored():
    found = told(
        random=curves((0.1, 0.2, 0.3, 0.4), (0.1, 0.2, 0.3, 0.4)),
        margin=curves((0.1, 0.5, 0.6, 0.7), (0.1, 0.5, 0.7, 0.7)),
        target=0.5,
    )
    random, margin = found["labels_to_target"]
    assert (random["median"], random["high"], random["reached"]) == (None, None, 0)
    assert (margin["saved"], margin["saved_at_least"]) == (0.5, True)
    unheard = told(random=curves((0.1,) * 4, (0.1,) * 4), margin=curves((0.1,) * 4, (0.1,) * 4), target=0.5)
    assert unheard["labels_to_target"][1]["saved"] is None


def test_the_band_is_over_seeds():
    points = told(random=curves((0.1, 0.2, 0.3, 0.4), (0.3, 0.2, 0.3, 0.4)))["curves"][0]["points"]
    assert [point["labels"] for point in points] == LABELS
    assert points[0]["mean"] == pytest.approx(0.2)
    assert points[0]["low"] < 0.1 < 0.3 < points[0]["high"]
    assert (points[1]["low"], points[1]["high"], points[1]["n"]) == (0.2, 0.2, 2)


@pytest.mark.parametrize("there", [0, 1, 2])
def test_of_a_back_test_that_runs_it_tells_what_is_there_and_chooses_nothing(there):
    whole = curves((0.1, 0.2, 0.3, 0.4), (0.1, 0.2, 0.4, 0.4), (0.1, 0.2, 0.4, 0.5))
    part = {seed: whole[seed] for seed in range(there)}
    found = told(random=part, margin={})
    assert found["best"] is None
    assert (len(found["curves"][0]["points"]), found["curves"][1]["points"]) == (4 if there else 0, [])
    paired = told(random=whole, margin=part)
    assert paired["best"] is None
    assert [test["seeds"] for test in paired["tests"]] == ([2] if there == 2 else [])


def test_strategies_are_paired_by_seed_whatever_their_order():
    rng = np.random.default_rng(4)
    fair, ours = noisy(rng, 0.8, spread=0.1), noisy(rng, 0.8, spread=0.1)
    turned = dict(reversed(list(ours.items())))
    assert told(random=fair, margin=ours)["tests"] == told(random=fair, margin=turned)["tests"]


def test_random_comes_first():
    with pytest.raises(ValueError, match="must be 'random'"):
        told(margin=curves((0.1,) * 4))
