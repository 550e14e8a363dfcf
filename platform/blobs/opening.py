"""The reader that a program's config asks for."""

from worker_programs.readers import Folder, SampleReader


def open_reader(folder: str | None) -> SampleReader:
    """Return the reader of a program: a folder if its config names one, else the object store of the environment."""
    if folder is not None:
        return Folder(folder)
    from blobs.stored import Stored  # the MinIO SDK is imported only where a store is read

    return Stored.from_env()
