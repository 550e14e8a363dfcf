"""Validation of a request's body against a serializer."""

from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from functools import cache
from itertools import islice
from typing import Any

from django.core.validators import MaxValueValidator, MinValueValidator
from django.http import QueryDict
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.settings import api_settings

from core.bounds import bounded_throughout

MOST_FAULTS = 20
"""The most faults reported at once: a listing may have the same one in each of thousands of rows."""


def validated(shape: type[serializers.Serializer[Any]], request: Request) -> dict[str, Any]:
    """Validate the request's body with the serializer `shape`. Raises DRF's ValidationError naming each faulty field;
    an unknown field is a fault too, as it would otherwise be ignored."""
    if request.data is None:
        raise serializers.ValidationError({api_settings.NON_FIELD_ERRORS_KEY: ["No data provided"]})
    form = _blank(shape)
    if faults := dict(islice(_faults(form, request.data), MOST_FAULTS)):
        raise serializers.ValidationError(faults)
    values: dict[str, Any] = form.run_validation(request.data)
    return values


@cache
def _blank(shape: type[serializers.Serializer[Any]]) -> serializers.Serializer[Any]:
    """Return a serializer shared by all requests, also concurrent ones: DRF makes the fields anew for each, which takes
    longer than to read a short body."""
    return bounded_throughout(shape())


def no_such(name: str, known: Iterable[str]) -> str:
    """Return the error message for an unknown field name."""
    known = list(known)
    close = closest(name, known)
    return (
        f"is not a field here; did you mean {close}?" if close else f"is not a field here; there are {', '.join(known)}"
    )


def closest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name closest to `name`, if any is close."""
    return next(iter(get_close_matches(name, known, n=1)), None)


def _faults(field: Any, data: Any, at: str = "") -> Iterator[tuple[str, list[str]]]:
    """Yield `(dotted name, messages)` for faults that DRF lets pass, in nested serializers too: fields that the
    serializer doesn't have, values of another JSON type, which DRF would convert, and fields that a form sends again,
    of which DRF takes the last. A form's values are all text, so they are converted."""
    if isinstance(data, Mapping) and isinstance(field, serializers.Serializer | serializers.DictField):
        for name, value in data.items():
            child = _member(field, name)
            if child is None:
                yield f"{at}{name}", [no_such(name, getattr(field, "fields", ()))]
            elif isinstance(data, QueryDict):
                sent = len(data.getlist(name))
                if sent > 1 and not isinstance(child, serializers.ListField):
                    yield name, [f"stands here {sent} times: send it once"]
            else:
                yield from _faults(child, value, f"{at}{name}.")
    elif isinstance(data, list) and (child := getattr(field, "child", None)) is not None:
        if isinstance(child, serializers.CharField) and set(map(type, data)) <= {str}:
            return  # lists of keys are long
        for index, item in enumerate(data):
            yield from _faults(child, item, f"{at}{index}.")
    elif (words := _other_type(field, data)) is not None:
        yield at.rstrip("."), [words]


def _member(field: Any, name: str) -> Any:
    """Return the field of this name; for an object with free names, the field that each of its values has."""
    return field.child if isinstance(field, serializers.DictField) else field.fields.get(name)


def _other_type(field: Any, data: Any) -> str | None:
    """Return an error for a JSON value that DRF would convert: 5 to "5", "5" to 5, "yes" or 1 to true."""
    if isinstance(field, ReferenceField):
        return "must be text or a whole number" if isinstance(data, float) and data % 1 else None
    if isinstance(field, serializers.CharField):
        return "must be text" if isinstance(data, int | float) else None
    if isinstance(field, serializers.BooleanField):
        return "must be true or false" if isinstance(data, str | int | float) and not isinstance(data, bool) else None
    if isinstance(field, serializers.FloatField | serializers.IntegerField):
        kind = "number" if isinstance(field, serializers.FloatField) else "whole number"
        if isinstance(data, bool):
            return f"must be a {kind}, not true or false"
        if isinstance(data, float) and data.is_integer() and isinstance(field, serializers.IntegerField):
            return _beyond(field, data)
        return f"must be a {kind}, not text" if isinstance(data, str) else None
    return None


def _beyond(field: serializers.IntegerField, data: float) -> str | None:
    """Return the message of the bound that `data` lies beyond. A whole number too long for the JSON reader arrives as
    a float, whose text DRF takes for no whole number."""
    for bound in field.validators:
        if isinstance(bound, MinValueValidator | MaxValueValidator) and bound.compare(int(data), bound.limit_value):
            return str(bound.message)
    return None


class ChangeSerializer(serializers.Serializer[Any]):
    """A partial update: fields left out stay as they are; at least one is required."""

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if not attrs:
            raise serializers.ValidationError(f"there is nothing to change: send one of {', '.join(self.fields)}")
        return attrs


class NamesField(serializers.ListField):
    """A list of distinct names."""

    def to_internal_value(self, data: Any) -> list[str]:
        names: list[str] = super().to_internal_value(data)
        if len(set(names)) < len(names):
            raise serializers.ValidationError("must be different names")
        return names


class ReferenceField(serializers.CharField):
    """An id or a name, as in a URL: a number, or text."""

    def to_internal_value(self, data: Any) -> str:
        return super().to_internal_value(str(int(data)) if isinstance(data, float) else data)


class KeysField(serializers.ListField):
    """A long list of sample keys: keys that are plainly valid are not checked one by one."""

    def __init__(self, *, max_key: int, **kwargs: Any) -> None:
        self._max_key = max_key
        super().__init__(child=serializers.CharField(max_length=max_key, trim_whitespace=False), **kwargs)

    def run_child_validation(self, data: list[Any]) -> list[str]:
        """Return the keys. Raises ValidationError with the position of each invalid one."""
        if all(
            type(key) is str and 0 < len(key) <= self._max_key and key.isascii() and key.isprintable() for key in data
        ):
            return data
        keys: list[str] = super().run_child_validation(data)
        return keys
