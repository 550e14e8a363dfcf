"""Annotation formats: one file each, found through the registry. Imports no Django.

>>> from formats import annotate
>>> annotate("image_folder", ["cat/1.png"], None)["cat/1.png"].label
{'class': 'cat'}
"""

from formats.registry import Annotated, FormatError, annotate, format_names, recognise

__all__ = ["Annotated", "FormatError", "annotate", "format_names", "recognise"]
