"""Configs of programs, architectures and strategies: pydantic dataclasses, read from JSON; errors name the field."""

import ast
import inspect
import textwrap
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

import orjson
from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.config import JsonDict
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from worker_programs.faults import field_and_message

STRICT = ConfigDict(extra="forbid", allow_inf_nan=False)
"""The settings of every config dataclass: an unknown field is an error. The string under a field is its description."""

SHOWN = ("group", "unit", "advanced")
"""What `setting` adds to the schema of a field, for forms that are made of it."""

C = TypeVar("C")


def setting(group: str, *, unit: str | None = None, usual: bool = False, **bounds: Any) -> Any:
    """The annotation of a config's field that people set in forms: the group it is shown in, the unit of its number,
    whether it is among the few that are usually changed, and the `bounds` of pydantic's `Field`."""
    shown: JsonDict = {"group": group, "advanced": not usual}
    if unit:
        shown["unit"] = unit
    return Field(json_schema_extra=shown, **bounds)


class ConfigError(Exception):
    """A config document is not valid; `errors` maps each faulty field to what is wrong with it."""

    code = "invalid_config"

    def __init__(self, errors: Mapping[str, list[str]]) -> None:
        self.errors = dict(errors)
        super().__init__("; ".join(f"{field}: {', '.join(texts)}" for field, texts in self.errors.items()))


def parse(cls: type[C], document: Mapping[str, Any] | bytes) -> C:
    """Parse a JSON document into a config. Raises ConfigError naming each faulty field (`recipe.batch_size`)."""
    data = document if isinstance(document, bytes) else orjson.dumps(dict(document))
    try:
        return TypeAdapter(cls).validate_json(data, strict=True)  # true is not 1, and "1" is none
    except ValidationError as fault:
        errors: dict[str, list[str]] = {}
        for error in fault.errors(include_url=False):
            field, message = field_and_message(error, cls)
            errors.setdefault(field, []).append(message)
        raise ConfigError(errors) from fault


def read(cls: type[C], path: Path) -> C:
    """`parse` of the file at `path`; an absent or unreadable file is a ConfigError of the field `config`."""
    try:
        data = path.read_bytes()
    except OSError as fault:
        raise ConfigError({"config": [f"cannot be read from {path}: {fault.strerror}"]}) from fault
    return parse(cls, data)


def document(config: Any) -> dict[str, Any]:
    """Return the JSON document of a config, with every default written out; `parse` of it gives the same config."""
    made: dict[str, Any] = TypeAdapter(type(config)).dump_python(config, mode="json")
    return made


def json_schema(cls: type[Any]) -> dict[str, Any]:
    """Return the JSON schema of a config dataclass, as shown by GET /architectures and GET /strategies."""
    return TypeAdapter(cls).json_schema(schema_generator=_Described)


class _Described(GenerateJsonSchema):
    """A schema generator that reads descriptions only when the schema is requested: pydantic's
    `use_attribute_docstrings` would read the source of every config whenever it is imported, which would slow down each
    program's start."""

    def dataclass_schema(self, schema: core_schema.DataclassSchema) -> JsonSchemaValue:
        made, cls = super().dataclass_schema(schema), schema["cls"]
        texts, properties = _texts(cls), made.get("properties", {})
        for name, field in cls.__pydantic_fields__.items():
            if name in texts and (shown := field.alias or name) in properties:
                properties[shown].setdefault("description", texts[name])
        for one in properties.values():
            for option in one.get("anyOf", []):  # a field that may be None says this of its other type
                one.update({word: option.pop(word) for word in SHOWN if word in option})
        return made


_reading = Lock()
"""Two threads that read source at once make each other's `ast.parse` raise SystemError (CPython before 3.12)."""
_known: dict[type[Any], Mapping[str, str]] = {}


def _texts(cls: type[Any]) -> Mapping[str, str]:
    """Map fields to the strings under them, in the class or its bases; nothing for a class without source."""
    with _reading:
        if cls not in _known:
            _known[cls] = _read_texts(cls)
        return _known[cls]


def _read_texts(cls: type[Any]) -> Mapping[str, str]:
    found = dict[str, str]()
    for one in cls.__mro__[-2::-1]:
        with suppress(OSError, TypeError):
            match ast.parse(textwrap.dedent(inspect.getsource(one))).body:
                case [ast.ClassDef(body=body)]:
                    found |= _told(body)
    return found


def _told(body: Sequence[ast.stmt]) -> dict[str, str]:
    found = dict[str, str]()
    for statement, below in pairwise(body):
        match statement, below:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                found[name] = inspect.cleandoc(text)
    return found
