"""The files of a multipart body: under their own names, whole, and as small in memory as they are."""

import io
import tracemalloc

from django.test import RequestFactory

from core.uploads import SentFile, SpooledUploads

BOUNDARY = "d45089dd177cebd9b4de54a9b7ace25b"
MANY = 2000


def sent(files: list[tuple[str, bytes]]) -> list[SentFile]:
    parts = b"".join(
        f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="files"; filename="{name}"\r\n\r\n'.encode()
        + content
        + b"\r\n"
        for name, content in files
    )
    body = parts + f"--{BOUNDARY}--\r\n".encode()
    request = RequestFactory().generic("POST", "/", body, content_type=f"multipart/form-data; boundary={BOUNDARY}")
    request.upload_handlers = [SpooledUploads(request)]
    return request.FILES.getlist("files")  # type: ignore[return-value]  # what that handler makes


def test_each_file_has_its_name_and_its_bytes_in_any_order() -> None:
    given = [(f"a/b/{number}.png", bytes([number]) * number * 1000) for number in range(20)]
    files = sent(given)
    assert [file.sent_name for file in files] == [name for name, _ in given]
    for file, (_, content) in reversed([*zip(files, given, strict=True)]):
        assert file.read() == content
        file.seek(0)
        assert b"".join(file.chunks(300)) == content


def test_its_stream_gives_lines_and_goes_back() -> None:
    text = b"".join(b'{"key": "%d"}\n' % number for number in range(10_000))
    (before, file, _) = sent([("x", b"no line"), ("lines", text), ("y", b"")])
    assert file.stream.readlines() == text.splitlines(keepends=True)
    assert file.stream.seek(-5, io.SEEK_END) == len(text) - 5
    assert file.stream.read() == text[-5:]
    assert before.stream.read() == b"no line"


def test_many_small_files_hold_little_memory() -> None:
    """A buffer of 64 KiB for each made half a gigabyte of ten thousand files in a body of 1.5 MB."""
    tracemalloc.start()
    files = sent([(f"{number}.png", b"small") for number in range(MANY)])
    held = [file.read() for file in files]
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert held == [b"small"] * MANY
    assert most / MANY < 8 << 10
