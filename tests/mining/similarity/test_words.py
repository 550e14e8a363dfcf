"""Words lead to images by the names of ImageNet's classes: real weights, a real encoder of sentences, real drawings."""

import numpy as np
import pytest
from PIL import Image, ImageDraw
from sklearn.datasets import load_sample_images
from tests.collecting import collected
from tests.datasets.conftest import data
from tests.mining.similarity.test_similar import embed, png
from tests.models.registry.shipped import shipped, version_of

from blobs.services import keep_bytes, store
from jobs.models import Job
from mining_jobs.models import Backbone
from mining_jobs.scores.backbone import BACKBONE
from mining_jobs.scores.files import files_of, parts_of
from similarity import search, vectors
from similarity.lexicon import ABOUT, LEAST_KNOWN, NAME, description_of
from similarity.models import Lexicon
from similarity.posterior import Posterior

pytestmark = pytest.mark.django_db(transaction=True)
AT = "/datasets/seen/versions/head"
MADE: dict[str, bytes] = {}
"""What a job has made of the backbone and its lexicon: half a minute, for all tests once."""


@pytest.fixture(autouse=True)
def no_vectors_of_before():
    """Of each test its own: rows of different tests have the same ids."""
    vectors._galleries.clear()
    search._rows.cache_clear()


def drawn(kind):
    """A picture that the ImageNet classes have a name for."""
    picture = Image.new("RGB", (224, 224), "white")
    draw = ImageDraw.Draw(picture)
    if kind == "clock":
        draw.ellipse((20, 20, 204, 204), outline="black", width=10)
        for hour in range(12):
            x, y = 112 + 78 * np.sin(hour * np.pi / 6), 112 - 78 * np.cos(hour * np.pi / 6)
            draw.text((x - 6, y - 8), str(hour or 12), fill="black", font_size=18)
        draw.line((112, 112, 112, 50), fill="black", width=7)
        draw.line((112, 112, 160, 130), fill="black", width=7)
    else:
        for row in range(14):
            for column in range(14):
                if (row + column) % 2:
                    draw.rectangle((column * 16, row * 16, column * 16 + 15, row * 16 + 15), fill="black")
    return np.asarray(picture)


@pytest.fixture
def seen(api, object_store):
    """Two photographs, of a temple and of a flower, and two drawings."""
    temple, flower = load_sample_images().images
    pictures = {"temple.png": temple, "flower.png": flower, "clock.png": drawn("clock"), "board.png": drawn("board")}
    body = {"name": "seen", "task": "classification", "classes": ["a", "b"]}
    assert api.post("/datasets", body, format="json").status_code == 201
    samples = [{"key": key, "data": data(png(pixels)), "split": "pool"} for key, pixels in pictures.items()]
    assert api.post("/datasets/seen", {"samples": samples}, format="json").status_code == 201


def computed(api, run_job):
    job = Job.objects.get(pk=api.post(f"{AT}/embeddings", {}, format="json").json()["job"]["id"])
    job = run_job(job)
    assert job.state == "succeeded", job.error
    return job


def remember() -> None:
    """Keep what a job has made."""
    lexicon = Lexicon.objects.get()
    rows = {"onnx": Backbone.objects.get().onnx, "text": lexicon.text, "posterior": lexicon.posterior}
    MADE.update({name: store().get(row.ref) for name, row in rows.items()})


@pytest.fixture
def kept(object_store):
    """The backbone and its lexicon, if a test before has made them."""
    if MADE:
        blobs = {name: keep_bytes(made, media_type="application/octet-stream") for name, made in MADE.items()}
        Backbone.objects.create(name=BACKBONE, onnx=blobs["onnx"])
        Lexicon.objects.create(backbone=BACKBONE, text=blobs["text"], posterior=blobs["posterior"])


@pytest.fixture
def readable(api, seen, kept, run_job):
    """Embedded, and to be searched by words."""
    computed(api, run_job)
    remember()


def like(api, text, status=200, **query):
    answer = api.get(f"{AT}/similar", {"text": text, **query})
    assert answer.status_code == status, answer.content
    return answer.json()


def keys(found):
    return [row["key"] for row in found["results"]]


@pytest.mark.clock
def test_words_find_what_is_called_like_them_and_the_answer_says_by_what(api, seen, run_job):
    before = api.get(f"{AT}/embeddings").json()
    assert (before["words"], before["embedded"]) == ({"ready": False, "by": NAME, "about": ABOUT}, 0)
    missing = like(api, "a clock on the wall", 409)
    assert (missing["code"], "`lode dataset embed seen`" in missing["detail"]) == ("embeddings_missing", True)
    job = computed(api, run_job)
    assert job.shards.get(phase=0).result == {"made": ["posterior", "text"]}
    remember()
    assert api.get(f"{AT}/embeddings").json()["words"]["ready"] is True
    assert collected()["objects"] == 0, "the collector knows what the lexicon is for"
    for words, first in {
        "a clock on the wall": "clock.png", "an old church": "temple.png", "a place to pray": "temple.png",
        "crossword puzzle": "board.png",
    }.items():  # fmt: skip
        assert keys(like(api, words))[0] == first, words
    found = like(api, "  a  clock ")
    assert (found["by"], found["model"], found["compared"]) == (NAME, None, 4)
    assert found["words"] == {"text": "a clock", "tokens": 4, "read": 4, "about": ABOUT, "unknown": None}
    algebra, horse, plane = (like(api, words)["words"]["unknown"] for words in ("algebra", "a horse", "an airplane"))
    for told, words in ((algebra, "algebra"), (horse, "a horse")):
        assert (told["known"], told["similarity"] < told["least"] == LEAST_KNOWN) == (False, True)
        assert told["detail"].startswith(f"The search does not know “{words}”")
    assert (plane["known"], plane["similarity"] < plane["least"]) == (True, True)
    assert plane["detail"].startswith("No image is like “an airplane”: the most similar one has 0.")
    for told in (algebra, horse, plane):
        assert len(told["nearest"]) == 5
        assert told["detail"].endswith(f"The nearest words that it knows: {', '.join(told['nearest'])}.")
    assert "airliner" in plane["nearest"]
    similarities = [row["similarity"] for row in found["results"]]
    assert similarities == sorted(similarities, reverse=True)
    by_image = api.get(f"{AT}/similar", {"to": "clock.png"}).json()
    assert (by_image["words"], by_image["by"]) == (None, "efficientnet_lite0")
    assert by_image["results"][0]["similarity"] == 1.0


@pytest.mark.clock
def test_the_backbone_describes_digits(api, truth, kept, run_job):
    """By the features of a network that never saw a digit: like ones lie near like ones, far above chance."""
    job = embed(api, run_job)
    remember()
    at = "/datasets/digits/versions/head"
    told = api.get(f"{at}/embeddings").json()
    assert (told["model"], told["by"], told["embedded"], told["missing"]) == (None, BACKBONE, 110, 0)
    assert sum(shard.result["scored"] for shard in job.shards.filter(phase=1)) == 110
    right = []
    for key, digit in truth.items():
        answer = api.get(f"{at}/similar", {"to": key, "limit": 6}).json()
        assert answer["results"][0]["key"] == key
        right += [truth[row["key"]] == digit for row in answer["results"][1:]]
    assert np.mean(right) > 0.5, "one in ten would be chance"


@pytest.mark.clock
def test_filters_and_windows_hold_beside_words_and_a_long_text_is_cut(api, readable):
    every = keys(like(api, "a clock"))
    assert keys(like(api, "a clock", limit=2, offset=1)) == every[1:3]
    assert keys(like(api, "a clock", filter="key prefix flower")) == ["flower.png"]
    assert like(api, "a clock", split="test")["results"] == []
    words = like(api, "dog " * 249)["words"]
    assert (words["tokens"], words["read"]) == (251, 251)
    long = like(api, "a b " * 249)["words"]
    assert (long["tokens"], long["read"]) == (500, 256)


def test_what_does_not_go_together_is_named(api, seen, subtests):
    for query, field, said in [
        ({"text": "  "}, "text", "write what is to be seen"),
        ({"text": "x" * 1001}, "text", "at most 1000 characters"),
        ({"text": "a car", "to": "clock.png"}, "to", "leave it out"),
        ({"text": "a car", "width": 3}, "width", "leave it out"),
        ({"text": "a car", "model": "shades@1"}, "model", "reads no words"),
        ({}, "to", "`text`"),
    ]:
        with subtests.test(query=query, field=field, said=said):
            answer = api.get(f"{AT}/similar", query)
            assert answer.status_code == 400, answer.content
            assert said in answer.json()["errors"][field][0]


@pytest.mark.clock
def test_a_lexicon_that_came_later_needs_no_second_look_at_images(api, readable, run_job):
    """Embeddings of before there were words: the next job makes the lexicon and computes nothing again."""
    Lexicon.objects.all().delete()
    missing = like(api, "a clock", 409)
    assert missing["code"] == "embeddings_missing"
    assert missing["detail"].startswith("What reads words beside the embeddings is not made yet: make it with")
    assert api.get(f"{AT}/similar", {"to": "clock.png"}).status_code == 200
    told = api.post(f"{AT}/embeddings", {}, format="json")
    assert told.status_code == 202
    job = run_job(Job.objects.get(pk=told.json()["job"]["id"]))
    assert job.shards.get(phase=0).result == {"made": ["posterior", "text"]}
    assert job.shards.get(phase=1).result["scored"] == 0
    assert Backbone.objects.count() == 1
    assert keys(like(api, "a clock"))[0] == "clock.png"


def test_a_model_of_ones_own_needs_no_lexicon(api, alice, truth, run_job):
    version_of(shipped(), alice)
    embed(api, run_job, model="shades@1")
    assert api.get("/datasets/digits/versions/head/embeddings", {"model": "shades@1"}).json()["words"] is None
    assert not Lexicon.objects.exists()


@pytest.mark.clock
def test_the_vectors_are_the_mean_of_the_names_by_the_posterior(readable):
    """As the paper says it, in float64 and sample by sample."""
    (part,) = parts_of(file.blob.ref for file in files_of(Backbone.objects.get()))
    lexicon = Lexicon.objects.get()
    made = description_of(lexicon).described(np.array(part.embedding))
    posterior = Posterior.read(store().get(lexicon.posterior.ref))
    for row, features in zip(made, np.array(part.embedding, np.float64), strict=True):
        logits = (posterior.weights.astype(np.float64) @ features + posterior.bias) / posterior.temperature
        likely = np.exp(logits) / np.exp(logits).sum()
        expected = sum(share * name for share, name in zip(likely, posterior.names.astype(np.float64), strict=True))
        np.testing.assert_allclose(row, expected, atol=1e-5)
