"""What happens to samples and versions, for those who keep something about them."""

from django.dispatch import Signal

# Inside the transaction that erases samples, before their rows go: `samples` (ids), `keys` and `digests` (md5s of their
# bytes), `counted` (a Counter). A receiver deletes what it keeps of them, other than by a foreign key that cascades,
# may return a collection of md5s of blobs of its own that have to go at once, and adds to `counted` what went unasked.
samples_erased = Signal()

# Before a slice is renamed or removed: `found`. A receiver returns in words what of its own names it, like
# "the gates of model signs".
slice_asked = Signal()

# After samples were taken out of published versions: `dataset`, and `numbers` of its versions. It may come twice. A
# receiver may return md5s as above.
versions_erased = Signal()
