"""The React application: one page for every address under /app/."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import ensure_csrf_cookie


@ensure_csrf_cookie
def index(request: HttpRequest) -> HttpResponse:  # noqa: ARG001 - a view's signature
    """Return the built page, or a short notice if it was not built."""
    page = settings.FRONTEND_DIST / "index.html"
    if page.is_file():
        response = HttpResponse(page.read_bytes(), content_type="text/html; charset=utf-8")
    else:
        response = HttpResponse("The web application is not built: run `make frontend`.", content_type="text/plain")
    response["Cache-Control"] = "no-cache"
    return response
