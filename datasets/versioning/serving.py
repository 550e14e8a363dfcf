"""Git's smart HTTP protocol for reading: the requests of clone and fetch. There is no receive-pack here."""

from typing import BinaryIO, cast

from dulwich.errors import GitProtocolError, HangupException
from dulwich.protocol import ReceivableProtocol
from dulwich.repo import Repo
from dulwich.server import BackendRepo, DictBackend, UploadPackHandler

from versioning.errors import RepositoryDamaged, VersioningError

SERVICE = "git-upload-pack"
ADVERTISEMENT = f"application/x-{SERVICE}-advertisement"
REQUEST = f"application/x-{SERVICE}-request"
RESULT = f"application/x-{SERVICE}-result"


class RequestMalformed(VersioningError):  # noqa: N818 - read aloud, like its neighbours
    """The client's request doesn't follow the protocol, or asks for objects that don't exist."""

    code = "git_request_malformed"


def advertise(repo: Repo, answer: BinaryIO) -> None:
    """Write the repository's refs, as the response to `info/refs?service=git-upload-pack`."""
    handler = _handler(repo, None, answer, advertise=True)
    handler.proto.write_pkt_line(f"# service={SERVICE}\n".encode())
    handler.proto.write_pkt_line(None)
    _run(handler)


def upload_pack(repo: Repo, request: BinaryIO, answer: BinaryIO) -> None:
    """Write the response to one `git-upload-pack` request. Raises RequestMalformed, RepositoryDamaged."""
    _run(_handler(repo, request, answer, advertise=False))


def _handler(repo: Repo, request: BinaryIO | None, answer: BinaryIO, *, advertise: bool) -> UploadPackHandler:
    proto = ReceivableProtocol(request.read if request else lambda _: b"", answer.write)
    backend = DictBackend({"/": cast(BackendRepo, repo)})
    return UploadPackHandler(backend, ["/"], proto, stateless_rpc=True, advertise_refs=advertise)


def _run(handler: UploadPackHandler) -> None:
    try:
        handler.handle()
    except (GitProtocolError, HangupException) as error:
        raise RequestMalformed(f"not a request of git's protocol: {error}") from error
    except Exception as error:
        raise RepositoryDamaged(f"the repository can't be read: {type(error).__name__}") from error
