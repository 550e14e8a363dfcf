"""Near-duplicates: what recompression, scaling and light leave alike is found, and what only looks alike is not."""

import io
from collections.abc import Callable
from functools import lru_cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageEnhance
from sklearn.datasets import load_sample_images
from tests.laws import examples

from blobs import images
from blobs import likeness as alike
from blobs.likeness import Likeness, Screen, agree, hashes, near, near_within, sketches
from demo.mnist import sklearn_digits

PHOTOS = [Image.fromarray(photo) for photo in load_sample_images().images]
TILES = [
    photo.crop((x * photo.width // 3, y * photo.height // 3, (x + 1) * photo.width // 3, (y + 1) * photo.height // 3))
    for photo in PHOTOS
    for x in range(3)
    for y in range(3)
]


def encoded(image: Image.Image, kind: str = "PNG", **options: object) -> bytes:
    out = io.BytesIO()
    image.save(out, kind, **({"compress_level": 1} if kind == "PNG" else {}) | options)
    return out.getvalue()


@lru_cache
def kept(data: bytes) -> Likeness:
    found = images.probe(data).likeness
    assert found is not None
    return found


def same(left: list[Likeness], right: list[Likeness]) -> set[tuple[int, int]]:
    """The pairs that count as near-duplicates."""
    found = set()
    for one, other, _ in near(hashes([item.phash for item in left]), hashes([item.phash for item in right])):
        shown = agree(sketches([left[row].sketch for row in one]), sketches([right[row].sketch for row in other]))
        found |= {(int(i), int(j)) for i, j in zip(one[shown], other[shown], strict=True)}
    return found


def cropped(image: Image.Image) -> Image.Image:
    x, y = image.width // 100, image.height // 100
    return image.crop((x, y, image.width - x, image.height - y))


@pytest.mark.parametrize(
    "changed",
    [
        lambda image: encoded(image, "JPEG", quality=75),
        lambda image: encoded(image, "JPEG", quality=30),
        lambda image: encoded(image, "WEBP", quality=60),
        lambda image: encoded(image.resize((image.width // 2, image.height // 2))),
        lambda image: encoded(image.resize((image.width * 2, image.height * 2))),
        lambda image: encoded(ImageEnhance.Brightness(image).enhance(0.7)),
        lambda image: encoded(ImageEnhance.Contrast(image).enhance(1.3)),
        lambda image: encoded(image.convert("L")),
        lambda image: encoded(cropped(image)),
    ],
    ids=["jpeg 75", "jpeg 30", "webp 60", "half", "double", "darker", "contrast", "gray", "1 % cropped"],
)
def test_a_photograph_is_known_again(changed: Callable[[Image.Image], bytes]) -> None:
    before = [kept(encoded(tile)) for tile in [*PHOTOS, *TILES]]
    after = [kept(changed(tile)) for tile in [*PHOTOS, *TILES]]
    assert {(row, row) for row in range(len(before))} == same(before, after)


@pytest.mark.parametrize("orientation", range(1, 9))
def test_exif_orientation_makes_no_difference(orientation: int) -> None:
    turns = {2: 0, 3: 3, 4: 1, 5: 5, 6: 2, 7: 6, 8: 4}  # what a camera held so would have written
    stored = PHOTOS[0] if orientation == 1 else PHOTOS[0].transpose(Image.Transpose(turns[orientation]))
    exif = Image.Exif()
    exif[0x0112] = orientation
    assert same([kept(encoded(PHOTOS[0]))], [kept(encoded(stored, "JPEG", quality=90, exif=exif))]) == {(0, 0)}


def test_a_mirrored_or_turned_photograph_is_another_one() -> None:
    before = [kept(encoded(tile)) for tile in TILES]
    for turn in Image.Transpose:
        assert not same(before, [kept(encoded(tile.transpose(turn))) for tile in TILES])


def test_handwritten_digits_are_not_taken_for_each_other() -> None:
    digits = sklearn_digits()
    found = [kept(encoded(Image.fromarray(image))) for image in digits.train_images]
    pairs = {(i, j) for i, j in same(found, found) if i < j}
    assert len(pairs) < 1e-4 * len(found) ** 2 / 2  # these are 8 x 8 pixels enlarged: of MNIST's pairs, 2 in 10^8


def test_a_digit_stored_as_jpeg_or_enlarged_is_known_again() -> None:
    digits = [Image.fromarray(image) for image in sklearn_digits().train_images[:200]]
    before = [kept(encoded(image)) for image in digits]
    for changed in (
        [encoded(image, "JPEG", quality=90) for image in digits],
        [encoded(image.resize((56, 56), Image.Resampling.BICUBIC)) for image in digits],
    ):
        found = same(before, [kept(data) for data in changed])
        assert sum((row, row) in found for row in range(200)) >= 190


@pytest.mark.parametrize("colour", [(0, 0, 0), (255, 255, 255), (9, 120, 30)])
def test_a_picture_that_shows_nothing_is_like_no_other(colour: tuple[int, int, int]) -> None:
    assert images.probe(encoded(Image.new("RGB", (64, 48), colour))).likeness is None


def test_a_heavy_image_has_the_likeness_of_its_small_copy() -> None:
    heavy = PHOTOS[0].resize((2600, 1700))
    assert same([kept(encoded(heavy, "JPEG"))], [kept(encoded(PHOTOS[0]))]) == {(0, 0)}


NUMBERS = st.integers(0, 2**64 - 1)
FLIPS = st.sets(st.integers(0, 63), max_size=9)


@settings(max_examples=examples(60))
@given(st.lists(NUMBERS, max_size=12), st.lists(FLIPS, max_size=12), st.integers(0, 7))
def test_bands_find_exactly_what_comparing_all_pairs_finds(
    numbers: list[int], flips: list[set[int]], most: int
) -> None:
    left = np.array(numbers, np.uint64)
    flipped = [number ^ sum(1 << bit for bit in bits) for number, bits in zip(numbers, flips, strict=False)]
    right = np.array([*flipped, *numbers[:3]], np.uint64)
    expected = sorted(
        (i, j) for i, one in enumerate(left.tolist()) for j, two in enumerate(right.tolist())
        if (one ^ two).bit_count() <= most
    )  # fmt: skip
    for pairs in (alike._compared, alike._banded, lambda *given: near(*given[:2], most=most)):
        blocks = list(pairs(left, right, most))
        assert sorted((int(i), int(j)) for one, two, _ in blocks for i, j in zip(one, two, strict=True)) == expected
        told = [bits.tolist() for _, _, bits in blocks]
        assert told == [np.bitwise_count(left[one] ^ right[two]).tolist() for one, two, _ in blocks]


@settings(max_examples=examples(60))
@given(st.lists(NUMBERS, max_size=12), st.lists(FLIPS, max_size=12), st.integers(0, 7), st.sampled_from([0, 1 << 24]))
def test_pairs_within_a_set_are_each_found_once(
    numbers: list[int], flips: list[set[int]], most: int, brute_pairs: int
) -> None:
    flipped = [number ^ sum(1 << bit for bit in bits) for number, bits in zip(numbers, flips, strict=False)]
    values = np.array([*numbers, *flipped, *numbers[:3]], np.uint64)
    expected = sorted(
        (i, j) for i, one in enumerate(values.tolist()) for j, two in enumerate(values.tolist())
        if i < j and (one ^ two).bit_count() <= most
    )  # fmt: skip
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(alike, "_BRUTE_PAIRS", brute_pairs)
        blocks = list(near_within(values, most=most))
    assert sorted((int(i), int(j)) for one, two in blocks for i, j in zip(one, two, strict=True)) == expected


@settings(max_examples=examples(60))
@given(st.integers(0, 2**32 - 1), st.sampled_from([0.3, 1.5, 4.0, 30.0]), st.floats(0, 1))
def test_the_screen_passes_all_pairs_that_agree(seed: int, noise: float, plain: float) -> None:
    rng = np.random.default_rng(seed)
    pictures = rng.integers(0, 256, (6, 256)) * (rng.random((6, 256)) >= plain)
    copies = np.repeat(pictures, 5, axis=0) * rng.uniform(0.8, 1.0, (30, 1)) + rng.normal(0, noise, (30, 256))
    sketches = np.clip(copies, 0, 255).astype(np.uint8)
    one, other = np.triu_indices(30, 1)
    passed, agreed = Screen(sketches).passed(one, other), agree(sketches[one], sketches[other])
    assert not (agreed & ~passed).any()
    assert (passed & ~agreed).sum() <= 0.1 * len(one)


def test_blocks_stay_small_where_all_hashes_are_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 25 million pairs, with every number a 25th of what it is."""
    monkeypatch.setattr(alike, "_BLOCK_PAIRS", alike._BLOCK_PAIRS // 25)
    monkeypatch.setattr(alike, "_BRUTE_PAIRS", alike._BRUTE_PAIRS // 25)
    many = np.zeros(1000, np.uint64)
    assert len(many) ** 2 > alike._BRUTE_PAIRS
    sizes = [len(one) for one, _, _ in near(many, many)]
    assert sum(sizes) == 1_000_000
    assert max(sizes) <= 2 * alike._BLOCK_PAIRS
