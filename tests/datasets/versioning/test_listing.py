"""The listing of a directory has the bytes DVC's own library writes, whatever the names in it."""

import io

import pytest
from dvc_data.hashfile.hash_info import HashInfo
from dvc_data.hashfile.tree import Tree
from hypothesis import given
from hypothesis import strategies as some

from versioning import Entry, ListingMalformed, PathClash, read_listing, write_listing

DIGESTS = some.text("0123456789abcdef", min_size=32, max_size=32)
NAMES = some.text(some.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1, max_size=12)
PATHS = some.lists(NAMES.filter(lambda name: name not in {".", ".."}), min_size=1, max_size=4).map("/".join)


def written(entries: list[Entry]) -> bytes:
    out = io.BytesIO()
    listing = write_listing(entries, out)
    assert (listing.nfiles, listing.length) == (len(entries), len(out.getvalue()))
    return out.getvalue()


def is_a_folder_too(path: str, paths: set[str]) -> bool:
    return any(other.startswith(path + "/") for other in paths)


@given(some.dictionaries(PATHS, DIGESTS, max_size=30))
def test_the_bytes_are_those_of_dvc(files: dict[str, str]) -> None:
    files = {path: md5 for path, md5 in files.items() if not is_a_folder_too(path, set(files))}
    entries = [Entry(path, md5) for path, md5 in sorted(files.items())]
    tree = Tree()
    for path, md5 in files.items():
        tree.add(tuple(path.split("/")), None, HashInfo("md5", md5))
    tree.digest()
    data = written(entries)
    assert data == tree.as_bytes()
    assert write_listing(entries, io.BytesIO()).md5 + ".dir" == tree.oid
    assert read_listing(data) == entries


@given(some.sets(PATHS, min_size=1, max_size=30))
def test_a_file_that_is_a_folder_too_is_named(paths: set[str]) -> None:
    entries = [Entry(path, "0" * 32) for path in sorted(paths)]
    clashing = {path for path in paths if is_a_folder_too(path, paths)}
    if not clashing:
        write_listing(entries, io.BytesIO())
        return
    with pytest.raises(PathClash) as caught:
        write_listing(entries, io.BytesIO())
    assert caught.value.file in clashing


def test_memory_holds_one_chunk_of_a_long_listing() -> None:
    """The entries are a generator, and what is written goes on at once."""
    longest = 0

    class Counting(io.BytesIO):
        def write(self, data: bytes, /) -> int:  # type: ignore[override]  # a buffer of bytes is what comes
            nonlocal longest
            longest = max(longest, len(data))
            return len(data)

    listing = write_listing((Entry(f"{number:08d}", "0" * 32, 1) for number in range(30_000)), Counting())
    assert (listing.nfiles, listing.size) == (30_000, 30_000)
    assert longest < 300_000 < listing.length


@pytest.mark.parametrize("paths", [["b", "a"], ["a", "a"], ["a/b", "a"]])
def test_entries_out_of_order_or_doubled_are_a_fault_of_the_caller(paths: list[str]) -> None:
    with pytest.raises(ValueError, match="comes"):
        write_listing([Entry(path, "0" * 32) for path in paths], io.BytesIO())


@pytest.mark.parametrize(
    "data",
    [b"", b"[", b"{}", b"[1]", b'[{"md5": "x", "relpath": "a"}]', b'[{"relpath": "a"}]', b'[{"md5": 1, "relpath": 2}]'],
)
def test_what_is_no_listing_is_refused(data: bytes) -> None:
    with pytest.raises(ListingMalformed):
        read_listing(data)
