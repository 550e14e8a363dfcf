"""What Schemathesis can't make up: a cursor stands in an answer, and each request has an idempotency key of its own."""

import uuid
from typing import Any

import schemathesis


@schemathesis.hook  # type: ignore[untyped-decorator]  # its types are not there
def before_call(context: Any, case: Any, kwargs: Any) -> None:  # noqa: ARG001 - the library's hook
    """Of requests that must be accepted; what is meant to be refused stays as it is."""
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return
    if case.query and "cursor" in case.query:
        del case.query["cursor"]
    if case.headers and "Idempotency-Key" in case.headers:
        case.headers["Idempotency-Key"] = uuid.uuid4().hex
