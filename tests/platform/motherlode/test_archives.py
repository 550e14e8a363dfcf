"""Archives to upload."""

import io
import tarfile

from hypothesis import given
from hypothesis import strategies as st

from motherlode.archives import write_tar

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
