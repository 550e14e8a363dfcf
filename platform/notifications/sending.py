"""Send what waits: to each person by mail, at most once an hour, and to the team's webhook at once.

A person who looks at the list in the meantime has seen it, and gets no mail about it. What has waited for longer than a
day is not sent either, so that a platform that gets a mail server does not begin with everything at once.
"""

import logging
import smtplib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from datetime import datetime, timedelta

import orjson
import urllib3
from django.conf import settings
from django.core.mail import send_mail
from django.db import transaction
from django.utils import timezone

from accounts.models import User
from accounts.rights import acting_as, platform_work
from notifications.models import Delivery, NotificationSettings
from notifications.waiting import Notification, waiting_for, waiting_for_team

logger = logging.getLogger(__name__)
QUIET = timedelta(minutes=10)
"""How long something waits before a mail tells of it."""
BETWEEN_MAILS = timedelta(hours=1)
OLDEST = timedelta(days=1)
CLAIM = timedelta(minutes=5)
"""After that what was claimed and not sent is anybody's again: whoever claimed it was ended."""
KEEP = timedelta(days=60)
WEBHOOK_SECONDS = 10.0
MOST_SHOWN = 30


class SendError(Exception):
    """What the mail server or the webhook answered."""


def send_all() -> None:
    """Send what has not been sent. What fails is tried again with the next call, and logged."""
    now = timezone.now()
    Delivery.objects.filter(claimed__lt=now - KEEP).delete()
    if settings.NOTIFICATIONS_WEBHOOK:
        with platform_work():
            _deliver(None, waiting_for_team(now - OLDEST), now)
    if settings.EMAIL_HOST:
        for user in _with_mail(now):
            with acting_as(user):
                due = [
                    notification for notification in waiting_for(user).notifications if _is_due(notification, user, now)
                ]
                _deliver(user, due, now)


def _with_mail(now: datetime) -> list[User]:
    """Return the people who want mail, have an address, and got none within the hour."""
    lately = Delivery.objects.filter(sent__gt=now - BETWEEN_MAILS).exclude(user=None).values("user")
    people = User.objects.filter(is_active=True, is_service=False).exclude(email="").exclude(pk__in=lately)
    return list(people.exclude(notification_settings__mail=False).select_related("notification_settings"))


def _is_due(notification: Notification, user: User, now: datetime) -> bool:
    seen = NotificationSettings.of(user).seen
    return now - OLDEST < notification.at < now - QUIET and (seen is None or notification.at > seen)


def _deliver(user: User | None, waiting: Sequence[Notification], now: datetime) -> None:
    with _claimed(user, waiting, now) as new:
        if new:
            _mail(user, new) if user else _post(new)
            logger.info("%d notifications sent to %s", len(new), user.username if user else "the webhook")


@contextmanager
def _claimed(user: User | None, waiting: Sequence[Notification], now: datetime) -> Iterator[list[Notification]]:
    """Claim those that nobody has sent or is sending. They are marked as sent at the end, or, if that failed, free
    again."""
    rows = Delivery.objects.filter(user=user, key__in=[notification.key for notification in waiting])
    with transaction.atomic():
        rows.filter(sent=None, claimed__lt=now - CLAIM).delete()
        there = set(rows.values_list("key", flat=True))
        keys = [notification.key for notification in waiting if notification.key not in there]
        claims = [Delivery(user=user, key=key, claimed=now) for key in keys]
        Delivery.objects.bulk_create(claims, ignore_conflicts=True)
        mine = set(rows.filter(sent=None, claimed=now).values_list("key", flat=True)) - there
    claimed = Delivery.objects.filter(user=user, key__in=mine)
    try:
        yield [notification for notification in waiting if notification.key in mine]
    except SendError as error:
        claimed.delete()
        logger.warning("notifications to %s were not sent: %s", user.username if user else "the webhook", error)
    else:
        claimed.update(sent=timezone.now())


def _lines(new: Sequence[Notification], line: Callable[[Notification], str]) -> str:
    """A line for each of the first notifications, and the number of the others."""
    more = len(new) - MOST_SHOWN
    lines = [line(notification) for notification in new[:MOST_SHOWN]]
    return "\n".join([*lines, f"And {more:,} more: {settings.PUBLIC_URL}/app/notifications"] if more > 0 else lines)


def _mail(user: User, new: Sequence[Notification]) -> None:
    subject = new[0].title if len(new) == 1 else f"{len(new)} things are waiting for you"
    lines = _lines(new, lambda it: f"{it.title}\n{it.detail}\n{settings.PUBLIC_URL}{it.path}\n")
    text = f"{lines}\nYou get at most one mail an hour. To get none: {settings.PUBLIC_URL}/app/notifications"
    try:
        send_mail(f"[Motherlode] {subject}", text, None, [user.email])
    except (smtplib.SMTPException, OSError) as error:
        raise SendError(f"{type(error).__name__}: {error}") from error


def _post(new: Sequence[Notification]) -> None:
    """POST JSON; chat programs show `text`."""
    text = _lines(new, lambda it: f"{it.title} {settings.PUBLIC_URL}{it.path}")
    body = orjson.dumps({"text": text, "notifications": [asdict(notification) for notification in new]})
    try:
        with urllib3.PoolManager(timeout=WEBHOOK_SECONDS, retries=False) as pool:
            head = {"Content-Type": "application/json"}
            answer = pool.request("POST", settings.NOTIFICATIONS_WEBHOOK, body=body, headers=head)
    except urllib3.exceptions.HTTPError as error:
        raise SendError(f"{type(error).__name__}: {error}") from error
    if answer.status >= 300:
        raise SendError(f"it answered {answer.status}")
