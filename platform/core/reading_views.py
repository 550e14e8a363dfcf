"""Read-only views outside DRF: their other methods are refused as everywhere."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec

from django.http import HttpRequest, HttpResponseBase
from django.views.decorators.csrf import csrf_exempt
from rest_framework.exceptions import MethodNotAllowed

from core.problems import response_to

P = ParamSpec("P")
METHODS = ("GET", "HEAD", "OPTIONS")


def only_read(view: Callable[Concatenate[HttpRequest, P], HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Wrap the view so that it answers 405 to methods that change something."""

    @csrf_exempt
    @wraps(view)
    def guarded(request: HttpRequest, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        if request.method in METHODS:
            return view(request, *args, **kwargs)
        detail = f"{request.method} is not possible at this address; these are: GET, HEAD."
        response = response_to(MethodNotAllowed(str(request.method), detail))
        response["Allow"] = ", ".join(METHODS)
        return response

    return guarded
