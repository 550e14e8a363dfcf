"""People who label through the API, as programs would: several at one queue, who do not always agree."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import httpx
from tests.journeys.digits import CLASSES, Digits
from tests.journeys.site import Site

Say = Callable[[Mapping[str, Any]], Mapping[str, Any]]


def add_person(site: Site, username: str, *, role: str = "annotator") -> str:
    """The token of somebody whom the owner adds."""
    return str(_post(site, site.token, "/people", {"username": username, "role": role})["token"])


def make_queue(site: Site, name: str, dataset: str, samples: list[str], **terms: object) -> int:
    """A queue of these samples; returns its id."""
    body = {"name": name, "dataset": dataset, "samples": samples, **terms}
    return int(_post(site, site.token, "/labeling/queues", body)["id"])


def answer_all(site: Site, token: str, queue: int | str, say: Say) -> int:
    """Answer every task that this person can get; returns how many those were."""
    done = 0
    while tasks := _next(site, token, queue):
        for task in tasks:
            body = {"value": say(task["sample"]), "seconds": 2.5, "lease_token": task["lease_token"]}
            _post(site, token, f"/labeling/tasks/{task['id']}/answer", body)
            done += 1
    return done


def get(site: Site, path: str) -> Any:
    """A document as the owner sees it."""
    answer = httpx.get(f"{site.url}{path}", headers=_signed(site.token))
    answer.raise_for_status()
    return answer.json()


def sign_in_as(site: Site, username: str) -> str:
    """One more token of somebody who is there already."""
    return str(_post(site, site.token, f"/people/{username}/tokens", {"name": "journey"})["secret"])


def disputed(site: Site, digits: Digits, name: str, *, count: int = 4) -> int:
    """A queue of two answers for each task. Two people disagree about all of it: one is right, one counts one more."""
    keys = [key for key in digits.truth if key.startswith("pool")]
    queue = make_queue(site, name, digits.name, keys[:count], answers_per_task=2)
    for shift in (0, 1):
        token = add_person(site, f"{name}-{'right' if shift == 0 else 'wrong'}")
        answer_all(site, token, queue, partial(_shifted, digits.truth, shift))
    return queue


def _shifted(truth: Mapping[str, str], by: int, sample: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"class": CLASSES[(int(truth[sample["key"]]) + by) % len(CLASSES)]}


def _next(site: Site, token: str, queue: int | str) -> list[Any]:
    found = httpx.post(f"{site.url}/labeling/queues/{queue}/next", json={"count": 20}, headers=_signed(token))
    found.raise_for_status()
    return [] if found.status_code == 204 else list(found.json()["tasks"])


def _post(site: Site, token: str, path: str, body: Mapping[str, Any]) -> Any:
    answer = httpx.post(f"{site.url}{path}", json=body, headers=_signed(token), timeout=60)
    assert answer.is_success, f"{path}: {answer.status_code} {answer.text}"
    return answer.json()


def _signed(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}
