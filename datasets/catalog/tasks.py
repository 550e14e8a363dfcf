"""Periodic Celery tasks of datasets."""

from celery import shared_task

from catalog.intake import archive_uploads


@shared_task(name="catalog.forget_archive_uploads")
def forget_archive_uploads() -> None:
    """Delete abandoned archive uploads."""
    archive_uploads.forget_abandoned()
