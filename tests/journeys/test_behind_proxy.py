"""The settings of deploy/ behind its own proxy, with TLS: a web service in compose's environment, a real nginx with
deploy/nginx.conf in front, and a browser that comes in by the outside name."""

import base64
import json
import os
import re
import signal
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from playwright.sync_api import Browser, expect
from tests.deploy.composed import DEPLOY, services
from tests.journeys import digits, labellers
from tests.journeys.digits import Digits
from tests.journeys.people import Person
from tests.journeys.site import ROOT, Site

from embedded.ports import HOST, free_ports
from embedded.setup.browser import find_proxy

pytestmark = pytest.mark.browser

NAME = "localhost"  # the outside name; inside everything goes by an address
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
    origin, public_store, certificate = f"https://{NAME}:{port}", f"https://{NAME}:{store}", _certificate(folder)
    given = dict.fromkeys(_required(), "secret") | {
        "MOTHERLODE_HOST": NAME,
        "MOTHERLODE_ORIGIN": origin,
        "MOTHERLODE_S3_PUBLIC_ENDPOINT": public_store,
    }
    composed = {name: str(value) for name, value in services(given)["web"]["environment"].items()}
    inner = platform_site.environment()
    names = SERVERS | {name for name, value in composed.items() if "secret" in value}
    environment = inner | {name: value for name, value in composed.items() if name not in names}
    places = {
        "listen 80;": f"listen {HOST}:{plain};",
        "listen 443 ssl;": f"listen {port} ssl;",
        "listen 8333 ssl;": f"listen {store} ssl;",
        "web:8000": f"{HOST}:{web}",
        "object-store:8333": urlsplit(inner["MOTHERLODE_S3_ENDPOINT"]).netloc,
        "/run/secrets/": f"{folder}/",
        "/var/cache/nginx/": f"{folder}/",
    }
    config = (DEPLOY / "nginx.conf").read_text()
    for theirs, ours in places.items():
        assert theirs in config
        config = config.replace(theirs, ours)
    temporary = "".join(f"{kind}_temp_path {folder}/{kind};\n" for kind in ("client_body", "proxy"))
    (folder / "nginx.conf").write_text(config.replace("http {\n", f"http {{\n{temporary}"))
    own = "user root;" if os.geteuid() == 0 else ""  # who may get into this folder, and keeps files there
    proxy = [program, "-p", str(folder), "-c", "nginx.conf", "-g", f"daemon off; pid {folder}/nginx.pid; {own}"]
    with _running(_server(web), web, environment) as group, _running(proxy, port, dict(os.environ)):
        yield Outside(origin, public_store, certificate, group)


def _server(port: int) -> list[str]:
    """The image's own command, on a port of this machine."""
    command: list[str] = json.loads(re.sub(r"\\\n", "", (DEPLOY / "Dockerfile").read_text().split("\nCMD ")[1]))
    command[0] = str(Path(sys.executable).with_name(command[0]))
    for option, ours in (("--host", HOST), ("--port", str(port))):
        command[command.index(option) + 1] = ours
    return command


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
        process.wait(20)


def _certificate(folder: Path) -> Path:
    """A self-signed one for the outside name, where nginx.conf looks for it."""
    argv = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={NAME}"]
    argv += ["-addext", f"subjectAltName=DNS:{NAME}", "-keyout", "tls_key", "-out", "tls_certificate"]
    subprocess.run(argv, cwd=folder, check=True, capture_output=True)
    return folder / "tls_certificate"


def _required() -> set[str]:
    return set(re.findall(r"^(\w+)=", (DEPLOY / "example.env").read_text(), re.MULTILINE))


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
