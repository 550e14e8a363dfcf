"""What a report says of curves that are known."""

import numpy as np
import pytest

from backtest import Arm, Curve, best, report

LABELS = [20, 40, 60, 80]


def curves(*rows):
    return {seed: Curve(LABELS, list(row)) for seed, row in enumerate(rows)}


def noisy(rng, height, *, seeds=10, spread=0.01):
    rise = np.array([-0.3, -0.1, -0.05, 0.0])
    return curves(*(height + rise + rng.normal(0, spread, 4) for _ in range(seeds)))


def told(*, target=None, **arms):
    return report([(Arm(name), found) for name, found in arms.items()], target=target)


def test_a_clear_winner_is_taken_with_its_numbers():
    rng = np.random.default_rng(0)
    found = told(random=noisy(rng, 0.8), entropy=noisy(rng, 0.82), margin=noisy(rng, 0.85), target=0.75)
    assert found["best"]["strategy"] == "margin"
    test = found["tests"][1]
    assert f"{100 * test['difference']:+.2f} points" in found["best"]["reason"]
    assert f"better in {test['wins']} of 10 seeds" in found["best"]["reason"]
    needed = {row["strategy"]: row["median"] for row in found["labels_to_target"]}
    assert (
        f"{needed['margin']:.0f} labels to the target, where random needs {needed['random']:.0f}"
        in found["best"]["reason"]
    )


def test_what_is_no_better_is_left_for_random():
    rng = np.random.default_rng(1)
    found = told(random=noisy(rng, 0.8), margin=noisy(rng, 0.78), entropy=noisy(rng, 0.8, spread=0.05))
    assert (found["best"]["strategy"], found["best"]["params"]) == ("random", {})
    assert "nothing beats it significantly over 10 seeds; nearest: entropy" in found["best"]["reason"]


def test_without_a_difference_random_stays_as_often_as_promised():
    """Four strategies that are random by another name: Holm keeps false winners below 5 %."""
    rng = np.random.default_rng(2)
    won = 0
    for _ in range(300):
        arms = {name: noisy(rng, 0.8) for name in ("random", "a", "b", "c", "d")}
        won += told(**arms)["best"]["strategy"] != "random"
    assert won / 300 < 0.06


def test_only_what_is_asked_for_is_chosen_from():
    rng = np.random.default_rng(3)
    found = told(random=noisy(rng, 0.8), entropy=noisy(rng, 0.82), margin=noisy(rng, 0.85))
    among = [Arm("entropy"), Arm("badge"), Arm("margin", {"with": "other parameters"})]
    assert best(found["tests"], found["labels_to_target"], among=among)["strategy"] == "entropy"
    nothing = best(found["tests"], found["labels_to_target"], among=[])
    assert (nothing["strategy"], nothing["reason"]) == ("random", "random: nothing else was tried.")


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
