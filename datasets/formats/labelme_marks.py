"""Distinguishing the XML of Pascal VOC and LabelMe, which have the same root."""

import re

from formats.documents import xml_head

_MARKS = re.compile(rb"<imagesize>|<object>(?:(?!</object>|<bndbox>).)*?<(?:polygon|segm)>", re.DOTALL)
_ROOT = re.compile(rb"<annotation[\s>/]")
LOOKED_AT = 1 << 16


def is_annotation(data: bytes) -> bool:
    """Whether the root is `annotation`, judging by the beginning of the file."""
    return _ROOT.search(xml_head(data, 2048)) is not None


def is_labelme(data: bytes) -> bool:
    """Whether the XML is LabelMe's: its objects are polygons without a `bndbox`, or the image's size is called
    `imagesize`."""
    return _MARKS.search(xml_head(data, LOOKED_AT)) is not None
