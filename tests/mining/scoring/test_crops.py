"""Regions of images: each is cut out with its margin and shown to the model by itself."""

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.mining.half_detector import half_detector

from export.runtime import Session
from scoring.crops import cut, describe
from scoring.table import ScoreTable, packed
from worker_programs.events import Silent
from worker_programs.manifest import Sample
from worker_programs.readers import Folder

NOTHING = [np.nan] * 4


def photograph(seed, height=20, width=30):
    return np.random.default_rng(seed).integers(0, 256, (height, width, 1), np.uint8)


def test_the_embedding_of_a_region_is_that_of_its_pixels(tmp_path):
    folder, session = Folder(tmp_path), Session(half_detector(0.75))
    images = [photograph(0), photograph(1)]
    samples = [
        Sample.of(f"{at}.png", folder.put(cv2.imencode(".png", one)[1].tobytes())) for at, one in enumerate(images)
    ]
    regions = np.array([[[0.2, 0.3, 0.7, 0.7], [0, 0, 1, 1]], [[0.5, 0.5, 1.0, 1.0], NOTHING]], np.float32)
    made = describe(session, samples, regions, folder)
    rows = ScoreTable([made]).rows(packed(sample.md5 for sample in samples))
    # a tenth of the width and height is shown around: 0.15..0.75 of 30 columns, 0.26..0.74 of 20 rows
    pixels = cv2.resize(images[0][5:15, 4:23], (8, 8), interpolation=cv2.INTER_AREA)[None, :, :, None]
    np.testing.assert_allclose(
        made.embedding[rows[0], 0].astype(np.float32), session.run(pixels).embedding[0], atol=1e-3
    )
    whole = cv2.resize(images[0], (8, 8), interpolation=cv2.INTER_AREA)[None, :, :, None]
    np.testing.assert_allclose(
        made.embedding[rows[0], 1].astype(np.float32), session.run(whole).embedding[0], atol=1e-3
    )
    assert not made.embedding[rows[1], 1].any(), "there is no second object"
    assert made.embedding.shape == (2, 2, 4)


def test_what_can_not_be_decoded_is_named_and_the_rest_is_looked_at(tmp_path):
    folder, session = Folder(tmp_path), Session(half_detector(0.75))
    good, bad = folder.put(cv2.imencode(".png", photograph(0))[1].tobytes()), folder.put(b"\x89PNG\r\n\x1a\nnothing")
    told = []

    class Listening(Silent):
        def progress(self, done: int, total: int, *, unit: str) -> None:
            told.append((done, total, unit))

    made = describe(
        session, [Sample.of("bad.png", bad), Sample.of("good.png", good)],
        np.array([[[0, 0, 1, 1]], [[0, 0, 1, 1]]], np.float32), folder, listener=Listening(),
    )  # fmt: skip
    assert len(made) == 1
    assert [item.md5 for item in made.refused] == [bad.md5]
    assert told[-1] == (2, 2, "images")
    with pytest.raises(ValueError, match="regions: expected"):
        describe(session, [Sample.of("good.png", good)], np.zeros((2, 1, 4), np.float32), folder)


@given(region=st.tuples(*[st.floats(-0.5, 1.5)] * 4), height=st.integers(1, 40), width=st.integers(1, 40))
def test_any_region_has_a_pixel_and_lies_inside(region, height, width):
    x1, y1, x2, y2 = region
    ordered = np.array([[min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2)]], np.float32)
    made = cut(photograph(3, height, width), ordered, (1, 8, 8))
    assert made.shape == (1, 8, 8, 1)
