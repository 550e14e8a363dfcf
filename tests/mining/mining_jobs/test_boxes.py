"""Mining for boxes over HTTP: PAL and its evidence, members that see the mirror image, what is refused."""

import base64
import io

import numpy as np
import pytest
from PIL import Image
from tests.mining.half_detector import CLASSES, registered

from catalog.models import Revision
from mining_jobs.models import ScoreFile
from mining_jobs.scores.files import table_of
from registry.models import Model, ModelVersion
from scoring.table import packed

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.production]
SPLITS = {"val": 40, "train": 12, "pool": 30}
BODY = {"dataset": "halves", "model": "halves@1", "count": 6, "control": 0.0}
LEFT, RIGHT = [0, 0, 4, 8], [4, 0, 8, 8]
TRUST = 0.75


@pytest.fixture
def shades(api, alice, object_store) -> dict[str, np.ndarray]:
    """The dataset `halves` and two versions of a detector; by key how bright the quarters are (2, 2)."""
    for kind in ("datasets", "models"):
        body = {"name": "halves", "task": "detection", "classes": CLASSES}
        assert api.post(f"/{kind}", body, format="json").status_code == 201
    rng = np.random.default_rng(5)
    known, samples = {}, []
    for split, size in SPLITS.items():
        for place in range(size):
            pixels = np.repeat(np.repeat(rng.integers(0, 256, (2, 2)), 4, axis=0), 4, axis=1).astype(np.uint8)
            stream = io.BytesIO()
            Image.fromarray(pixels).save(stream, "PNG")
            key = f"{split}-{place:02}.png"
            known[key] = pixels[::4, ::4] / 255
            there = rng.random(2) < known[key].mean(axis=0)
            boxes = [
                {"class": "light", "box": box} for box, is_there in zip((LEFT, RIGHT), there, strict=True) if is_there
            ]
            label = {} if split == "pool" else {"label": {"boxes": boxes}}
            data = base64.b64encode(stream.getvalue()).decode()
            samples.append({"key": key, "data": data, "split": split} | label)
    answer = api.post("/datasets/halves", {"samples": samples, "near_duplicates": "allow"}, format="json")
    assert (answer.status_code, answer.json()["rejected"]) == (201, []), answer.content
    for right in (TRUST, 0.25):
        registered(Model.objects.get(), alice, right=right)
    return known


@pytest.fixture
def mine(api, mined):
    """Start a mining job, run it to its end; its document and its picks."""

    def start(**changes):
        document = mined(BODY | changes)
        return document, api.get(f"/mining/jobs/{document['id']}/picks").json()["results"]

    return start


def labels_of(api, split):
    rows = api.get("/datasets/halves/versions/head/samples", {"split": split, "limit": 100}).json()["results"]
    return {row["key"]: [one["box"] for one in row["label"]["boxes"]] for row in rows}


def evidence(api, shades, split):
    """Which boxes are right, as a person would count them."""
    found = []
    for key, boxes in labels_of(api, split).items():
        bright = shades[key].mean(axis=0) * [1, TRUST]
        for at, box in enumerate((LEFT, RIGHT)):
            if bright[at] >= 0.05:
                found.append(box in boxes)
    return found


def test_pal_is_fitted_on_validation_images_and_says_on_which(api, shades, mine):
    document, picks = mine(strategy={"name": "pal", "params": {"diversity": 0, "similarity": 0, "reduce": "max"}})
    boxes = evidence(api, shades, "val")
    told = document["stats"]["evidence"]
    assert told == {
        "split": "val", "labelled": 40, "images": 40, "objects": len(boxes), "right": sum(boxes),
        "classes_alone": ["light"],
    }  # fmt: skip
    assert len(picks) == 6
    assert all(": right with 0." in pick["reason"] for pick in picks)
    assert [pick["score"] for pick in picks] == sorted((pick["score"] for pick in picks), reverse=True)
    assert picks[0]["terms"]["uncertainty"] == pytest.approx(picks[0]["score"])

    version = ModelVersion.objects.get(number=1)
    table = table_of(version)
    md5 = [pick["sample"]["url"].rpartition("/")[2] for pick in picks]
    rows = table.rows(packed(md5))
    bright = np.stack([shades[pick["sample"]["key"]].mean(axis=0) for pick in picks]) * [1, TRUST]
    np.testing.assert_allclose(table.probabilities_of(rows)[..., 4], bright, atol=1e-5)
    said = [
        sorted({float(part.split(" at ")[1][:4]) for part in pick["reason"].split(": right")[:-1]}) for pick in picks
    ]
    for spoken, halves in zip(said, bright, strict=True):
        assert all(min(abs(halves - one)) < 0.006 for one in spoken)


def test_what_pal_scored_serves_others_and_train_serves_where_nothing_is_validated(api, shades, mine):
    first, _ = mine(strategy="pal")
    assert first["stats"]["scored"] == 82
    assert mine(strategy="entropy")[0]["stats"]["scored"] == 0
    gone = {"remove": [*labels_of(api, "val")]}
    assert api.post("/datasets/halves", gone, format="json").json()["removed"] == SPLITS["val"]
    second, picks = mine(strategy="pal")
    told = second["stats"]["evidence"]
    assert (told["split"], told["images"], told["classes_alone"]) == ("train", 12, [])
    assert len(picks) == 6


def test_ppal_shows_the_model_the_objects_of_a_shortlist_once(api, shades, mine):
    ppal = {"name": "ppal", "params": {"candidates": 2, "objects": 2}}
    document, picks = mine(strategy=ppal)
    version = ModelVersion.objects.get(number=1)
    bright = {key: quarters.mean(axis=0) * [1, TRUST] for key, quarters in shades.items() if key.startswith("pool")}
    doubt = {key: -(p * np.log(p) + (1 - p) * np.log(1 - p)).sum(where=p >= 0.05) for key, p in bright.items()}
    shortlist = sorted(doubt, key=lambda key: -doubt[key])[:12]
    assert {pick["sample"]["key"] for pick in picks} <= {*shortlist}
    assert picks[0]["sample"]["key"] == shortlist[0], "the most confusing comes first"
    told = document["stats"]["objects"]
    assert (told["images"], told["scored"], told["unreadable"]) == (12, 12, 0)
    assert told["objects"] == sum(int((bright[key] >= 0.05).sum()) for key in shortlist)
    assert "its objects are like those of the picks before by 0.00" in picks[0]["reason"]

    kept = ScoreFile.objects.get(scorer="3+objects-2")
    assert kept.rows == 12
    again, same = mine(strategy=ppal)
    assert again["stats"]["objects"]["scored"] == 0
    assert [pick["sample"]["key"] for pick in same] == [pick["sample"]["key"] for pick in picks]
    more, _ = mine(strategy=ppal, count=8)
    assert (more["stats"]["objects"]["images"], more["stats"]["objects"]["scored"]) == (16, 4)
    assert table_of(version).embedding_of(np.arange(1)).shape == (1, 4), "scores of whole images are kept apart"


def test_cells_are_kept_with_the_scores(shades, mine):
    """A cell is a pixel here: of 32 in a half those are warm that shine at least (ln(0.05 / 0.95) + 4) / 8 of white."""
    mine(strategy="pal")
    table = table_of(ModelVersion.objects.get(number=1))
    rows = Revision.objects.filter(sample__dataset__name="halves").values_list("sample__key", "blob__md5")
    found = {key: table.cells_of(table.rows(packed([md5])))[0].tolist() for key, md5 in rows}
    bar = (np.log(0.05 / 0.95) + 4) / 8
    assert found == {key: (16 * (quarters >= bar).sum(axis=0)).tolist() for key, quarters in shades.items()}


def test_an_image_and_its_mirror_image_are_a_committee(api, shades, mine):
    flips = {"flips": True}
    document, picks = mine(strategy={"name": "mean_kl", "params": {"reduce": "sum"}}, committee=flips)
    assert document["committee"] == flips
    assert document["stats"]["scored"] == 2 * (SPLITS["train"] + SPLITS["pool"])
    assert sorted(ScoreFile.objects.values_list("scorer", flat=True)) == ["3", "3+mirrored"]
    version = ModelVersion.objects.get(number=1)
    table = table_of(version, flips)
    keys = [pick["sample"]["key"] for pick in picks]
    rows = table.rows(packed(pick["sample"]["url"].rpartition("/")[2] for pick in picks))
    members = table.members_of(rows)
    bright = np.stack([shades[key].mean(axis=0) for key in keys])
    np.testing.assert_allclose(members[:, 0, :, 4], bright * [1, TRUST], atol=1e-5)
    # The mirror image shows the right half on the left: that one it trusts wholly, and tells it where it is.
    np.testing.assert_allclose(members[:, 1, :, 4], bright[:, ::-1] * [1, TRUST], atol=1e-5)
    np.testing.assert_allclose(members[:, 1, 0, :4], np.tile([0.5, 0, 1, 1], (6, 1)), atol=1e-6)

    def kl(p, q):
        mean = (p + q) / 2
        return sum(float(a * np.log(a / b)) for part in ((p, mean), (q, mean))
                   for a, b in (part, (1 - part[0], 1 - part[1])) if a > 0) / 2  # fmt: skip

    halves = {key: quarters.mean(axis=0) for key, quarters in shades.items() if key.startswith("pool")}
    wanted = {key: kl(left, TRUST * left) + kl(TRUST * right, right) for key, (left, right) in halves.items()
              if min(left, right) * TRUST > 0.06}  # fmt: skip
    assert {key for key in keys if key in wanted} >= set(sorted(wanted, key=lambda key: -wanted[key])[:4])
    for pick in picks:
        if pick["sample"]["key"] in wanted:
            assert pick["score"] == pytest.approx(wanted[pick["sample"]["key"]], abs=1e-4)
    assert picks[0]["reason"].startswith("members differ: light from ")
    assert mine(strategy="entropy")[0]["stats"]["scored"] == 0
    assert mine(strategy="bald", committee=flips)[0]["stats"]["scored"] == 0


def test_other_versions_are_members_too_and_masks_are_refused_in_words(api, shades, mine):
    document, picks = mine(strategy="variation_ratio", committee={"versions": [2]})
    assert document["stats"]["scored"] == 2 * (SPLITS["train"] + SPLITS["pool"])
    assert any(pick["score"] > 0 for pick in picks)
    refused = api.post("/mining/jobs", BODY | {"strategy": "bald", "committee": {"dropout": {}}}, format="json")
    assert (refused.status_code, list(refused.json()["errors"])) == (400, ["committee.dropout"])
    assert "no head over classes" in refused.content.decode()


def test_pal_without_any_label_is_refused(api, shades):
    gone = {"remove": [key for split in ("val", "train") for key in labels_of(api, split)]}
    assert api.post("/datasets/halves", gone, format="json").status_code == 201
    refused = api.post("/mining/jobs", BODY | {"strategy": "pal"}, format="json")
    assert (refused.status_code, refused.json()["code"]) == (400, "nothing_labelled"), refused.content
    assert "none in val or train" in refused.content.decode()


def test_wrong_boxes_are_found_among_labels_and_the_pick_says_why(api, shades, mine):
    light = {key for key, quarters in shades.items() if key.startswith("train") and quarters[:, 0].mean() > 0.5}
    light = {key for key in light if LEFT in labels_of(api, "train")[key]}
    wrong = max(light, key=lambda key: shades[key][:, 0].mean())
    ignored = {"box": [1, 1, 2, 2], "class": "glare"}
    missed = {"labels": [{"key": wrong, "label": {"boxes": [], "ignore": [ignored]}}]}
    assert api.post("/datasets/halves", missed, format="json").status_code == 201
    document, picks = mine(strategy="label_errors", filter={"split": "train"}, count=3)
    assert document["stats"]["pool"] == 12
    assert picks[0]["sample"]["key"] == wrong
    assert picks[0]["reason"].startswith("no box where the model sees light at 0.")
    assert picks[0]["score"] > 1
    queue = api.post(f"/mining/jobs/{document['id']}/queue", {"queue": "doubts", "mode": "verify"}, format="json")
    assert queue.status_code == 201, queue.content
    assert api.patch("/labeling/queues/doubts", {"blind_share": 0}, format="json").status_code == 200  # ids decide who
    leased = api.post("/labeling/queues/doubts/next", {"count": 3}, format="json").json()["tasks"]
    shown = {task["sample"]["key"]: task["suggestion"] for task in leased}
    assert shown[wrong] == {"boxes": [], "ignore": [ignored], "model": "halves v2"}
    labels = labels_of(api, "train")
    assert all([one["box"] for one in told["boxes"]] == labels[key] for key, told in shown.items())
