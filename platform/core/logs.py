"""Log records as lines or as JSON, each with its context: a request and its user, a job and its shard."""

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from types import MappingProxyType

import orjson

_fields: ContextVar[Mapping[str, object]] = ContextVar("log_fields", default=MappingProxyType({}))


@contextmanager
def log_fields(**fields: object) -> Iterator[None]:
    """Add these fields to everything logged inside this block. A thread started here has them only if it runs in a copy
    of the context."""
    before = _fields.set({**_fields.get(), **fields})
    try:
        yield
    finally:
        _fields.reset(before)


def add_log_fields(**fields: object) -> None:
    """Add fields that are known only now; they end with the enclosing `log_fields` block."""
    _fields.set({**_fields.get(), **fields})


def current(name: str) -> object | None:
    """Return the current value of this field, or None."""
    return _fields.get().get(name)


class LineFormatter(logging.Formatter):
    """Format a record as a line for people, with the fields at its end."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - the library's name
        fields = " ".join(f"{name}={value}" for name, value in _fields.get().items())
        line = super().formatMessage(record)
        return f"{line} [{fields}]" if fields else line


class JsonFormatter(logging.Formatter):
    """Format a record as one JSON object on one line: `time`, `level`, `logger`, `message`, `process`, the fields, and
    `exception`."""

    def format(self, record: logging.LogRecord) -> str:
        document = {
            "time": datetime.fromtimestamp(record.created, UTC),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            "process": record.process,
            **_fields.get(),
        }
        if record.exc_info:
            document["exception"] = self.formatException(record.exc_info)
        clean = {name: _valid(value) if isinstance(value, str) else value for name, value in document.items()}
        return orjson.dumps(clean, default=str, option=orjson.OPT_UTC_Z).decode()


def _valid(text: str) -> str:
    """Replace lone surrogates, which JSON can't hold: names of files may have them."""
    return text.encode("utf-8", "replace").decode()
