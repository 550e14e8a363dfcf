"""Settings, routes and the two entry points (WSGI, Celery)."""

from config.celery import app as celery_app

__all__ = ["celery_app"]
