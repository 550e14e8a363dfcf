"""Our reader of tar headers beside the standard library's: the same members, whichever dialect wrote them."""

import gzip
import io
import tarfile
import time
from contextlib import suppress
from unicodedata import normalize

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from tests.laws import examples

from blobs.archives import Member, Rejection, iter_members
from blobs.errors import ArchiveRefused

DIALECTS = {"ustar": tarfile.USTAR_FORMAT, "gnu": tarfile.GNU_FORMAT, "pax": tarfile.PAX_FORMAT}
part = some.text(
    some.characters(codec="utf-8", exclude_categories=["C"], exclude_characters="/\\:"), min_size=1, max_size=60
)
names = some.lists(part.filter(lambda name: name not in {".", ".."}), min_size=1, max_size=4).map("/".join)


def written(form: int, items: dict[str, bytes], *, mode: str = "w", **facts: object) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode, format=form) as archive:  # type: ignore[call-overload]
        for name, data in items.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            for fact, value in facts.items():
                setattr(info, fact, value)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def read(archive: bytes) -> list[Member | Rejection]:
    return list(iter_members(io.BytesIO(archive)))


def as_tarfile_reads(archive: bytes) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    with tarfile.open(fileobj=io.BytesIO(archive)) as opened:
        for info in opened:
            stream = opened.extractfile(info)
            if info.isreg() and stream is not None:
                found.setdefault(normalize("NFC", info.name), stream.read())
    return found


@pytest.mark.parametrize("form", DIALECTS.values(), ids=DIALECTS)
@settings(max_examples=examples(60))
@given(items=some.dictionaries(names, some.binary(max_size=1500), min_size=1, max_size=4))
def test_every_dialect_reads_as_the_standard_library_reads_it(form: int, items: dict[str, bytes]) -> None:
    try:
        archive = written(form, items, mtime=12.5 if form == tarfile.PAX_FORMAT else 12)
    except (ValueError, UnicodeEncodeError):  # ustar has no room for the name
        return
    found = read(archive)
    assert {item.code for item in found if isinstance(item, Rejection)} <= {"unsafe_name", "duplicate_name"}
    assert len(found) == len(items)
    theirs = as_tarfile_reads(archive)
    for item in found:
        if isinstance(item, Member):
            assert theirs[item.name] == item.data


@pytest.mark.parametrize("form", DIALECTS.values(), ids=DIALECTS)
def test_long_names_arrive_whole(form: int) -> None:
    name = "/".join(["folder-with-a-name"] * 9) + "/picture.png"
    assert read(written(form, {name: b"x"})) == [Member(name, b"x")]


def test_a_record_for_all_members_is_heeded() -> None:
    out = io.BytesIO()
    told = {"comment": "nothing of ours"}
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT, pax_headers=told) as archive:
        info = tarfile.TarInfo("é.png")
        info.size = 1
        archive.addfile(info, io.BytesIO(b"x"))
    assert read(out.getvalue()) == [Member("é.png", b"x")]


def header(name: str = "a.png", *, size: int = 0, kind: bytes = b"0") -> bytes:
    info = tarfile.TarInfo(name)
    info.size, info.type = size, kind
    return info.tobuf(tarfile.GNU_FORMAT)


END = bytes(1024)
GOOD = header("b.png", size=1) + b"y" + bytes(511)


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE])
def test_a_size_on_what_has_no_data_is_not_believed(kind: bytes) -> None:
    assert read(header("a", size=5000, kind=kind) + GOOD + END)[-1] == Member("b.png", b"y")


def test_an_unknown_kind_is_left_out_with_its_data() -> None:
    items = read(header("a", size=700, kind=b"V") + bytes(1024) + GOOD + END)
    assert [getattr(item, "code", "ok") for item in items] == ["not_a_regular_file", "ok"]


@pytest.mark.parametrize("major", ["0", "1"])
def test_sparse_files_are_left_out_whatever_wrote_them(major: str) -> None:
    body = f"22 GNU.sparse.major={major}\n".encode()
    pax = header("p", size=len(body), kind=tarfile.XHDTYPE) + body + bytes(512 - len(body))
    old = bytearray(header("s", size=512, kind=tarfile.GNUTYPE_SPARSE))
    old[482] = 1
    old[148:156] = b"%06o\0 " % (sum(old) - sum(old[148:156]) + 256)
    more = bytes(504) + b"\1" + bytes(7)
    items = read(pax + header(size=3) + bytes(512) + bytes(old) + more + bytes(512) + bytes(512) + GOOD + END)
    assert [getattr(item, "code", "ok") for item in items] == ["not_a_regular_file", "not_a_regular_file", "ok"]


def test_a_size_of_gnu_tar_that_octal_cannot_hold_is_read() -> None:
    block = bytearray(header(size=3))
    block[124:136] = b"\x80" + (3).to_bytes(11)
    block[148:156] = b"%06o\0 " % (sum(block) - sum(block[148:156]) + 256)
    assert read(bytes(block) + b"abc" + bytes(509) + END) == [Member("a.png", b"abc")]


def test_the_sum_of_a_program_that_adds_signed_bytes_is_taken() -> None:
    block = bytearray(header("é.png", size=1))
    block[148:156] = b"%06o\0 " % (sum(block) - sum(block[148:156]) + 256 - 2 * 256)
    assert read(bytes(block) + b"x" + bytes(511) + END) == [Member("é.png", b"x")]


@pytest.mark.parametrize(
    "body",
    [b"nonsense", b"5 a\n", b"99 a=b\n", b"-1 a=b\n", b"6 a=bc"],
    ids=["words", "no-equals", "long", "minus", "end"],
)
def test_a_malformed_pax_record_is_a_damaged_archive(body: bytes) -> None:
    pax = header("p", size=len(body), kind=tarfile.XHDTYPE) + body + bytes(512 - len(body))
    with pytest.raises(ArchiveRefused) as caught:
        read(pax + GOOD + END)
    assert caught.value.code == "archive_corrupt"


def test_many_long_headers_before_one_member_are_a_bomb() -> None:
    long = header("././@LongLink", size=1 << 18, kind=tarfile.GNUTYPE_LONGNAME) + b"a" * (1 << 18)
    with pytest.raises(ArchiveRefused) as caught:
        read(long * 5 + GOOD + END)
    assert caught.value.code == "archive_bomb"


def padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 512)


def pax(body: bytes, *, kind: bytes = tarfile.XHDTYPE) -> bytes:
    return header("p", size=len(body), kind=kind) + padded(body)


MEBIBYTE = 1 << 20
SHORTEST = b"5 a=\n"


@pytest.mark.parametrize(
    "attack",
    [
        pax(SHORTEST * (MEBIBYTE // 5)) + GOOD,
        pax(b"1" * MEBIBYTE) + GOOD,
        pax((b"%d a=" % MEBIBYTE).ljust(MEBIBYTE - 1, b"=") + b"\n") + GOOD,
        pax(SHORTEST * (MEBIBYTE // 5), kind=tarfile.XGLTYPE) + GOOD * 3000,
        pax(b"".join(b"13 %06x=abc\n"[:13] % number for number in range(60_000)), kind=tarfile.XGLTYPE) + GOOD * 3000,
        b"".join(pax(SHORTEST * 200_000) + GOOD for _ in range(15)),
    ],
    ids=["records", "digits", "equals", "global", "global keys", "many"],
)
def test_a_header_that_is_made_to_be_slow_takes_no_longer_than_its_length(attack: bytes) -> None:
    """2 KB, packed, held a thread for 36 s: 7.7 s of its own, on a quiet machine."""
    started = time.process_time()
    with suppress(ArchiveRefused):
        read(gzip.compress(attack + END))
    assert time.process_time() - started < 3


def test_the_headers_of_an_archive_are_limited_together() -> None:
    with pytest.raises(ArchiveRefused, match="longer than all") as caught:
        read(b"".join(pax(SHORTEST * 200_000) + GOOD for _ in range(8)) + END)
    assert caught.value.code == "archive_bomb"
