"""Splits by the names of folders and files: whole names, the image's folder first, and classes called like splits."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.datasets.formats.test_class_names import told

from formats import FORMS, OBJECTS, ONE_CLASS, Annotated, Batch, Reading, SplitNames, SplitSource, read
from formats.splits import NOUNS, POOLS, WORDS, split_named, split_of_file_name

ROOT = Path(__file__).resolve().parents[3]
NAMES = json.loads((ROOT / "frontend/src/features/datasets/create/split-names.json").read_text())
SIZE = (40, 30)
FILLERS = {"set", "image", "images", "img", "imgs", "data", "dataset", "sample", "samples", "split", "photo", "photos",
           "picture", "pictures", "pics", "frame", "frames", "jpg", "jpeg", "png"}  # fmt: skip


def coco(*names: str) -> bytes:
    images = [{"id": n, "file_name": name, "width": 40, "height": 30} for n, name in enumerate(names)]
    boxes = [{"id": n, "image_id": n, "category_id": 1, "bbox": [1, 2, 10, 9]} for n in range(len(names))]
    return json.dumps({"images": images, "annotations": boxes, "categories": [{"id": 1, "name": "car"}]}).encode()


def splits(reading: Reading) -> dict[str, tuple[str | None, SplitSource | None]]:
    return {key: (said.split, said.source) for key, said in reading.samples.items()}


def boxes(images: list[str], documents: dict[str, bytes]) -> Reading:
    return read("coco", Batch(dict.fromkeys(images, SIZE), documents, ["car"], OBJECTS))


@pytest.mark.parametrize(("name", "split"), NAMES["folders"].items())
def test_a_folder_names_a_split_by_its_whole_name(name: str, split: str | None) -> None:
    assert split_named(name) == split


@pytest.mark.parametrize(("name", "split"), NAMES["files"].items())
def test_a_file_names_a_split_by_its_whole_name(name: str, split: str | None) -> None:
    assert split_of_file_name(name) == split


@given(
    stem=st.from_regex(r"[a-z0-9]{1,12}", fullmatch=True),
    word=st.sampled_from([*WORDS, *POOLS]),
    sign=st.sampled_from(["", "_", "-", " ", "."]),
    first=st.booleans(),
)
def test_no_word_inside_a_name_gives_a_split(*, stem: str, word: str, sign: str, first: bool) -> None:
    assume(stem not in FILLERS | NOUNS | {*WORDS} and not re.fullmatch(r"\d|(19|20)\d\d", stem))
    name = f"{word}{sign}{stem}" if first else f"{stem}{sign}{word}"
    assume(name not in {*WORDS, *POOLS} and split_named(stem) is None)
    assert split_named(name) is None
    assert SplitNames([f"{name}/a.png"], [f"{name}.json"]).of_image(f"{name}/a.png") is None
    assert split_of_file_name(f"{name}.json") is None


@given(st.sampled_from(sorted(WORDS)), st.sampled_from(sorted(WORDS)), st.sampled_from(["csv", "json"]))
def test_the_folder_of_an_image_comes_before_the_name_of_a_file(folder: str, word: str, suffix: str) -> None:
    key, file = f"{folder}/a.png", f"{word}.{suffix}"
    document = coco(key) if suffix == "json" else f"file,class,xmin,ymin,xmax,ymax\n{key},car,1,2,11,11\n".encode()
    kind = "coco" if suffix == "json" else "csv"
    reading = read(kind, Batch({key: SIZE}, {file: document}, ["car"], OBJECTS))
    assert splits(reading) == {key: (WORDS[folder], SplitSource("folder", folder))}
    decided = [line for line in reading.notes.lines() if "decided their split" in line]
    assert bool(decided) is (WORDS[folder] != WORDS[word])


def test_one_file_of_three_folders_leaves_each_image_in_its_own() -> None:
    keys = ["train/a.png", "val/b.png", "test/c.png", "d.png"]
    found = boxes(keys, {"labels_train_val_test.json": coco(*keys)})
    assert {key: said.split for key, said in found.samples.items()} == {
        "train/a.png": "train", "val/b.png": "val", "test/c.png": "test", "d.png": None,
    }  # fmt: skip


def test_names_that_differ_in_the_word_alone_are_a_convention() -> None:
    files = {"signs_train.json": coco("a.png"), "signs_val.json": coco("b.png"), "other_test.json": coco("c.png")}
    found = splits(boxes(["a.png", "b.png", "c.png"], files))
    assert found == {
        "a.png": ("train", SplitSource("file", "signs_train.json")),
        "b.png": ("val", SplitSource("file", "signs_val.json")),
        "c.png": (None, None),
    }  # fmt: skip
    names = SplitNames(
        ["seg_train/seg_train/sea/1", "seg_test/seg_test/sea/2", "seg_pred/3", "dev_board/4", "test_board/5"]
    )
    placed = {
        key: names.of_image(key) for key in ("seg_train/seg_train/sea/1", "seg_test/x/2", "seg_pred/3", "dev_board/4")
    }
    assert [named and named.split for named in placed.values()] == ["train", "test", None, None]


def test_an_image_that_two_files_put_into_two_splits_is_in_neither() -> None:
    found = boxes(
        ["a.png", "b.png"], {"instances_train.json": coco("a.png", "b.png"), "instances_test.json": coco("a.png")}
    )
    assert (found.samples["a.png"].label, found.samples["a.png"].split) == (None, None)
    assert found.samples["b.png"].split == "train"
    [fault] = found.faults
    assert "in test by instances_test.json and in train by instances_train.json" in str(fault.error)


@pytest.mark.parametrize("form", FORMS)
def test_a_file_beside_one_image_is_called_like_it_and_names_no_split(form: str) -> None:
    del form
    document = json.dumps({"shapes": [], "imagePath": "test.png", "imageWidth": 40, "imageHeight": 30}).encode()
    reading = read("labelme", Batch({"x/test.png": SIZE}, {"x/test.json": document}, ["car"], OBJECTS))
    assert reading.samples["x/test.png"].split is None


def test_a_labelled_image_is_in_the_pool_only_by_a_whole_folder_and_not_silently() -> None:
    named = boxes(["pool/a.png"], {"x.json": coco("pool/a.png")})
    assert splits(named) == {"pool/a.png": ("pool", SplitSource("folder", "pool"))}
    assert any("labelled images stay in pool" in line for line in named.notes.lines())
    for key, file in (
        ("pool_1/a.png", "x.json"),
        ("imgs/a.png", "pool.json"),
        ("a.png", "swimming_pool_annotations.json"),
    ):
        assert boxes([key], {file: coco(key)}).samples[key].split is None


@pytest.mark.parametrize(("images", "classes"), NAMES["classes"])
def test_a_class_may_be_called_like_a_split(images: list[str], classes: list[str]) -> None:
    found = told(images, {"classes.txt": "\n".join(classes)} if len(classes) == 1 else {})
    assert sorted(found.names) == classes


def test_folders_of_classes_called_like_splits_are_labels() -> None:
    keys = [
        "train/bus/1.png",
        "train/train/2.png",
        "test/bus/3.png",
        "test/train/4.png",
        "train/5.png",
        "test/test/6.png",
    ]
    reading = read("image_folder", Batch(dict.fromkeys(keys, SIZE), {}, ["bus", "train"], ONE_CLASS))
    assert {key: (said.label, said.split) for key, said in reading.samples.items()} == {
        "train/bus/1.png": ({"class": "bus"}, "train"), "train/train/2.png": ({"class": "train"}, "train"),
        "test/bus/3.png": ({"class": "bus"}, "test"), "test/train/4.png": ({"class": "train"}, "test"),
        "train/5.png": (None, "train"), "test/test/6.png": (None, "test"),
    }  # fmt: skip
    flat = read("image_folder", Batch({"train/1.png": SIZE, "bus/2.png": SIZE}, {}, ["bus", "train"], ONE_CLASS))
    assert flat.samples["train/1.png"] == Annotated({"class": "train"})


def test_what_was_taken_for_a_split_beside_classes_is_said() -> None:
    assert told(["cat/1", "dog/1", "pool/1"], {}).splits == ["pool/"]
    assert told(["train/cat/1", "train/dog/1", "test/cat/1"], {}).splits == []
