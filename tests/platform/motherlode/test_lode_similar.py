"""`lode dataset embed` and `similar`, as they are typed."""

import json
from pathlib import Path

import pytest
from tests.platform.motherlode.canned import Answer, CannedServer, problem
from tests.platform.motherlode.test_lode import lode
from tests.platform.motherlode.test_lode_models import JOB

AT = "/datasets/cats/versions/head"
COVERED = {"version": 3, "model": None, "encoder": None, "by": "efficientnet_lite0", "samples": 120, "embedded": 100,
           "unreadable": 2, "missing": 18, "words": None, "job": JOB}  # fmt: skip
FOUND = {"results": [{"key": "a/1.png", "similarity": 0.98765, "split": "pool", "label": {"class": "cat"}}], "total": 1,
         "offset": 0, "compared": 100, "missing": 18, "unreadable": 2, "version": 3, "model": None,
         "encoder": None, "by": "efficientnet_lite0", "words": None}  # fmt: skip


def test_embeddings_are_computed_and_followed(server: CannedServer, tmp_path: Path) -> None:
    server.script[f"POST {AT}/embeddings"] = [Answer(202, COVERED)]
    server.script["GET /jobs/5"] = [Answer(200, JOB)]
    server.script[f"GET {AT}/embeddings"] = [Answer(200, COVERED | {"embedded": 118, "missing": 0, "job": None})]
    done = lode(server, "dataset", "embed", "cats", "--wait", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "job 5 computes 18 embeddings of version 3 by efficientnet_lite0" in done.stdout
    assert "118 of 120 samples have embeddings" in done.stdout
    assert "2 are images that efficientnet_lite0 can't read" in done.stdout


def test_where_none_is_missing_it_says_so(server: CannedServer, tmp_path: Path) -> None:
    server.script[f"POST {AT}/embeddings"] = [Answer(200, COVERED | {"embedded": 118, "missing": 0, "job": None})]
    done = lode(server, "dataset", "embed", "cats", "--model", "m@2", cwd=tmp_path)
    assert "all 118 samples of version 3 have embeddings" in done.stdout


def test_the_nearest_are_listed_with_what_is_missing(server: CannedServer, tmp_path: Path) -> None:
    server.script[f"GET {AT}/similar"] = [Answer(200, FOUND)]
    words = ("--limit", "5", "--crop", "1,2,30,40", "--slice", "night", "--filter", "split = pool")
    done = lode(server, "dataset", "similar", "cats", "a/1.png", *words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    for told in ("like a/1.png, of 100 samples of version 3", "0.9877", "a/1.png", "cat",
                  "not compared, for want of an embedding: 18; next: lode dataset embed cats"):  # fmt: skip
        assert told in done.stdout
    assert json.loads(lode(server, "dataset", "similar", "cats", "a/1.png", "--json", cwd=tmp_path).stdout) == FOUND


def test_an_image_of_ones_own_is_sent(server: CannedServer, tmp_path: Path) -> None:
    (tmp_path / "mine.png").write_bytes(b"pixels")
    server.script[f"POST {AT}/similar"] = [Answer(200, FOUND)]
    done = lode(server, "dataset", "similar", "cats", "--image", "mine.png", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "like mine.png" in done.stdout


def test_words_are_asked_for_and_by_what_they_were_compared_is_said(server: CannedServer, tmp_path: Path) -> None:
    unknown = {"known": True, "similarity": 0.4, "least": 0.5, "nearest": ["sports car"]}
    unknown |= {"detail": "No image is like “a red car”."}
    read = {"text": "a red car", "tokens": 300, "read": 256, "about": "It knows names alone.", "unknown": unknown}
    server.script[f"GET {AT}/similar"] = [Answer(200, FOUND | {"by": "names of classes", "words": read})]
    done = lode(server, "dataset", "similar", "cats", "--text", "a red car", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    for told in ("like a red car, of 100 samples of version 3, by names of classes", "It knows names alone.",
                 "of the words' 300 tokens the first 256 were read", "No image is like “a red car”.",
                 "a/1.png"):  # fmt: skip
        assert told in done.stdout


def test_an_encoder_is_named_beside_words_and_in_what_to_do_next(server: CannedServer, tmp_path: Path) -> None:
    read = {"text": "a red car", "tokens": 5, "read": 5, "about": "It depends.", "unknown": None}
    found = FOUND | {"by": "clip", "encoder": "clip", "words": read}
    server.script[f"GET {AT}/similar"] = [Answer(200, found)]
    done = lode(server, "dataset", "similar", "cats", "--text", "a red car", "--encoder", "clip", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "encoder=clip" in server.asked[0].path
    for told in ("of 100 samples of version 3, by clip", "lode dataset embed cats --encoder clip"):
        assert told in done.stdout
    server.script[f"POST {AT}/embeddings"] = [Answer(202, COVERED | {"by": "clip", "encoder": "clip"})]
    done = lode(server, "dataset", "embed", "cats", "--encoder", "clip", cwd=tmp_path)
    assert "computes 18 embeddings of version 3 by clip" in done.stdout
    assert server.asked[-1].document == {"encoder": "clip"}


@pytest.mark.parametrize("words", [(), ("a.png", "--image", "mine.png"), ("a.png", "--crop", "1,2,3"),
                                   ("a.png", "--text", "a car"), ("--text", "a car", "--model", "m@1"),
                                   ("--text", "a car", "--crop", "1,2,3,4"),
                                   ("a.png", "--crop", "a,b,c,d"), ("a.png", "--limit", "0")])  # fmt: skip
def test_what_makes_no_sense_is_refused_here(server: CannedServer, tmp_path: Path, words: tuple[str, ...]) -> None:
    (tmp_path / "mine.png").write_bytes(b"pixels")
    assert lode(server, "dataset", "similar", "cats", *words, cwd=tmp_path).returncode == 2


def test_without_embeddings_the_platforms_words_are_shown(server: CannedServer, tmp_path: Path) -> None:
    said = problem(409, "embeddings_missing", detail="No sample of cats v3 has an embedding: compute them")
    server.script[f"GET {AT}/similar"] = [said]
    done = lode(server, "dataset", "similar", "cats", "a.png", cwd=tmp_path)
    assert done.returncode == 1
    assert "embeddings_missing" in done.stderr
    assert "compute them" in done.stderr
