"""The settings of deploy/ behind its own proxy, with TLS: a web service in compose's environment, a real nginx with
deploy/nginx.conf in front, and a browser that comes in by the outside name."""

import base64
import os
import re
import signal
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from bench.crowd.deployed import NAME, Places, certificate, proxy_command, required, services, web_command
from playwright.sync_api import Browser, expect
from tests.journeys import digits, labellers
from tests.journeys.digits import Digits
from tests.journeys.people import Person
from tests.journeys.site import ROOT, Site

from embedded.ports import HOST, free_ports
from embedded.setup.browser import find_proxy

pytestmark = pytest.mark.browser

SERVERS = {"MOTHERLODE_DATABASE_URL", "MOTHERLODE_BROKER_URL", "MOTHERLODE_S3_ENDPOINT", "MOTHERLODE_CACHE_DIR"}
"""What says where compose's own servers are; here they are those of the embedded profile."""


@dataclass(frozen=True, slots=True)
class Outside:
    """How the platform is reached through the proxy, and the certificate to trust."""

    origin: str
    store: str
    certificate: Path
    web: int  # the process group of the web service

    def client(self, token: str) -> httpx.Client:
        trust = ssl.create_default_context(cafile=str(self.certificate))
        return httpx.Client(base_url=self.origin, verify=trust, headers={"Authorization": f"Bearer {token}"})


@pytest.fixture(scope="module")
def outside(platform_site: Site, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Outside]:
    program = find_proxy()
    if program is None:
        if os.environ.get("CI") == "true":
            pytest.fail("no nginx on PATH: in CI the proxy must be tried")
        pytest.skip("no nginx on PATH")
    folder = tmp_path_factory.mktemp("proxy")
    web, port, plain, store = free_ports(4)
    origin, public_store = f"https://{NAME}:{port}", f"https://{NAME}:{store}"
    given = dict.fromkeys(required(), "secret") | {
        "MOTHERLODE_HOST": NAME,
        "MOTHERLODE_ORIGIN": origin,
        "MOTHERLODE_S3_PUBLIC_ENDPOINT": public_store,
    }
    composed = {name: str(value) for name, value in services(given)["web"]["environment"].items()}
    inner = platform_site.environment()
    names = SERVERS | {name for name, value in composed.items() if "secret" in value}
    environment = inner | {name: value for name, value in composed.items() if name not in names}
    places = Places(plain, port, store, web, urlsplit(inner["MOTHERLODE_S3_ENDPOINT"]).netloc)
    proxy = proxy_command(program, folder, places)
    with _running(web_command(web), web, environment) as group, _running(proxy, port, dict(os.environ)):
        yield Outside(origin, public_store, certificate(folder), group)


@contextmanager
def _running(argv: list[str], port: int, environment: dict[str, str]) -> Iterator[int]:
    process = subprocess.Popen(argv, cwd=ROOT, env=environment, start_new_session=True)
    deadline = time.monotonic() + 60
    try:
        while socket.socket().connect_ex((HOST, port)):
            assert process.poll() is None, argv
            assert time.monotonic() < deadline, argv
            time.sleep(0.05)
        yield process.pid
    finally:
        process.terminate()
        process.wait(60)  # as long as the web may take to end its requests and workers


@pytest.fixture
def person(browser: Browser, platform_site: Site, outside: Outside) -> Iterator[Person]:
    """The owner, who came in through the proxy."""
    context = browser.new_context(base_url=outside.origin, ignore_https_errors=True)
    found = Person.log_in(context, platform_site.token)
    yield found
    context.close()
    assert not found.faults, found.faults


@pytest.fixture(scope="module")
def own(platform_site: Site) -> str:
    """A dataset that no other journey looks into."""
    client = platform_site.client()
    client.datasets.create("over-tls", classes=digits.CLASSES)
    first = {"key": "first.png", "data": base64.b64encode(digits.images()[999][1]).decode()}
    client.datasets.commit("over-tls", samples=[first])
    return "over-tls"


def test_a_browser_labels_promotes_and_uploads_over_tls(
    person: Person, platform_site: Site, small: Digits, own: str, tmp_path: Path
) -> None:
    page = person.page
    cookies = {cookie.get("name"): cookie for cookie in page.context.cookies()}
    assert {"sessionid", "csrftoken"} <= set(cookies)
    assert all(cookie.get("secure") for cookie in cookies.values())
    samples = labellers.get(platform_site, f"/datasets/{small.name}/versions/head/samples?split=pool&limit=3")[
        "results"
    ]
    labellers.make_queue(platform_site, "over-tls", small.name, [sample["key"] for sample in samples])
    person.sit_down("over-tls")
    answered = person.label(small.truth, count=3)
    person_saved = page.get_by_role("region", name="Complete")
    expect(person_saved).to_be_visible()
    assert set(platform_site.answers("over-tls")) == set(answered)

    page.goto(f"/app/models/{small.model}")
    page.get_by_role("button", name="Promote… v1").click()
    page.get_by_role("dialog").get_by_label("Reason").fill("Good enough")
    page.get_by_role("dialog").get_by_role("button", name="Promote v1").click()
    expect(page.get_by_role("region", name="Promotions").get_by_text("Good enough")).to_be_visible()

    picture = tmp_path / "new-one.png"
    picture.write_bytes(digits.images()[1000][1])
    before = labellers.get(platform_site, f"/datasets/{own}")["head"]
    page.goto(f"/app/datasets/{own}")
    page.get_by_role("button", name="Add files").click()
    page.get_by_label("Choose files").set_input_files(picture)
    page.get_by_role("dialog").get_by_role("button", name=re.compile("^(Add|Send|Upload)")).click()
    expect(page.get_by_role("dialog")).to_contain_text(re.compile("version|added", re.IGNORECASE))
    assert labellers.get(platform_site, f"/datasets/{own}")["head"] != before


def test_a_presigned_link_works_by_the_outside_name(platform_site: Site, outside: Outside, own: str) -> None:
    data = digits.images()[1001][1]
    with outside.client(platform_site.token) as client:
        asked = client.post(f"/datasets/{own}/uploads", json={"presign": [{"size": len(data)}]})
        (place,) = asked.json()["places"]
        assert place["url"].startswith(f"{outside.store}/")
        assert client.put(place["url"], content=data, headers={"Authorization": ""}).status_code == 200
        listed = {"samples": [{"key": "presigned.png", "upload": place["upload"], "split": "pool"}]}
        made = client.post(f"/datasets/{own}", json=listed)
        assert (made.status_code, made.json()["rejected"]) == (201, []), made.content
        answer = client.get("/health/live")
        assert answer.headers["Strict-Transport-Security"] == "max-age=31536000"


def test_a_form_of_another_origin_is_refused(platform_site: Site, outside: Outside) -> None:
    with outside.client(platform_site.token) as client:
        del client.headers["Authorization"]
        assert client.post("/session", json={"token": platform_site.token}).status_code == 200
        token = client.cookies["csrftoken"]
        told = {
            origin: client.put("/session/preferences", json={}, headers={"X-CSRFToken": token, "Origin": origin})
            for origin in (outside.origin, "https://elsewhere.example", outside.origin.replace("https", "http"))
        }
        assert [answer.status_code for answer in told.values()] == [200, 403, 403]


def test_a_static_file_is_asked_for_once_whoever_does_not_take_it(platform_site: Site, outside: Outside) -> None:
    with outside.client(platform_site.token) as client:
        path = re.findall(r'src="(/static/[^"]+\.js)"', client.get("/app/").text)[0]
        first = client.get(path)
        assert first.status_code == 200
        os.killpg(outside.web, signal.SIGSTOP)
        try:
            assert client.get(path).content == first.content
        finally:
            os.killpg(outside.web, signal.SIGCONT)
