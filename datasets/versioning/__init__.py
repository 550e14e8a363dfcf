"""Versions as DVC and git know them, byte for byte: directory listings, `.dvc` files, commits, a repository to clone.

Imports no Django and no object store: the caller supplies the entries and stores the bytes.
"""

from versioning.documents import Out, Remote, repository_files
from versioning.edits import ENTRIES, LINES, EditedText, Form, patched
from versioning.errors import ListingMalformed, PatchMalformed, PathClash, RepositoryDamaged, VersioningError
from versioning.history import Commit, Release, TreeEntry, commit_of
from versioning.listing import Entry, Listing, read_listing, write_listing
from versioning.mirror import Mirror
from versioning.texts import LineFiles, read_pack, write_pack, write_texts

__all__ = [
    "ENTRIES",
    "LINES",
    "Commit",
    "EditedText",
    "Entry",
    "Form",
    "LineFiles",
    "Listing",
    "ListingMalformed",
    "Mirror",
    "Out",
    "PatchMalformed",
    "PathClash",
    "Release",
    "Remote",
    "RepositoryDamaged",
    "TreeEntry",
    "VersioningError",
    "commit_of",
    "patched",
    "read_listing",
    "read_pack",
    "repository_files",
    "write_listing",
    "write_pack",
    "write_texts",
]
