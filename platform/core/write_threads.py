"""Keep threads of a web process for reads: slow writes get only some of them."""

import itertools
import time
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase

from core.errors import Busy
from core.problems import response_to

SLOW_SECONDS = 0.5
READING = {"GET", "HEAD", "OPTIONS"}


class KeepThreadsForReads:
    """Answer 503 (`writes_busy`) to a write while as many others as may be slow have taken SLOW_SECONDS and more. Short
    writes are never counted, however many there are."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response
        self.most = max(1, settings.WEB_THREADS - settings.THREADS_FOR_READS)
        self._numbers = itertools.count()
        self._began: dict[int, float] = {}

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.method in READING:
            return self.get_response(request)
        now = time.monotonic()
        slow = sum(now - began >= SLOW_SECONDS for began in list(self._began.values()))
        if slow >= self.most:
            return response_to(Busy(f"{slow} other writes are under way here.", wait=1, code="writes_busy"))
        number = next(self._numbers)
        self._began[number] = now
        try:
            return self.get_response(request)
        finally:
            del self._began[number]
