"""Every object key this platform uses is made here, from a digest or a random id; no client's name is ever in one.

files/md5/<2>/<30>        one blob, in DVC's layout
files/md5/<2>/<30>.dir    the listing of a directory, once all its files are stored so too
packs/<2>/<sha256>        many small blobs, one after the other
tmp/<32 hex>              a client's direct upload, not yet checked
"""

import re
import secrets

from blobs.digests import parse_md5, parse_sha256
from blobs.errors import DigestInvalid, UploadMissing

KEY_PATTERN = re.compile(
    r"files/md5/[0-9a-f]{2}/[0-9a-f]{30}(?:\.dir)?|packs/([0-9a-f]{2})/\1[0-9a-f]{62}|tmp/[0-9a-f]{32}"
)
_UPLOAD_ID = re.compile(r"[0-9a-f]{32}")


def blob_key(md5: str) -> str:
    """Return the key of a blob's own object; raises DigestInvalid."""
    digest = parse_md5(md5)
    return f"files/md5/{digest[:2]}/{digest[2:]}"


def directory_key(md5: str) -> str:
    """Return the key where DVC looks for the listing of a directory; raises DigestInvalid."""
    return blob_key(md5) + ".dir"


def pack_key(sha256: str) -> str:
    """Return a pack's key, by the sha256 of the whole pack; raises DigestInvalid."""
    digest = parse_sha256(sha256)
    return f"packs/{digest[:2]}/{digest}"


def new_upload_id() -> str:
    """Return an unguessable id for one direct upload."""
    return secrets.token_hex(16)


def upload_key(upload_id: str) -> str:
    """Return the key of a direct upload; raises UploadMissing if the id can't be one of ours."""
    if not isinstance(upload_id, str) or not _UPLOAD_ID.fullmatch(upload_id):
        raise UploadMissing("no such upload: use the id that was handed out with its URL")
    return f"tmp/{upload_id}"


def is_pack(key: str) -> bool:
    return key.startswith("packs/")


def is_blobs(key: str) -> bool:
    """Whether the key is one of blobs (one or many), and not of a direct upload."""
    return isinstance(key, str) and KEY_PATTERN.fullmatch(key) is not None and not key.startswith("tmp/")


def link_key(md5: str) -> str:
    """Return the key of blobs that a table of links locates, by the table's md5. They are stored elsewhere: no object
    has this key."""
    digest = parse_md5(md5)
    return f"links/{digest[:2]}/{digest[2:]}"


def linked_table(key: str) -> str | None:
    """Return the md5 of the table of links that a key made by `link_key` names; None for any other key."""
    return key[len("links/") :].replace("/", "") if key.startswith("links/") else None


def pack_sha256(key: str) -> str:
    """Return the digest in a pack's key."""
    return key[len("packs/xx/") :]


def checked(key: str) -> str:
    """Return `key` if it has one of these shapes; the last check before the network. Raises DigestInvalid."""
    if not isinstance(key, str) or not KEY_PATTERN.fullmatch(key):
        raise DigestInvalid("an object key is made by blobs.keys from a digest")
    return key
