"""Tags and aliases of versions, differences between versions, forks and merges."""

from typing import Any
from urllib.parse import urlencode

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.caller import caller
from accounts.permissions import needs
from accounts.rights import Right
from catalog.models import Dataset, Version, VersionName
from catalog.serializers.changes import (
    DifferenceListSerializer,
    DiffSerializer,
    ForkSerializer,
    MergeSerializer,
    NameListSerializer,
    NameSerializer,
    NewTagSerializer,
    SetAliasSerializer,
    difference_document,
    name_document,
)
from catalog.serializers.commits import CommitSerializer
from catalog.serializers.datasets import DatasetSerializer, dataset_document
from catalog.versions import diffs, forks, names
from catalog.versions.datasets import find_dataset, find_version
from core.errors import Invalid, NotFound
from core.forms import validated
from core.pagination import DEFAULT_LIMIT, MAX_LIMIT, PAGE, decode, each, encode, integer, next_url, paged

ENDS = [
    OpenApiParameter("from", description="a version; the parent of `to` when it is left out"),
    OpenApiParameter("to", description="a version, `head` when it is left out"),
    OpenApiParameter("from_dataset", description="dataset of `from`, if it is not this one: a fork or the origin"),
]


class Tags(APIView):
    @extend_schema(operation_id="tags_list", parameters=PAGE, responses=NameListSerializer)
    def get(self, request: Request, reference: str) -> Response:
        """List the tags, newest first."""
        return Response(_names(request, reference, VersionName.Kind.TAG))

    @extend_schema(operation_id="tags_create", request=NewTagSerializer, responses={201: NameSerializer})
    def post(self, request: Request, reference: str) -> Response:
        """Tag a version. A tag never moves to another version."""
        given, dataset = validated(NewTagSerializer, request), find_dataset(reference)
        named = names.tag(dataset, given["name"], find_version(dataset, given["version"]), by=caller(request))
        return Response(name_document(named), status=201)


class Tag(APIView):
    rights = needs(DELETE=Right.OWN)

    @extend_schema(operation_id="tags_delete", responses={204: None})
    def delete(self, request: Request, reference: str, name: str) -> Response:  # noqa: ARG002 - DRF's signature
        """Delete a tag; the version stays. Owners only."""
        names.remove_name(find_dataset(reference), name, kind=VersionName.Kind.TAG)
        return Response(status=204)


class Aliases(APIView):
    @extend_schema(operation_id="dataset_aliases_list", parameters=PAGE, responses=NameListSerializer)
    def get(self, request: Request, reference: str) -> Response:
        """List the aliases, newest first."""
        return Response(_names(request, reference, VersionName.Kind.ALIAS))

    @extend_schema(operation_id="dataset_aliases_set", request=SetAliasSerializer, responses=NameSerializer)
    def post(self, request: Request, reference: str) -> Response:
        """Point an alias to a version. Only owners can move a protected alias."""
        given, dataset = validated(SetAliasSerializer, request), find_dataset(reference)
        version = find_version(dataset, given["version"])
        named = names.set_alias(dataset, given["alias"], version, protected=given["protected"], by=caller(request))
        return Response(name_document(named))


class Alias(APIView):
    rights = needs(DELETE=Right.OWN)

    @extend_schema(operation_id="dataset_aliases_delete", responses={204: None})
    def delete(self, request: Request, reference: str, name: str) -> Response:  # noqa: ARG002 - DRF's signature
        """Delete an alias. Owners only."""
        names.remove_name(find_dataset(reference), name, kind=VersionName.Kind.ALIAS)
        return Response(status=204)


class Diff(APIView):
    @extend_schema(operation_id="datasets_diff", parameters=ENDS, responses=DiffSerializer)
    def get(self, request: Request, reference: str) -> Response:
        """Count the samples that differ between two versions, by kind of difference, with a URL to list each kind."""
        old, new = _ends(request, reference)
        ends = urlencode({"from": old.number, "to": new.number, "from_dataset": old.dataset.name})
        address = request.build_absolute_uri(f"/datasets/{new.dataset_id}/diff")
        return Response(
            {
                "from": old.number,
                "to": new.number,
                "counts": diffs.summary(old, new),
                "by_class": diffs.deltas(old, new, "by_class"),
                "by_split": diffs.deltas(old, new, "by_split"),
            }
            | {kind: f"{address}/{kind}?{ends}" for kind in diffs.KINDS}
        )


class Differences(APIView):
    @extend_schema(operation_id="datasets_differences", parameters=[*ENDS, *PAGE], responses=DifferenceListSerializer)
    def get(self, request: Request, reference: str, kind: str) -> Response:
        """List the samples with one kind of difference, by sample id: each before and after."""
        if kind not in diffs.KINDS:
            raise NotFound(f"There is no kind of difference {kind!r}: {', '.join(diffs.KINDS)}.", code="kind_unknown")
        old, new = _ends(request, reference)
        limit = integer(request, "limit", default=DEFAULT_LIMIT, low=1, high=MAX_LIMIT)
        cursor = request.query_params.get("cursor")
        after = int(decode(cursor, path=request.path)) if cursor is not None else 0
        found = diffs.page(old, new, kind, after=after, limit=limit + 1)
        following = None
        if len(found) > limit:
            found = found[:limit]
            following = next_url(request, cursor=encode(found[-1].sample, path=request.path))
        rows = diffs.rows_of(found)
        return Response({"results": [difference_document(one, rows) for one in found], "next": following})


class Forks(APIView):
    @extend_schema(operation_id="datasets_fork", request=ForkSerializer, responses={201: DatasetSerializer})
    def post(self, request: Request, reference: str) -> Response:
        """Create a dataset that begins as a copy of a version of this one; no data is copied."""
        given, dataset = validated(ForkSerializer, request), find_dataset(reference)
        version = find_version(dataset, given["version"])
        made = forks.fork(version, given["name"], description=given["description"], author=caller(request))
        return Response(dataset_document(made), status=201)


class Merges(APIView):
    @extend_schema(operation_id="datasets_merge", request=MergeSerializer, responses={201: CommitSerializer})
    def post(self, request: Request, reference: str) -> Response:
        """Commit the changes of a fork (or of the origin) since the fork was made or the two were last merged."""
        given, dataset = validated(MergeSerializer, request), find_dataset(reference)
        theirs = find_version(find_dataset(given["from"]), given["version"])
        told: dict[str, Any] = {"prefer": given["prefer"], "message": given["message"], "author": caller(request)}
        return Response(forks.merge(dataset, theirs, **told).document(), status=201)


def _names(request: Request, reference: str, kind: str) -> dict[str, Any]:
    rows = VersionName.objects.filter(dataset=find_dataset(reference), kind=kind).select_related("version", "by")
    return paged(request, rows, each(name_document))


def _ends(request: Request, reference: str) -> tuple[Version, Version]:
    query, dataset = request.query_params, find_dataset(reference)
    new = find_version(dataset, query.get("to", "head"))
    elsewhere = query.get("from_dataset")
    there: Dataset = find_dataset(elsewhere) if elsewhere else dataset
    if "from" in query or there != dataset:
        return find_version(there, query.get("from", "head")), new
    if new.parent is None:
        raise Invalid.field("from", f"version {new.number} has no parent: name the version to compare with")
    return new.parent, new
