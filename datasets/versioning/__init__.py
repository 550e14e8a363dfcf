"""Versions as DVC and git know them, byte for byte: directory listings, `.dvc` files, commits, a repository to clone.

No Django here, and no object store: who calls brings the entries and keeps the bytes.
"""

from versioning.documents import Out, Remote, repository_files
from versioning.errors import ListingMalformed, PathClash, RepositoryDamaged, VersioningError
from versioning.history import Commit, Release, commit_of
from versioning.listing import Entry, Listing, read_listing, write_listing
from versioning.mirror import Mirror

__all__ = [
    "Commit",
    "Entry",
    "Listing",
    "ListingMalformed",
    "Mirror",
    "Out",
    "PathClash",
    "Release",
    "Remote",
    "RepositoryDamaged",
    "VersioningError",
    "commit_of",
    "read_listing",
    "repository_files",
    "write_listing",
]
