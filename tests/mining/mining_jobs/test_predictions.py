"""What a model says of a dataset's samples: over them, as filters, as facets, as orders."""

import base64
import io
import math

import pytest
from PIL import Image
from tests.models.registry.shipped import CLASSES, shipped, version_of

from catalog.reading.orders import ORDERS
from jobs.models import Job

pytestmark = pytest.mark.django_db(transaction=True)
AT = "/datasets/greys/versions/head"
MODEL = "shades@1"
SHADES = {"a": 0, "b": 30, "c": 45, "d": 55, "e": 70, "f": 120, "g": 200, "h": 20}
LABELS = {"a": "dark", "b": "light", "c": "light", "d": "light", "e": "dark", "f": "light"}
UNSCORED = {"y": 33, "z": 90}


def light(shade: int) -> float:
    """Probability of `light` by the shipped file: logits -s / 20 and (s - 100) / 20."""
    return 1 / (1 + math.exp(-(2 * shade - 100) / 20))


def picture(shade: int) -> str:
    out = io.BytesIO()
    Image.new("L", (8, 8), shade).save(out, "PNG")
    return base64.b64encode(out.getvalue()).decode()


def push(api, shades):
    samples = [
        {"key": key, "data": picture(shade), "split": "train" if key in LABELS else "pool"}
        | ({"label": {"class": LABELS[key]}} if key in LABELS else {})
        for key, shade in shades.items()
    ]
    answer = api.post("/datasets/greys", {"samples": samples, "near_duplicates": "allow"}, format="json")
    assert answer.status_code == 201, answer.content


@pytest.fixture
def scored(api, alice, object_store, run_job):
    """Eight grey images that a model has scored, and two that came later."""
    body = {"name": "greys", "task": "classification", "classes": CLASSES}
    assert api.post("/datasets", body, format="json").status_code == 201
    version_of(shipped(), alice)
    push(api, SHADES)
    answer = api.post(f"{AT}/embeddings", {"model": MODEL}, format="json")
    assert answer.status_code == 202, answer.content
    assert run_job(Job.objects.get(pk=answer.json()["job"]["id"])).state == "succeeded"
    push(api, UNSCORED)


def asked(api, path="samples", status=200, **query):
    answer = api.get(f"{AT}/{path}", {"predicted_by": MODEL, **query})
    assert answer.status_code == status, answer.content
    return answer.json()


def keys(api, **query):
    page = asked(api, **query)
    found = "".join(sample["key"] for sample in page["results"])
    assert page["total"] == len(found)
    listed = asked(api, "sample-keys", **query)
    assert "".join(sample["key"] for sample in listed["results"]) == found
    return found


def confidence(key):
    return round(max(light(SHADES[key]), 1 - light(SHADES[key])), 6)


def loss(key):
    return -math.log(light(SHADES[key]) if LABELS[key] == "light" else 1 - light(SHADES[key]))


@pytest.mark.both
@pytest.mark.usefixtures("scored")
def test_filters_by_class_confidence_and_whether_it_is_right(api):
    assert keys(api) == "abcdefghyz"
    assert keys(api, predicted="light") == "defg"
    assert keys(api, predicted=["light", "dark"]) == "abcdefgh"
    assert keys(api, confidence_from="0.9") == "".join(key for key in SHADES if confidence(key) >= 0.9)
    assert keys(api, confidence_from="0.6", confidence_to="0.9") == "".join(
        key for key in SHADES if 0.6 <= confidence(key) <= 0.9
    )
    assert keys(api, correct="true") == "adf"
    assert keys(api, correct="false") == "bce"
    assert keys(api, correct="false", predicted="dark", label="light") == "bc"
    assert keys(api, filter=f"prediction(model = {MODEL}, correct = false) and not key = b") == "ce"
    checked = api.post("/datasets/greys/filters", {"filter": {"prediction": {"model": MODEL, "correct": False}}},
                       format="json").json()  # fmt: skip
    assert (checked["text"], checked["count"]) == (f"prediction(model = {MODEL}, correct = false)", 3)


@pytest.mark.both
@pytest.mark.usefixtures("scored")
def test_facets_of_predictions_count_without_their_own_choice(api):
    told = asked(api, "facets", correct="false", predicted="dark")
    assert (told["total"], told["scored"]) == (2, 2)
    assert told["predicted"] == {"dark": 2, "light": 1}
    assert told["correct"] == {"true": 1, "false": 2}
    assert told["label"] == {"light": 2}
    whole = asked(api, "facets")
    assert (whole["total"], whole["scored"]) == (10, 8)
    assert whole["correct"] == {"true": 3, "false": 3}
    without = api.get(f"{AT}/facets").json()
    assert (without["scored"], without["predicted"], without["correct"]) == (None, None, None)


@pytest.mark.both
@pytest.mark.usefixtures("scored")
def test_orders_are_exact_and_what_has_no_value_is_last(api):
    surest = "".join(sorted(SHADES, key=lambda key: -confidence(key)))
    assert keys(api, order="-confidence") == surest + "yz"
    # Equal ones stay as they were added: b and e, c and d.
    assert keys(api, order="confidence") == "".join(sorted(SHADES, key=confidence)) + "yz"
    wrong = "".join(sorted(LABELS, key=lambda key: -loss(key)))
    assert keys(api, order="-loss") == wrong + "ghyz"
    assert keys(api, order="-loss", labelled="true", label="light") == "".join(
        key for key in wrong if LABELS[key] == "light"
    )
    assert keys(api, order="-added") == "zyhgfedcba"
    assert keys(api, order="-key") == "zyhgfedcba"
    shuffled = keys(api, order="random", seed=3)
    assert shuffled == keys(api, order="random", seed=3)
    assert (sorted(shuffled), shuffled != keys(api, order="random", seed=4)) == (sorted("abcdefghyz"), True)


@pytest.mark.usefixtures("scored")
def test_pages_are_parts_of_one_order(api, subtests, run_job):
    made = api.post("/datasets/greys/maps", {"model": MODEL, "method": "pca"}, format="json").json()
    assert run_job(Job.objects.get(pk=made["job"]["id"])).state == "succeeded"
    for order in ORDERS:
        with subtests.test(order=order):
            whole = [row["id"] for row in asked(api, order=order, seed=7)["results"]]
            page, found = asked(api, order=order, seed=7, limit=3), []
            while True:
                found += [row["id"] for row in page["results"]]
                if page["next"] is None:
                    break
                page = api.get(page["next"]).json()
            assert found == whole
            assert [row["id"] for row in asked(api, order=order, seed=7, offset=4, limit=2)["results"]] == whole[4:6]


@pytest.mark.usefixtures("scored")
def test_what_is_said_of_samples(api):
    ids = {row["key"]: row["id"] for row in asked(api)["results"]}
    answer = api.get(f"{AT}/predictions", {"model": MODEL, "ids": ",".join(str(ids[key]) for key in "hzba")})
    assert answer.status_code == 200, answer.content
    said = {row["id"]: row for row in answer.json()["results"]}
    assert list(said) == [ids["a"], ids["b"], ids["h"]]
    assert (said[ids["b"]]["classes"], said[ids["b"]]["boxes"]) == (["dark"], None)
    assert said[ids["b"]]["confidence"] == pytest.approx(1 - light(30), abs=1e-5)
    assert [said[ids[key]]["correct"] for key in "abh"] == [True, False, None]


@pytest.mark.usefixtures("scored")
def test_what_makes_no_sense_is_named(api, subtests):
    for query, field in [
        ({"predicted_by": "nobody@1"}, None), ({"predicted_by": "shades"}, "predicted_by"),
        ({"predicted": "cow"}, "predicted"), ({"confidence_from": "2"}, "confidence_from"),
        ({"confidence_to": "x"}, "confidence_to"), ({"correct": "perhaps"}, "correct"), ({"order": "size"}, "order"),
        ({"seed": "-1"}, "seed"), ({"predicted_by": "", "order": "loss"}, "order"),
        ({"predicted_by": "", "correct": "true"}, "correct"),
    ]:  # fmt: skip
        with subtests.test(query=query, field=field):
            told = asked(api, status=404 if field is None else 400, **query)
            if field:
                assert list(told["errors"]) == [field]


@pytest.mark.both
@pytest.mark.usefixtures("scored")
def test_an_edit_takes_what_the_grid_shows(api):
    body = {"filter": f"prediction(model = {MODEL}, correct = false)", "label": {"class": "dark"}, "parent": 2}
    answer = api.post("/datasets/greys/edits", body, format="json")
    assert answer.status_code == 201, answer.content
    assert keys(api, correct="false") == "e"


@pytest.mark.usefixtures("scored")
def test_a_class_that_is_new_is_known_to_what_was_looked_at_before(api):
    def shuffled(**query):
        answer = api.get(f"{AT}/samples", {"order": "random", **query})
        assert answer.status_code == 200, answer.content
        return answer.json()["total"]

    assert shuffled() == 10
    told = api.get("/datasets/greys/schema").json()
    classes = [*told["classes"], {"name": "middle"}]
    body = {"classes": [{"name": one["name"]} for one in classes], "parent": told["version"]}
    assert api.put("/datasets/greys/schema", body, format="json").status_code == 200
    assert (shuffled(label="middle"), shuffled(label="dark")) == (0, 2)


@pytest.mark.usefixtures("scored")
def test_a_parameter_that_stands_there_too_often_is_named(api):
    told = asked(api, status=400, predicted=["dark"] * 1001)
    assert list(told["errors"]) == ["predicted"]


def test_right_and_wrong_are_refused_by_their_name_where_an_image_has_no_one_class(api, alice, object_store):
    body = {"name": "greys", "task": "multilabel", "classes": CLASSES}
    assert api.post("/datasets", body, format="json").status_code == 201
    push(api, {"y": 33})
    version_of(shipped(), alice, task="multilabel")
    assert list(asked(api, status=400, correct="true")["errors"]) == ["correct"]
    assert list(asked(api, status=400, order="-loss")["errors"]) == ["order"]
