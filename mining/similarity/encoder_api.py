"""`/encoders`: pairs of image and text encoders that users add."""

from dataclasses import asdict

import orjson
from drf_spectacular.utils import extend_schema
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.caller import caller
from accounts.projects import project_for
from accounts.rights import listed
from blobs.services import keep
from core.errors import TooLarge, Unprocessable
from core.forms import validated
from core.pagination import NAMED, PAGE, PROJECT, each, named, paged
from core.rendering import OrjsonParser
from core.uploads import SentFile
from jobs import services as jobs
from jobs.api import JobLinkSerializer, job_document
from jobs.models import Job
from jobs.storage import check_room
from jobs.tasks import wake
from similarity import encoders
from similarity import serializers as shapes
from similarity.documents import encoder_document
from similarity.encoders import MOST_BYTES, REFUSED, TOKENIZER_BYTES
from similarity.removal import remove_encoder

FORM_BYTES = 2 << 20
"""Most bytes that a form may have beside the files."""
WAIT_SECONDS = 25.0


class Encoders(APIView):
    parser_classes = [MultiPartParser, OrjsonParser]

    @extend_schema(
        operation_id="encoders_list", parameters=[NAMED, *PAGE, PROJECT], responses=shapes.EncoderListSerializer
    )
    def get(self, request: Request) -> Response:
        """List encoders, newest first."""
        rows = listed(encoders.encoders(), "project", request.query_params)
        rows = named(request, rows, "name", "notes", "created_by__username")
        return Response(paged(request, rows, each(encoder_document)))

    @extend_schema(
        operation_id="encoders_create",
        request={
            "multipart/form-data": shapes.NewEncoderSerializer,
            "application/json": shapes.EncoderSourcesSerializer,
        },
        responses={201: shapes.EncoderSerializer, 202: JobLinkSerializer},
    )
    def post(self, request: Request) -> Response:
        """Add a pair of encoders, as ONNX files of up to 2 GiB together with their tokenizer, after a test run of both.
        Send them as a form, or name in a JSON body from which addresses, of hosts that an operator allows, they are
        fetched and which SHA-256 they have.

        Answers 422 with the file's name in `errors` when one is refused, and 202 with the job when the check or the
        fetch takes long.
        """
        by_form = str(request.content_type).startswith(MultiPartParser.media_type)
        job = _sent(request) if by_form else _fetching(request)
        wake(job)
        job = jobs.wait(job.pk, seconds=WAIT_SECONDS)
        if job.is_open:
            return Response({"job": job_document(job)}, status=202)
        made = encoders.encoder_of(job)
        if made is None:
            raise _refusal(job)
        return Response(encoder_document(made), status=201)


def _sent(request: Request) -> Job:
    """Return the job that checks the files of a form."""
    author = caller(request)
    _refuse_large(int(request.META.get("CONTENT_LENGTH") or 0) - FORM_BYTES)
    form = validated(shapes.NewEncoderSerializer, request)
    files: dict[str, SentFile] = {part: form[part] for part in encoders.PARTS}
    _refuse_large(sum(int(file.size or 0) for file in files.values()))
    if int(files["tokenizer"].size or 0) > TOKENIZER_BYTES:
        raise TooLarge.field("tokenizer", f"has more than {TOKENIZER_BYTES >> 20} MiB: send a `tokenizer.json`")
    spec, notes = encoders.read_metadata(form["metadata"], form["preprocessor"])
    encoders.refuse_taken(form["name"])
    project = project_for(author, form.get("project"))
    new = encoders.NewEncoder(form["name"], project, spec, notes)
    check_room(project.pk, sum(int(file.size or 0) for file in files.values()))
    kept = {part: keep(file.stream, media_type="application/octet-stream")
            for part, file in files.items()}  # fmt: skip
    return encoders.start_adding(new, kept, author=author)


def _fetching(request: Request) -> Job:
    """Return the job that fetches the files that a JSON body names."""
    author, body = caller(request), validated(shapes.EncoderSourcesSerializer, request)
    spec, notes = encoders.read_metadata(*(orjson.dumps(body[name]).decode() for name in ("metadata", "preprocessor")))
    encoders.refuse_taken(body["name"])
    project = project_for(author, body.get("project"))
    check_room(project.pk)
    sources = {part: encoders.Source(**body[part]) for part in encoders.PARTS}
    return encoders.start_fetching(encoders.NewEncoder(body["name"], project, spec, notes), sources, author=author)


class EncoderDetail(APIView):
    @extend_schema(operation_id="encoders_get", responses=shapes.EncoderSerializer)
    def get(self, request: Request, encoder: str) -> Response:  # noqa: ARG002 - DRF's signature
        return Response(encoder_document(encoders.find_encoder(encoder)))

    @extend_schema(operation_id="encoders_destroy", responses={200: shapes.RemovedEncoderSerializer, 409: None})
    def delete(self, request: Request, encoder: str) -> Response:  # noqa: ARG002 - as above
        """Remove an encoder with its embeddings. 409 (`encoder_busy`) while a job computes some, or trains on it. Model
        versions that were trained on it stay as they are, and keep its file."""
        found = encoders.find_encoder(encoder)
        return Response({"name": found.name, **asdict(remove_encoder(found))})


def _refuse_large(size: int) -> None:
    if size > MOST_BYTES:
        detail = f"the files have more than {MOST_BYTES:,} bytes together: export them in half precision"
        raise TooLarge(detail, errors={"image": [detail], "text": [detail]})


def _refusal(job: Job) -> Unprocessable:
    """Return the reason why a finished job registered no encoder."""
    code, detail = jobs.why_failed(job)
    part = code.removeprefix(REFUSED)
    errors = {part: [detail.removeprefix(f"{part}: ")]} if part in encoders.PARTS else {}
    return Unprocessable(detail, code=code, errors=errors, extra={"job": job_document(job)})
