"""Score files on disk: mapped, not read; the same table as one in memory, in little memory."""

import io
import zipfile

import numpy as np
import psutil
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.laws import examples

from scoring import Quarantined, Scores, ScoreTable, mapped, packed


def scores(digests, *, width=3, depth=4, members=None):
    rng = np.random.default_rng(sum(digests, 1))
    md5 = packed(f"{digest:032x}" for digest in digests)
    return Scores.of(
        md5,
        rng.random((len(digests), width), np.float32),
        rng.random((len(digests), depth), np.float32),
        members=None if members is None else rng.random((len(digests), members, width), np.float32),
        cells=None if members is None else rng.integers(0, 99, (len(digests), width), np.int32),
        refused=[Quarantined("f" * 32, "not_an_image", "these are no pixels")],
    )


def chunked(data, size=1000):
    """Chunk by chunk: a list of them would be as large as the data."""
    return (data[at : at + size] for at in range(0, len(data), size))


@given(st.lists(st.sets(st.integers(0, 40), max_size=20), max_size=5), st.data())
@settings(max_examples=examples(60))
def test_a_mapped_table_is_the_one_in_memory(files, data):
    parts = [scores(sorted(digests), members=2) for digests in files]
    table = ScoreTable(mapped(chunked(part.to_bytes()) for part in parts))
    known = sorted({digest for digests in files for digest in digests})
    asked = data.draw(st.lists(st.sampled_from(known), max_size=30)) if known else []
    rows = table.rows(packed(f"{digest:032x}" for digest in asked))
    assert (rows >= 0).all()
    assert len(table) == len(known)
    for row, digest in zip(rows, asked, strict=True):
        first = next(part for part, digests in zip(parts, files, strict=True) if digest in digests)
        place = first.md5.tolist().index(bytes.fromhex(f"{digest:032x}").rstrip(b"\0"))
        assert np.array_equal(table.probabilities_of(np.array([row]))[0], first.probabilities[place])
        assert np.array_equal(table.embedding_of(np.array([row]))[0], first.embedding[place])
        assert np.array_equal(table.members_of(np.array([row]))[0], first.members[place])


def test_what_was_refused_is_in_the_file():
    (read,) = mapped([[scores([1]).to_bytes()]])
    assert read.refused == (Quarantined("f" * 32, "not_an_image", "these are no pixels"),)


def test_no_files_are_an_empty_table():
    assert (mapped([]), len(ScoreTable([]))) == ([], 0)
    assert ScoreTable([]).rows(packed(["0" * 32])).tolist() == [-1]


@pytest.mark.parametrize("data", [b"", b"no zip at all", b"PK\5\6" + bytes(18)])
def test_another_file_is_refused(data):
    with pytest.raises((ValueError, KeyError)):
        mapped([[data]])


def test_a_compressed_column_is_refused():
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("md5.npy", bytes(100))
    with pytest.raises(ValueError, match="compressed"):
        mapped([[stream.getvalue()]])


def test_embeddings_that_nobody_asks_for_take_no_memory():
    """Four files of 32 MiB each, nearly all of it embeddings."""
    one = scores(range(8192), depth=2048).to_bytes()
    process = psutil.Process()
    before = process.memory_full_info().uss
    table = ScoreTable(mapped(chunked(one, 1 << 20) for _ in range(4)))
    probabilities = table.probabilities_of(np.arange(len(table)))
    assert process.memory_full_info().uss - before < 32 << 20
    assert (len(probabilities), table.embedding_of(np.arange(3)).shape) == (8192, (3, 2048))
