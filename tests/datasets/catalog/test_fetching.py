"""Fetching by URL reaches the hosts an operator allowed, and nothing inside, whatever names and servers say."""

import http.server
import socket
import subprocess
import threading
import time
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from pathlib import Path
from ssl import PROTOCOL_TLS_SERVER, SSLContext, create_default_context
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rest_framework.test import APIClient
from tests.datasets.conftest import png
from tests.remote_site import Site, image, moved, to
from tests.working import work_on

from blobs.store import BlobStore
from catalog.intake import addresses, fetching, listings
from catalog.intake.fetching import AllowList, FetchFailed, UrlRefused, fetch, streamed
from catalog.models import Dataset, Revision


def inside(site: Site) -> AllowList:
    """An allow-list that lets the test's own server through."""
    return AllowList.of([f"images.test:{site.port}", f"*.pics.test:{site.port}", "127.0.0.0/8"])


def test_an_allowed_host_is_fetched_by_its_name_with_nothing_of_ours(site: Site) -> None:
    url = f"http://images.test:{site.port}/a/1.png?x=1"
    assert fetch(url, inside(site), resolve=to("127.0.0.1")) == png(1)
    path, headers = site.asked[0]
    assert path == "/a/1.png?x=1"
    assert headers["host"] == f"images.test:{site.port}"
    assert not {"authorization", "cookie"} & headers.keys()


def test_a_wildcard_means_the_hosts_below_it(site: Site) -> None:
    for name, known in (("a.pics.test", True), ("a.b.pics.test", True), ("pics.test", False), ("xpics.test", False)):
        assert inside(site).knows(name, site.port, default=False) is known
    assert not inside(site).knows("images.test", 80, default=True)  # it is listed with a port of its own


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1", ".".join("0000"), "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1",
     "192.0.0.192", "224.0.0.1", "255.255.255.255", "::1", "::", "::ffff:127.0.0.1", "::ffff:169.254.169.254",
     "64:ff9b::7f00:1", "2002:7f00:1::", "2001:0:7f00:1::", "fe80::1", "fe80::1%eth0", "fc00::1", "fd00:ec2::254",
     "ff02::1", "::127.0.0.1"],
)  # fmt: skip
def test_a_name_that_leads_inside_is_not_followed(site: Site, address: str) -> None:
    allowed = AllowList.of([f"images.test:{site.port}"])
    with pytest.raises(UrlRefused, match="not public"):
        fetch(f"http://images.test:{site.port}/", allowed, resolve=to(address))
    with pytest.raises(UrlRefused, match="not public"):  # one bad address of several is enough
        fetch(f"http://images.test:{site.port}/", allowed, resolve=to("93.184.216.34", address))
    assert not site.asked


def test_the_name_is_looked_up_once_and_a_later_answer_changes_nothing(site: Site) -> None:
    """DNS rebinding: first a good address, then one inside."""
    answers = iter([["127.0.0.1"], ["127.0.0.2"]])
    assert fetch(f"http://images.test:{site.port}/", inside(site), resolve=lambda *_: next(answers)) == png(1)
    assert next(answers) == ["127.0.0.2"]


@pytest.mark.parametrize(
    "url",
    ["http://127.0.0.1:{port}/", "http://localhost:{port}/", "http://2130706433:{port}/", "http://0x7f000001:{port}/",
     "http://0x7f.1:{port}/", "http://127.1:{port}/", "http://0177.0.0.1:{port}/", "http://[::1]:{port}/",
     "http://[::ffff:127.0.0.1]:{port}/", "http://0:{port}/", "http://0.0.0.0:{port}/",
     "http://169.254.169.254/latest/meta-data/", "http://images.test@127.0.0.1:{port}/",
     "http://127.0.0.1:{port}\\@images.test/", "http://images.test:{port}@127.0.0.1:{port}/",
     "http://user:secret@images.test:{port}/", "http://images.test:{port}\r\nX: y/", "http://images.test:{port}/\tx",
     "http://images.test/", "http://images.test:1/", "http://ⓘmages.test:{port}/", "http://images。test:{port}/",
     "file:///etc/passwd", "ftp://images.test:{port}/", "gopher://images.test:{port}/", "//images.test:{port}/",
     "images.test:{port}/", "http://:{port}/", "http:///x", "", "http://images.test:x/", "http://[images.test]/",
     "http://notimages.test:{port}/", "http://images.test.evil:{port}/", "http://images.test.:x/"],
)  # fmt: skip
def test_any_other_address_is_refused_before_anything_is_looked_up_or_asked(site: Site, url: str) -> None:
    def resolve(host: str, port: int) -> list[str]:
        raise AssertionError("looked up")

    with pytest.raises(UrlRefused):
        fetch(url.replace("{port}", str(site.port)), inside(site), resolve=resolve)
    assert not site.asked


@given(st.text(max_size=80) | st.from_regex(r"https?://[^/]{0,40}/.{0,10}"))
def test_no_text_at_all_gets_past_the_list(url: str) -> None:
    with pytest.raises(UrlRefused):
        fetch(url, AllowList.of(["images.test:4"]), resolve=to("127.0.0.1"))


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(site: Site, status: int) -> None:
    site.answers["/go"] = moved(f"http://127.0.0.1:{site.port}/canary", status)
    with pytest.raises(UrlRefused, match="redirects"):
        fetch(f"http://images.test:{site.port}/go", inside(site), resolve=to("127.0.0.1"))
    assert [path for path, _ in site.asked] == ["/go"]


def test_a_redirect_that_is_asked_for_must_lead_to_an_allowed_host(site: Site) -> None:
    base = f"http://images.test:{site.port}"
    site.answers |= {"/go": moved("/on"), "/on": moved(f"http://a.pics.test:{site.port}/1.png"),
                     "/in": moved(f"http://127.0.0.1:{site.port}/canary"), "/round": moved("/round")}  # fmt: skip

    def got(path: str, redirects: int) -> bytes:
        return b"".join(streamed(f"{base}{path}", inside(site), redirects=redirects, resolve=to("127.0.0.1")))

    assert got("/go", 2) == png(1)
    for path, redirects, said in (("/go", 1, "redirects"), ("/in", 3, "not among the hosts"), ("/round", 3, "redir")):
        with pytest.raises(UrlRefused, match=said):
            got(path, redirects)
    assert "/canary" not in [path for path, _ in site.asked]
    assert [path for path, _ in site.asked].count("/round") == 4


def test_a_file_comes_in_pieces_and_its_length_is_told_first(site: Site) -> None:
    told: list[int] = []
    site.answers["/large"] = lambda handler: image(handler, bytes(3 * fetching.CHUNK))
    url = f"http://images.test:{site.port}/large"
    pieces = streamed(url, inside(site), resolve=to("127.0.0.1"), announced=told.append)
    assert len(next(pieces)) <= fetching.CHUNK
    assert told == [3 * fetching.CHUNK]
    assert sum(map(len, pieces)) == 2 * fetching.CHUNK


def test_too_many_bytes_are_not_taken_announced_or_not(site: Site) -> None:
    def endless(handler: http.server.BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.end_headers()
        try:
            while True:
                handler.wfile.write(bytes(65536))
        except OSError:
            handler.close_connection = True

    site.answers["/endless"] = endless
    site.answers["/large"] = lambda handler: image(handler, bytes(2000))
    for path in ("/endless", "/large"):
        with pytest.raises(FetchFailed, match="more than 1000 bytes"):
            fetch(f"http://images.test:{site.port}{path}", inside(site), resolve=to("127.0.0.1"), max_bytes=1000)


@pytest.mark.parametrize("head", [b"", b"HTTP/1.0 200 OK\r\n\r\n"])
def test_a_host_that_answers_by_drips_is_given_up(head: bytes) -> None:
    listener = socket.create_server(("127.0.0.1", 0))

    def drip() -> None:
        connection, _ = listener.accept()
        try:
            connection.sendall(head)
            while True:
                connection.sendall(b"H")
                time.sleep(0.05)
        except OSError:
            connection.close()

    threading.Thread(target=drip, daemon=True).start()
    port, started = listener.getsockname()[1], time.monotonic()
    with pytest.raises(FetchFailed):
        fetch(f"http://i.test:{port}/", AllowList.of([f"i.test:{port}", "127.0.0.0/8"]), resolve=to("127.0.0.1"),
              seconds=0.5)  # fmt: skip
    assert time.monotonic() - started < 5
    listener.close()


@pytest.mark.parametrize("answer", [b"", b"junk\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc",
                                    b"HTTP/1.1 404 Gone\r\nContent-Length: 0\r\n\r\n"])  # fmt: skip
def test_an_answer_that_is_none_is_a_failure_and_no_crash(answer: bytes) -> None:
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        connection, _ = listener.accept()
        connection.recv(65536)
        connection.sendall(answer)
        connection.close()

    threading.Thread(target=serve, daemon=True).start()
    port = listener.getsockname()[1]
    with pytest.raises(FetchFailed):
        fetch(f"http://i.test:{port}/", AllowList.of([f"i.test:{port}", "127.0.0.0/8"]), resolve=to("127.0.0.1"))
    listener.close()


def test_https_is_spoken_to_the_name_and_checked_by_it(tmp_path: Path) -> None:
    key, cert = tmp_path / "key.pem", tmp_path / "cert.pem"
    argv = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", str(key), "-out", str(cert), "-days",
            "2", "-subj", "/CN=images.test", "-addext", "subjectAltName=DNS:images.test"]  # fmt: skip
    subprocess.run(argv, check=True, capture_output=True)
    context = SSLContext(PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    names: list[str | None] = []
    context.sni_callback = lambda _, name, __: names.append(name)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), type("H", (http.server.BaseHTTPRequestHandler,), {
        "do_GET": lambda self: image(self), "log_message": lambda *_: None}))  # fmt: skip
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    allowed = AllowList.of([f"*.test:{server.server_port}", "127.0.0.0/8"])
    trusting = create_default_context(cafile=str(cert))
    url = f"https://images.test:{server.server_port}/"
    assert fetch(url, allowed, resolve=to("127.0.0.1"), tls=trusting) == png(1)
    assert names == ["images.test"]
    for bad, tls in ((url, None), (url.replace("images", "other"), trusting)):
        with pytest.raises(FetchFailed, match="SSLCertVerificationError"):
            fetch(bad, allowed, resolve=to("127.0.0.1"), tls=tls)
    server.shutdown()
    server.server_close()


def test_a_list_that_is_empty_lets_nothing_through_and_a_faulty_one_is_an_error() -> None:
    with pytest.raises(UrlRefused, match="an operator allows hosts"):
        fetch("http://images.test/", AllowList.of([]))
    for entry in ("http://x/", "a b", "10.0.0.0/40", "x:y", "*", "-x.test"):
        with pytest.raises(ValueError, match=r"neither|network|host bits|invalid literal|does not appear"):
            AllowList.of([entry])


@pytest.fixture
def allowed(site: Site, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The platform of this test lets its own server through."""
    settings.IMPORT_HOSTS = [f"images.test:{site.port}", "127.0.0.0/8"]
    monkeypatch.setattr(addresses, "lookup", to("127.0.0.1"))


@pytest.mark.usefixtures("allowed", "object_store")
@pytest.mark.django_db(transaction=True)
def test_samples_come_from_addresses_and_the_bad_ones_are_named(api: APIClient, site: Site, dataset: Dataset) -> None:
    site.answers["/gone.png"] = lambda handler: handler.send_error(404)
    site.answers["/text.png"] = lambda handler: image(handler, b"hello")
    base = f"http://images.test:{site.port}"
    samples = [
        {"key": "cat/1.png", "url": f"{base}/1.png", "label": {"class": "cat"}},
        {"key": "2.png", "url": f"{base}/gone.png"},
        {"key": "3.png", "url": f"{base}/text.png"},
        {"key": "4.png", "url": "http://169.254.169.254/latest"},
    ]
    done = api.post("/datasets/digits", {"samples": samples}, format="json").json()
    assert (done["added"], done["labelled"]) == (1, 1)
    assert {item["key"]: item["code"] for item in done["rejected"]} == {
        "2.png": "url_failed", "3.png": "not_an_image", "4.png": "url_not_allowed",
    }  # fmt: skip


@pytest.mark.usefixtures("allowed", "object_store")
@pytest.mark.django_db(transaction=True)
def test_many_addresses_are_fetched_by_a_job(
    api: APIClient, site: Site, dataset: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listings, "AT_ONCE_URLS", 2)
    monkeypatch.setattr("catalog.intake.bodies.AT_ONCE_URLS", 2)
    for number in range(5):
        site.answers[f"/{number}.png"] = lambda handler, number=number: image(handler, png(number))  # type: ignore[misc]
    samples = [
        {"key": f"cat/{number}.png", "url": f"http://images.test:{site.port}/{number}.png"} for number in range(5)
    ]
    labels = [{"key": "cat/0.png", "label": {"class": "dog"}}]
    answer = api.post("/datasets/digits", {"samples": samples, "labels": labels, "message": "web"}, format="json")
    assert answer.status_code == 202, answer.json()
    assert work_on(answer.json()["job"]["id"])
    job = api.get(answer.json()["job"]["url"]).json()
    assert (job["state"], job["result"]["added"], job["result"]["labelled"]) == ("succeeded", 5, 1), job
    assert {row.label.value["class"] for row in Revision.objects.select_related("label") if row.label} == {"dog"}


@pytest.mark.django_db
def test_without_a_list_no_address_is_asked(
    api: APIClient, dataset: Dataset, object_store: BlobStore, site: Site
) -> None:
    body = {"samples": [{"key": "1.png", "url": f"http://127.0.0.1:{site.port}/"}]}
    answer = api.post("/datasets/digits", body, format="json")
    assert answer.json()["rejected"][0]["code"] == "url_not_allowed"
    assert not site.asked


SPECIAL = [
    "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
    "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24",
    "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4", "255.255.255.255/32", "224.0.0.0/4",
    "::1/128", "::/128", "::ffff:0:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "100:0:0:1::/64",
    "2001::/23", "2001::/32", "2001:1::1/128", "2001:2::/48", "2001:3::/32", "2001:4:112::/48", "2001:10::/28",
    "2001:20::/28", "2001:30::/28", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20", "5f00::/16",
    "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8",
]  # fmt: skip
"""IANA's registries of special-purpose addresses as of 2025, multicast, and site-local addresses."""
ANY_V4, ANY_V6 = st.ip_addresses(v=4), st.ip_addresses(v=6)
NOWHERE = AllowList.of(["images.test"])


@pytest.mark.parametrize("network", [ip_network(text) for text in SPECIAL], ids=str)
def test_nothing_of_a_special_network_is_reached(network: Any) -> None:
    @given(st.integers(0, network.num_addresses - 1))
    @settings(max_examples=25)
    def reached(offset: int) -> None:
        assert not NOWHERE.reaches(network[offset])

    reached()


@given(ANY_V4 | ANY_V6)
@settings(max_examples=300)
def test_what_python_knows_to_be_special_is_not_reached_either(address: Any) -> None:
    mapped = getattr(address, "ipv4_mapped", None)
    assert not NOWHERE.reaches(address) or (mapped or address).is_global


@given(ANY_V4)
@settings(max_examples=200)
def test_an_ipv4_address_inside_an_ipv6_one_opens_nothing(inner: IPv4Address) -> None:
    assert NOWHERE.reaches(IPv6Address(f"::ffff:{inner}")) == NOWHERE.reaches(inner)
    number = int(inner)
    for outer in (
        number,  # IPv4-compatible
        (0x64FF9B << 96) | number,  # NAT64
        (0x64FF9B0001 << 80) | number,  # NAT64 of a network's own
        (0x2002 << 112) | (number << 80),  # 6to4
        (0x20010000 << 96) | (number << 64) | (number ^ 0xFFFFFFFF),  # Teredo: server, and client inverted
    ):
        assert not NOWHERE.reaches(IPv6Address(outer))


@pytest.mark.parametrize("address", ["93.184.216.34", "8.8.8.8", "2606:4700::1111", "2a00:1450:4001:81b::200e"])
def test_public_addresses_are_reached(address: str) -> None:
    assert NOWHERE.reaches(ip_address(address))
