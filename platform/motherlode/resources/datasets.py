"""`/datasets`: create, commit, look."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from motherlode.documents import Commit, Dataset, Label, LiveJob, Sample, Split, Version
from motherlode.resources.jobs import Jobs
from motherlode.transport import Transport, Upload

ACCEPTED = 202


class Datasets:
    def __init__(self, transport: Transport, jobs: Jobs) -> None:
        self._transport = transport
        self._jobs = jobs

    def all(self) -> Iterator[Dataset]:
        """All of them."""
        return self._transport.pages("/datasets")

    def get(self, dataset: str) -> Dataset:
        """One, by id or name."""
        document: Dataset = self._transport.get(f"/datasets/{dataset}")
        return document

    def create(
        self, name: str, *, classes: Sequence[str], task: str = "classification", description: str = ""
    ) -> Dataset:
        """A new, empty dataset."""
        body = {"name": name, "task": task, "classes": list(classes), "description": description}
        document: Dataset = self._transport.post("/datasets", body).json()
        return document

    def versions(self, dataset: str) -> Iterator[Version]:
        """The newest first."""
        return self._transport.pages(f"/datasets/{dataset}/versions")

    def samples(
        self,
        dataset: str,
        version: int | str = "head",
        *,
        split: Split | None = None,
        label: str | None = None,
        labelled: bool | None = None,
        search: str | None = None,
    ) -> Iterator[Sample]:
        """The samples of a version, in a stable order. `search` looks in the keys."""
        path = f"/datasets/{dataset}/versions/{version}/samples"
        flag = None if labelled is None else str(labelled).lower()
        return self._transport.pages(path, split=split, label=label, labelled=flag, q=search, limit=500)

    def push(
        self,
        dataset: str,
        archive: Upload,
        *,
        annotations: Upload | None = None,
        form: str = "auto",
        split: Split | None = None,
        message: str = "",
        parent: int | None = None,
        key: str | None = None,
        on_progress: Callable[[LiveJob], None] | None = None,
    ) -> Commit:
        """Commit an archive (zip, tar, tar.gz) of images, and wait until it is done where the platform takes its time.

        `form` is the annotations' format; `split` is for all of the images, whatever the annotations say; with
        `parent` the commit is refused unless that version is still the head. Images that could not be taken are in the
        result's `rejected`. Raises JobFailedError when the platform took the archive and then failed on it.
        """
        files = {"archive": archive} if annotations is None else {"archive": archive, "annotations": annotations}
        fields = {"format": form, "split": split, "message": message, "parent": None if parent is None else str(parent)}
        response = self._transport.post_form(f"/datasets/{dataset}", fields, files, key=key)
        document: Commit = response.json()
        if response.status_code == ACCEPTED:
            job = self._jobs.wait(response.json()["job"]["id"], on_progress=on_progress)
            document = job["result"]  # type: ignore[assignment]  # the result of this kind of job is a commit
        return document

    def commit(
        self,
        dataset: str,
        *,
        samples: Sequence[Mapping[str, object]] = (),
        labels: Mapping[str, Label] | None = None,
        remove: Sequence[str] = (),
        message: str = "",
        parent: int | None = None,
    ) -> Commit:
        """Commit samples `{key, url|data, split?, label?, meta?}`, labels by key, and keys to remove, as JSON."""
        changes = [{"key": key, "label": label} for key, label in (labels or {}).items()]
        body = {
            "samples": list(samples),
            "labels": changes,
            "remove": list(remove),
            "message": message,
            "parent": parent,
        }
        document: Commit = self._transport.post(f"/datasets/{dataset}", body).json()
        return document
