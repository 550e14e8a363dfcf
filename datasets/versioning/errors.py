"""Errors of listings and repositories."""


class VersioningError(Exception):
    """Base of this library's errors; `code` is stable."""

    code = "versioning_error"


class ListingMalformed(VersioningError):  # noqa: N818 - read aloud, like the others
    """The bytes are not a DVC directory listing; the message says where."""

    code = "listing_malformed"


class PathClash(VersioningError):  # noqa: N818 - as above
    """`file` is a file and also a folder of another path: no disk can hold both."""

    code = "path_clash"

    def __init__(self, file: str, inside: str) -> None:
        super().__init__(f"{file!r} is a file, and a folder in {inside!r}")
        self.file = file


class RepositoryDamaged(VersioningError):  # noqa: N818 - as above
    """The local repository can't be read any more: rebuild it."""

    code = "repository_damaged"


class PatchMalformed(VersioningError):  # noqa: N818 - as above
    """A stored patch can't be applied to its base."""

    code = "patch_malformed"
