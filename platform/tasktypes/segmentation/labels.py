"""Polygons around objects, with boxes beside them where they are drawn."""

from tasktypes.objects import ObjectLabels


class PolygonLabels(ObjectLabels):
    """Polygons around objects, with boxes beside them where they are drawn."""

    editors = ("polygons", "boxes")
