"""Unlabelled copies of labelled samples."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.caller import caller
from accounts.permissions import needs
from accounts.rights import Right
from catalog.curation.labels_of_copies import copies_in, document_of, left_out_of, take_over_labels
from catalog.serializers.copies import CopyListSerializer, TakenOverSerializer, TakeOverSerializer
from catalog.versions.datasets import find_dataset
from core.forms import validated

SHOWN = 100


class Copies(APIView):
    rights = needs(POST=Right.REVIEW)

    @extend_schema(operation_id="copies_list", responses=CopyListSerializer)
    def get(self, request: Request, reference: str) -> Response:  # noqa: ARG002 - DRF's signature
        """Count the unlabelled samples of the pool whose bytes a labelled sample has, and list the first 100. They are
        neither mined nor queued: take over their labels instead."""
        head = find_dataset(reference).head
        found = copies_in(head) if head else []
        return Response(
            {
                "version": head.number if head else None,
                "samples": len(found),
                "ready": sum(one.reason is None for one in found),
                "left_out": left_out_of(found),
                "results": [document_of(one) for one in found[:SHOWN]],
            }
        )

    @extend_schema(operation_id="copies_take_over", request=TakeOverSerializer, responses={201: TakenOverSerializer})
    def post(self, request: Request, reference: str) -> Response:
        """Give unlabelled copies the labels of the samples whose bytes they have, in one commit: those with the given
        keys, or all. Left out are copies whose labelled twins carry different labels, or are in test or val."""
        body = validated(TakeOverSerializer, request)
        dataset = find_dataset(reference)
        done = take_over_labels(dataset, keys=body.get("keys"), parent=body["parent"], author=caller(request))
        return Response(done.commit.document() | {"left_out": done.left_out}, status=201)
