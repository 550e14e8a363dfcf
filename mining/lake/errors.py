"""What is wrong with a manifest or a condition."""


class LakeError(ValueError):
    """The message names the column, the row where there is one, and the fix."""

    code = "manifest_invalid"
