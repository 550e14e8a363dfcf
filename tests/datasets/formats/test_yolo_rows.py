"""What rows of YOLO are: read as what they are, or refused with every form that they fit; never read as another."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some
from tests.datasets.formats.datasets import fault_in

import formats
from formats import Batch
from formats.samples import OBJECTS

SIZE = (200, 100)
NAMES = "names: [car, bus]\n"
Row = tuple[str, dict[str, Any]]
"""A row of a text file, and what has to be read from it: corners, score, track."""


def batch(*texts: str, data: str = NAMES) -> Batch:
    images = {f"images/{place}.jpg": SIZE for place in range(len(texts))}
    labels = {f"labels/{place}.txt": text.encode() for place, text in enumerate(texts)}
    return Batch(images, labels | {"data.yaml": data.encode()}, ["car", "bus"], OBJECTS)


def objects(*texts: str, data: str = NAMES) -> list[dict[str, Any]]:
    reading = formats.read("yolo", batch(*texts, data=data))
    assert not reading.faults, [str(fault.error) for fault in reading.faults]
    return [box for key in sorted(reading.samples) for box in (reading.samples[key].label or {})["boxes"]]


BOX = {"class": "car", "box": [80, 30, 120, 70]}
POSED = "0 0.5 0.5 0.4 0.8 0.4 0.3 2 0.6 0.4 1 0 0 0"


@pytest.mark.parametrize(
    ("texts", "data", "read"),
    [
        (["0 .5 .5 .2 .4 .9"], NAMES, [BOX | {"attributes": {"score": 0.9}}]),
        (["0 .5 .5 .2 .4 17"], NAMES, [BOX | {"track": "17"}]),
        (["0 .5 .5 .2 .4 .9 17"], NAMES, [BOX | {"attributes": {"score": 0.9}, "track": "17"}]),
        # The id 1 could be the lower edge of a triangle, until another row shows what the rows are.
        (["0 .5 .5 .2 .4 .9 1", "0 .5 .5 .2 .4 .9 17"], NAMES,
         [BOX | {"attributes": {"score": 0.9}, "track": track} for track in ("1", "17")]),
        (["0 .1 .1 .3 .1 .2 1", "0 .1 .1 .3 .1 .2 .4"], NAMES,
         [{"class": "car", "box": [20, 10, 60, 100]}, {"class": "car", "box": [20, 10, 60, 40]}]),
        (["0 .5 .5 .2 .4 1", "0 .5 .5 .2 .4 .9"], NAMES, [BOX | {"attributes": {"score": s}} for s in (1, 0.9)]),
        (["0 .1 .1 .3 .1 .2 .4 .25 .5 .9 3"], NAMES,
         [{"class": "car", "box": [20, 10, 60, 50], "attributes": {"score": 0.9}, "track": "3"}]),
        (["0 .5 .5 .2 .4 1"], NAMES + "rows: box id\n", [BOX | {"track": "1"}]),
        (["0 .5 .5 .2 .4 1"], NAMES + "rows: [box, conf]\n", [BOX | {"attributes": {"score": 1}}]),
        (["0 .5 .5 .2 .4 .9 1"], NAMES + "task: detect\n", [BOX | {"attributes": {"score": 0.9}, "track": "1"}]),
        (["0 .1 .1 .3 .1 .2 1"], NAMES + "task: segment\n", [{"class": "car", "box": [20, 10, 60, 100]}]),
        ([POSED], NAMES + "kpt_shape: [3, 3]\n", [{"class": "car", "box": [60, 10, 140, 90]}]),
        ([POSED + " 0.9 4"], NAMES + "kpt_shape: [3, 3]\n",
         [{"class": "car", "box": [60, 10, 140, 90], "attributes": {"score": 0.9}, "track": "4"}]),
    ],
)  # fmt: skip
def test_a_row_is_read_as_what_it_is(texts: list[str], data: str, read: list[dict[str, Any]]) -> None:
    found = objects(*texts, data=data)
    assert [one | {"box": pytest.approx(one["box"])} for one in read] == found


@pytest.mark.parametrize(
    ("texts", "data", "words"),
    [
        (
            ["0 .5 .5 .2 .4 1"],
            NAMES,
            "line 1: its 5 values after the class could be box conf or box id: say which in da",
        ),
        (
            ["0 .5 .5 .2 .4 .9 1"],
            NAMES,
            "polygon or box conf id: say which in data.yaml, `rows: polygon` or `rows: box",
        ),
        (
            ["0 .5 .5 .4 .8 .4 .3 .6 .4", "0 .4 .5 .4 .8 .3 .3 .5 .4"],
            NAMES,
            "could be polygon or pose or pose conf: say which",
        ),
        (["0 .5 .5 .2 .4 .9 17"], NAMES + "task: segment\n", "6 values after the class fit no polygon"),
        (["0 .5 .5 .2 .4 17\n0 .1 .1 .1 .1 17"], NAMES, "17 stands twice where the ids of tracks are"),
        (["0 .5 .5 .2 .4 1.7"], NAMES, "5 values after the class fit no box or polygon or pose"),
        (["0 100 200 300 200 300 400"], NAMES, "fit no box or polygon or pose, relative to the image, from 0 to 1"),
        ([POSED], NAMES + "kpt_shape: [4, 3]\n", "with 4 keypoints of 3 values"),
    ],
)
def test_what_fits_several_forms_or_none_is_refused(texts: list[str], data: str, words: str) -> None:
    assert words in str(fault_in("yolo", batch(*texts, data=data)))


def test_a_refused_file_costs_its_own_image_alone() -> None:
    reading = formats.read("yolo", batch("0 .5 .5 .2 .4 1", "0 .5 .5 .2 .4"))
    assert [fault.error.code for fault in reading.faults] == ["annotations_ambiguous"]
    assert list(reading.samples) == ["images/1.jpg"]


def test_the_notes_say_how_rows_were_read() -> None:
    reading = formats.read("yolo", batch("0 .5 .5 .2 .4 .9 17\n0 .5 .5 .2 .4 .9 18"))
    first = "labels/0.txt"
    assert f"rows were read as box conf id: conf as the attribute score, id as the track (2; the first: {first})" in (
        reading.notes.lines()
    )


numbers = some.floats(0, 1).map(lambda value: f"{value:.6g}")
ids = some.integers(0, 40).map(str)
inner = some.floats(0.3, 0.7)


@some.composite
def boxes(draw: Callable[..., Any]) -> list[str]:
    x, y = draw(inner), draw(inner)
    return [f"{value:.6g}" for value in (x, y, draw(some.floats(0.01, 0.5)), draw(some.floats(0.01, 0.5)))]


@some.composite
def polygons(draw: Callable[..., Any]) -> list[str]:
    count = 2 * draw(some.integers(3, 6))
    edges = numbers | some.sampled_from(["0", "1"])
    return list(draw(some.lists(edges, min_size=count, max_size=count)))


SHAPES = {"box": boxes(), "polygon": polygons()}
KINDS = [(shape, tail) for shape in SHAPES for tail in ((), ("conf",), ("id",), ("conf", "id"))]


@some.composite
def rows_of_a_kind(draw: Callable[..., Any]) -> tuple[str, tuple[str, ...], list[list[str]]]:
    shape, tail = draw(some.sampled_from(KINDS))
    scores = numbers | some.sampled_from(["0", "1"])
    rows = [
        draw(SHAPES[shape]) + [draw(scores if part == "conf" else ids) for part in tail]
        for _ in range(draw(some.integers(1, 5)))
    ]
    return shape, tail, rows


def _meant(shape: str, tail: tuple[str, ...], row: list[str]) -> tuple[list[float], dict[str, Any]]:
    values = [float(word) for word in row]
    body = values[: len(values) - len(tail)]
    if shape == "box":
        x, y, w, h = body
        corners = [x - w / 2, y - h / 2, x + w / 2, y + h / 2]
    else:
        corners = [min(body[::2]), min(body[1::2]), max(body[::2]), max(body[1::2])]
    ends = dict(zip(tail, values[len(body) :], strict=True))
    more: dict[str, Any] = {"attributes": {"score": ends["conf"]}} if "conf" in ends else {}
    return corners, more | ({"track": str(int(ends["id"]))} if "id" in ends else {})


@given(rows_of_a_kind())
def test_rows_of_one_kind_are_read_right_or_refused(drawn: tuple[str, tuple[str, ...], list[list[str]]]) -> None:
    """The law: whatever the values, no row is read as another kind than it is."""
    shape, tail, rows = drawn
    reading = formats.read("yolo", batch(*("0 " + " ".join(row) for row in rows)))
    refused = {fault.path for fault in reading.faults}
    for place, row in enumerate(rows):
        if f"labels/{place}.txt" in refused:
            continue
        corners, more = _meant(shape, tail, row)
        label = reading.samples[f"images/{place}.jpg"].label or {"boxes": []}
        for box in label["boxes"]:  # none where no area is left
            wide = [corners[0] * 200, corners[1] * 100, corners[2] * 200, corners[3] * 100]
            assert box["box"] == pytest.approx(wide, abs=1e-3), (row, box)
            assert {name: box[name] for name in ("attributes", "track") if name in box} == more


@given(some.lists(boxes(), min_size=1, max_size=4), some.integers(1, 5), some.sampled_from([2, 3]), some.data())
def test_rows_with_keypoints_are_boxes_where_data_yaml_says_so(
    drawn: list[list[str]], count: int, each: int, data: Any
) -> None:
    flags = some.sampled_from(["0", "1", "2"])
    points = some.tuples(*[numbers, numbers, flags][:each])
    rows = [row + [word for _ in range(count) for word in data.draw(points)] for row in drawn]
    texts = ["0 " + " ".join(row) for row in rows]
    found = objects(*texts, data=f"{NAMES}kpt_shape: [{count}, {each}]\n")
    for row, box in zip(rows, found, strict=True):
        corners, _ = _meant("box", (), row[:4])
        wide = [corners[0] * 200, corners[1] * 100, corners[2] * 200, corners[3] * 100]
        assert box == {"class": "car", "box": pytest.approx(wide, abs=1e-3)}


def lists(data: str, documents: dict[str, str]) -> dict[str, str | None]:
    images = {f"images/{place}.jpg": SIZE for place in range(4)}
    labels = {f"labels/{place}.txt": b"0 .5 .5 .2 .4" for place in range(4)}
    texts = {path: text.encode() for path, text in documents.items()}
    reading = formats.read("yolo", Batch(images, labels | texts | {"data.yaml": (NAMES + data).encode()}, [], OBJECTS))
    assert not reading.faults, [str(fault.error) for fault in reading.faults]
    assert reading.used >= {*documents, "data.yaml"}
    return {key[7:8]: sample.split for key, sample in sorted(reading.samples.items())}


@pytest.mark.parametrize(
    ("data", "documents"),
    [
        ("train: fold3_a.txt\nval: fold3_b.txt\n",
         {"fold3_a.txt": "./images/0.jpg\n", "fold3_b.txt": "images/1.jpg\n"}),
        ("path: ../sets/x\ntrain: [[s/one.txt]]\nval: [s/two.txt]\n",
         {"s/one.txt": "../images/0.jpg\n", "s/two.txt": "/home/me/x/images/1.jpg\n"}),
        ("train: /data/cv/1.txt\nval: /data/cv/2.txt\n", {"cv/1.txt": "0.jpg\n", "cv/2.txt": "1.jpg\n"}),
        ("train: C:\\sets\\a.txt\nval: C:\\sets\\test.txt\n",
         {"a.txt": "images\\0.jpg\n", "test.txt": "images\\1.jpg\n"}),
    ],
)  # fmt: skip
def test_the_lists_of_data_yaml_are_read_whatever_they_are_called(data: str, documents: dict[str, str]) -> None:
    assert lists(data, documents) == {"0": "train", "1": "val", "2": None, "3": None}


def test_a_list_that_is_not_here_is_a_fault_and_the_labels_are_read() -> None:
    documents = {"data.yaml": f"{NAMES}val: gone.txt\n".encode(), "labels/0.txt": b"1 .5 .5 .2 .4"}
    reading = formats.read("yolo", Batch({"images/0.jpg": SIZE}, documents, [], OBJECTS))
    assert "names the list 'gone.txt' for val, which is not here" in str(reading.faults[0].error)
    assert (reading.samples["images/0.jpg"].label or {})["boxes"][0]["class"] == "bus"


def names_read(data: str) -> Iterator[str]:
    rows = "".join(f"{number} .5 .5 .2 .4\n" for number in range(5))
    return (one["class"] for one in objects(rows, data=data))


@pytest.mark.parametrize(
    "data",
    [
        "nc: 5\nnames: [no, yes, 010, 1.10, 12:30]\n",
        "names:\n  0: no\n  1: yes\n  2: 010\n  3: 1.10\n  4: 12:30\n",
        "names: {'4': 12:30, '0': no, '1': yes, '2': 010, '3': 1.10}\n",
        "names:\n- no\n- yes\n- 010\n- 1.10\n- 12:30\n",
    ],
)
def test_names_are_the_texts_that_are_written(data: str) -> None:
    assert list(names_read(data)) == ["no", "yes", "010", "1.10", "12:30"]


def test_a_number_that_is_left_out_is_no_class() -> None:
    assert [one["class"] for one in objects("2 .5 .5 .2 .4", data="names: {0: car, 2: bus}\n")] == ["bus"]
    assert "'1' is not a number" in str(fault_in("yolo", batch("1 .5 .5 .2 .4", data="names: {0: car, 2: bus}\n")))
