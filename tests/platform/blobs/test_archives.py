"""Hostile archives: nothing is written anywhere, bombs end early, sound members still come out."""

import gzip
import io
import os
import posixpath
import stat
import tarfile
import tracemalloc
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as some

from blobs.archives import Limits, Member, Rejection, iter_members
from blobs.errors import ArchiveRefused

MB = 1 << 20
Packer = Callable[[list[tuple[str, bytes]]], bytes]
UNSAFE = [
    "../evil",
    "a/../../evil",
    "/etc/passwd",
    "C:\\evil",
    "c:/e",
    "a\\b",
    "a//b",
    "a/./b",
    "a\nb",
    "..",
    "x" * 1025,
]
CLUTTER = ["__MACOSX/._a", ".DS_Store", "d/.DS_Store", "d/._b.png", "Thumbs.db"]
LINKS = [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE]


def zipped(items: list[tuple[str, bytes]], *, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in items:
            archive.writestr(zipfile.ZipInfo(name), data, compress_type=method)
    return out.getvalue()


def tarred(items: list[tuple[str, bytes]], mode: Literal["w", "w:gz"] = "w") -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as archive:
        for name, data in items:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def tgz(items: list[tuple[str, bytes]]) -> bytes:
    return tarred(items, "w:gz")


PACKERS: dict[str, Packer] = {"zip": zipped, "tar": tarred, "tgz": tgz}


@pytest.fixture(params=PACKERS)
def pack(request: pytest.FixtureRequest) -> Packer:
    return PACKERS[request.param]


def read(archive: bytes, limits: Limits | None = None) -> list[Member | Rejection]:
    return list(iter_members(io.BytesIO(archive), limits))


def outcome(archive: bytes) -> tuple[list[Member | Rejection], str | None]:
    """What came out, and the code of the error that ended it."""
    items = []
    try:
        for item in iter_members(io.BytesIO(archive)):
            items.append(item)  # noqa: PERF402 - what came before the error counts
    except ArchiveRefused as error:
        return items, error.code
    return items, None


def codes(archive: bytes, limits: Limits | None = None) -> list[str]:
    return [item.code for item in read(archive, limits) if isinstance(item, Rejection)]


@given(some.lists(some.binary(max_size=2000), min_size=1, max_size=8))
def test_sound_members_come_out_as_they_went_in(items: list[bytes]) -> None:
    good = {f"d/é {number}.bin": data for number, data in enumerate(items)}
    for packer in PACKERS.values():
        assert {item.name: item.data for item in read(packer(list(good.items()))) if isinstance(item, Member)} == good


@pytest.mark.parametrize("name", UNSAFE)
def test_unsafe_names_are_left_out(pack: Packer, name: str) -> None:
    items = read(pack([(name, b"x"), ("good.png", b"y")]))
    assert [getattr(item, "code", "ok") for item in items] == ["unsafe_name", "ok"]
    assert items[1] == Member("good.png", b"y")


def test_a_name_with_a_nul_is_left_out() -> None:
    archive = zipped([("evilXname.png", b"x")]).replace(b"evilXname", b"evil\0name")
    assert codes(archive) == ["unsafe_name"]


def test_the_second_member_of_one_name_is_left_out(pack: Packer) -> None:
    items = read(pack([("a.png", b"1"), ("./a.png", b"2")]))
    assert [getattr(item, "code", "ok") for item in items] == ["ok", "duplicate_name"]


def test_folders_and_clutter_are_passed_over(pack: Packer) -> None:
    clutter = [(name, b"x") for name in CLUTTER]
    assert read(pack([*clutter, ("d/b.png", b"b")])) == [Member("d/b.png", b"b")]


def test_links_and_devices_are_left_out() -> None:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for kind in LINKS:
            info = tarfile.TarInfo(f"member{kind.decode()}")
            info.type, info.linkname = kind, "/etc/passwd"
            archive.addfile(info)
    assert codes(out.getvalue()) == ["not_a_regular_file"] * 5


def test_a_symlink_in_a_zip_is_left_out() -> None:
    info = zipfile.ZipInfo("link.png")
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(info, "/etc/passwd")
    assert codes(out.getvalue()) == ["not_a_regular_file"]


def test_an_encrypted_member_is_left_out() -> None:
    archive = bytearray(zipped([("a.png", b"x")]))
    for signature, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        archive[archive.index(signature) + place] |= 1
    assert codes(bytes(archive)) == ["encrypted"]


def test_an_unusual_compression_is_left_out() -> None:
    assert codes(zipped([("a.png", b"x" * 100)], method=zipfile.ZIP_LZMA)) == ["compression_unsupported"]


def test_the_chain_of_links_that_fools_extractall_touches_nothing(tmp_path: Path) -> None:
    """CVE-2025-4517: on this Python, `extractall(filter="data")` overwrites the victim."""
    (victim := tmp_path / "outside" / "victim").parent.mkdir()
    victim.write_text("original")
    out, deep, path = io.BytesIO(), "d" * 247, ""
    with tarfile.open(fileobj=out, mode="w") as archive:

        def add(name: str, kind: bytes, target: str = "", data: bytes = b"") -> None:
            info = tarfile.TarInfo(name)
            info.type, info.linkname, info.size = kind, target, len(data)
            archive.addfile(info, io.BytesIO(data))

        for step in "abcdefghijklmnop":
            add(posixpath.join(path, deep), tarfile.DIRTYPE)
            add(posixpath.join(path, step), tarfile.SYMTYPE, deep)
            path = posixpath.join(path, deep)
        link = "/".join("abcdefghijklmnop") + "/" + "l" * 254
        add(link, tarfile.SYMTYPE, "../" * 16)
        add("escape", tarfile.SYMTYPE, link + "/../outside")
        add("hl", tarfile.LNKTYPE, "escape/victim")
        add("hl", tarfile.REGTYPE, data=b"OVERWRITTEN")
    items = read(out.getvalue())
    assert not [item for item in items if isinstance(item, Member) and item.name != "hl"]
    assert victim.read_text() == "original"
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["outside", "victim"]


def bomb_of(pack: str) -> bytes:
    zeros = b"\0" * (80 * MB)
    if pack == "zip":
        return zipped([("big.png", zeros)])
    return gzip.compress(tarred([("big.png", zeros)]), 6)


@pytest.mark.parametrize("kind", ["zip", "tgz"])
def test_a_bomb_ends_early_in_little_memory(kind: str) -> None:
    archive = bomb_of(kind)
    assert len(archive) < MB
    tracemalloc.start()
    try:
        with pytest.raises(ArchiveRefused) as caught:
            read(archive)
        assert tracemalloc.get_traced_memory()[1] < 60 * MB
    finally:
        tracemalloc.stop()
    assert caught.value.code == "archive_bomb"


def test_members_that_share_their_packed_bytes_are_a_bomb() -> None:
    """An overlapping zip: each member is modest, their sum is not."""
    data = zipped([(f"{number}.png", b"\0" * (4 * MB)) for number in range(10)])
    with pytest.raises(ArchiveRefused, match="times its size"):
        read(data)


@pytest.mark.parametrize(
    ("limits", "code"),
    [(Limits(members=4), "archive_bomb"), (Limits(total_bytes=4 * MB), "archive_bomb")],
    ids=["members", "total"],
)
def test_a_limit_passed_ends_the_archive(pack: Packer, limits: Limits, code: str) -> None:
    archive = pack([(f"{number}", os.urandom(MB)) for number in range(5)])
    with pytest.raises(ArchiveRefused) as caught:
        read(archive, limits)
    assert caught.value.code == code


def test_a_member_over_its_limit_is_left_out_and_the_rest_comes(
    pack: Packer,
) -> None:
    items = read(pack([("big", os.urandom(3 * MB)), ("small", b"s")]), Limits(member_bytes=2 * MB))
    assert [getattr(item, "code", "ok") for item in items] == ["member_too_large", "ok"]
    assert items[1] == Member("small", b"s")


def test_a_zip_with_too_many_entries_is_refused_before_they_are_read() -> None:
    archive = zipped([(f"{number}", b"") for number in range(2000)])
    with pytest.raises(ArchiveRefused) as caught:
        next(iter_members(io.BytesIO(archive), Limits(members=1999)))
    assert caught.value.code == "archive_bomb"


def test_a_header_that_declares_a_gigabyte_of_name_is_a_bomb() -> None:
    info = tarfile.TarInfo("././@LongLink")
    info.type, info.size = tarfile.GNUTYPE_LONGNAME, 1 << 30
    header = info.tobuf(tarfile.GNU_FORMAT)
    out = io.BytesIO()
    with gzip.GzipFile(fileobj=out, mode="wb", compresslevel=1) as file:
        file.write(header)
        for _ in range(40):
            file.write(b"a" * MB)
    with pytest.raises(ArchiveRefused) as caught:
        read(out.getvalue())
    assert caught.value.code == "archive_bomb"


def wrecks(archive: bytes) -> Iterator[bytes]:
    for place in range(0, len(archive), max(1, len(archive) // 40)):
        spoiled = bytearray(archive)
        spoiled[place] ^= 0x55
        yield bytes(spoiled)
        yield archive[:place]


def test_damage_is_an_error_of_ours_or_a_sound_member(pack: Packer) -> None:
    good = {f"{number}.bin": os.urandom(700) for number in range(5)}
    for wreck in wrecks(pack(list(good.items()))):
        items, code = outcome(wreck)
        assert code in {None, "archive_corrupt", "archive_unsupported", "archive_bomb"}
        if pack is zipped:  # it has a sum for each member; tar has none, and gzip's comes at the end
            assert {item.data for item in items if isinstance(item, Member)} <= set(good.values())


@pytest.mark.parametrize("cut", [511, 512, 1024, 1025, 2000, 2048])
def test_a_tar_that_ends_early_is_damaged(cut: int) -> None:
    archive = tarred([("a", b"a" * 512), ("b", b"b" * 512)])
    with pytest.raises(ArchiveRefused):
        read(archive[:cut])


@pytest.mark.parametrize("data", [b"", b"text", b"Rar!\x1a\x07", b"7z\xbc\xaf\x27\x1c", b"\x1f\x8b"])
def test_what_is_no_archive_is_refused(data: bytes) -> None:
    with pytest.raises(ArchiveRefused, match="archive"):
        read(data)
