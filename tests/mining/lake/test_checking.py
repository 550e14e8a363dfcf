"""Manifests that somebody sends: every fault is told with its column, its row and the fix."""

import hashlib

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from catalog.keys import key_fault as fault_of_sample
from catalog.keys import name_fault, normal_key
from lake import GROUP_ROWS, LakeError, condition, matching, place_of, read_group
from lake.checking import check
from lake.groups import found
from lake.keys import key_fault

COUNT = 5
PACK = "ab" * 32


def columns(count: int = COUNT) -> dict[str, pa.Array]:
    names = [f"{at:07}".encode() for at in range(count)]
    numbers = np.arange(count)
    return {
        "key": pa.array([f"d/{name.decode()}.png" for name in names]),
        "md5": pa.array([hashlib.md5(name, usedforsecurity=False).hexdigest() for name in names]),
        "sha256": pa.array([hashlib.sha256(name).hexdigest() for name in names]),
        "size": pa.array(np.full(count, 10)),
        "pack": pa.array([PACK] * count).dictionary_encode(),
        "offset": pa.array(numbers * 10),
        "width": pa.array(np.full(count, 28, np.uint16)),
        "height": pa.array(np.full(count, 14)),
        "speed": pa.array(numbers % 50, pa.int16()),
        "night": pa.array([None if at % 3 == 2 else bool(at % 3) for at in range(count)], pa.bool_()),
        "city": pa.array(["Graz" if at % 2 else "Wien" for at in range(count)]),
    }


@pytest.fixture
def checked(tmp_path):
    def run(given: dict[str, pa.Array], **kwargs):
        pq.write_table(pa.table(given), tmp_path / "manifest.parquet", row_group_size=50_000)
        return check(tmp_path / "manifest.parquet", tmp_path / "out", **kwargs)

    return run


def test_a_manifest_is_cut_into_groups_that_hold_the_same_frames(checked, tmp_path):
    given = columns(GROUP_ROWS + 7)
    made = checked(given, sample=16)
    assert [one.rows for one in made.groups] == [GROUP_ROWS, 7]
    assert (made.rows, made.bytes) == (GROUP_ROWS + 7, 10 * (GROUP_ROWS + 7))
    assert made.columns == {"speed": "integer", "night": "boolean", "city": "text"}
    assert made.packs[PACK].end == 10 * made.rows
    assert (made.packs[PACK].row, made.packs[PACK].key) == (made.rows - 1, f"d/{made.rows - 1:07}.png")
    assert {one["key"] for one in made.looked_at} >= {"d/0000000.png"}
    assert 16 <= len(made.looked_at) <= 18
    tables = [read_group((tmp_path / "out" / one.file).read_bytes()) for one in made.groups]
    joined = pa.concat_tables(tables)
    for name in ("key", "size", "offset", "city"):
        assert joined[name].to_pylist() == given[name].to_pylist()
    last = found(tables[1], [6])[0]
    assert (last.md5, last.sha256) == (given["md5"][-1].as_py(), given["sha256"][-1].as_py())
    assert [place_of(tables[1]["key"], last.key, behind=behind) for behind in (False, True)] == [6, 7]
    assert last.meta["speed"] == (GROUP_ROWS + 6) % 50


FAULTS = {
    "absent": (lambda given: given.pop("md5"), "column md5: is absent"),
    "type": (lambda given: given.update(size=pa.array(["10"] * COUNT)), "column size: is string; make it int64"),
    "null": (lambda given: given.update(offset=pa.array([0, None, 2, 3, 4])), "column offset, row 1: is null"),
    "hex": (
        lambda given: given.update(md5=pa.array(["A" * 32] * COUNT)),
        "column md5, row 0: 'AAAA.* must be 32 lower",
    ),
    "newline": (
        lambda given: given.update(pack=pa.array(["a" * 64 + "\n"] * COUNT)),
        "column pack, row 0: .* must be 64",
    ),
    "unsorted": (
        lambda given: given.update(key=pa.array(["a", "b", "d", "c", "e"])),
        "column key, row 3: 'c' comes before",
    ),
    "twice": (
        lambda given: given.update(key=pa.array(["a", "b", "b", "c", "e"])),
        "column key, row 2: 'b' is there twice",
    ),
    "key": (
        lambda given: given.update(key=pa.array(["a", "b/../c", "d", "e", "f"])),
        "column key, row 1: must not hold empty",
    ),
    "size": (
        lambda given: given.update(size=pa.array([1, 2, 3, 4, 2**40])),
        "column size, row 4: '1099511627776' must be 1 to",
    ),
    "offset": (
        lambda given: given.update(offset=pa.array([0, -1, 2, 3, 4])),
        "column offset, row 1: '-1' must be 0 to",
    ),
    "name": (lambda given: given.update({"Speed!": given["speed"]}), "column 'Speed!': name it by"),
    "nested": (lambda given: given.update(gps=pa.array([[1.0]] * COUNT)), "column gps: is list.*metadata is boolean"),
    "text": (lambda given: given.update(city=pa.array(["x" * 300] * COUNT)), "column city, row 0: .* more than 200"),
    "nan": (lambda given: given.update(gps=pa.array([0, 1, np.nan, 2, 3])), "column gps, row 2: 'nan' must be finite"),
    "big": (
        lambda given: given.update(speed=pa.array([0, 1, 2, 3, 2**64 - 1], pa.uint64())),
        "column speed, rows from 0 on",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_names_column_row_and_fix(checked, name):
    given = columns()
    spoil, words = FAULTS[name]
    spoil(given)
    with pytest.raises(LakeError, match=words):
        checked(given)


def test_what_is_no_parquet_file_or_empty_is_refused(tmp_path, checked):
    (tmp_path / "other.parquet").write_bytes(b"PAR1 no")
    with pytest.raises(LakeError, match="can't be read as Parquet"):
        check(tmp_path / "other.parquet", tmp_path)
    with pytest.raises(LakeError, match="has 0 rows"):
        checked({name: values.slice(0, 0) for name, values in columns().items()})


@pytest.mark.parametrize("compression", ["none", "snappy", "zstd", "brotli", "gzip"])
def test_a_file_that_was_damaged_on_its_way_is_refused(tmp_path, compression):
    """Its end, which says what is in it, is whole; what it says of is not. Other errors than LakeError are ours."""
    path = tmp_path / "manifest.parquet"
    pq.write_table(pa.table(columns(1000)), path, compression=compression)
    whole, refused = path.read_bytes(), 0
    for at in range(4, len(whole) - 3000, len(whole) // 40):
        path.write_bytes(whole[:at] + bytes(byte ^ 255 for byte in whole[at : at + 40]) + whole[at + 40 :])
        try:
            check(path, tmp_path)
        except LakeError:
            refused += 1
    assert refused


@pytest.mark.parametrize(
    "key",
    [
        "a/b.png",
        "",
        " ",
        "a\\b",
        "/a",
        "a//b",
        "a/",
        "a/../b",
        ".",
        "..",
        "x" * 500,
        "x" * 501,
        "é" * 127 + "/a",
        "é" * 128,
        "y" * 256,
        ".motherlode/x",
        "a/.motherlode",
        "schema.json",
        "labels.jsonl",
        "a/schema.json",
        "e\u0301",
        "a\tb",
        "a\u200bb",
        "雪/夜.png",
    ],
)
def test_a_key_of_a_frame_could_be_one_of_a_sample(key):
    of_sample = fault_of_sample(key) or name_fault(key) or (None if normal_key(key) == key else "not normal")
    assert (key_fault(pa.array(["first", key])) is None) == (of_sample is None)


def test_numbers_of_32_bits_are_found_by_the_decimals_they_were_written_as(checked, tmp_path):
    given = np.array([0.1, 1e-7, 16777217.0, -3.25, 123.456], np.float32)
    made = checked(columns() | {"light": pa.array(given), "dim": pa.array([None, *given[1:]]).dictionary_encode()})
    table = read_group((tmp_path / "out" / made.groups[0].file).read_bytes())
    assert (table["light"].to_numpy().astype(np.float32) == given).all()
    for column, missing in (("light", 0), ("dim", 1)):
        for at, number in enumerate(["0.1", "1e-7", "16777216", "-3.25", "123.456"][missing:], missing):
            asked = condition(f"{column}={number}", made.columns)
            assert np.flatnonzero(matching(table, [asked])).tolist() == [at]


def test_conditions_compare_columns_with_values_of_their_types():
    known = {"speed": "integer", "night": "boolean", "city": "text"}
    table = pa.table(columns(6))
    for text, rows in (
        ("speed>=4", [4, 5]),
        ("speed != 0", [1, 2, 3, 4, 5]),
        ("night=true", [1, 4]),
        ("city=Graz", [1, 3, 5]),
        ("width<28", []),
        ("height=14", [0, 1, 2, 3, 4, 5]),
    ):
        assert np.flatnonzero(matching(table, [condition(text, known)])).tolist() == rows, text
    both = [condition(text, known) for text in ("speed>=1", "city=Wien")]
    assert np.flatnonzero(matching(table, both)).tolist() == [2, 4]
    for text, words in (
        ("speed", "is not a condition"),
        ("pace>3", "no column 'pace'; there are city, height"),
        ("speed>fast", "no whole number"),
        ("night>true", "asked for by = or !="),
        ("night=yes", "write true or false"),
    ):
        with pytest.raises(LakeError, match=words):
            condition(text, known)
    assert not matching(table.drop_columns(["speed"]), [condition("speed>=0", known)]).any()
