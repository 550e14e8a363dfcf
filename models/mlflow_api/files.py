"""The files of a version as MLflow's clients list and fetch them, with an `MLmodel` beside them that says how to run
`model.onnx`: `mlflow.onnx.load_model` reads it."""

from collections.abc import Iterable
from dataclasses import dataclass

import orjson

from blobs.models import Blob
from core.errors import Invalid, NotFound
from core.references import MAX_ID_DIGITS, as_number
from registry.models import ModelVersion
from registry.runs import find_run
from registry.services import artifact_blob, find_model, find_version

MLMODEL = "MLmodel"
ONNX = "model.onnx"
SCHEME = "mlflow-artifacts:"
NO_PATH = "must be a path like models/NAME/VERSION/model.onnx or runs/ID/model.onnx, without empty parts, `.` and `..`"


@dataclass(frozen=True, slots=True)
class Place:
    """An address below `mlflow-artifacts:`: a version (None for a run that made none), and a path among its files."""

    version: ModelVersion | None
    path: str


def version_uri(version: ModelVersion) -> str:
    """The address of a version's files."""
    return f"{SCHEME}/models/{version.model.name}/{version.number}"


def run_uri(run: int) -> str:
    """The address of a run's files, which are those of the version that it made."""
    return f"{SCHEME}/runs/{run}"


def place_at(path: str) -> Place:
    """Find what a path names. Raises Invalid (`path`) for one of another form, NotFound for what is not there or in a
    project of others."""
    parts = path.removesuffix("/").split("/")
    if any(part in {"", ".", ".."} or not part.isprintable() or set(part) & set("\\%?#") for part in parts):
        raise Invalid.field("path", NO_PATH)
    if parts[0] == "models" and len(parts) >= 3:
        return Place(find_version(find_model(parts[1]), parts[2]), "/".join(parts[3:]))
    if parts[0] == "runs" and len(parts) >= 2:
        number = as_number(parts[1], digits=MAX_ID_DIGITS)
        if number is None:
            raise NotFound(f"There is no run {parts[1]!r}.", code="run_unknown")
        made = ModelVersion.objects.select_related("model", "precisions_job").filter(run=find_run(number)).first()
        return Place(made, "/".join(parts[2:]))
    raise Invalid.field("path", NO_PATH)


def file_at(place: Place) -> Blob | bytes:
    """The file at a place. Raises NotFound naming those that are there, Conflict for a precision that is not proved."""
    if place.version is None:
        raise NotFound("The run has made no version yet, and has no files before that.", code="artifact_unknown")
    if place.path == MLMODEL and has_mlmodel(place.version):
        return mlmodel(place.version)
    return artifact_blob(place.version, place.path)


def listing(place: Place) -> list[dict[str, object]]:
    """The files and folders in the folder at a place, their paths relative to it; none if it is a file."""
    version = place.version
    if version is None:
        return []
    rows = version.artifacts.order_by("path").values_list("path", "blob__size")
    sizes = dict(rows)
    if has_mlmodel(version):
        sizes[MLMODEL] = len(mlmodel(version))
    below = f"{place.path}/" if place.path else ""
    inside = {path.removeprefix(below): size for path, size in sizes.items() if path.startswith(below)}
    return [*_folders(inside), *({"path": path, "is_dir": False, "file_size": size}
                                 for path, size in sorted(inside.items()) if "/" not in path)]  # fmt: skip


def _folders(paths: Iterable[str]) -> Iterable[dict[str, object]]:
    for name in sorted({path.partition("/")[0] for path in paths if "/" in path}):
        yield {"path": name, "is_dir": True}


def has_mlmodel(version: ModelVersion) -> bool:
    """Whether there is an ONNX file for an `MLmodel` to speak of, and no `MLmodel` among the files themselves."""
    paths = set(version.artifacts.filter(path__in=[ONNX, MLMODEL]).values_list("path", flat=True))
    return paths == {ONNX}


def mlmodel(version: ModelVersion) -> bytes:
    """The description of `model.onnx` in MLflow's format, as JSON, which is YAML too. The same version gives the same
    bytes."""
    # python_version: whatever Python serves or wrote the file, as the bytes must not change.
    flavors = {
        "onnx": {
            "data": ONNX,
            "code": None,
            "onnx_version": "1",
            "providers": ["CUDAExecutionProvider", "CPUExecutionProvider"],
        },
        "python_function": {"loader_module": "mlflow.onnx", "data": ONNX, "python_version": "3.11"},
    }
    document = {
        "artifact_path": "model",
        "flavors": flavors,
        "model_uuid": version.digest[:32],
        "utc_time_created": f"{version.created:%Y-%m-%d %H:%M:%S.%f}",
        "run_id": None if version.run_id is None else str(version.run_id),
        "metadata": {
            "model": version.model.name,
            "version": version.number,
            "sha256": version.digest,
            "classes": version.model.classes,
            "task": version.model.task,
        },
    }
    return orjson.dumps(document, option=orjson.OPT_INDENT_2)
