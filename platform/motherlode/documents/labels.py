"""Labels, and the label schema of a dataset."""

from typing import Any, Literal, NotRequired, TypedDict

Label = dict[str, Any]
"""`{"class": "cat"}`; `{"classes": ["cat", "dog"]}` in a multi-label dataset; or `{"boxes": [{"class": "car", "box":
[x1, y1, x2, y2]}]}` in pixels of the upright image, with `"polygons": [{"class": "car", "points": [[x, y], ..]}]` and
`"ignore": [{"box": [..], "class"?: "DontCare"}]` beside the boxes where there are any. A box and a polygon may carry
`attributes` (`{"occluded": true}`), an `id` and a `track`, a region to ignore `attributes`."""

Split = Literal["pool", "train", "val", "test"]


class SchemaExample(TypedDict):
    key: str
    digest: str
    thumb: str
    note: str


class LabelClass(TypedDict):
    name: str
    key: str | None
    colour: str
    dash: int
    guideline: str
    examples: list[SchemaExample]
    archived: bool


class SchemaChange(TypedDict):
    version: int
    created: str
    author: str
    message: str


class LabelSchema(TypedDict):
    version: int
    classes: list[LabelClass]
    guideline: str
    multi_label: bool
    history: NotRequired[list[SchemaChange]]
