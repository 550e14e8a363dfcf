"""What objects carry survives that several people's drawings become one label."""

from typing import Any

from agreement.fusion import fuse
from agreement.shapes import label_of, regions_of, shapes_of


def fused(*labels: dict[str, Any]) -> dict[str, Any]:
    ((kept, _),) = fuse([[shapes_of(one) for one in labels]])
    ((regions, _),) = fuse([[regions_of(one) for one in labels]])
    return label_of(kept, regions)


def car(**carried: Any) -> dict[str, Any]:
    return {"class": "car", "box": [0.0, 0.0, 10.0, 10.0], **carried}


def test_what_everybody_says_is_kept_whole() -> None:
    label = {
        "boxes": [car(attributes={"truncated": 0.5, "size": [1, 2, 3]}, id="7", track="t")],
        "polygons": [{"class": "road", "points": [[0.0, 0.0], [9.0, 0.0], [9.0, 9.0]], "attributes": {"wet": True}}],
        "ignore": [{"class": "DontCare", "box": [20.0, 20.0, 30.0, 30.0]}, {"box": [40.0, 40.0, 50.0, 50.0]}],
    }  # fmt: skip
    assert fused(label, label, label) == label


def test_of_each_attribute_the_value_of_most_is_kept_and_of_two_equals_the_first() -> None:
    one, other, none = (car(attributes={"side": side, "far": True}) for side in ("left", "right", "left"))
    del none["attributes"]["far"]
    assert fused({"boxes": [one]}, {"boxes": [other]}, {"boxes": [none]})["boxes"] == [
        car(attributes={"side": "left", "far": True})
    ]
    assert fused({"boxes": [other]}, {"boxes": [one]})["boxes"][0]["attributes"]["side"] == "right"
    silent = [{"boxes": [car()]}, {"boxes": [car()]}]
    assert fused({"boxes": [one]}, *silent) == {"boxes": [car()]}, "most say nothing of it"


def test_an_id_and_a_track_need_more_than_half_of_the_people() -> None:
    label, bare = {"boxes": [car(id="7", track="t")]}, {"boxes": [car()]}
    assert fused(label, label, bare)["boxes"] == [car(id="7", track="t")]
    assert fused(label, bare)["boxes"] == [car()]
    assert fused(label, {"boxes": [car(id="8")]}, bare)["boxes"] == [car()]


def test_a_region_that_few_drew_is_left_out() -> None:
    region = {"boxes": [], "ignore": [{"box": [0.0, 0.0, 9.0, 9.0]}]}
    assert fused(region, {"boxes": []}, {"boxes": []}) == {"boxes": []}
    assert fused(region, region, {"boxes": []}) == region
