"""`/datasets/{name}.git`, `/models/{name}.git`: clone and fetch over git's smart HTTP. Pushes are refused."""

import gzip
import io
import tempfile
import zlib
from collections.abc import Callable
from typing import BinaryIO, cast

from django.http import FileResponse, HttpRequest, HttpResponseBase
from dulwich.repo import Repo
from rest_framework.exceptions import MethodNotAllowed

from core.bodies import body_of, reads_chunked
from core.errors import Invalid, NotAllowed, TooLarge
from publishing.credentials import protected, user_of
from publishing.models import KeyHolder, Repository
from publishing.projection import with_repository
from publishing.services import repository_of
from versioning.serving import ADVERTISEMENT, RESULT, SERVICE, advertise, upload_pack

MAX_REQUEST = 4 << 20  # room for some 80,000 commits that a client lists as known
SPOOL_BYTES = 4 << 20
READ_ONLY = "This repository is written by the platform alone: commit to the dataset, or `dvc push` into it."


@protected
def info_refs(request: HttpRequest, kind: str, name: str) -> HttpResponseBase:
    """Advertise the refs of a repository for a clone or fetch."""
    user_of(request, kind, name)
    if request.method != "GET":
        raise MethodNotAllowed(str(request.method))
    if request.GET.get("service") != SERVICE:
        raise NotAllowed(READ_ONLY, code="read_only")
    return _answer(repository_of(kind, name), advertise, ADVERTISEMENT)


@reads_chunked
@protected
def fetch(request: HttpRequest, kind: str, name: str) -> HttpResponseBase:
    """Send the objects that a client wants, as a pack. They contain the read key, so the user is recorded as its
    holder."""
    user = user_of(request, kind, name)
    if request.method != "POST":
        raise MethodNotAllowed(str(request.method))
    repository, body = repository_of(kind, name), _body(request)
    KeyHolder.objects.get_or_create(repository=repository, user=user, key_number=repository.key_number)
    return _answer(repository, lambda repo, answer: upload_pack(repo, io.BytesIO(body), answer), RESULT)


@protected
def refused(request: HttpRequest, kind: str, name: str) -> HttpResponseBase:
    """Refuse a push."""
    user_of(request, kind, name)
    raise NotAllowed(READ_ONLY, code="read_only")


def _answer(repository: Repository, write: Callable[[Repo, BinaryIO], None], content_type: str) -> HttpResponseBase:
    def use(repo: Repo) -> BinaryIO:
        file = cast(BinaryIO, tempfile.SpooledTemporaryFile(max_size=SPOOL_BYTES))  # noqa: SIM115 - the answer closes it
        write(repo, file)
        file.seek(0)
        return file

    response = FileResponse(with_repository(repository, use), content_type=content_type)
    response["Cache-Control"] = "no-cache"
    return response


def _body(request: HttpRequest) -> bytes:
    """Return the request's body, decompressed if the client compressed it. Raises TooLarge, Invalid."""
    stream: BinaryIO = body_of(request)
    if request.headers.get("Content-Encoding", "identity") in {"gzip", "x-gzip"}:
        stream = cast(BinaryIO, gzip.GzipFile(fileobj=stream))
    try:
        body = stream.read(MAX_REQUEST + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise Invalid("The body is not the gzip stream that its header announces.") from error
    if len(body) > MAX_REQUEST:
        raise TooLarge(f"A fetch request may have {MAX_REQUEST} bytes: clone anew.")
    return body
