"""The names of an archive's files as text.

Zip and tar store names as bytes. They are UTF-8 where the archive says so (flag 11 of a zip entry, its Unicode path
field, a pax header of a tar) and, by what Linux and macOS write, where all of them decode as UTF-8 and are not likelier
of East Asia: `图片` in GBK happens to be UTF-8 for `ͼƬ`. Otherwise only the sender knows the code page: the archive is
refused until it is named. (`archive-files.ts` is the same rule for
browsers.)

>>> decoded(["Blüten".encode()]), decoded(["图片".encode("gbk")], encoding="gbk")
(['Blüten'], ['图片'])
"""

import codecs
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator, Sequence

LIKELY = ("gbk", "cp932", "big5", "cp949", "cp866", "cp1252", "cp850")
"""Code pages in which systems write the names of archives, by which an error shows how a name would read."""
_SAYS_UTF8 = 0x800  # flag 11 of a zip entry: its name is UTF-8
_UNICODE_PATH = 0x7075  # the extra field of Info-ZIP that holds the name in UTF-8
_SHOWN = 60  # characters of a name in an error
# Bytes beside no letter of ASCII that are characters of UTF-8, and of the code pages of East Asia too.
_EITHER = re.compile(rb"(?<![A-Za-z\x80-\xff])(?:[\xc2-\xdf][\xa1-\xbf])+(?![A-Za-z\x80-\xff])")
_WORD = re.compile(  # in one alphabet: Greek, Cyrillic, Armenian, Hebrew, Arabic
    r"[\u0386-\u03ce]{3,}|[\u0400-\u04ff]{3,}|[\u0531-\u0587]{3,}|[\u05d0-\u05ea]{3,}|[\u0620-\u06ff]{3,}"
)


class NamesNotUtf8Error(ValueError):
    """Names of an archive's files are in an encoding that nobody named, or not in the one that was."""

    code = "names_not_utf8"


def encoding_fault(name: str) -> str | None:
    """Return why this can't be the encoding of names, in words; None if it can."""
    try:
        b"a".decode(name)
    except (LookupError, UnicodeError, ValueError):
        return f"{name[:_SHOWN]!r} is not an encoding of text: use one like {', '.join(LIKELY)} or utf-8"
    return None


def zip_names(entries: Sequence[zipfile.ZipInfo], *, encoding: str | None = None) -> Iterator[str]:
    """Yield the name of each entry of a zip; `encoding` is that of the names of which the zip does not say it. Raises
    NamesNotUtf8Error."""
    stated = [_stated(entry) for entry in entries]
    rest = [_raw(entry) for entry, name in zip(entries, stated, strict=True) if name is None]
    others = iter(decoded(rest, encoding=encoding))
    if encoding is None and (doubtful := _doubtful(rest)) is not None:
        raise NamesNotUtf8Error(_doubt(doubtful))
    return (next(others) if name is None else name for name in stated)


def decoded(names: Sequence[bytes], *, encoding: str | None = None) -> list[str]:
    """Decode names of which the archive does not say the encoding. Raises NamesNotUtf8Error."""
    try:
        return [name.decode(encoding or "utf-8") for name in names]
    except UnicodeDecodeError as error:
        raise NamesNotUtf8Error(_refusal(error.object, encoding)) from None


def _stated(entry: zipfile.ZipInfo) -> str | None:
    """Return the name that an entry gives in UTF-8, or None."""
    if entry.flag_bits & _SAYS_UTF8:
        return entry.orig_filename
    raw, extra = _raw(entry), entry.extra
    while len(extra) >= 4:
        kind, size = struct.unpack_from("<HH", extra)
        field, extra = extra[4 : 4 + size], extra[4 + size :]
        # A version, the CRC of the name that the field belongs to, the name in UTF-8.
        if kind == _UNICODE_PATH and field[:5] == struct.pack("<BI", 1, zlib.crc32(raw)):
            try:
                return field[5:].decode()
            except UnicodeDecodeError:
                return None
    return None


def _raw(entry: zipfile.ZipInfo) -> bytes:
    """Return the bytes of a name that zipfile decoded as code page 437, in which every byte is a character."""
    return entry.orig_filename.encode("cp437")


def _doubtful(names: Sequence[bytes]) -> bytes | None:
    """Return a name that reads as UTF-8 by chance, it seems; None if any of the names tells that they are UTF-8."""
    first = None
    for name in names:
        if not name.isascii():
            words = [word.decode() for word in _EITHER.findall(name)]
            if not _EITHER.sub(b"", name).isascii() or all(map(_WORD.fullmatch, words)):
                return None
            first = first or name
    return first


def _doubt(raw: bytes) -> str:
    readings = [(page, _reading(raw, page)) for page in ("utf-8", *LIKELY[:4])]
    shown = " or ".join(f"{text[:_SHOWN]!r} in {page}" for page, text in readings if text is not None)
    return f"a name in it could be {shown}: say which in `names_encoding` (lode: --names-encoding)"


def _refusal(raw: bytes, encoding: str | None) -> str:
    if encoding is not None:
        return f"the name {ascii(raw)[2:-1][:_SHOWN]!r} is not in {encoding}: name another `names_encoding`"
    readings = [(page, _reading(raw, page)) for page in LIKELY]
    shown = [f"{text[:_SHOWN]!r} in {page}" for page, text in readings if text is not None]
    first = f"; the first is {', '.join(shown)}" if shown else ""
    return f"names of its files are not UTF-8: name their code page in `names_encoding` (lode: --names-encoding){first}"


def _reading(raw: bytes, page: str) -> str | None:
    try:
        text = codecs.decode(raw, page)
    except UnicodeDecodeError:
        return None
    return text if text.isprintable() else None
