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
