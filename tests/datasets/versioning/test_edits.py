"""A text as edits of another: whatever is put and removed, it is the text that would be written anew."""

import io
import json
from hashlib import md5

import pytest
from dulwich.objects import Blob
from hypothesis import given, settings
from hypothesis import strategies as some
from tests.laws import examples

from versioning import (
    ENTRIES,
    LINES,
    EditedText,
    Entry,
    Form,
    LineFiles,
    PatchMalformed,
    patched,
    write_listing,
    write_texts,
)
from versioning.texts import WHOLE_LINES

KEYS = some.text('ab/é"\\ {},\U0001f600', min_size=1, max_size=5)
STATES = some.dictionaries(KEYS, some.integers(0, 9), max_size=12)
STEPS = some.lists(some.tuples(KEYS, some.none() | some.integers(0, 9)), max_size=12)


def lines(state: dict[str, int]) -> bytes:
    return b"".join(json.dumps({"key": key, "v": state[key]}).encode() + b"\n" for key in sorted(state))


def entries(state: dict[str, int]) -> bytes:
    """A listing; paths that clash are not this library's concern here."""
    rows = [
        {"md5": md5(bytes([state[key]]), usedforsecurity=False).hexdigest(), "relpath": key} for key in sorted(state)
    ]
    return json.dumps(rows).encode()


def unit(form: Form, key: str, value: int) -> bytes:
    return lines({key: value}) if form is LINES else b", " + entries({key: value})[1:-1]


@pytest.mark.parametrize(("form", "written"), [(LINES, lines), (ENTRIES, entries)], ids=["lines", "entries"])
@settings(max_examples=examples(150))
@given(before=STATES, steps=STEPS)
def test_edits_make_what_would_be_written_anew(form: Form, written, before: dict[str, int], steps) -> None:
    base, state = written(before), dict(before)
    text = EditedText(form, base)
    for key, value in steps:
        text.put(key, None if value is None else unit(form, key, value))
        state.pop(key, None)
        state |= {} if value is None else {key: value}
        assert (text.get(key) is None) == (key not in state)
    wanted = written(state)
    assert b"".join(text.pieces()) == b"".join(patched(form, base, text.patch())) == wanted
    again = EditedText(form, base, text.patch())
    assert again.patch() == text.patch(), "a patch that is read is the same patch"
    assert (text.digest().md5, text.digest().length) == (md5(wanted, usedforsecurity=False).hexdigest(), len(wanted))
    for folder in {f"{key[:2]}/" for key in [*state, *before]}:
        below = any(key.startswith(folder) for key in state)
        assert (folder[:-1] in text.folders_put() or text.keeps_below(folder)) == below


def test_a_listing_is_edited_as_it_is_written() -> None:
    file = io.BytesIO()
    write_listing([Entry("a.png", "0" * 32), Entry("b.png", "1" * 32)], file)
    text = EditedText(ENTRIES, file.getvalue())
    text.put("a.png", None)
    text.put("b.png", None)
    assert b"".join(text.pieces()) == b"[]"


def test_a_patch_costs_what_changed() -> None:
    base = lines(dict.fromkeys((f"{number:06}.png" for number in range(20_000)), 1))
    text = EditedText(LINES, base)
    for number in range(0, 20_000, 1000):
        text.put(f"{number:06}.png", unit(LINES, f"{number:06}.png", 2))
    assert len(text.patch()) < 1000 < len(base) / 500


def test_a_damaged_patch_is_named() -> None:
    with pytest.raises(PatchMalformed):
        list(patched(LINES, b"", b"nothing of ours"))


def test_small_files_of_git_are_kept_up() -> None:
    """Against the objects that are made from whole texts, through both sides of the number that makes them many."""
    state = {f"{number:05}.png": 0 for number in range(WHOLE_LINES + 2)}
    files = LineFiles("labels.jsonl", lines(state))
    for step in range(6):
        before, changed = (
            lines(state),
            {f"{(step * 977 + n) % 6000:05}.png": None if n % 3 else step + 1 for n in range(9)},
        )
        state = {key: value for key, value in (state | changed).items() if value is not None}
        made = files.change({key: None if value is None else lines({key: value}) for key, value in changed.items()})
        file = io.BytesIO()
        told = write_texts({"labels.jsonl": lines(state)}, {"labels.jsonl": before}, file)
        if len(state) <= WHOLE_LINES:
            assert made is None
            files = LineFiles("labels.jsonl", lines(state))
            assert [one.id for one in files.objects()] == [Blob.from_string(lines(state)).id]
        else:
            assert made
        assert files.entries == told
