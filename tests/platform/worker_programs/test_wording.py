"""Numbers in sentences."""

from worker_programs.wording import plural


def test_one_is_one() -> None:
    assert (plural(1, "sample"), plural(0, "sample"), plural(2000, "class", "classes")) == (
        "1 sample", "0 samples", "2,000 classes",
    )  # fmt: skip
