"""Archives to upload."""

import io
import tarfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from motherlode.archives import images_below, write_tar

NAMES = st.text(
    st.characters(codec="utf-8", exclude_characters="\0/", exclude_categories=["Cs"]), min_size=1, max_size=150
)


@given(st.dictionaries(NAMES, st.binary(max_size=2000), max_size=5))
def test_what_is_packed_is_read_back_and_the_bytes_are_always_the_same(files: dict[str, bytes]) -> None:
    first, second = io.BytesIO(), io.BytesIO()
    assert write_tar(first, files.items()) == write_tar(second, files.items()) == len(files)
    assert first.getvalue() == second.getvalue()
    first.seek(0)
    with tarfile.open(fileobj=first) as archive:
        back = {member.name: stream.read() for member in archive if (stream := archive.extractfile(member))}
    assert {name.rstrip("/"): data for name, data in files.items()} == back


def test_a_folder_gives_its_images_by_path_and_nothing_else(tmp_path: Path) -> None:
    for name in ("b/2.JPG", "a/1.png", ".hidden/3.png", "a/.4.png", "notes.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(name.encode())
    assert list(images_below(tmp_path)) == [("a/1.png", b"a/1.png"), ("b/2.JPG", b"b/2.JPG")]
