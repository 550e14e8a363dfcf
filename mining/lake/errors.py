"""Errors in a manifest or a condition."""


class LakeError(ValueError):
    """A manifest or condition is invalid; the message names the column, the row where there is one, and the fix."""

    code = "manifest_invalid"
