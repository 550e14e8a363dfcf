"""Untrusted JSON, XML, YAML, CSV and text, parsed within limits; every error is a FormatError with its place."""

import codecs
import csv
import io
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from xml.parsers import expat

import orjson
import yaml

from formats.errors import FormatError
from worker_programs.json_text import JsonRefusedError, json_fault, read_json

MAX_XML_BYTES = 4 << 20
XML_CHUNK = 1 << 16
INSIDE_ROOT = 2  # open elements just inside the root: the document itself, and its root
MAX_YAML_BYTES = 1 << 20
YAML_TAGS = {
    None,
    "!",
    *(f"tag:yaml.org,2002:{kind}" for kind in ("bool", "float", "int", "map", "null", "seq", "str")),
}
MAX_DEPTH = 40
MAX_JSON_VALUES = 40_000_000  # COCO has 20 million in its largest file
MAX_NUMBER = 1e9
FORMULA = re.compile(r"'*[=+\-@\t\r\n]")
"""How a cell begins that a spreadsheet takes for a formula (OWASP, CSV injection), also behind marks that it has
already: so taking one mark off is always right."""
MARKED = re.compile(r"''*[=+\-@\t\r\n]")
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def parse_json(path: str, data: bytes) -> Any:
    """Parse a JSON document. Numbers must be finite and nesting is limited."""
    if data.startswith(UTF_16):
        raise FormatError("not UTF-8 text; save it as UTF-8", path=path)
    try:
        return read_json(data.removeprefix(b"\xef\xbb\xbf"), values=MAX_JSON_VALUES)
    except orjson.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise FormatError(f"{path}, {place}: not JSON ({json_fault(error)}); export it again") from error
    except JsonRefusedError as error:
        raise FormatError(f"{path}: {error}") from error


def parse_text(path: str, data: bytes) -> str:
    """Decode the document as UTF-8 text."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FormatError("not UTF-8 text; save it as UTF-8", path=path, line=line) from error


def iter_csv(path: str, data: bytes, *, delimiter: str = ",") -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a table, each with the number of the line it ends on, and cells as they were before `write_csv`
    marked them as text."""
    text = io.TextIOWrapper(io.BytesIO(data), "utf-8-sig", newline="")
    table, line = csv.reader(text, delimiter=delimiter, strict=True), 0
    try:
        for row in table:
            line = table.line_num
            yield line, unmarked(row)
    except UnicodeDecodeError as error:
        raise FormatError("not UTF-8 text; save it as UTF-8", path=path, line=line + 1) from error
    except csv.Error as error:
        raise FormatError(f"not CSV ({error})", path=path, line=line + 1) from error


def write_csv(rows: Iterable[Sequence[str]]) -> str:
    """Write rows as CSV text. A cell that a spreadsheet would run as a formula gets a `'` before it, which spreadsheets
    read as "this is text" and `iter_csv` takes off again; numbers stay as they are."""
    out = io.StringIO()
    usual, quoted = (csv.writer(out, lineterminator="\n", quoting=how) for how in (csv.QUOTE_MINIMAL, csv.QUOTE_ALL))
    for row in rows:
        # Python leaves a carriage return without quotes, where readers begin a new line.
        (quoted if any("\r" in cell for cell in row) else usual).writerow([_marked(cell) for cell in row])
    return out.getvalue()


def unmarked(row: Sequence[str]) -> list[str]:
    """Return the cells of a row without the marks of `write_csv`."""
    return [cell[1:] if MARKED.match(cell) else cell for cell in row]


def _marked(cell: str) -> str:
    return f"'{cell}" if FORMULA.match(cell) and not NUMBER.fullmatch(cell) else cell


@dataclass(slots=True)
class Node:
    """One XML element."""

    tag: str
    line: int
    text: str = ""
    children: list["Node"] = field(default_factory=list)
    attributes: Mapping[str, str] = field(default_factory=dict)

    def find(self, tag: str) -> "Node | None":
        """Return the first child with this tag, or None."""
        return next((child for child in self.children if child.tag == tag), None)

    def all(self, tag: str) -> list["Node"]:
        """Return every child with this tag."""
        return [child for child in self.children if child.tag == tag]


def parse_xml(path: str, data: bytes) -> Node:
    """Parse an XML document and return its root element. Document types and entities are refused: annotations don't
    need them, attacks do."""
    if len(data) > MAX_XML_BYTES:
        raise FormatError(f"more than {MAX_XML_BYTES} bytes for one image's annotations", path=path)
    tree = _Tree(path)
    tree.feed(data, last=True)
    return tree.root.children[0]


def iter_xml(path: str, data: bytes) -> Iterator[Node]:
    """Yield the elements just inside the root one by one, because a file may describe very many images."""
    tree, view = _Tree(path, keep=False), memoryview(data)
    for start in range(0, len(data), XML_CHUNK):
        tree.feed(bytes(view[start : start + XML_CHUNK]), last=start + XML_CHUNK >= len(data))
        yield from tree.done
        tree.done.clear()


def xml_head(data: bytes, size: int) -> bytes:
    """Return the first `size` bytes of an XML document to look for tags in; one in UTF-16 is put into UTF-8."""
    head = data[:size]
    return head.decode("utf-16", errors="replace").encode() if head.startswith(UTF_16) else head


class _Tree:
    """Builds nodes from expat's events."""

    def __init__(self, path: str, *, keep: bool = True) -> None:
        self.root = Node("", 0)
        self.done: list[Node] = []  # finished elements just inside the root, if the tree does not keep them
        self._path, self._keep, self._began = path, keep, 0
        self._open = [self.root]
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        self.parser.StartDoctypeDeclHandler = self._doctype

    def feed(self, data: bytes, *, last: bool) -> None:
        """Parse the next chunk of the document. Raises FormatError."""
        try:
            self.parser.Parse(data, last)
        except expat.ExpatError as error:
            words = f"column {error.offset + 1}: not XML ({expat.ErrorString(error.code)})"
            raise FormatError(words, path=self._path, line=error.lineno) from error
        except (LookupError, ValueError) as error:
            if isinstance(error, FormatError):
                raise
            raise FormatError(f"not XML ({error})", path=self._path) from error

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if not self._keep:
            self._bound()
        if len(self._open) > MAX_DEPTH:
            raise FormatError("elements are nested too deeply", path=self._path, line=self.parser.CurrentLineNumber)
        node = Node(tag, self.parser.CurrentLineNumber, attributes=attributes)
        self._open[-1].children.append(node)
        self._open.append(node)

    def _end(self, _: str) -> None:
        node = self._open.pop()
        if not self._keep and len(self._open) == INSIDE_ROOT:
            self._open[-1].children.pop()
            self.done.append(node)

    def _bound(self) -> None:
        """Refuse an element that is larger than any image's annotations. Raises FormatError."""
        if len(self._open) == INSIDE_ROOT:
            self._began = self.parser.CurrentByteIndex
        elif self.parser.CurrentByteIndex - self._began > MAX_XML_BYTES:
            line = self.parser.CurrentLineNumber
            raise FormatError(f"more than {MAX_XML_BYTES} bytes for one image", path=self._path, line=line)

    def _text(self, text: str) -> None:
        self._open[-1].text += text

    def _doctype(self, *_: object) -> None:
        line = self.parser.CurrentLineNumber
        raise FormatError("document types and entities are not taken; remove the DOCTYPE", path=self._path, line=line)


class _Loader(yaml.BaseLoader):
    """A YAML loader for plain data without aliases, to a limited depth. A value is the text that is written: `no`,
    `010` and `12:30` are names of classes here, not false, 8 and 750."""

    depth = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        event = self.peek_event()  # type: ignore[no-untyped-call]  # the stubs leave it out
        mark = event.start_mark
        if self.check_event(yaml.AliasEvent):
            raise yaml.MarkedYAMLError(problem="aliases are not taken", problem_mark=mark)
        if getattr(event, "tag", None) not in YAML_TAGS:
            raise yaml.MarkedYAMLError(problem=f"the tag {event.tag[:40]!r} is not taken", problem_mark=mark)
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise yaml.MarkedYAMLError(problem="nested too deeply", problem_mark=mark)
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:  # noqa: FBT001, FBT002 - its own form
        seen: set[str] = set()
        for key, _ in node.value if isinstance(node, yaml.MappingNode) else ():
            if isinstance(key, yaml.ScalarNode) and key.value in seen:
                raise yaml.MarkedYAMLError(problem=f"{key.value[:40]!r} stands twice", problem_mark=key.start_mark)
            seen.add(str(key.value))
        return super().construct_mapping(node, deep=deep)


def parse_yaml(path: str, data: bytes) -> Any:
    """Parse a YAML document. Its keys and values are the texts that are written, whatever YAML takes them for."""
    if len(data) > MAX_YAML_BYTES:
        raise FormatError(f"more than {MAX_YAML_BYTES} bytes for a list of classes", path=path)
    text = parse_text(path, data)
    try:
        return yaml.load(text, _Loader)  # noqa: S506 - it makes texts, lists and mappings alone
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        raise FormatError(f"not YAML ({error.problem})", path=path, line=line) from error
    except (yaml.YAMLError, ValueError, TypeError, AttributeError, KeyError, OverflowError) as error:
        raise FormatError(f"not YAML ({str(error).splitlines()[0] if str(error) else 'a value'})", path=path) from error


def as_object(value: Any, where: str) -> Mapping[str, Any]:
    """Return the value, which must be an object."""
    if not isinstance(value, Mapping):
        raise FormatError(f"{where}: must be an object, not {_kind(value)}")
    return value


def as_list(value: Any, where: str) -> Sequence[Any]:
    """Return the value, which must be a list."""
    if not isinstance(value, list):
        raise FormatError(f"{where}: must be a list, not {_kind(value)}")
    return value


def as_text(value: Any, where: str) -> str:
    """Return the value, which must be a string."""
    if not isinstance(value, str):
        raise FormatError(f"{where}: must be a string, not {_kind(value)}")
    return value


def as_number(value: Any, where: str) -> float:
    """Return the value, which must be a number of pixels, percent or the like: finite and not huge."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise FormatError(f"{where}: must be a number, not {_kind(value)}")
    if not math.isfinite(value) or abs(value) > MAX_NUMBER:
        raise FormatError(f"{where}: {value} is out of any range")
    return float(value)


def as_meta(value: Any, where: str) -> dict[str, Any]:
    """Return the value as a sample's meta: an object of plain JSON that a database can store."""
    meta = dict(as_object(value, where))
    _check_plain(meta, where, depth=0)
    return meta


def _check_plain(value: Any, where: str, *, depth: int) -> None:
    if depth > MAX_DEPTH:
        raise FormatError(f"{where}: nested too deeply")
    if isinstance(value, str) and "\0" in value:
        raise FormatError(f"{where}: holds a NUL character")
    inner = [*value.keys(), *value.values()] if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    for one in inner:
        _check_plain(one, where, depth=depth + 1)


def read_number(text: str, where: str) -> float:
    """Parse a number in a text file or an element."""
    try:
        value = float(text)
    except ValueError:
        raise FormatError(f"{where}: {text[:40]!r} is not a number") from None
    return as_number(value, where)


def _kind(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "a string", bool: "a truth value", type(None): "null"}
    return names.get(type(value), "a number")
