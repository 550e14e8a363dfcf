"""The platform as a Python object: `Motherlode().datasets.get("digits")`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from motherlode.access import find_token, find_url, token_origin
from motherlode.resources.audit import Audit
from motherlode.resources.backtests import Backtests
from motherlode.resources.datasets import Datasets
from motherlode.resources.edits import Edits
from motherlode.resources.encoders import Encoders
from motherlode.resources.filters import Filters
from motherlode.resources.histories import Histories
from motherlode.resources.jobs import Jobs
from motherlode.resources.lakes import Lakes
from motherlode.resources.mining import Mining
from motherlode.resources.models import Models
from motherlode.resources.notifications import Notifications
from motherlode.resources.people import People
from motherlode.resources.pipelines import Pipelines
from motherlode.resources.plans import Plans
from motherlode.resources.projects import Projects
from motherlode.resources.quality import Quality
from motherlode.resources.queues import Queues
from motherlode.resources.runs import Runs
from motherlode.resources.sweeps import Sweeps
from motherlode.resources.upkeep import Upkeep
from motherlode.transport import Transport

if TYPE_CHECKING:
    from types import TracebackType

    from motherlode.documents import User


class Motherlode:
    """A platform and its calls, grouped as the REST contract groups them. May be used from several threads.

    `url` defaults to MOTHERLODE_URL, this machine's platform on PORT, or the one that `make up` started in this
    checkout; `token` defaults to MOTHERLODE_TOKEN or the one in `var/token`. While nothing answers, a call retries for
    `patience` seconds. All calls raise MotherlodeError.
    """

    def __init__(self, url: str | None = None, token: str | None = None, *, patience: float = 60.0) -> None:
        origin = token_origin(token)
        self._transport = Transport(find_url(url), find_token(token), patience=patience, origin=origin)
        self.jobs = Jobs(self._transport)
        self.datasets = Datasets(self._transport, self.jobs)
        self.lakes = Lakes(self._transport, self.jobs)
        self.filters = Filters(self._transport, self.jobs)
        self.edits = Edits(self._transport, self.jobs)
        self.histories = Histories(self._transport)
        self.models = Models(self._transport, self.jobs)
        self.encoders = Encoders(self._transport, self.jobs)
        self.runs = Runs(self._transport)
        self.sweeps = Sweeps(self._transport)
        self.mining = Mining(self._transport)
        self.queues = Queues(self._transport)
        self.quality = Quality(self._transport)
        self.pipelines = Pipelines(self._transport)
        self.backtests = Backtests(self._transport)
        self.plans = Plans(self._transport)
        self.people = People(self._transport)
        self.projects = Projects(self._transport)
        self.audit = Audit(self._transport)
        self.notifications = Notifications(self._transport)
        self.upkeep = Upkeep(self._transport)

    @property
    def url(self) -> str:
        """The platform's address, without a slash at its end."""
        return self._transport.url

    def health(self) -> dict[str, Any]:
        """Return which parts of the platform are ready. Raises `unavailable` or `unreachable`."""
        document: dict[str, Any] = self._transport.get("/health/ready")
        return document

    def user(self) -> User:
        """Return the user whom the token belongs to: `{id, username, role}`."""
        document: User = self._transport.get("/session")["user"]
        return document

    def close(self) -> None:
        """Close the connections."""
        self._transport.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
