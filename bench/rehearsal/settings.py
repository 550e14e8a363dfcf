"""The platform's settings, and the kind of job that is rehearsed."""

from config.settings import *  # noqa: F403
from config.settings import JOB_HANDLERS as OURS

JOB_HANDLERS = {**OURS, "rehearse": "bench.rehearsal.handler.RehearsedHandler"}
