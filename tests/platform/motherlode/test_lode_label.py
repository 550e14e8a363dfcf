"""`lode label`, as it is typed."""

import json

from tests.platform.motherlode.canned import Answer, CannedServer, problem
from tests.platform.motherlode.test_lode import lode

ANN, BEN = {"id": 2, "username": "ann"}, {"id": 3, "username": "ben"}
AGREEMENT = {
    "kind": "class", "people": [ANN | {"answers": 30}, BEN | {"answers": 29}],
    "pairs": [{"a": 2, "b": 3, "both": 29, "agree": 28, "kappa": 0.93, "mean_iou": None}], "fleiss": 0.931,
    "by_class": [{"class": "cat", "answers": 59, "agreement": 0.97}],
    "blind": {"shown": {"answers": 40, "agree_with_model": 36}, "hidden": {"answers": 10, "agree_with_model": 8},
              "difference": 0.1, "interval": [-0.1, 0.4]},
    "consensus": {"method": "dawid_skene", "classes": ["cat"], "people": [
        ANN | {"accuracy": 0.98, "confusion": [[1.0]]}, BEN | {"accuracy": 0.91, "confusion": [[1.0]]}]},
}  # fmt: skip
REVIEW = {
    "id": 8, "queue": "q", "task": 1, "sample": {"id": 1, "key": "a.png", "digest": ""}, "reason": "disagreement",
    "answers": [{"id": 1, "author": ANN, "value": {"class": "cat"}, "seconds": 1.0},
                {"id": 2, "author": BEN, "value": {"boxes": [{"class": "dog", "box": [0, 0, 1, 1]}]}, "seconds": 1.0}],
    "consensus": {"value": {"class": "cat"}, "confidence": 0.5}, "state": "open", "decision": None, "decided_by": None,
}  # fmt: skip
PERSON = {
    "user": ANN, "answers": 30, "skipped": 2, "labels_per_hour": 1800.0, "median_seconds": 1.9, "agreement": 0.97,
    "gold": {"answers": 5, "correct": 4}, "accuracy": 0.8, "interval": [0.376, 0.964],
}  # fmt: skip


def page(*rows: object) -> Answer:
    return Answer(200, {"results": list(rows), "next": None})


def test_agreement_is_told_in_words_and_as_the_document(server: CannedServer) -> None:
    server.script["GET /labeling/queues/q/agreement"] = [Answer(200, AGREEMENT)]
    told = " ".join(lode(server, "label", "agreement", "q").stdout.split())
    assert "ann ben 29 96.55% 0.93" in told
    assert "ben 29 91.00%" in told
    assert "Fleiss' kappa 0.931" in told
    assert "sway people by +10.0% (-10.0% to +40.0%)" in told
    assert json.loads(lode(server, "label", "agreement", "q", "--json").stdout) == AGREEMENT


def test_reviews_are_listed_and_decided(server: CannedServer) -> None:
    server.script["GET /labeling/reviews"] = [page(REVIEW)]
    done = REVIEW | {"state": "done", "decision": {"class": "dog"}}
    late = problem(409, "already_decided", detail="rita has decided this review already.")
    server.script["POST /labeling/reviews/8/decide"] = [Answer(200, done), late]
    told = " ".join(lode(server, "label", "reviews", "q").stdout.split())
    assert "8 q a.png disagreement ann: cat, ben: dog cat" in told
    assert "a.png is dog" in lode(server, "label", "decide", "8", "dog", "--reason", "a tail").stdout
    assert server.asked[-1].document == {"value": {"class": "dog"}, "reason": "a tail"}
    refused = lode(server, "label", "decide", "8", '{"boxes": []}')
    assert (refused.returncode, "already_decided" in refused.stderr) == (1, True)
    assert server.asked[-1].document["value"] == {"boxes": []}


def test_what_objects_carry_and_what_is_to_be_ignored_is_shown(server: CannedServer) -> None:
    marks = {"occluded": True, "side": "left"}
    car = {"class": "car", "box": [0, 0, 1, 1], "id": "17", "track": "t", "attributes": marks}
    roof = {"class": "roof", "points": [[0, 0], [4, 0], [4, 4]]}
    label = {"boxes": [car], "polygons": [roof], "ignore": [{"box": [0, 0, 1, 1]}]}
    server.script["GET /labeling/reviews"] = [page(REVIEW | {"answers": [], "consensus": {"value": label}})]
    told = " ".join(lode(server, "label", "reviews", "q").stdout.split())
    assert "car (id 17, track t, occluded true, side left), roof, 1 to ignore" in told


def test_people_are_shown_with_how_sure_their_figures_are(server: CannedServer) -> None:
    server.script["GET /labeling/people"] = [page(PERSON)]
    told = " ".join(lode(server, "label", "people", "q").stdout.split())
    assert "ann 30 2 1.9 1800.0 97.00% 4 of 5 80.0% (37.6% to 96.4%)" in told


def test_gold_is_mixed_in_and_what_was_left_out_is_said(server: CannedServer) -> None:
    left = {"key": "b.png", "code": "sample_unlabelled", "detail": "gold needs a known label: label it first"}
    server.script["POST /labeling/queues/q/gold"] = [
        Answer(201, {"added": 1, "gold": 1, "tasks": 20, "rejected": [left]})
    ]
    done = lode(server, "label", "gold", "q", "a.png", "b.png")
    assert "1 added; gold: 1 of 20 tasks" in done.stdout
    assert "sample_unlabelled" in done.stderr
