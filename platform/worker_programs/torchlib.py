"""What onnxscript knows of torch's operators, kept: it reads the source of each anew for every export.

What is kept says which inputs and attributes an operator has, and is only read.
"""

from functools import cached_property

from onnxscript._framework_apis import torch_2_5
from onnxscript._internal.values import TracedOnnxFunction

NAME = "function_ir"


def keep_operators() -> None:
    """Each operator's source is read at most once by this process, and by those that it forks from then on."""
    if isinstance(found := vars(TracedOnnxFunction).get(NAME), property) and found.fget is not None:
        kept = cached_property(found.fget)
        kept.__set_name__(TracedOnnxFunction, NAME)
        setattr(TracedOnnxFunction, NAME, kept)


def read_operators() -> None:
    """Read all of them now."""
    keep_operators()
    torch_2_5.get_torchlib_ops()
