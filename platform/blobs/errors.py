"""Errors of the blob store. `BlobFault` is the platform's to fix, `BlobRefused` the sender's; `code` is stable."""


class BlobError(Exception):
    """Base of all errors of this app."""

    code = "blob_error"

    def __init__(self, message: str, *, code: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.code = code or self.code


class BlobFault(BlobError):  # noqa: N818 - the two branches are named for whose turn it is
    """The store or its content is at fault, not the caller."""

    code = "blob_fault"


class BlobMissing(BlobFault):
    """A blob that should be in the store is missing."""

    code = "blob_missing"


class BlobArchived(BlobMissing):
    """An object of somebody else's bucket that lies in an archive tier, where nobody can read it."""

    code = "object_archived"


class BlobCorrupt(BlobFault):
    """The stored bytes are not the ones that were put there; never use them."""

    code = "blob_corrupt"


class StoreUnavailable(BlobFault):
    """The store did not deliver on any attempt; try again later. One of the two subclasses below is raised."""

    code = "store_unavailable"


class StoreSilent(StoreUnavailable):
    """The store gave no answer at all: it is down, frozen or out of reach. Waiting work resumes when it is back."""


class StoreFailed(StoreUnavailable):
    """The store answers, but fails on this object. Work that meets it is tried a few times, then ends."""

    code = "store_failed"


class StoreMisconfigured(BlobFault):
    """Wrong credentials, no such bucket, or a setting that is missing: an operator must act."""

    code = "store_misconfigured"


class BlobRefused(BlobError):  # noqa: N818 - as above
    """The bytes or the digest that were sent cannot be accepted."""

    code = "blob_refused"


class DigestInvalid(BlobRefused):
    """Not an md5 or sha256 in lower-case hex."""

    code = "digest_invalid"


class DigestMismatch(BlobRefused):
    """The bytes that arrived are not the ones that were announced."""

    code = "digest_mismatch"


class DigestCollision(BlobRefused):
    """Other bytes with the same md5 are in the store already: a forged file."""

    code = "digest_collision"


class BlobTooLarge(BlobRefused):
    """More bytes than the caller allows."""

    code = "blob_too_large"


class UploadMissing(BlobRefused):
    """Nothing was uploaded under this upload id, or it was adopted already."""

    code = "upload_missing"


class ImageRefused(BlobRefused):
    """An image that cannot be used. Codes: `empty_file`, `unsupported_media_type`, `not_an_image`, `image_truncated`,
    `image_too_large`."""

    code = "not_an_image"


def ends_early(rows: int | None = None, of: int | None = None) -> ImageRefused:
    """Return the refusal of an image whose end is missing; it states the rows present and the total, where known."""
    there = f": it holds {rows:,} of its {of:,} rows" if of is not None else ""
    return ImageRefused(f"the image ends early{there}; upload it again", code="image_truncated")


def damaged(reason: str) -> ImageRefused:
    """Return the refusal of an image with damaged data."""
    return ImageRefused(f"the image's data is damaged ({reason}); export it again")


class TooManyPixels(BlobRefused):
    """The images of one request would take too long to decode."""

    code = "too_many_pixels"


class ArchiveRefused(BlobRefused):
    """An archive that cannot be read further. Codes: `archive_unsupported`, `archive_corrupt`, `archive_bomb`,
    `names_not_utf8`."""

    code = "archive_corrupt"
