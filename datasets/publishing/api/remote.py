"""`/dvc/datasets/{name}`, `/dvc/models/{name}`: the service as a DVC HTTP remote, file by file.

Serves only what belongs to the repository; anything else is 404, even if its bytes are stored elsewhere.
"""

import re
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from rest_framework.exceptions import MethodNotAllowed

from core.bodies import body_of, reads_chunked
from core.errors import NotAllowed, NotFound
from jobs.tasks import wake
from publishing import remote
from publishing.credentials import protected, reader_of, writer_of
from publishing.models import Repository
from publishing.services import repository_for, repository_of
from publishing.sources import source
from publishing.texts import Text
from publishing.uploads import receive

WHOLE_BYTES = 8 << 20
RANGE_BYTES = 512 << 20  # larger files are not served in parts
HEADERS = {
    "Content-Type": "application/octet-stream",
    "Content-Disposition": "attachment",
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "Cache-Control": "private, max-age=31536000, immutable",
    "Accept-Ranges": "bytes",
}
_RANGE = re.compile(r"bytes=(\d{1,18})-(\d{0,18})")


@reads_chunked
@protected
def stored(request: HttpRequest, kind: str, name: str, head: str, rest: str) -> HttpResponseBase:
    """Serve or receive one object: `files/md5/<2>/<30>`, with `.dir` appended for a directory's listing."""
    reader = reader_of(request, kind, name)
    md5, is_listing = head + rest.removesuffix(".dir"), rest.endswith(".dir")
    if request.method in {"PUT", "POST"}:
        return _receive(request, kind, name, md5, is_listing=is_listing)
    if request.method not in {"GET", "HEAD"}:
        raise MethodNotAllowed(str(request.method))
    repository = repository_of(kind, name)
    found = remote.find(repository, md5, listing=is_listing)
    if is_listing and request.method == "GET":
        remote.note_access(repository, found.md5, reader)
    return _bytes(request, found)


@protected
def folder(request: HttpRequest, kind: str, name: str) -> HttpResponseBase:
    """Answer DVC's check whether the folder itself exists with 404, as it expects from an HTTP remote."""
    reader_of(request, kind, name)
    raise NotFound("There is nothing to list: ask for an object by its md5.")


def _receive(request: HttpRequest, kind: str, name: str, md5: str, *, is_listing: bool) -> HttpResponseBase:
    """Store an object that `dvc push` sends. The listing comes last and turns the push into a version."""
    author = writer_of(request, kind, name)
    repository = repository_for(kind, name)
    if kind != Repository.Kind.DATASETS:
        raise NotAllowed("Model versions come from runs: nothing is pushed here.", code="read_only")
    sent = receive(repository, md5, body_of(request), listing=is_listing)
    if is_listing:
        wake(source(kind).adopt(repository.name, sent.blob, author=author))
    return HttpResponse(status=201)


def _bytes(request: HttpRequest, found: Text) -> HttpResponseBase:
    response: Any
    span = _span(request, found.length)
    if request.method == "HEAD":
        response = HttpResponse(headers=HEADERS)
        response["Content-Length"] = str(found.length)
    elif span is not None:
        first, last = span
        response = HttpResponse(found.read()[first : last + 1], status=206, headers=HEADERS)
        response["Content-Range"] = f"bytes {first}-{last}/{found.length}"
    elif found.length <= WHOLE_BYTES:
        response = HttpResponse(found.read(), headers=HEADERS)
    else:
        response = StreamingHttpResponse(found.chunks(), headers=HEADERS)
        response["Content-Length"] = str(found.length)
    response["ETag"] = f'"{found.md5}"'
    answer: HttpResponseBase = response
    return answer


def _span(request: HttpRequest, size: int) -> tuple[int, int] | None:
    """Return the first and last byte that a Range header asks for; None to send the whole object."""
    found = _RANGE.fullmatch(request.headers.get("Range", ""))
    if found is None or size > RANGE_BYTES:
        return None
    first, last = int(found[1]), min(int(found[2] or size), size - 1)
    return (first, last) if first <= last else None
