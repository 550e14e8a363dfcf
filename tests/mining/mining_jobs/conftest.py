"""What the tests of mining jobs share."""

import pytest

from jobs.models import Job


@pytest.fixture
def mined(api, run_job):
    """Start a mining job from a request's body and run it to its end; its document."""

    def start(body):
        answer = api.post("/mining/jobs", body, format="json")
        assert answer.status_code == 202, answer.content
        job = run_job(Job.objects.get(pk=answer.json()["job"]["id"]))
        assert job.state == "succeeded", job.error
        return api.get(f"/mining/jobs/{answer.json()['id']}").json()

    return start
