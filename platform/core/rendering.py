"""JSON in and out: strict (no NaN, bounded depth) and fast."""

import json
from collections.abc import Mapping
from typing import IO, Any

import orjson
from django.conf import settings
from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer

from core.errors import Invalid, TooLarge
from worker_programs.json_text import JsonRefusedError, json_fault, read_json, write_json

STRANGERS_BYTES = 4096
OPTIONS = orjson.OPT_NON_STR_KEYS | orjson.OPT_UTC_Z | orjson.OPT_SERIALIZE_NUMPY


class OrjsonRenderer(BaseRenderer):
    """The only renderer: there is no browsable API to leak HTML."""

    media_type = "application/json"
    format = "json"
    charset = None

    def render(
        self,
        data: Any,
        accepted_media_type: str | None = None,  # noqa: ARG002 - DRF's signature
        renderer_context: Mapping[str, Any] | None = None,  # noqa: ARG002 - as above
    ) -> bytes:
        if data is None:
            return b""
        return write_json(data, options=OPTIONS)


class OrjsonParser(BaseParser):
    """A JSON body, read within DATA_UPLOAD_MAX_MEMORY_SIZE; that of an unauthenticated client, who can only log in,
    within STRANGERS_BYTES."""

    media_type = "application/json"

    def parse(
        self,
        stream: IO[bytes],
        media_type: str | None = None,  # noqa: ARG002 - DRF's signature
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        request = (parser_context or {}).get("request")
        limit, words = settings.DATA_UPLOAD_MAX_MEMORY_SIZE, "send files as multipart or an archive"
        if request is not None and not request.user.is_authenticated:
            limit, words = min(limit, STRANGERS_BYTES), "log in first"
        too_large = TooLarge(f"The JSON body is larger than {limit} bytes: {words}.")
        announced = request.META.get("CONTENT_LENGTH") if request is not None else None
        if announced and announced.isdigit() and int(announced) > limit:
            raise too_large
        body = stream.read(limit + 1)
        if len(body) > limit:
            raise too_large
        if not body:
            return {}
        try:
            return read_json(body)
        except JsonRefusedError as error:
            raise Invalid.field("body", str(error)) from error
        except json.JSONDecodeError as error:
            place = f"line {error.lineno} column {error.colno}"
            raise ParseError(f"The body is not valid JSON: {json_fault(error)}: {place}.") from error
