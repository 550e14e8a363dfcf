"""The Celery task of notifications."""

from celery import shared_task

from notifications.sending import send_all


@shared_task(name="notifications.send")
def send() -> None:
    """Send what has not been sent."""
    send_all()
