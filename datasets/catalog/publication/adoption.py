"""A directory that `dvc push` sent becomes the dataset's next version: what it lists is what the version holds, and
what its `labels.jsonl` says, where somebody changed that, is what the version says."""

from collections.abc import Iterator, Mapping
from typing import Any

from accounts.models import User
from blobs.models import Blob
from blobs.services import by_md5, store
from catalog.changes.sets import ChangeSet, Rejection, SampleChange
from catalog.intake.handlers import final_faults
from catalog.intake.incoming import Incoming
from catalog.intake.ingest import commit_upload, receive
from catalog.keys import normal_key
from catalog.models import Dataset, Revision
from catalog.publication.pushed_labels import take_documents
from catalog.publication.source import DatasetSource
from catalog.versions.datasets import find_dataset
from core.list_parameters import listed
from jobs.context import ShardContext
from jobs.errors import ShardFailed
from jobs.handlers import Outcome
from publishing.models import Repository, Upload
from versioning import ListingMalformed, read_listing

SHOWN = 5


class AdoptHandler:
    """Compares the listing with the head, looks at what is new, and commits once. A head that moved meanwhile makes the
    shard run again."""

    queue = "compute"

    def run(self, context: ShardContext) -> Outcome:
        params = context.job.params
        dataset = find_dataset(params["dataset"])
        author = User.objects.get(pk=params["author"])
        repository = Repository.objects.get(kind=Repository.Kind.DATASETS, name=dataset.name)
        changes, spared = _changes(dataset, repository, _wanted(params["listing"]), context, author=author)
        changes.message = _message(params["listing"], changes.rejected)
        result: dict[str, Any] = {}
        if spared:
            result["not_removed"] = spared
            context.log(
                f"{spared} samples that are not in the directory were not removed, because {len(changes.rejected)} of "
                "what was pushed can't be taken: take it out of the directory, or mend it, and push again."
            )

        def apply() -> None:
            with final_faults(retried="stale_parent"):
                result.update(commit_upload(dataset, changes, author=author))
            _settle(dataset, repository, params["listing"])

        return Outcome(result, apply)


def _wanted(listing: str) -> dict[str, str]:
    """md5 by key, as the listing says."""
    try:
        entries = read_listing(store().get(Blob.objects.get(md5=listing).ref))
    except ListingMalformed as error:
        raise ShardFailed(str(error), code=error.code) from error
    return {normal_key(entry.relpath): entry.md5 for entry in entries}


def _changes(
    dataset: Dataset, repository: Repository, wanted: dict[str, str], context: ShardContext, *, author: User
) -> tuple[ChangeSet, int]:
    """What makes the head equal to `wanted`. Where a file of it is refused, nothing is removed: what is missing may be
    what was refused, under another name. Then also how many samples were spared."""
    head = dataset.head.number if dataset.head else 0
    labels = take_documents(dataset, repository, wanted)
    remove, kept = [], 0
    for entry in DatasetSource().entries(dataset.name, head) if head else ():
        if entry.relpath not in wanted:
            remove.append(entry.relpath)
        elif wanted[entry.relpath] == entry.md5:
            del wanted[entry.relpath]
            kept += 1
    blobs = _sent(dataset, repository, set(wanted.values()))
    received = receive(_items(wanted, blobs, context))
    refused = {item.key for item in received.rejected}
    samples = {
        key: SampleChange(key, blob=received.images.get(key, blobs[md5]))
        for key, md5 in wanted.items()
        if key not in refused
    }
    for key in labels.states.keys() - refused:
        blob = samples[key].blob if key in samples else None
        samples[key] = SampleChange(key, blob=blob, author_id=author.pk, exact=True, **labels.states[key])
    if remove and not samples and not kept:
        _check_intended(received.rejected, remove=len(remove))
    spared = len(remove) if refused else 0
    rejected = received.rejected + labels.rejected
    return ChangeSet(list(samples.values()), [] if spared else remove, rejected, parent=head), spared


def _check_intended(refused: list[Rejection], *, remove: int) -> None:
    """An empty directory empties the dataset; one of which nothing can be taken does not. Raises ShardFailed."""
    if refused:
        why = "; ".join(f"{item.key}: {item.detail}" for item in refused[:SHOWN])
        raise ShardFailed(
            f"nothing was changed: none of the {len(refused)} files of the directory can be taken ({why}), and its "
            f"{remove} samples would be removed. Push images, or an empty directory if you mean to remove all.",
            code="push_refused",
        )


def _sent(dataset: Dataset, repository: Repository, digests: set[str]) -> dict[str, Blob]:
    """The blobs of these md5s, all of which must have been sent to this dataset or be in it already."""
    mine: set[str] = set()
    for rows in (Upload.objects.filter(repository=repository), Revision.objects.ever(dataset)):
        mine |= set(rows.filter(blob__md5__in=listed(sorted(digests))).values_list("blob__md5", flat=True))
    if lacking := sorted(digests - mine):
        some = ", ".join(lacking[:SHOWN])
        raise ShardFailed(f"{len(lacking)} files of the listing were not sent, such as {some}: push again",
                          code="objects_missing")  # fmt: skip
    return by_md5(sorted(digests))


def _items(wanted: Mapping[str, str], blobs: Mapping[str, Blob], context: ShardContext) -> Iterator[Incoming]:
    """The files that were not known as images before, to be looked at."""
    keys: dict[str, list[str]] = {}
    for key, md5 in wanted.items():
        if blobs[md5].width is None:
            keys.setdefault(md5, []).append(key)
    for done, (ref, data) in enumerate(store().get_many([blobs[md5].ref for md5 in keys])):
        context.check()
        context.progress(done, len(keys))
        yield from (Incoming(key, data) for key in keys[ref.md5])


def _settle(dataset: Dataset, repository: Repository, listing: str) -> None:
    """What the version holds needs no upload any more. The rest of the push is kept: it must be pulled whole."""
    mine = repository.uploads.filter(kept=False)
    held = Revision.objects.ever(dataset).order_by().values("blob")
    mine.filter(listing=False, blob__in=held).delete()
    mine.filter(blob__md5=listing, listing=True).update(kept=True)
    mine.filter(listing=False).update(kept=True)


def _message(listing: str, refused: list[Rejection]) -> str:
    told = f"Pushed with dvc ({listing}.dir)"
    if refused:
        names = ", ".join(item.key for item in refused[:SHOWN])
        told += f"; {len(refused)} not taken: {names}"
    return told[:500]
