"""What a label must look like, by task."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from catalog.labels.errors import check_known, malformed, refuse_unknown
from catalog.labels.objects import Size, check_objects, is_list


def check_label(
    value: Any, *, task: str, classes: Sequence[str], size: Size, multi_label: bool = False
) -> dict[str, Any]:
    """The label in its normal form. `size` is (width, height) of the upright image in pixels, when known.

    Raises Invalid with code `unknown_class` or `label_malformed`.
    """
    if not isinstance(value, Mapping):
        raise malformed('must be an object like {"class": "cat"}')
    if task == "classification":
        return _several(value, classes) if multi_label else _single(value, classes)
    return check_objects(value, classes=classes, size=size)


def class_counts(value: Mapping[str, Any] | None) -> dict[str, int]:
    """How many objects of each class a label names; of a label that names classes, each once."""
    if value is None:
        return {}
    if "class" in value:
        return {value["class"]: 1}
    if "classes" in value:
        return dict.fromkeys(value["classes"], 1)
    return dict(Counter(one["class"] for one in (*value["boxes"], *value.get("polygons", ()))))


def _single(value: Mapping[str, Any], classes: Sequence[str]) -> dict[str, Any]:
    if "classes" in value:
        raise malformed('this dataset takes one class for each sample: {"class": "cat"}')
    label = {"class": check_known(value.get("class"), classes)}
    refuse_unknown(value, ["class"], "a label")
    return label


def _several(value: Mapping[str, Any], classes: Sequence[str]) -> dict[str, Any]:
    """In the order of the dataset's classes, each once. One class alone may be said as where there is only one."""
    named = [value["class"]] if "class" in value and "classes" not in value else value.get("classes")
    if not is_list(named):
        raise malformed('must be {"classes": ["cat", "dog"]}, or {"classes": []} where it is none of them')
    told = {check_known(name, classes) for name in named}
    refuse_unknown(value, ["class", "classes"], "a label")
    return {"classes": [name for name in classes if name in told]}
