"""Predictions of a version, and views of its layers and weights."""

from typing import Any
from urllib.parse import quote

from django.http import HttpResponse, HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.caller import caller
from accounts.permissions import needs
from accounts.rights import Right
from blobs.budget import Budget
from catalog.api.bytes import AnyAccept
from core.errors import Invalid, TooLarge, Unprocessable
from core.forms import validated
from core.uploads import SentFile
from registry import predicting, services
from registry import serializers as shapes
from registry.models import ModelVersion

MAX_IMAGE_BYTES = 32 << 20
MAX_BYTES = 128 << 20
MAX_LOOKED_INTO = 4
NOT_FINITE = "answer_not_finite"  # the code in `export.predictor`, which the web does not load
ARTIFACT = OpenApiParameter("artifact", default="model.onnx", description="one of the version's ONNX files")


class Predict(APIView):
    rights = needs(POST=Right.READ)
    parser_classes = [MultiPartParser]

    @extend_schema(
        operation_id="predict",
        request={"multipart/form-data": shapes.PredictSerializer},
        responses={200: shapes.PredictionsSerializer, 429: None},
    )
    def post(self, request: Request, model: str, version: str) -> Response:
        """Predict the likeliest classes of one or many images (up to 64, of 32 MiB each), with one of its ONNX files.

        `activations` adds the output of each layer for each of up to 4 images. An image that can't be read has an
        `error`; 400 when none can be read. `calibrated` probabilities come if a temperature was measured."""
        found = services.find_version(services.find_model(model), version)
        form = validated(shapes.PredictSerializer, request)
        files = _checked(form["file"], activations=form["activations"])
        options = {"top": form["top"], "activations": form["activations"]}
        images = [file.read() for file in files]
        with Budget(caller(request).pk) as budget:
            for image in images:
                budget.spend(image)
            results = predicting.predict(found, form["artifact"], images, **options)
        if all(result.get("error", {}).get("code") == NOT_FINITE for result in results):
            raise Unprocessable(
                "The model answers none of these images with numbers: NaN or infinite values came out.",
                code=NOT_FINITE,
            )
        if all("error" in result for result in results):
            raise Invalid("There is no image in this request that can be read.", code=results[0]["error"]["code"],
                          errors={"file": [_refusal(file, one) for file, one in zip(files, results, strict=True)]},
                          )  # fmt: skip
        return Response(_answer(found, form["artifact"], files, results))


class Layers(APIView):
    @extend_schema(
        operation_id="layers_list", parameters=[ARTIFACT], responses={200: shapes.LayersSerializer, 422: None}
    )
    def get(self, request: Request, model: str, version: str) -> Response:
        """List the layers of the ONNX file with the distributions of their weights, and the paths of their pictures."""
        found = services.find_version(services.find_model(model), version)
        artifact = request.query_params.get("artifact", "model.onnx")
        base = f"/models/{found.model.name}/versions/{found.number}/layers/"
        query = "" if artifact == "model.onnx" else f"?artifact={quote(artifact)}"
        rows = [
            layer | {"picture": f"{base}{quote(layer['name'])}/weights.png{query}" if layer["weights"] else None}
            for layer in predicting.layers(found, artifact)
        ]
        return Response({"artifact": artifact, "results": rows, "next": None})


class WeightsPicture(APIView):
    content_negotiation_class = AnyAccept

    @extend_schema(
        operation_id="layers_weights",
        parameters=[ARTIFACT],
        responses={(200, "image/png"): OpenApiTypes.BINARY, 304: None, 422: None},
    )
    def get(self, request: Request, model: str, version: str, layer: str) -> HttpResponseBase:
        """The weights of one layer as a picture: a grid of kernels, or a matrix."""
        found = services.find_version(services.find_model(model), version)
        artifact = request.query_params.get("artifact", "model.onnx")
        tag = f'"{predicting.onnx_file(found, artifact).sha256}"'
        if tag in request.headers.get("If-None-Match", ""):
            return HttpResponse(status=304, headers={"ETag": tag})
        png = predicting.weights_picture(found, artifact, layer)
        kept = {"ETag": tag, "Cache-Control": "private, max-age=86400"}
        return HttpResponse(png, content_type="image/png", headers=kept)


def _checked(files: list[SentFile], *, activations: bool) -> list[SentFile]:
    """Return the files, or raise Invalid for too many and TooLarge for too large ones."""
    if activations and len(files) > MAX_LOOKED_INTO:
        raise Invalid.field("activations", f"are shown of at most {MAX_LOOKED_INTO} images at once, not {len(files)}")
    for file in files:
        if (file.size or 0) > MAX_IMAGE_BYTES:
            detail = f"{file.sent_name} has more than {MAX_IMAGE_BYTES >> 20} MiB: send a smaller image"
            raise TooLarge(f"file: {detail}", errors={"file": [detail]})
    if sum(file.size or 0 for file in files) > MAX_BYTES:
        detail = f"more than {MAX_BYTES >> 20} MiB in all: send fewer images at once"
        raise TooLarge(f"file: {detail}", errors={"file": [detail]})
    return files


def _answer(
    version: ModelVersion, artifact: str, files: list[SentFile], results: list[dict[str, Any]]
) -> dict[str, Any]:
    return {
        "model": version.model.name,
        "version": version.number,
        "artifact": artifact,
        "temperature": predicting.temperature(version, artifact),
        "results": [
            {"name": file.sent_name, "answer": None, "predictions": [], "error": None} | result
            for file, result in zip(files, results, strict=True)
        ],
    }


def _refusal(file: SentFile, result: dict[str, Any]) -> str:
    return f"{file.sent_name}: {result['error']['detail']}"
