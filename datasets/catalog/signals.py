"""Signals about samples and versions, for apps that keep data about them."""

from django.dispatch import Signal

# Sent inside the transaction that erases samples, before their rows are deleted: `samples` (ids), `keys` and `digests`
# (md5s of their bytes), `counted` (a Counter). A receiver deletes its data about them, other than by a foreign key that
# cascades, may return md5s of its own blobs to delete at once, and adds to `counted` what it deleted.
samples_erased = Signal()

# Sent before a slice is renamed or removed: `found`. A receiver returns the name of what refers to it, like
# "the gates of model signs".
slice_asked = Signal()

# Sent after samples were erased from published versions: `dataset`, and `numbers` of its versions. It may be sent
# twice. A receiver may return md5s as above.
versions_erased = Signal()
