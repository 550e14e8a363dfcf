"""A pipeline's webhook: an address that only a caller with its secret may use."""

import hmac
import secrets
from datetime import timedelta

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from accounts import audit
from accounts.models import digest
from pipelines.models import Pipeline

PREFIX = "mlh_"
CALLS, WINDOW = 30, timedelta(minutes=1)
NO_PIPELINE = digest("")


@transaction.atomic
def new_secret(pipeline: Pipeline) -> str:
    """Make a new secret and enable the webhook. The secret is returned once and stored as a digest; the old one stops
    working."""
    row = Pipeline.objects.select_for_update().get(pk=pipeline.pk)
    secret = PREFIX + secrets.token_urlsafe(32)
    row.webhook_digest = digest(secret)
    row.trigger = row.trigger | {"webhook": True}
    row.save(update_fields=["webhook_digest", "trigger"])
    pipeline.webhook_digest, pipeline.trigger = row.webhook_digest, row.trigger
    audit.note("webhook secret made", "pipeline", pipeline.name, project=pipeline.project_of)
    return secret


def holding(pk: int, secret: str) -> Pipeline | None:
    """Return the pipeline with this id if this is the secret of its webhook, else None. Both take equally long."""
    pipeline = Pipeline.objects.select_related("dataset").filter(pk=pk).first()
    called = pipeline is not None and bool(pipeline.webhook_digest) and pipeline.trigger.get("webhook", False)
    kept = pipeline.webhook_digest if pipeline is not None and called else NO_PIPELINE
    return pipeline if hmac.compare_digest(kept, digest(secret)) and called else None


def take_call(pipeline: Pipeline) -> int:
    """Count a call. Returns the seconds to wait when there were more than CALLS in the running minute, else 0."""
    now = timezone.now()
    rows = Pipeline.objects.filter(pk=pipeline.pk)
    rows.exclude(webhook_window__gt=now - WINDOW).update(webhook_window=now, webhook_calls=0)
    if rows.filter(webhook_calls__lt=CALLS).update(webhook_calls=F("webhook_calls") + 1):
        return 0
    began = rows.values_list("webhook_window", flat=True).get() or now
    return max(1, round((began + WINDOW - now).total_seconds()))
