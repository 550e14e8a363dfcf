"""WSGI entry point: `granian --interface wsgi config.wsgi:application`."""

import atexit
import os
from importlib import import_module

from django.conf import settings
from django.core.wsgi import get_wsgi_application

from core import gc_pause, host_metrics, tracing
from core.pending_migrations import gate

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
# Somebody waits for an answer: a silent store or database, or a lock, is told of sooner than a worker would give up.
os.environ.setdefault("MOTHERLODE_DATABASE_PATIENCE", "1")
os.environ.setdefault("MOTHERLODE_LOCK_SECONDS", "1")
os.environ.setdefault("MOTHERLODE_S3_READ_TIMEOUT", "8")
os.environ.setdefault("MOTHERLODE_S3_ATTEMPTS", "2")
tracing.begin("web")
atexit.register(tracing.end)
application = get_wsgi_application()
import_module(settings.ROOT_URLCONF)  # all views: else the first request to each process waits for them
gate.close()  # until the tables are those of this code
heartbeat = import_module("jobs.heartbeat").of_web()  # models can be imported now
heartbeat.start()
atexit.register(heartbeat.stop)
host_metrics.web_threads.add((), (settings.WEB_THREADS, 0.0))
gc_pause.freeze()
