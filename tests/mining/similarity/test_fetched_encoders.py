"""A pair of encoders that the platform fetches from addresses: over HTTP from a real server, to a registered one."""

from hashlib import sha256

import pytest
from tests.mining.similarity.test_encoders import PARTS
from tests.remote_site import image, moved, to
from tests.working import working_on

from catalog.intake import addresses
from jobs.models import Job
from similarity import encoder_api, fetching
from similarity.models import Encoder

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def served(site, settings, monkeypatch, object_store):
    """The server that has the files, which the platform may ask, and a worker."""
    settings.IMPORT_HOSTS = [f"files.test:{site.port}", "127.0.0.0/8"]
    monkeypatch.setattr(addresses, "lookup", to("127.0.0.1"))
    monkeypatch.setattr(encoder_api, "WAIT_SECONDS", 200.0)  # the first program of a busy machine takes its time
    for part, content in PARTS.items():
        site.answers[f"/{part}"] = lambda handler, content=content: image(handler, content)
    with working_on("fetch_encoder"):
        yield site


def body(site, **changes):
    base = f"http://files.test:{site.port}"
    sources = {
        part: {"url": f"{base}/{part}", "sha256": sha256(content).hexdigest()} for part, content in PARTS.items()
    }
    return {"name": "colours", "metadata": {"notes": "made here, MIT"}} | sources | changes


def add(api, body, status):
    answer = api.post("/encoders", body, format="json")
    assert answer.status_code == status, answer.content
    return answer.json()


@pytest.mark.both
def test_an_encoder_is_fetched_checked_and_registered_with_where_it_came_from(api, served):
    served.answers["/moved"] = moved("/image")
    wanted = body(served)
    wanted["image"]["url"] = f"http://files.test:{served.port}/moved"
    made = add(api, wanted, 201)
    assert (made["name"], made["notes"]) == ("colours", "made here, MIT")
    for part, content in PARTS.items():
        assert made["uploaded"][part] == wanted[part] | {"size": len(content)}
    job = Job.objects.get(kind="fetch_encoder")
    assert (job.state, job.unit) == ("succeeded", "MB")
    assert not {"authorization", "cookie"} & {name for _, headers in served.asked for name in headers}
    assert add(api, wanted, 409)["code"] == "name_taken"


def test_a_file_with_another_digest_is_refused_and_nothing_is_kept(api, served):
    told = add(api, body(served, text={"url": f"http://files.test:{served.port}/text", "sha256": "0" * 64}), 422)
    assert told["code"] == "encoder_text"
    assert f"has the SHA-256 {sha256(PARTS['text']).hexdigest()}, not {'0' * 64}" in told["errors"]["text"][0]
    assert not Encoder.objects.exists()
    assert "/image" not in [path for path, _ in served.asked]


def test_a_file_that_is_too_large_or_gone_or_leads_inside_is_refused(api, served, monkeypatch, subtests):
    base = f"http://files.test:{served.port}"
    served.answers |= {"/gone": lambda handler: handler.send_error(404),
                       "/inside": moved(f"http://127.0.0.1:{served.port}/image")}  # fmt: skip
    for path, said in (("/gone", "answered 404"), ("/inside", "not among the hosts")):
        with subtests.test(path=path):
            told = add(api, body(served, image={"url": f"{base}{path}", "sha256": "0" * 64}), 422)
            assert said in told["errors"]["image"][0]
    monkeypatch.setattr(fetching, "TOKENIZER_BYTES", 10)
    assert "more than 10 bytes" in add(api, body(served), 422)["errors"]["tokenizer"][0]
    assert not Encoder.objects.exists()


def test_an_address_that_is_not_allowed_is_refused_before_a_job_begins(api, served, settings, subtests):
    for url in ("http://127.0.0.1/x", "http://169.254.169.254/x", "file:///etc/passwd", "https://elsewhere.test/x"):
        with subtests.test(url=url):
            told = add(api, body(served, image={"url": url, "sha256": "0" * 64}), 400)
            assert "image.url" in told["errors"]
    settings.IMPORT_HOSTS = []
    assert "an operator allows hosts" in add(api, body(served), 400)["errors"]["image.url"][0]
    assert not Job.objects.exists()
    assert not served.asked


def test_what_is_wrong_with_the_body_is_named(api, served):
    told = add(api, {"name": "colours", "image": {"url": "http://files.test/x", "sha256": "12"}}, 400)
    assert set(told["errors"]) == {"image.sha256", "text", "tokenizer"}
    assert "metadata.colour" in add(api, body(served, metadata={"colour": 1}), 400)["errors"]
