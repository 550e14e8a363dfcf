"""The set of traffic signs: exact boxes, the same bytes from the same seed, nothing shared between splits."""

import json
import re
from itertools import combinations, pairwise

import cv2
import numpy as np
import pytest
from tests.platform.demo.sign_sources import disc

from demo import npm
from demo.signs import dataset, signs_dataset
from demo.signs.dataset import SignsError, scenes, split_counts
from demo.signs.placing import cover, paste, place
from demo.signs.scene import MOST_HIDDEN, SMALLEST_SIDE, Sign
from demo.signs.sources import SPLITS, TABLE
from demo.signs.sprites import plain_shape, rasterised, sprite
from formats.batch import Batch
from formats.registry import read, recognise
from formats.samples import OBJECTS

SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40"><circle cx="20" cy="20" r="10" fill="#c00"/></svg>'


@pytest.fixture(scope="module")
def made(sources, tmp_path_factory):
    return signs_dataset(tmp_path_factory.mktemp("signs") / "set", 60, 3, sources=sources)


def annotations(made, split):
    coco = made.coco(split)
    sizes = {row["id"]: (row["width"], row["height"]) for row in coco["images"]}
    return [(row, sizes[row["image_id"]]) for row in coco["annotations"]]


@pytest.mark.clock
def test_the_same_seed_gives_the_same_bytes_and_another_does_not(sources, made, tmp_path):
    again = signs_dataset(tmp_path / "again", 60, 3, sources=sources)
    other = signs_dataset(tmp_path / "other", 60, 4, sources=sources)
    for split in SPLITS:
        assert again.coco(split) == made.coco(split)
        assert other.coco(split) != made.coco(split)
        for one, two in zip(made.images_of(split), again.images_of(split), strict=True):
            assert one.read_bytes() == two.read_bytes()


def test_boxes_lie_inside_their_images_and_files_have_the_size_that_is_told(made):
    boxes = [one for split in SPLITS for one in annotations(made, split)]
    assert len(boxes) > 80
    for row, (width, height) in boxes:
        x, y, wide, high = row["bbox"]
        assert 0 <= x < x + wide <= width
        assert 0 <= y < y + high <= height
    for path, row in zip(made.images_of("train"), made.coco("train")["images"], strict=True):
        picture = cv2.imread(str(path))
        assert picture is not None
        assert picture.shape[:2] == (row["height"], row["width"])
        assert 320 <= max(picture.shape[:2]) <= 640


def test_a_box_is_the_bounds_of_what_was_drawn():
    # White on black: the colour of each pixel is its alpha.
    white = np.zeros((96, 96, 4), np.uint8)
    cv2.circle(white, (48, 48), 40, (255, 255, 255, 255), -1, cv2.LINE_AA)
    sign, rng = sprite("stop", "stop", white), np.random.default_rng(1)
    for side in (9.0, 30.0, 120.0):
        for centre in ((100.0, 90.0), (1.0, 90.0), (198.0, 178.0)):
            image = np.zeros((180, 200, 3), np.float32)
            placed = place(sign, side=side, centre=centre, size=(200, 180), rng=rng)
            assert placed is not None
            paste(image, placed, gain=1.0, fade=0.0)
            rows, columns = np.nonzero(image[..., 0] > 127.5)
            assert placed.box == (columns.min(), rows.min(), columns.max() + 1, rows.max() + 1)
            assert (placed.cut > 0) == (centre != (100.0, 90.0))


def test_nothing_is_placed_outside_the_image():
    outside = place(disc("stop", "stop", 0), side=20, centre=(-60, 5), size=(99, 99), rng=np.random.default_rng(0))
    assert outside is None


def test_what_is_small_or_hidden_is_ignored():
    assert Sign("stop", "s", (0, 0, SMALLEST_SIDE - 1, 40), 0.0).ignored
    assert Sign("stop", "s", (0, 0, 40, 40), MOST_HIDDEN + 0.01).ignored
    assert not Sign("stop", "s", (0, 0, SMALLEST_SIDE, 40), MOST_HIDDEN).ignored


def test_a_cover_hides_a_part_and_ignored_signs_are_crowds(made):
    shares = [cover((50, 50, 90, 90), size=(150, 150), rng=np.random.default_rng(seed)) for seed in range(40)]
    inside = [mask[50:90, 50:90].mean() for mask in shares]
    assert min(inside) < 0.2
    assert max(inside) > MOST_HIDDEN
    rows = [row for split in SPLITS for row, _ in annotations(made, split)]
    for row in rows:
        small = min(row["bbox"][2:]) < SMALLEST_SIDE
        assert row["iscrowd"] == int(small or row["attributes"]["hidden"] > MOST_HIDDEN)
    assert {row["iscrowd"] for row in rows} == {0, 1}
    assert any(row["attributes"]["hidden"] > 0 and not row["iscrowd"] for row in rows)


def test_signs_and_photographs_of_a_split_are_its_own(made):
    for split in SPLITS:
        assert all(row["attributes"]["sign"].startswith(split) for row, _ in annotations(made, split))
        assert {row["meta"]["photograph"] for row in made.coco(split)["images"]} == {f"{split}-photograph"}


def test_the_table_shares_no_kind_of_sign_and_no_photograph_between_splits():
    table = json.loads(TABLE.read_text())
    # A sign's variants (g1, g2 ..) are those of several countries; stop signs differ by variant.
    names: dict[str, set[str]] = {split: set() for split in SPLITS}
    for kind, splits in [*table["signs"]["classes"].items(), ("", table["signs"]["distractors"])]:
        for split, signs in splits.items():
            names[split] |= {name if kind == "stop" else re.sub(r"--g\d+$", "", name) for name in signs}
    photographs = {
        split: {f"{row['package']}/{name}" for row in table["photographs"] for name in row["members"][split]}
        for split in SPLITS
    }
    for parts in (names, photographs):
        assert not any(parts[one] & parts[two] for one, two in combinations(SPLITS, 2))
    assert sum(map(len, photographs.values())) >= 60
    for row in (table["signs"], *table["photographs"]):
        assert row["licence"] == "MIT"
        assert re.fullmatch(r"sha512-[\w+/]{86}==", row["integrity"])


def test_some_images_have_no_signs_and_their_label_says_so(made):
    counts = made.summary()
    assert 0 < counts["train"]["without_signs"] < counts["train"]["images"] / 3
    assert {"boxes": []} in made.labels("train").values()


def test_an_image_does_not_depend_on_how_many_there_are(sources):
    few, many = (list(scenes("val", count, 5, sources)) for count in (2, 4))
    for (one, quality), (two, same) in zip(few, many, strict=False):
        assert (quality, one.annotations) == (same, two.annotations)
        assert np.array_equal(one.pixels, two.pixels)


def test_a_set_that_is_there_is_not_made_again_and_another_is_refused(sources, made, monkeypatch, tmp_path):
    monkeypatch.setattr(dataset, "render", None)
    assert signs_dataset(made.folder, 60, 3) == made
    with pytest.raises(SignsError, match="another folder"):
        signs_dataset(made.folder, 61, 3)
    (tmp_path / "letter.txt").touch()
    with pytest.raises(SignsError, match="not empty"):
        signs_dataset(tmp_path, 60, 3, sources=sources)


def test_splits_are_whole_and_never_empty():
    assert split_counts(1200) == {"train": 840, "val": 120, "test": 240}
    assert split_counts(3) == {"train": 1, "val": 1, "test": 1}
    with pytest.raises(SignsError):
        split_counts(2)


def test_an_svg_becomes_what_it_shows_at_halving_sizes():
    sign = rasterised("stop", "stop", SVG)
    sides = [max(level.shape[:2]) - 2 for level in sign.levels]
    assert sides[0] == 192
    assert all(small == large // 2 for large, small in pairwise(sides))
    whole = sign.levels[0]
    assert whole[97, 97].tolist() == [0, 0, 204, 255]  # BGRA
    assert whole[..., 3].mean() / 255 == pytest.approx(np.pi / 4, abs=0.02)
    assert [max(sign.level_for(side).shape[:2]) for side in (500, 60, 9)] == [194, 98, 14]


def test_plain_shapes_have_no_class():
    rng = np.random.default_rng(0)
    shapes = [plain_shape(rng) for _ in range(30)]
    assert {shape.kind for shape in shapes} == {None}
    assert len({shape.name for shape in shapes}) > 3


def test_another_package_than_the_pinned_one_is_refused(tmp_path, monkeypatch):
    fake = tmp_path / "npm"
    fake.write_text("#!/bin/sh\necho other > signs-1.0.0.tgz\n")
    fake.chmod(0o755)
    monkeypatch.setenv("NPM", str(fake))
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    with pytest.raises(npm.NpmError, match="pinned integrity"):
        npm.pack("signs@1.0.0", "sha512-x", scratch)
    assert npm.pack("signs@1.0.0", npm.integrity_of(scratch / "signs-1.0.0.tgz"), scratch).name == "signs-1.0.0.tgz"


def test_the_platform_reads_the_set_as_it_is(made):
    images = {str(path.relative_to(made.folder)): None for split in SPLITS for path in made.images_of(split)}
    texts = {str(path.relative_to(made.folder)): path.read_bytes() for path in made.folder.rglob("*.json")}
    batch = Batch(images, texts, made.classes, OBJECTS)
    recognised = recognise(batch)
    assert recognised is not None
    assert recognised.format == "coco"
    reading = read("coco", batch)
    assert not reading.faults
    for split in SPLITS:
        for name, label in made.labels(split).items():
            sample = reading.samples[f"images/{split}/{name}"]
            assert sample.split == split
            told = {"boxes": [], "ignore": [], **(sample.label or {})}
            for key in ("boxes", "ignore"):
                expected = [(one["class"], one["box"]) for one in label.get(key, [])]
                assert [(one["class"], one["box"]) for one in told[key]] == expected
