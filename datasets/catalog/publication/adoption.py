"""Make a directory that `dvc push` sent the dataset's next version: the version holds the files of its listing, with
the lines of `labels.jsonl` that somebody changed."""

from collections.abc import Iterator, Mapping

from accounts.models import User
from blobs.models import Blob
from blobs.services import by_md5, store
from catalog.busy import refuse_busy
from catalog.changes.sets import ChangeSet, Rejection, SampleChange
from catalog.intake.handlers import outcome
from catalog.intake.incoming import Incoming
from catalog.intake.ingest import receive
from catalog.keys import normal_key
from catalog.models import Dataset, Revision
from catalog.publication.pushed_labels import take_documents
from catalog.publication.source import DatasetSource
from catalog.versions.datasets import find_dataset
from core.list_parameters import listed
from jobs import lanes
from jobs.context import ShardContext
from jobs.errors import ShardFailed
from jobs.handlers import Outcome
from publishing.models import Repository, Upload
from versioning import ListingMalformed, read_listing
from worker_programs.wording import plural

SHOWN = 5


class AdoptHandler:
    """Compares the listing with the head, inspects the new images, and commits once. If the head moves meanwhile, the
    shard runs again."""

    lane = lanes.ASKED

    def run(self, context: ShardContext) -> Outcome:
        params = context.job.params
        dataset = find_dataset(params["dataset"])
        refuse_busy(dataset, job=context.job)
        author = User.objects.get(pk=params["author"])
        repository = Repository.objects.get(kind=Repository.Kind.DATASETS, name=dataset.name)
        changes, spared = _changes(dataset, repository, _wanted(params["listing"]), context, author=author)
        changes.message = _message(params["listing"], changes.rejected)
        if spared:
            context.log(
                f"Not removed, though not in the directory: {plural(spared, 'sample')}, because "
                f"{len(changes.rejected)} of what was pushed can't be taken. Take it out of the directory, or mend "
                "it, and push again."
            )

        def settle() -> None:
            _settle(dataset, repository, params["listing"])

        told = {"not_removed": spared} if spared else {}
        return outcome(context, dataset, changes, author=author, retried="stale_parent", told=told, also=settle)


def _wanted(listing: str) -> dict[str, str]:
    """Read the listing: a map of keys to md5s."""
    try:
        entries = read_listing(store().get(Blob.objects.get(md5=listing).ref))
    except ListingMalformed as error:
        raise ShardFailed(str(error), code=error.code) from error
    return {normal_key(entry.relpath): entry.md5 for entry in entries}


def _changes(
    dataset: Dataset, repository: Repository, wanted: dict[str, str], context: ShardContext, *, author: User
) -> tuple[ChangeSet, int]:
    """Return the changes that make the head equal to `wanted`, and how many samples were not removed. If a file is
    refused, no sample is removed: a missing file may be a refused one under another name."""
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
    """Raise ShardFailed if all files of the directory were refused. An empty directory may empty the dataset."""
    if refused:
        why = "; ".join(f"{item.key}: {item.detail}" for item in refused[:SHOWN])
        raise ShardFailed(
            f"nothing was changed: nothing can be taken of the directory's {plural(len(refused), 'file')} ({why}), and "
            f"its {plural(remove, 'sample')} would go. Push images, or an empty directory if you mean to remove all.",
            code="push_refused",
        )


def _sent(dataset: Dataset, repository: Repository, digests: set[str]) -> dict[str, Blob]:
    """Return the blobs of these md5s by md5. Raises ShardFailed unless all were sent to this dataset or are in it."""
    mine: set[str] = set()
    for rows in (Upload.objects.filter(repository=repository), Revision.objects.ever(dataset)):
        mine |= set(rows.filter(blob__md5__in=listed(sorted(digests))).values_list("blob__md5", flat=True))
    if lacking := sorted(digests - mine):
        some = ", ".join(lacking[:SHOWN])
        raise ShardFailed(f"not sent: {plural(len(lacking), 'file')} of the listing, such as {some}; push again",
                          code="objects_missing")  # fmt: skip
    return by_md5(sorted(digests))


def _items(wanted: Mapping[str, str], blobs: Mapping[str, Blob], context: ShardContext) -> Iterator[Incoming]:
    """Yield the files not yet known as images, to inspect them."""
    keys: dict[str, list[str]] = {}
    for key, md5 in wanted.items():
        if blobs[md5].width is None:
            keys.setdefault(md5, []).append(key)
    for done, (ref, data) in enumerate(store().get_many([blobs[md5].ref for md5 in keys])):
        context.check()
        context.progress(done, len(keys))
        yield from (Incoming(key, data) for key in keys[ref.md5])


def _settle(dataset: Dataset, repository: Repository, listing: str) -> None:
    """Delete the uploads of files that the dataset now holds. Keep the rest of the push: it must be pulled whole."""
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
