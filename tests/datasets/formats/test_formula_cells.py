"""Cells that a spreadsheet would run are written as text, and read again as they were."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from formats.documents import iter_csv, write_csv

DANGEROUS = ("=", "+", "-", "@", "\t", "\r", "\n")
PRINTED = st.characters(codec="utf-8", exclude_characters="\0")
CELLS = st.text(st.sampled_from("=+-@\t'\"ab1,. \n\r"), max_size=6) | st.text(PRINTED, max_size=6)


def raw(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline="")))


@pytest.mark.parametrize(
    "name",
    ["=cmd|' /C calc'!A0", "+1+1", "-2+3+cmd", "@SUM(A1)", "\tcat", "\rcat", '=HYPERLINK("http://x","y")', "'=x", "-"],
)
def test_a_class_like_a_formula_is_text_for_a_spreadsheet_and_itself_for_us(name: str) -> None:
    text = write_csv([["images/a.png", name]])
    assert raw(text)[0][1] == f"'{name}"
    assert [row for _, row in iter_csv("t.csv", text.encode())] == [["images/a.png", name]]


@pytest.mark.parametrize("cell", ["-5", "+3", "-0.25", "1e-9", "-1.5E+3", "cat", "'tis", "", "a=b"])
def test_numbers_and_other_words_are_written_as_they_are(cell: str) -> None:
    assert raw(write_csv([[cell, "x"]]))[0][0] == cell


def written(cell: str) -> str:
    """The part of a cell that a CSV file in UTF-8 holds."""
    return cell.replace("\r", "").replace("\0", "").encode("utf-8", "ignore").decode()


@given(st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=4))
def test_what_is_written_is_read_again_and_no_cell_begins_a_formula(rows: list[tuple[str, str]]) -> None:
    rows = [(written(one), written(other)) for one, other in rows]
    text = write_csv(rows)
    for row in raw(text):
        for cell in row:
            assert not cell.startswith(DANGEROUS) or cell.strip("+-.eE0123456789") == ""
    assert [tuple(row) for _, row in iter_csv("t.csv", text.encode())] == rows
