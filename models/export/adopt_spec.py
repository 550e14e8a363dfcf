"""The facts needed to run a foreign ONNX file. Imports neither torch nor ONNX."""

from typing import Annotated, Literal

from pydantic import Field
from pydantic.dataclasses import dataclass

from tasktypes import DEFAULT, task_type
from worker_programs.config import STRICT, ConfigError
from worker_programs.wording import plural


@dataclass(frozen=True, kw_only=True, config=STRICT)
class AdoptSpec:
    """How a foreign file reads its input and names its outputs; see `export.adopt_graph.adopt_onnx`."""

    classes: Annotated[list[str], Field(min_length=1)]
    """Class names, in the order of the outputs."""
    task: str = DEFAULT
    """The task type of its answers: one that can be trained."""
    input_size: tuple[int, int, int] | None = None
    """[C, H, W]; None: as the file's input declares."""
    layout: Literal["nchw", "nhwc"] = "nchw"
    """Order of the axes of the file's input."""
    scale: Literal["255", "1"] = "255"
    """255: the file takes values 0..1 before mean and std; 1: 0..255."""
    mean: list[float] | None = None
    """Per channel, subtracted after scaling; None: nothing."""
    std: Annotated[list[Annotated[float, Field(gt=0)]], Field()] | None = None
    """Per channel, divided by after that; None: nothing."""
    logits: str | None = None
    """The output (batch, classes); None: the only one of that width."""
    embedding: str | None = None
    """The tensor (batch, D) that describes an image; None: what feeds the last dense layer."""
    probabilities: bool = False
    """Whether that output holds probabilities already; their logarithm becomes the logits."""

    def __post_init__(self) -> None:
        if len(set(self.classes)) < len(self.classes):
            raise ConfigError({"classes": ["a class is named twice"]})
        if missing := task_type(self.task).lacks.get("training"):
            raise ConfigError({"task": [f"{self.task} can't be answered: {missing}"]})
        if task_type(self.task).outputs.operator is None:
            words = (
                f"a file of others gives numbers for classes, {self.task} asks for {task_type(self.task).outputs.form}"
            )
            raise ConfigError({"task": [f"{words}: train one here"]})
        channels = self.input_size[0] if self.input_size else None
        for name, values in (("mean", self.mean), ("std", self.std)):
            if channels and values is not None and len(values) != channels:
                raise ConfigError({name: [f"wants {plural(channels, 'number')}, one a channel, not {len(values)}"]})
