"""Versions as DVC and git know them, byte for byte: directory listings, `.dvc` files, commits, a repository to clone.

Imports no Django and no object store: the caller supplies the entries and stores the bytes.
"""

from versioning.documents import Out, Remote, repository_files
from versioning.errors import ListingMalformed, PathClash, RepositoryDamaged, VersioningError
from versioning.history import Commit, Release, TreeEntry, commit_of
from versioning.listing import Entry, Listing, read_listing, write_listing
from versioning.mirror import Mirror
from versioning.texts import read_pack, write_texts

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
    "TreeEntry",
    "VersioningError",
    "commit_of",
    "read_listing",
    "read_pack",
    "repository_files",
    "write_listing",
    "write_texts",
]
