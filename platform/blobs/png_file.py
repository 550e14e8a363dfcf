"""The structure of a PNG file: its chunks with their checksums, and its image data, unpacked only to check it."""

import struct
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from blobs.errors import damaged, ends_early

SIGNATURE = b"\x89PNG\r\n\x1a\n"
_IHDR = struct.Struct(">IIBBBBB")
_CHUNK = struct.Struct(">I4s")
_FRAME_BYTES = 12  # of a chunk: length, kind, checksum
_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
_DEPTHS = {0: {1, 2, 4, 8, 16}, 2: {8, 16}, 3: {1, 2, 4, 8}, 4: {8, 16}, 6: {8, 16}}
_ADAM7 = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))
_LAST_FILTER = 4
_PIECE = 1 << 20  # bytes of rows that are looked at together


@dataclass(frozen=True, slots=True)
class PngFile:
    """The content of a PNG: its header, the kinds and sizes of its chunks, its image data as it is packed."""

    width: int
    height: int
    depth: int
    colour: int
    interlaced: bool
    chunks: Sequence[tuple[bytes, int]]
    packed: Sequence[bytes]
    tail: int  # bytes after the end
    exif: bytes | None

    @property
    def channels(self) -> int:
        return _CHANNELS[self.colour]

    @property
    def animated(self) -> bool:
        return any(kind == b"acTL" for kind, _ in self.chunks)


def read(data: bytes) -> PngFile:
    """Read every chunk up to the end, each with the right checksum. Raises ImageRefused."""
    header: tuple[int, ...] | None = None
    chunks: list[tuple[bytes, int]] = []
    packed: list[bytes] = []
    exif: bytes | None = None
    at = len(SIGNATURE)
    while at + _FRAME_BYTES <= len(data):
        length, kind = _CHUNK.unpack_from(data, at)
        end = at + _FRAME_BYTES + length
        if end > len(data):
            raise ends_early()
        if zlib.crc32(data[at + 4 : end - 4]) != int.from_bytes(data[end - 4 : end], "big"):
            raise damaged(f"the checksum of its {_named(kind)} chunk is wrong")
        if (kind == b"IHDR") != (header is None) or (kind == b"IHDR" and length != _IHDR.size):
            raise damaged("its header is not where it belongs")
        if kind == b"IHDR":
            header = _IHDR.unpack_from(data, at + 8)
        elif kind == b"IDAT":
            if packed and chunks[-1][0] != kind:
                raise damaged("its image data lies in two places")
            packed.append(data[at + 8 : end - 4])
        elif kind == b"eXIf":
            exif = data[at + 8 : end - 4]
        elif kind == b"IEND" and header is not None:
            return _whole(header, chunks, packed, tail=len(data) - end, exif=exif)
        chunks.append((kind, length))
        at = end
    raise ends_early()


def check_image_data(png: PngFile) -> None:
    """Check that the packed data is complete and makes exactly the rows that the header declares, each with an existing
    filter. Takes about a megabyte of memory whatever the size of the image. Raises ImageRefused."""
    unpacked = _unpacked(png.packed)
    held, done = b"", 0
    for stride, rows in _passes(png):
        most = max(1, _PIECE // stride)
        while rows:
            count = min(rows, most)
            pieces, size = [held], len(held)
            while size < count * stride:
                piece = next(unpacked, None)
                if piece is None:  # the rows of an interlaced one are no rows of the picture
                    raise ends_early() if png.interlaced else ends_early(done + size // stride, png.height)
                pieces.append(piece)
                size += len(piece)
            block = b"".join(pieces)
            if max(block[: count * stride : stride]) > _LAST_FILTER:
                raise damaged("a row of its pixels has a filter that does not exist")
            held = block[count * stride :]
            rows -= count
            done += count
    if held or next(unpacked, None) is not None:
        raise damaged("it holds more pixels than its header promises")


def _whole(
    header: tuple[int, ...], chunks: list[tuple[bytes, int]], packed: list[bytes], *, tail: int, exif: bytes | None
) -> PngFile:
    width, height, depth, colour, compression, filters, interlace = header
    if depth not in _DEPTHS.get(colour, ()) or compression or filters or interlace > 1 or not width or not height:
        raise damaged("its header says what no PNG can be")
    if not packed:
        raise ends_early()
    return PngFile(width, height, depth, colour, bool(interlace), chunks, packed, tail, exif)


def _passes(png: PngFile) -> Iterator[tuple[int, int]]:
    """Yield (bytes of a row with its filter, rows) of each pass over the image."""
    bits = png.depth * png.channels
    whole = ((0, 0, 1, 1),)
    for left, top, right, down in _ADAM7 if png.interlaced else whole:
        width, height = (png.width - left + right - 1) // right, (png.height - top + down - 1) // down
        if width > 0 and height > 0:
            yield 1 + (width * bits + 7) // 8, height


def _unpacked(packed: Sequence[bytes]) -> Iterator[bytes]:
    """Yield the rows, in pieces; raises ImageRefused if the stream breaks, ends early or fails its own checksum."""
    unpacker = zlib.decompressobj()
    try:
        for part in packed:
            rest = part
            while rest and not unpacker.eof:
                if piece := unpacker.decompress(rest, _PIECE):
                    yield piece
                rest = unpacker.unconsumed_tail
        while not unpacker.eof and (piece := unpacker.decompress(b"", _PIECE)):
            yield piece
    except zlib.error as error:
        raise damaged("its packed pixels cannot be unpacked") from error
    if not unpacker.eof:
        raise ends_early()


def _named(kind: bytes) -> str:
    return kind.decode("ascii") if kind.isalpha() else "a"
