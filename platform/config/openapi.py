"""How the OpenAPI document tells of refusals: any operation may answer with the one problem document."""

from typing import Any

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import Direction

from core.problems import PROBLEM_JSON

REFUSED = {"$ref": "#/components/responses/Problem"}


class Schema(AutoSchema):
    def _get_response_bodies(self, direction: Direction = "response") -> dict[str, Any]:
        # Django REST framework asks for this class while its own views are imported.
        from config.problem_serializer import ProblemSerializer

        self.resolve_serializer(ProblemSerializer, direction)
        bodies: dict[str, Any] = super()._get_response_bodies(direction)
        return bodies | {"default": REFUSED}


def add_problem_response(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """A hook of drf-spectacular: what `REFUSED` refers to."""
    content = {PROBLEM_JSON: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    result["components"]["responses"] = {"Problem": {"description": "It was refused, and why.", "content": content}}
    return result
