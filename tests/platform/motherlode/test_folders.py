"""Keys and paths: the one from the other, and never out of the folder."""

import os
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motherlode import MotherlodeError
from motherlode.folders import clashing_keys, files_in, origin_of, path_below

ANY_KEY = st.text(max_size=60) | st.lists(
    st.sampled_from(["..", ".", "", "a", "b.png", "/", "\\", "\0", "~", "C:", ".motherlode", "é", "x" * 300]),
    max_size=5,
).map("/".join)
PART = st.text(st.characters(categories=("L", "N", "P", "S"), exclude_characters="/\\"), min_size=1, max_size=20).map(
    lambda text: unicodedata.normalize("NFC", text)
)


def written(root: Path, name: str) -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(name.encode())


def test_images_are_found_by_name_without_hidden_files_and_other_kinds(tmp_path: Path) -> None:
    for name in ("b/2.JPG", "a/1.png", "a/notes.txt", ".hidden/3.png", "a/.4.png", ".motherlode/5.png", "0.webp"):
        written(tmp_path, name)
    (tmp_path / "link").symlink_to(tmp_path / "a")
    sorted_files = files_in(tmp_path)
    found = sorted_files.images
    assert [file.key for file in sorted_files.documents] == ["a/notes.txt"]
    assert [(one["key"], one["code"]) for one in sorted_files.left] == [
        (".hidden", "hidden_file"), ("a/.4.png", "hidden_file"), ("link", "not_a_regular_file"),
    ]  # fmt: skip
    assert [file.key for file in found] == ["0.webp", "a/1.png", "b/2.JPG"]
    assert [file.size for file in found] == [6, 7, 7]
    assert [file.path.relative_to(tmp_path).as_posix() for file in found] == [file.key for file in found]


def test_a_name_in_decomposed_form_has_the_composed_key(tmp_path: Path) -> None:
    written(tmp_path, unicodedata.normalize("NFD", "é.png"))
    assert [file.key for file in files_in(tmp_path).images] == [unicodedata.normalize("NFC", "é.png")]


def test_of_two_names_with_one_composed_form_the_second_is_refused_by_name(tmp_path: Path) -> None:
    folders = [unicodedata.normalize(form, "é") for form in ("NFD", "NFC")]
    for folder in folders:
        written(tmp_path, f"{folder}/1.png")
    written(tmp_path, f"{folders[0]}/2.png")
    found = files_in(tmp_path)
    assert [file.key for file in found.images] == ["é/1.png", "é/2.png"]
    assert [(one["key"], one["code"]) for one in found.left] == [("é/1.png", "duplicate_key")]
    written(tmp_path, f"{folders[0]}.png")
    written(tmp_path, f"{folders[1]}.png")
    (told,) = (one["detail"] for one in files_in(tmp_path).left if one["key"] == "é.png")
    assert told == "'e\\u0301.png' and '\\xe9.png' are one name in Unicode's composed form: rename one"


@given(ANY_KEY)
def test_no_key_leads_out_of_the_folder(key: str) -> None:
    root = Path("/pulled")
    try:
        path = path_below(root, key)
    except MotherlodeError:
        return
    assert Path(os.path.normpath(path)) == path
    assert path.is_relative_to(root)
    assert path != root
    assert path.relative_to(root).as_posix() == key


@given(st.lists(PART, min_size=1, max_size=4))
def test_a_file_that_was_written_for_a_key_has_that_key_again(
    tmp_path_factory: pytest.TempPathFactory, parts: list[str]
) -> None:
    key = "/".join(parts) + ".png"
    if any(part.startswith(".") for part in parts):
        return  # hidden: a folder does not offer it
    root = tmp_path_factory.mktemp("round")
    path = path_below(root, key)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"x")
    assert [file.key for file in files_in(root).images] == [key]


@pytest.mark.parametrize("key", ["a" * 252 + ".png", "é" * 127 + "x", ".motherlode/samples.jsonl", "a\x00b", "a\nb"])
def test_what_no_file_can_be_called_is_refused(tmp_path: Path, key: str) -> None:
    with pytest.raises(MotherlodeError, match="key_unsafe"):
        path_below(tmp_path, key + ("x" if key.startswith("é") else ""))


def test_keys_that_would_be_a_file_and_a_folder_are_found() -> None:
    assert clashing_keys({"a", "b/c", "d"}) is None
    assert clashing_keys({"a", "a.png", "a/b/c"}) == ("a", "a/b/c")


@pytest.mark.parametrize("noted", [None, "[]", "{", '"pets"'])
def test_a_folder_without_notes_comes_from_nowhere(tmp_path: Path, noted: str | None) -> None:
    if noted is not None:
        written(tmp_path, ".motherlode/version.json")
        (tmp_path / ".motherlode" / "version.json").write_text(noted)
    assert origin_of(tmp_path) == {}
