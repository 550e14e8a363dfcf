"""JSONL: one object per line, `{"key": .., "label"?: {..}, "split"?: .., "meta"?: {..}}`."""

from collections.abc import Sequence
from typing import Any

import orjson

from formats.registry import Annotated, FormatError, register


@register("jsonl")
class JsonLines:
    """Motherlode's own plain form."""

    def recognises(self, names: Sequence[str], document: bytes | None, *, classes: Sequence[str]) -> str | None:
        del names, classes  # the annotations speak for themselves
        if document is not None and document.lstrip()[:1] == b"{" and b'"key"' in document[:4096]:
            return "the annotations are JSON lines with a key each"
        return None

    def read(self, names: Sequence[str], document: bytes | None) -> dict[str, Annotated]:
        if document is None:
            raise FormatError("annotations: jsonl needs the annotation file")
        known, found = set(names), {}
        for number, line in enumerate(document.splitlines(), start=1):
            if line.strip():
                key, annotated = self._line(number, line)
                found[key] = annotated
        if not known & found.keys() and known:
            raise FormatError(f"annotations: no key matches an image; the first is {next(iter(found), None)!r}")
        return found

    @staticmethod
    def _line(number: int, line: bytes) -> tuple[str, Annotated]:
        try:
            row: Any = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            raise FormatError(f"annotations: line {number} is not JSON ({error})") from error
        if not isinstance(row, dict) or not isinstance(row.get("key"), str):
            raise FormatError(f"annotations: line {number} needs a string `key`")
        meta = {} if row.get("meta") is None else row["meta"]
        if not isinstance(meta, dict):
            raise FormatError(f"annotations: line {number}: `meta` must be an object")
        return row["key"], Annotated(label=row.get("label"), split=row.get("split"), meta=meta)
