"""`/hooks`: endpoints for outside callers with a secret."""

from typing import Any, cast

from django.contrib.auth.models import AnonymousUser
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.utils import extend_schema
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed, Throttled
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts import throttling
from accounts.rights import stand_as_platform
from core.errors import Conflict
from core.middleware import WEBHOOK_HEADER
from pipelines import documents, hooks, services
from pipelines.models import Pipeline
from pipelines.rounds import loop
from pipelines.rounds.triggers import TriggerEvent
from pipelines.serializers import pipelines as shapes
from pipelines.tasks import wake_round


class HookSecret(BaseAuthentication):
    """The header `X-Motherlode-Secret`. The caller does not learn whether pipeline, webhook or secret is wrong."""

    def authenticate(self, request: Request) -> tuple[AnonymousUser, Pipeline]:
        context: Any = request.parser_context
        pk, secret = context["kwargs"]["pk"], request.headers.get(WEBHOOK_HEADER, "")
        pipeline = hooks.holding(pk, secret)
        if pipeline is None:
            if secret:
                throttling.count_wrong(request._request, f"webhook {pk}", secret)  # noqa: SLF001 - Django's own
            raise AuthenticationFailed(f"Call it with the webhook's secret in the header {WEBHOOK_HEADER}.")
        stand_as_platform()
        return AnonymousUser(), pipeline

    def authenticate_header(self, request: Request) -> str:  # noqa: ARG002 - DRF's hook
        return 'Secret realm="motherlode"'


class HookSecretSchema(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]  # it ships no types
    target_class = HookSecret
    name = "hookSecret"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:  # noqa: ARG002 - its signature
        return {"type": "apiKey", "in": "header", "name": WEBHOOK_HEADER}


class PipelineHook(APIView):
    authentication_classes = [HookSecret]
    permission_classes = [AllowAny]

    @extend_schema(operation_id="hooks_pipeline", request=None, responses={202: shapes.HookAnswerSerializer, 429: None})
    def post(self, request: Request, pk: int) -> Response:  # noqa: ARG002 - the secret has named the pipeline
        """Start a round, unless one is open: calling twice does no harm. The body is ignored."""
        pipeline = cast(Pipeline, request.auth)
        if wait := hooks.take_call(pipeline):
            raise Throttled(wait=wait)
        try:
            round_, started = loop.start_round(pipeline, TriggerEvent("webhook", "called by webhook")), True
        except Conflict as refusal:
            last = loop.last_round(pipeline)
            if refusal.code != "round_open" or last is None:
                raise
            round_, started = last, False
        if started:
            wake_round(round_.pk)
        return Response({"round": round_.number, "started": started}, status=202)


class NewHookSecret(APIView):
    @extend_schema(operation_id="pipelines_webhook", request=None, responses={201: shapes.WebhookSerializer})
    def post(self, request: Request, pipeline: str) -> Response:  # noqa: ARG002 - DRF's signature
        """Create the webhook's secret, or replace it: the old one stops working at once. It is shown only once. For
        engineers and owners."""
        found = services.find_pipeline(pipeline)
        secret = hooks.new_secret(found)
        return Response({"url": documents.webhook_url(found), "secret": secret}, status=201)
