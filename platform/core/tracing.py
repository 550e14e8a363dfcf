"""Traces by OpenTelemetry, sent where OTEL_EXPORTER_OTLP_ENDPOINT points; without it nothing is recorded or sent.

A request, the shards of the jobs that it started and the programs that these ran make one trace: a job's row stores the
place in the trace that it was created at, so that the trace holds however late, and wherever, a worker runs it. Spans
name routes, kinds and ids, never URLs or content.
"""

import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from types import MappingProxyType
from typing import Any

from opentelemetry import trace
from opentelemetry.trace import Span, SpanKind, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from core.logs import log_fields
from core.version import VERSION

MAX_TRACE = 55
"""The length of a place in a trace, as the header `traceparent` writes it, in characters."""
END_SECONDS = 2.0
"""How long a process that ends waits for the collector to take the remaining spans."""
WANTED_BY = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
_tracer = trace.get_tracer("motherlode", VERSION)
_headers = TraceContextTextMapPropagator()


def begin(process: str) -> None:
    """Start sending this process's traces, if an endpoint is set. The SDK reads its own variables: the endpoint, the
    sampled share."""
    if not any(os.environ.get(name) for name in WANTED_BY):
        return
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # half a second of imports
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    about = {"service.name": f"motherlode-{process}", "service.version": VERSION}
    provider = TracerProvider(resource=Resource.create(about), shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)


def end() -> None:
    """Send the remaining spans before the process ends; wait END_SECONDS at most."""
    if callable(shutdown := getattr(trace.get_tracer_provider(), "shutdown", None)):
        sending = threading.Thread(target=shutdown, daemon=True)
        sending.start()
        sending.join(END_SECONDS)


@contextmanager
def span(
    name: str,
    *,
    parent: str = "",
    kind: SpanKind = SpanKind.INTERNAL,
    attributes: Mapping[str, str | int] = MappingProxyType({}),
) -> Iterator[Span]:
    """Record this block as a span under `parent`, a place in a trace, or under the current span. Log records inside the
    block carry the `trace_id`."""
    terms: dict[str, Any] = {"kind": kind, "attributes": attributes, "record_exception": False}
    context = _headers.extract({"traceparent": parent}) if parent else None
    with ExitStack() as stack:
        made = stack.enter_context(_tracer.start_as_current_span(name, context, **terms))
        if made.is_recording():
            stack.enter_context(log_fields(trace_id=trace.format_trace_id(made.get_span_context().trace_id)))
        yield made


def failed(error: Exception) -> None:
    """Mark the current span as failed with this type of error; the error's message is only in the log."""
    trace.get_current_span().set_status(StatusCode.ERROR, type(error).__name__)


def place() -> str:
    """Return the current place in a trace (`traceparent`); empty outside of any recorded trace."""
    if not trace.get_current_span().is_recording():
        return ""
    headers: dict[str, str] = {}
    _headers.inject(headers)
    return headers.get("traceparent", "")
