"""Boxes around objects, with polygons beside them where they are drawn."""

from tasktypes.objects import ObjectLabels


class BoxLabels(ObjectLabels):
    """Boxes around objects, with polygons beside them where they are drawn."""

    editors = ("boxes", "polygons")
