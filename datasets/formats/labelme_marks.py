"""How Pascal VOC's XML and LabelMe's are told apart, which have the same root."""

import re

_MARKS = re.compile(rb"<imagesize>|<object>(?:(?!</object>|<bndbox>).)*?<(?:polygon|segm)>", re.DOTALL)
_ROOT = re.compile(rb"<annotation[\s>/]")
LOOKED_AT = 1 << 16


def is_annotation(data: bytes) -> bool:
    """Its root is `annotation`, as far as its beginning tells."""
    return _ROOT.search(data[:2048]) is not None


def is_labelme(data: bytes) -> bool:
    """Its objects are polygons without a `bndbox`, and the size of its image is called `imagesize`."""
    return _MARKS.search(data[:LOOKED_AT]) is not None
