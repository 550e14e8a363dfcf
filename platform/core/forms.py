"""Reading a request's body into a shape."""

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request


def validated(shape: type[serializers.Serializer[Any]], request: Request) -> dict[str, Any]:
    """The request's body in the given shape. Raises DRF's ValidationError naming each faulty field."""
    form = shape(data=request.data)
    form.is_valid(raise_exception=True)
    values: dict[str, Any] = form.validated_data
    return values


class KeysField(serializers.ListField):
    """Many keys of samples: those that can't be wrong are passed without a look each."""

    def __init__(self, *, max_key: int, **kwargs: Any) -> None:
        self._max_key = max_key
        super().__init__(child=serializers.CharField(max_length=max_key, trim_whitespace=False), **kwargs)

    def run_child_validation(self, data: list[Any]) -> list[str]:
        """The keys. Raises ValidationError naming the place of each faulty one."""
        if all(
            type(key) is str and 0 < len(key) <= self._max_key and key.isascii() and key.isprintable() for key in data
        ):
            return data
        keys: list[str] = super().run_child_validation(data)
        return keys
