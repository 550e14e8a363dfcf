"""Names in archives: what people wrote comes in, by whatever program and flag; else the archive is refused."""

import io
import struct
import tarfile
import unicodedata
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

from blobs.archives import Member, iter_members
from blobs.errors import ArchiveRefused
from worker_programs.archive_names import LIKELY, encoding_fault

UNICODE_PATH = 0x7075


class RawName(zipfile.ZipInfo):
    """A zip entry whose name is written in these bytes, with or without the flag that says UTF-8."""

    raw: bytes
    flagged: bool

    def _encodeFilenameFlags(self) -> tuple[bytes, int]:  # noqa: N802 - zipfile's own
        return self.raw, self.flag_bits | 0x800 if self.flagged else self.flag_bits & ~0x800


def zipped(names: Mapping[bytes, str | None], *, flagged: bool = False) -> io.BytesIO:
    """A zip of files by the bytes of their names, with the Unicode path field of those that give a text."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for raw, text in names.items():
            entry = RawName("x")
            entry.raw, entry.flagged = raw, flagged
            if text is not None:
                field = struct.pack("<BI", 1, zlib.crc32(raw)) + text.encode()
                entry.extra = struct.pack("<HH", UNICODE_PATH, len(field)) + field
            archive.writestr(entry, raw)
    out.seek(0)
    return out


def tarred(names: list[str], *, encoding: str, form: int = tarfile.GNU_FORMAT) -> io.BytesIO:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form, encoding=encoding) as archive:
        for name in names:
            entry = tarfile.TarInfo(name)
            entry.size = len(name.encode())
            archive.addfile(entry, io.BytesIO(name.encode()))
    out.seek(0)
    return out


def read(file: io.BytesIO, encoding: str | None = None) -> list[str]:
    items = list(iter_members(file, names_encoding=encoding))
    assert all(isinstance(item, Member) for item in items), items
    return [item.name for item in items]


def refusal(file: io.BytesIO, encoding: str | None = None) -> ArchiveRefused:
    with pytest.raises(ArchiveRefused) as caught:
        list(iter_members(file, names_encoding=encoding))
    return caught.value


letters = some.characters(codec="utf-8", exclude_categories=["C", "Z"], exclude_characters="/\\:.")
names = some.lists(some.text(letters, min_size=1, max_size=20), min_size=1, max_size=5).map(
    lambda found: [f"{place}{name}" for place, name in enumerate(found)]
)


def nfc(found: list[str]) -> list[str]:
    return [unicodedata.normalize("NFC", name) for name in found]


@given(given_names=names, flagged=some.booleans())
def test_any_names_come_out_of_a_zip_as_they_went_in(given_names: list[str], *, flagged: bool) -> None:
    """Linux's zip and macOS write UTF-8 without the flag, others with it."""
    packed = zipped({name.encode(): None for name in given_names}, flagged=flagged)
    try:
        found, doubt = read(packed), ""
    except ArchiveRefused as error:  # `ü1` is `眉1` in GBK: where nothing else is in the archive, only the sender knows
        packed.seek(0)
        found, doubt = read(packed, "utf-8"), str(error)
    assert found == nfc(given_names)
    assert not doubt or (not flagged and "in utf-8 or" in doubt)


@given(names, some.sampled_from(LIKELY))
def test_the_unicode_path_field_comes_before_the_code_page(given_names: list[str], page: str) -> None:
    files = {f"{place}".encode() + name.encode(page, "replace"): name for place, name in enumerate(given_names)}
    assert read(zipped(files)) == nfc(given_names)


@given(names, some.sampled_from([tarfile.GNU_FORMAT, tarfile.PAX_FORMAT]))
def test_any_names_come_out_of_a_tar_as_they_went_in(given_names: list[str], form: int) -> None:
    assert read(tarred(given_names, encoding="utf-8", form=form)) == nfc(given_names)


@pytest.mark.parametrize(
    ("page", "name"),
    [("gbk", "照片/汽车.jpg"), ("cp932", "写真/表紙.jpg"), ("cp850", "Größe/ä.jpg"), ("cp866", "кот/ё.jpg")],
)
def test_another_code_page_is_asked_for_and_then_read(page: str, name: str) -> None:
    for packed in (zipped({b"plain.jpg": None, name.encode(page): None}), tarred(["plain.jpg", name], encoding=page)):
        error = refusal(packed)
        assert error.code == "names_not_utf8"
        assert f"{name!r} in {page}" in str(error)
        packed.seek(0)
        assert read(packed, page) == ["plain.jpg", name]


@pytest.mark.parametrize("page", ["gbk", "cp949"])
def test_names_that_are_utf8_by_chance_are_asked_about(page: str) -> None:
    """`图片`, pictures, in GBK is UTF-8 for letters that no name has."""
    name = {"gbk": "图片/猫1.jpg", "cp949": "탐/1.jpg"}[page]
    raw = name.encode(page)
    assert raw.decode() != name
    error = refusal(zipped({raw: None, b"a.jpg": None}))
    assert f"{raw.decode()!r} in utf-8 or " in str(error)
    assert f"{name!r} in {page}" in str(error)
    assert read(zipped({raw: None}), page) == [name]


@pytest.mark.parametrize(
    "name", ["Blüten/Rose ü.jpg", "кот/дом.jpg", "дом.jpg", "γάτα/1.jpg", "猫/ü1.jpg", "Cafe\u0301.jpg"]
)
def test_names_that_tell_that_they_are_utf8_are_read(name: str) -> None:
    assert read(zipped({name.encode(): None, "ä.jpg".encode(): None})) == nfc([name, "ä.jpg"])


@pytest.mark.parametrize("encoding", ["cp932", "ascii"])
def test_a_code_page_that_is_not_that_of_the_names_is_refused(encoding: str) -> None:
    assert f"is not in {encoding}: name another" in str(refusal(zipped({b"\xff\xfe\x81": None}), encoding))


def test_a_name_that_the_flag_calls_utf8_and_is_not_is_refused() -> None:
    assert refusal(zipped({"ä".encode("cp850"): None}, flagged=True)).code == "names_not_utf8"


def test_a_unicode_path_of_another_name_does_not_count() -> None:
    """A program that renames an entry and keeps the field: its checksum is of the old name."""
    file = zipped({b"old.jpg": "old-ü.jpg"})
    renamed = io.BytesIO(file.getvalue().replace(b"old.jpg", b"new.jpg"))
    assert [item.name for item in iter_members(renamed)] == ["new.jpg"]


@pytest.mark.parametrize("name", ["klingon", "base64", "rot13", "a\0b", ""])
def test_what_is_no_encoding_of_text_is_named(name: str) -> None:
    assert "is not an encoding of text: use one like gbk" in (encoding_fault(name) or "")


def test_the_names_of_windows_and_of_iana_are_encodings() -> None:
    assert [encoding_fault(name) for name in ("gbk", "cp932", "Shift_JIS", "windows-1252", "utf-8", "GB18030")] == [
        None
    ] * 6


def test_lode_reads_classes_by_the_same_names(tmp_path: Path) -> None:
    from motherlode.classes import classes_told_by
    from motherlode.errors import MotherlodeError

    folders = ["猫", "犬"]
    for name, packed in {
        "a.zip": zipped({f"写真/{folder}/1.jpg".encode("cp932"): None for folder in folders}),
        "a.tar": tarred([f"写真/{folder}/1.jpg" for folder in folders], encoding="cp932"),
    }.items():
        path = tmp_path / name
        path.write_bytes(packed.getvalue())
        assert sorted(classes_told_by(path, names_encoding="cp932").names) == sorted(folders)
        with pytest.raises(MotherlodeError) as caught:
            classes_told_by(path)
        assert caught.value.code == "names_not_utf8"
