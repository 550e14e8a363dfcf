"""Operations that MLflow's clients know and that are done in another way here: each answer names that way."""

from rest_framework.request import Request
from rest_framework.response import Response

from mlflow_api.protocol import NoSuchOperation, Operation, Refused

TRAINED = (
    "Runs are trainings of the platform: start one with `lode run start MODEL`. A model that was trained elsewhere "
    "becomes a version by `lode model upload MODEL FILE.onnx --dataset DATASET`, which proves and evaluates it."
)
UPLOADED = (
    "A version comes from a training (`lode run start MODEL`) or from an ONNX file: `lode model upload MODEL FILE.onnx "
    "--dataset DATASET`, which proves and evaluates it."
)
EXPERIMENT = (
    "An experiment is a model with its trainings: make, rename or archive the model (`lode model create NAME`)."
)
FACTS = (
    "Tags are facts that the platform reads from its registry: what you want to say of a version or a model goes into "
    "its description."
)
STAGES = (
    "Stages are aliases here: `set_registered_model_alias(name, 'production', version)`; the stage Production is what "
    "the alias `production` points to, Staging what `staging` points to."
)
REMOVED = (
    "Models are renamed, archived and deleted by the platform's own API and web application, which say first what "
    "depends on them."
)
WAYS = {
    "experiments/create": EXPERIMENT,
    "experiments/update": EXPERIMENT,
    "experiments/delete": EXPERIMENT,
    "experiments/restore": EXPERIMENT,
    "experiments/set-experiment-tag": FACTS,
    "experiments/delete-experiment-tag": FACTS,
    "runs/create": TRAINED,
    "runs/update": TRAINED,
    "runs/delete": TRAINED,
    "runs/restore": TRAINED,
    "runs/log-metric": TRAINED,
    "runs/log-parameter": TRAINED,
    "runs/log-batch": TRAINED,
    "runs/log-inputs": TRAINED,
    "runs/log-model": TRAINED,
    "runs/outputs": TRAINED,
    "runs/set-tag": FACTS,
    "runs/delete-tag": FACTS,
    "logged-models": TRAINED,
    "registered-models/rename": REMOVED,
    "registered-models/delete": REMOVED,
    "registered-models/set-tag": FACTS,
    "registered-models/delete-tag": FACTS,
    "model-versions/create": UPLOADED,
    "model-versions/delete": REMOVED,
    "model-versions/set-tag": FACTS,
    "model-versions/delete-tag": FACTS,
    "model-versions/transition-stage": STAGES,
}


class DoneOtherwise(Operation):
    words = ""

    def post(self, request: Request) -> Response:  # noqa: ARG002 - DRF's signature
        raise Refused(self.words)

    patch = delete = post


class Unknown(Operation):
    """Whatever else a client asks for."""

    def get(self, request: Request, rest: str) -> Response:  # noqa: ARG002 - DRF's signature
        raise NoSuchOperation(f"The platform has no operation {request.path} of MLflow's: see docs/howto/mlflow.md.")

    post = put = patch = delete = get
