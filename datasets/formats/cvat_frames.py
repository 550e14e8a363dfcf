"""Images that CVAT lists without shapes: its exports list every frame of a task, also those that nobody has opened."""

NOT_OPENED = (
    "images without shapes were read as unlabelled, since CVAT also lists frames that nobody has opened; where nothing "
    'is there, send a JSONL line with the `key` and "label": {"boxes": []}'
)
MARK, NEGATIVE = "images_without_shapes", "negative"
"""An element of an XML's `meta`, and its text where images without shapes are those on which nothing is."""
