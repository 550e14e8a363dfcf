"""Documents as git texts: a change costs what it changes, however many lines there are."""

import io
import json

import pytest
from dulwich.objects import Blob, Tree

from versioning import read_pack, write_texts
from versioning.texts import WHOLE_LINES

MANY = 5 * WHOLE_LINES


def content(count: int, **other: str) -> bytes:
    rows = ({"key": f"{n:06}.png", "label": other.get(f"k{n}", "cat")} for n in range(count))
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def packed(now: bytes, before: bytes | None = None) -> tuple[dict[str, tuple[int, str]], list[object]]:
    file = io.BytesIO()
    then = {} if before is None else {"labels.jsonl": before}
    entries = write_texts({"labels.jsonl": now}, then, file)
    return {name: (one.mode, one.sha) for name, one in entries.items()}, (
        list(read_pack(file.getvalue())) if file.tell() else []
    )


@pytest.mark.parametrize("count", [0, 1, WHOLE_LINES])
def test_few_lines_are_one_file(count: int) -> None:
    entries, objects = packed(content(count))
    assert list(entries) == ["labels.jsonl"]
    assert [one.data for one in objects if isinstance(one, Blob)] == [content(count)]


def test_many_lines_are_small_files_that_hold_each_line_once_in_its_order() -> None:
    entries, objects = packed(content(MANY))
    assert list(entries) == ["labels"]
    files = [one.data for one in objects if isinstance(one, Blob)]
    assert sorted(line for file in files for line in file.splitlines(keepends=True)) == content(MANY).splitlines(
        keepends=True
    )
    assert all(file.splitlines() == sorted(file.splitlines()) for file in files)
    assert max(len(file.splitlines()) for file in files) < 30
    assert {str(one.id, "ascii") for one in objects if isinstance(one, Tree)} >= {entries["labels"][1]}


def test_a_change_of_few_lines_brings_few_objects() -> None:
    relabelled = content(MANY, k7="dog", k9999="dog")
    first, everything = packed(content(MANY))
    second, objects = packed(relabelled, before=content(MANY))
    assert first != second
    assert len(everything) > 4000
    assert len(objects) <= 2 * 2 + 1
    assert packed(relabelled)[0] == second, "whatever was there before"
    assert packed(content(MANY), before=content(MANY)) == (first, [])


def test_an_added_line_moves_no_other() -> None:
    _, objects = packed(content(MANY + 1), before=content(MANY))
    assert len(objects) == 3
