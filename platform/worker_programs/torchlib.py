"""Cache onnxscript's descriptions of torch's operators, which it otherwise parses from source for every export.

A cached description says which inputs and attributes an operator has, and is never changed.
"""

from functools import cached_property

from onnxscript._framework_apis import torch_2_5
from onnxscript._internal.values import TracedOnnxFunction

NAME = "function_ir"


def keep_operators() -> None:
    """Make this process, and those it forks from then on, read each operator's source at most once."""
    if isinstance(found := vars(TracedOnnxFunction).get(NAME), property) and found.fget is not None:
        kept = cached_property(found.fget)
        kept.__set_name__(TracedOnnxFunction, NAME)
        setattr(TracedOnnxFunction, NAME, kept)


def read_operators() -> None:
    """Read the sources of all operators now."""
    keep_operators()
    torch_2_5.get_torchlib_ops()
