"""Edit many samples of the head at once, preview an edit, and revert a version."""

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.caller import caller
from accounts.permissions import needs
from accounts.rights import Right, demand
from catalog.curation.edit_jobs import revert_or_queue
from catalog.curation.editing import Edit, Terms, edit_samples, preview_edit
from catalog.filtering.filters import Filter
from catalog.serializers.changes import RevertSerializer
from catalog.serializers.commits import CommitSerializer
from catalog.serializers.edits import EditPreviewSerializer, EditSerializer, EditToPreviewSerializer
from catalog.versions.datasets import find_dataset, find_version
from core.forms import validated
from jobs.api import JobLinkSerializer, job_document
from jobs.models import Job
from jobs.tasks import wake

REFERENCE = OpenApiParameter("reference", location="path")


class Edits(APIView):
    @extend_schema(
        operation_id="edits_commit",
        parameters=[REFERENCE],
        request=EditSerializer,
        responses={201: CommitSerializer, 202: JobLinkSerializer},
    )
    def post(self, request: Request, reference: str) -> Response:
        """Commit a label, a split or both to the samples of the head that pass a filter, clear their labels, or remove
        them. Samples that can't be changed are listed in `rejected`. A job edits more than 20,000 samples; its result
        is the same document."""
        given, dataset = validated(EditSerializer, request), find_dataset(reference)
        chosen, edit = Filter.of(given["filter"], dataset), Edit.of(given, dataset)
        terms = Terms(given["message"], given["parent"], given["strict"])
        return _answer(edit_samples(dataset, chosen, edit, terms, author=caller(request)))


class EditPreview(APIView):
    @extend_schema(
        operation_id="edits_preview",
        parameters=[REFERENCE],
        request=EditToPreviewSerializer,
        responses=EditPreviewSerializer,
    )
    def post(self, request: Request, reference: str) -> Response:
        """Preview an edit of the head: how many samples would change, from what, and which can't. Writes nothing."""
        given, dataset = validated(EditToPreviewSerializer, request), find_dataset(reference)
        chosen, edit = Filter.of(given["filter"], dataset), Edit.of(given, dataset)
        return Response(preview_edit(dataset, chosen, edit, author=caller(request)).document())


class Reverts(APIView):
    rights = needs(POST=Right.REVIEW)

    @extend_schema(
        operation_id="datasets_revert",
        parameters=[REFERENCE],
        request=RevertSerializer,
        responses={201: CommitSerializer, 202: JobLinkSerializer},
    )
    def post(self, request: Request, reference: str) -> Response:
        """Revert a version by one commit on the head: each sample that it changed returns to its earlier state, its
        label with the label's author. All or nothing: refused (`changed_since`) if one of the samples was changed
        again since. Reviewers can revert their own commits; engineers can revert any. A job reverts more than 20,000
        samples."""
        given, dataset, author = validated(RevertSerializer, request), find_dataset(reference), caller(request)
        version = find_version(dataset, given["version"])
        if version.author_id != author.pk:
            demand(author, Right.BUILD, dataset.project_id)
        return _answer(revert_or_queue(dataset, version, message=given["message"], author=author))


def _answer(done: object) -> Response:
    if isinstance(done, Job):
        wake(done)
        return Response({"job": job_document(done)}, status=202)
    return Response(done, status=201)
