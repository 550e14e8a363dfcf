"""What celery's beat does for datasets."""

from celery import shared_task

from catalog.intake import archive_uploads


@shared_task(name="catalog.forget_archive_uploads")
def forget_archive_uploads() -> None:
    """Let go of archives whose upload was given up."""
    archive_uploads.forget_abandoned()
