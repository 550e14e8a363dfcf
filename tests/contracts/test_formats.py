"""What every registered format keeps to; tests/datasets/formats/test_round_trips.py has that it keeps what it holds."""

import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.datasets.formats.datasets import batch_of, datasets, write
from tests.laws import examples

import formats
from formats import FORMS, OBJECTS, Batch, FormatError, Item, Notes
from formats.paths import safe_part
from worker_programs.filekinds import ANNOTATION_SUFFIXES

NAMES = formats.format_names()
HELD = [(name, form) for form in FORMS for name in formats.format_names(form)]
SUFFIXES = sorted(ANNOTATION_SUFFIXES)


@pytest.mark.parametrize("name", NAMES)
def test_a_format_holds_a_form_and_refuses_the_others(name: str) -> None:
    assert any(name in formats.format_names(form) for form in FORMS)
    for form in FORMS:
        if name not in formats.format_names(form):
            with pytest.raises(FormatError, match="use one of") as told:
                formats.read(name, Batch({}, form=form))
            assert told.value.code == "format_unsuited"


@pytest.mark.parametrize(("name", "form"), HELD)
def test_images_are_written_as_they_come(name: str, form: str) -> None:
    """A writer that wanted all samples first would hold a million of them."""
    asked = []

    def samples() -> object:
        for number in range(100):
            asked.append(number)
            yield Item(f"{number}.png", (8, 8))

    stream = formats.write(name, samples(), classes=["cat"], form=form, losses=Notes())  # type: ignore[arg-type]  # it notes what it is asked
    first = next(stream)
    assert first.image is not None
    assert first.image.key == "0.png"
    assert len(asked) <= 2


@pytest.mark.parametrize(("name", "form"), HELD)
@settings(max_examples=examples(100))
@given(path=st.sampled_from(SUFFIXES), data=st.binary(max_size=200), text=st.text(max_size=100))
def test_nonsense_is_read_as_nothing_or_refused(name: str, form: str, path: str, data: bytes, text: str) -> None:
    for content in (data, text.encode("utf-8", "surrogatepass")):
        batch = Batch({"a.png": (8, 8)}, {f"a{path}": content}, ["cat"], form)
        with contextlib.suppress(FormatError):  # anything else is a fault of ours
            assert formats.read(name, batch).samples.keys() <= {"a.png"}
        with contextlib.suppress(FormatError):
            formats.recognise(batch)


@pytest.mark.parametrize(("name", "form"), HELD)
@settings(max_examples=examples(25))
@given(data=st.data())
def test_an_exported_archive_is_recognised_as_what_it_is(name: str, form: str, data: st.DataObject) -> None:
    classes, samples = data.draw(datasets(form))
    archive = write(name, samples, classes=classes, form=form)
    found = formats.recognise(batch_of(archive, samples, classes=classes, form=form))
    assert found is None or found.format == name
    labelled = [item for item in samples if item.label and (form != OBJECTS or item.label["boxes"])]
    if labelled and name != "image_folder":
        assert found is not None


@pytest.mark.parametrize(("name", "form"), HELD)
@settings(max_examples=examples(25))
@given(data=st.data())
def test_names_in_an_archive_are_safe_and_unique_on_every_system(name: str, form: str, data: st.DataObject) -> None:
    classes, samples = data.draw(datasets(form))
    archive = write(name, samples, classes=classes, form=form)
    paths = [*archive.paths.values(), *archive.documents, *(folder.removesuffix("/") for folder in archive.folders)]
    assert len({path.casefold() for path in paths}) == len(paths)
    folders = {
        "/".join(path.casefold().split("/")[:count]) for path in paths for count in range(1, path.count("/") + 1)
    }
    assert not folders & {path.casefold() for path in paths}
    for path in paths:
        assert path.isprintable()
        assert not set(path) & set('<>:"|?*\\')
        for part in path.split("/"):
            assert part == safe_part(part)
            assert 0 < len(part.encode()) <= 255
