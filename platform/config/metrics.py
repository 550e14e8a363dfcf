"""`/metrics`: metrics for Prometheus: those of the platform, computed from the rows at each request, and those that the
processes of this host count."""

import math
import os
import re
import secrets
from collections.abc import Collection, Iterator
from contextlib import suppress

import urllib3
from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from prometheus_client import CollectorRegistry, start_http_server
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest
from prometheus_client.registry import Collector
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.request import Request
from rest_framework.views import APIView

from accounts.authentication import REALM, BrowserSession, TokenAuthentication
from accounts.permissions import HasRole, needs
from accounts.rights import Right
from catalog.api.bytes import AnyAccept
from config import health
from core import database_figures, disk_space, host_metrics, scheduled
from core.errors import Invalid
from garbage_collection import figures as of_collecting
from jobs import figures as of_jobs
from labeling import figures as of_labeling
from mining_jobs import figures as of_mining
from publishing import figures as of_publishing
from registry import figures as of_models

SCRAPER = "scraper"
SCOPES = ("platform", "host")
QUEUED = re.compile(r"^granian_blocking_queue\{[^}]*\} (\d+)", re.MULTILINE)
QUICK_SECONDS = 0.5


class ScrapeToken(BaseAuthentication):
    """Authenticate by the bearer token of the setting: it belongs to no user, and only reads metrics."""

    def authenticate(self, request: Request) -> tuple[AnonymousUser, str] | None:
        own = f"Bearer {settings.METRICS_TOKEN}".encode()
        if settings.METRICS_TOKEN and secrets.compare_digest(get_authorization_header(request), own):
            return AnonymousUser(), SCRAPER
        return None

    def authenticate_header(self, request: Request) -> str:  # noqa: ARG002 - DRF's hook
        return REALM


class IsScraperOrHasRole(HasRole):
    def has_permission(self, request: Request, view: APIView) -> bool:
        return request.auth == SCRAPER or super().has_permission(request, view)


class Metrics(APIView):
    authentication_classes = [ScrapeToken, TokenAuthentication, BrowserSession]
    permission_classes = [IsScraperOrHasRole]
    content_negotiation_class = AnyAccept
    rights = needs(GET=Right.ADMINISTER)

    @extend_schema(
        operation_id="metrics_get",
        auth=[{"token": []}, {"session": []}],  # type: ignore[list-item]  # its stub knows names alone
        parameters=[
            OpenApiParameter(
                "scope",
                enum=SCOPES,
                description="`platform`: what is true of the whole platform, whichever host is asked. `host`: what the "
                "processes of the host that is asked count. Without it: both.",
            )
        ],
        responses={(200, "text/plain"): OpenApiTypes.STR},
    )
    def get(self, request: Request) -> HttpResponse:
        """Metrics in the Prometheus text format, for owners and for the token of MOTHERLODE_METRICS_TOKEN. Without the
        database the metrics of rows are missing, and `motherlode_service_up` shows it."""
        scope = request.query_params.get("scope")
        if scope is not None and scope not in SCOPES:
            raise Invalid.field("scope", f"must be one of {', '.join(SCOPES)}, or left out for both")
        wanted = SCOPES if scope is None else (scope,)
        return HttpResponse(generate_latest(Figures(wanted)), content_type=CONTENT_TYPE_PLAIN_0_0_4)


class Figures(Collector):
    """The metrics of these scopes, computed when collected."""

    def __init__(self, scopes: Collection[str]) -> None:
        self.scopes = scopes

    def collect(self) -> Iterator[Metric]:
        if "platform" in self.scopes:
            yield from _of_platform()
        if "host" in self.scopes:
            yield from _of_host()


def _of_platform() -> Iterator[Metric]:
    up = health.services()
    services = GaugeMetricFamily("motherlode_service_up", "1 for a service that answers.", labels=["service"])
    for name, words in up.items():
        services.add_metric([name], words == health.OK)
    yield services
    if up["broker"] == health.OK:
        yield from of_jobs.messages()
    if up["database"] == health.OK:
        yield from _of_rows()


def _of_host() -> Iterator[Metric]:
    words, floor = "Bytes free on the disk with the platform's state.", settings.MIN_FREE_BYTES
    if (free := disk_space.free()) is not None:
        yield GaugeMetricFamily("motherlode_disk_free_bytes", words, value=free)
    yield GaugeMetricFamily("motherlode_disk_least_free_bytes", "Writes are refused below this.", value=floor)
    yield from host_metrics.figures()
    yield GaugeMetricFamily("motherlode_web_requests_waiting", "Requests that wait for a thread.", value=_waiting())


def _waiting() -> int:
    """The requests that wait in the web server, as its own exporter says, where it has one; and those that wait in the
    front of the embedded profile."""
    waiting = 0
    if os.environ.get("GRANIAN_METRICS_ENABLED", "").lower() in {"1", "true", "yes"}:
        url = f"http://127.0.0.1:{os.environ.get('GRANIAN_METRICS_PORT', '9090')}/metrics"
        with suppress(urllib3.exceptions.HTTPError), urllib3.PoolManager(timeout=QUICK_SECONDS, retries=False) as pool:
            waiting += sum(map(int, QUEUED.findall(pool.request("GET", url).data.decode())))
    with suppress(OSError, ValueError):
        waiting += int((settings.VAR_DIR / "metrics" / "front").read_text())
    return waiting


def _of_rows() -> Iterator[Metric]:
    yield from _of_schedule()
    yield from database_figures.figures()
    for app in (of_jobs, of_collecting, of_labeling, of_models, of_mining, of_publishing):
        yield from app.figures()


def _of_schedule() -> Iterator[Metric]:
    """Ages by the database's clock. Beat is there also if it has never run, with an endless age."""
    runs = scheduled.last_runs()
    beat, backup = runs.pop(scheduled.BEAT, None), runs.pop(scheduled.BACKUP, None)
    seconds = beat.age if beat else math.inf
    yield GaugeMetricFamily("motherlode_beat_age_seconds", "Seconds since beat was last heard.", value=seconds)
    ages = GaugeMetricFamily(
        "motherlode_scheduled_task_age_seconds", "Seconds since a scheduled task last ended well.", labels=["task"]
    )
    intervals = GaugeMetricFamily(
        "motherlode_scheduled_task_interval_seconds", "Seconds after which a scheduled task is due.", labels=["task"]
    )
    for name, one in runs.items():
        ages.add_metric([name], one.age)
        intervals.add_metric([name], one.interval)
    yield ages
    yield intervals
    backups = GaugeMetricFamily("motherlode_backup_age_seconds", "Age of the last backup, where there is one.")
    if backup and backup.ended:
        backups.add_metric([], backup.age)
    yield backups


def serve_host_metrics() -> None:
    """Answer Prometheus at the port of MOTHERLODE_WORKER_METRICS_PORT, if one is set, with the metrics of this host: in
    a worker, whose host may have no web process."""
    if settings.WORKER_METRICS_PORT:
        registry = CollectorRegistry()
        registry.register(Figures(("host",)))
        start_http_server(settings.WORKER_METRICS_PORT, registry=registry)
