"""Periodic Celery tasks of datasets."""

from celery import shared_task

from catalog.intake import archive_uploads
from catalog.versions import undoing


@shared_task(name="catalog.forget_archive_uploads")
def forget_archive_uploads() -> None:
    """Delete abandoned archive uploads."""
    archive_uploads.forget_abandoned()


@shared_task(name="catalog.undo_abandoned")
def undo_abandoned() -> None:
    """Undo large commits whose job ended, or whose request died, before they were done."""
    undoing.undo_abandoned()
