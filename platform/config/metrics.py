"""`/metrics`: metrics of the platform for Prometheus, computed from the rows at each request."""

import secrets
from collections.abc import Iterator

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
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
from core import disk_space, request_counts
from jobs import figures as of_jobs
from labeling import figures as of_labeling
from mining_jobs import figures as of_mining
from registry import figures as of_models

SCRAPER = "scraper"


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
        responses={(200, "text/plain"): OpenApiTypes.STR},
    )
    def get(self, request: Request) -> HttpResponse:  # noqa: ARG002 - a view's signature
        """Metrics in the Prometheus text format, for owners and for the token of MOTHERLODE_METRICS_TOKEN. Without the
        database the metrics of rows are missing, and `motherlode_service_up` shows it."""
        return HttpResponse(generate_latest(Figures()), content_type=CONTENT_TYPE_PLAIN_0_0_4)


class Figures(Collector):
    """All metrics, computed when collected."""

    def collect(self) -> Iterator[Metric]:
        up = health.services()
        services = GaugeMetricFamily("motherlode_service_up", "1 for a service that answers.", labels=["service"])
        for name, words in up.items():
            services.add_metric([name], words == health.OK)
        yield services
        yield from _of_disk()
        yield from request_counts.figures()
        if up["broker"] == health.OK:
            yield from of_jobs.messages()
        if up["database"] == health.OK:
            yield from _of_rows()


def _of_disk() -> Iterator[Metric]:
    words, floor = "Bytes free on the disk with the platform's state.", settings.MIN_FREE_BYTES
    if (free := disk_space.free()) is not None:
        yield GaugeMetricFamily("motherlode_disk_free_bytes", words, value=free)
    yield GaugeMetricFamily("motherlode_disk_least_free_bytes", "Writes are refused below this.", value=floor)


def _of_rows() -> Iterator[Metric]:
    for figures in (of_jobs.figures, of_labeling.figures, of_models.figures, of_mining.figures):
        yield from figures()
