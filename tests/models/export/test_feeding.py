"""The programs of the model card feed a file as the platform does."""

import io
import subprocess
import sys
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import onnx
import orjson
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from onnx import numpy_helper
from PIL import Image
from tests.models.export.test_adopt import spec

from blobs.decoding import decode, load
from export import Session, adopt_onnx
from export.feeding import PREPROCESSING, cpp_program, python_program
from export.proto import take_uint8
from export.runtime import METADATA, load_proto

NAMES = ("logits", "embedding", "probabilities")


def picture(width: int, height: int, mode: str = "RGB") -> Image.Image:
    """A smooth picture with edges and grain, so that filters differ on it."""
    rng = np.random.default_rng(width * 1000 + height)
    y, x = np.mgrid[:height, :width]
    waves = [127 + 90 * np.sin(x / (5 + c) + c) * np.cos(y / (7 - c)) for c in range(3)]
    values = np.stack(waves, -1) + rng.normal(0, 12, (height, width, 3)) + 40 * ((x // 9 + y // 6) % 2)[..., None]
    return Image.fromarray(np.clip(values, 0, 255).astype(np.uint8)).convert(mode)


def saved(image: Image.Image, kind: str, **how: Any) -> bytes:
    out = io.BytesIO()
    image.save(out, kind, **how)
    return out.getvalue()


def turned(orientation: int) -> bytes:
    exif = Image.Exif()
    exif[0x0112] = orientation
    return saved(picture(300, 200), "JPEG", exif=exif, quality=90)


IMAGES = {
    "a large JPEG": saved(picture(640, 480), "JPEG", quality=90),
    "a JPEG just over twice": saved(picture(70, 66), "JPEG", quality=90),
    "a grey JPEG": saved(picture(200, 150, "L"), "JPEG"),
    "a small PNG": saved(picture(20, 16), "PNG"),
    "a PNG of the size": saved(picture(40, 32), "PNG"),
    "a wide PNG, one side grows": saved(picture(200, 20), "PNG"),
    "a PNG with alpha": saved(picture(101, 77, "RGBA"), "PNG"),
    "a PNG of twice the size": saved(picture(80, 64), "PNG"),
    "a grey PNG": saved(picture(97, 55, "L"), "PNG"),
    "a PNG with a palette": saved(picture(90, 60).convert("P"), "PNG"),
    "a WebP": saved(picture(120, 90), "WEBP", lossless=True),
    **{f"a JPEG turned by {n}": turned(n) for n in (2, 3, 5, 6, 8)},
}


def facts_of(data: bytes) -> dict[str, Any]:
    held = {entry.key: entry.value for entry in load_proto(data).metadata_props}
    found: dict[str, Any] = orjson.loads(held[METADATA])
    return found


def program_of(data: bytes, folder: Path) -> dict[str, Any]:
    """The names that the Python program defines; it runs on the file in `folder`."""
    (folder / "model.onnx").write_bytes(data)
    found: dict[str, Any] = {"__name__": "program"}
    code = python_program(facts_of(data), NAMES, str(folder / "model.onnx"))
    exec(compile(code, "answer.py", "exec"), found)  # noqa: S102 - our own program
    return found


def adopted(channels: int = 3) -> bytes:
    """A foreign network of 32 x 40 pixels, which the platform made its own."""
    rng = np.random.default_rng(0)
    made = onnx.parser.parse_model(f"""<ir_version: 8, opset_import: ["": 17]>
    agraph (float[N, {channels}, 32, 40] image) => (float[N, 2] score)
    {{
      flat = Flatten(image)
      dense = Gemm(flat, w1, b1)
      below = Relu(dense)
      score = Gemm(below, w2, b2)
    }}""")
    for name, shape in (("w1", (channels * 32 * 40, 5)), ("b1", (5,)), ("w2", (5, 2)), ("b2", (2,))):
        made.graph.initializer.append(numpy_helper.from_array(rng.normal(0, 0.03, shape).astype(np.float32), name))
    return adopt_onnx(bytes(made.SerializeToString()), spec(mean=[0.4] * channels, std=[0.3] * channels))


@pytest.mark.parametrize("channels", [3, 1])
@pytest.mark.parametrize("name", IMAGES)
def test_the_python_program_sees_the_pixels_and_gives_the_answers_of_the_platform(
    tmp_path: Path, name: str, channels: int
) -> None:
    data = adopted(channels)
    program = program_of(data, tmp_path)
    path = tmp_path / "image"
    path.write_bytes(IMAGES[name])
    ours = load(IMAGES[name], (channels, 32, 40))
    theirs = program["load"](path)
    assert theirs.shape == ours.shape
    assert np.abs(theirs - ours).max() <= 1  # where a half is rounded otherwise
    assert np.abs(theirs - ours).mean() < 0.02
    expected = Session(data).run(ours[None]).probabilities[0]
    np.testing.assert_allclose(program["answer"](path), expected, atol=1e-3)


def test_a_file_that_does_not_say_how_to_feed_it_is_fed_as_when_it_was_made() -> None:
    """Before this was declared, JPEGs were decoded at any number of eighths."""
    data = adopted()
    old = load_proto(data)
    facts = {name: value for name, value in facts_of(data).items() if name != PREPROCESSING}
    onnx.helper.set_model_props(old, {METADATA: orjson.dumps(facts).decode()})
    scales = [Session(one).facts.jpeg_scales for one in (data, old.SerializeToString())]
    assert scales == ["halves", "eighths"]
    image = IMAGES["a JPEG just over twice"]
    shapes = [decode(image, 3, at_least=(32, 40), scales=scale).shape for scale in scales]
    assert shapes == [(66, 70, 3), (42, 44, 3)]


@given(width=st.integers(8, 700), height=st.integers(8, 700))
@hypothesis_settings(max_examples=60, deadline=None)
def test_jpegs_are_decoded_at_the_scales_of_pil(width: int, height: int) -> None:
    data = saved(Image.new("RGB", (width, height)), "JPEG")
    image = Image.open(io.BytesIO(data))
    image.draft("RGB", (40, 32))
    assert decode(data, 3, at_least=(32, 40)).shape[:2] == image.size[::-1]


def test_another_filter_would_be_seen() -> None:
    """The pictures of these tests tell filters apart: nearest and plain bilinear are far off."""
    decoded = cv2.imdecode(np.frombuffer(IMAGES["a PNG with alpha"], np.uint8), 1)
    assert decoded is not None
    full = cv2.cvtColor(decoded, cv2.COLOR_BGR2RGB)
    ours = load(IMAGES["a PNG with alpha"], (3, 32, 40)).astype(int)
    for other in (cv2.INTER_NEAREST, cv2.INTER_LINEAR, cv2.INTER_CUBIC):
        assert np.abs(cv2.resize(full, (40, 32), interpolation=other).astype(int) - ours).max() > 10


def test_the_metadata_says_how_to_feed_it_also_of_bytes() -> None:
    told = facts_of(adopted())[PREPROCESSING]
    assert told["size"] == {"height": 32, "width": 40}
    assert [told[name] for name in ("colour", "layout", "type", "range")] == ["RGB", "NCHW", "float32", [0, 255]]
    assert "INTER_AREA" in told["filter"]["shrinking"]
    assert "temperature 1" in told["probabilities"]
    proto = load_proto(adopted())
    take_uint8(proto)
    told = facts_of(proto.SerializeToString())[PREPROCESSING]
    assert (told["layout"], told["type"]) == ("NHWC", "uint8")


def test_a_file_that_takes_bytes_is_fed_bytes(tmp_path: Path) -> None:
    proto = load_proto(adopted())
    take_uint8(proto)
    data = proto.SerializeToString()
    (tmp_path / "a.jpg").write_bytes(IMAGES["a large JPEG"])
    expected = Session(data).run(load(IMAGES["a large JPEG"], (3, 32, 40))[None]).probabilities[0]
    np.testing.assert_allclose(program_of(data, tmp_path)["answer"](tmp_path / "a.jpg"), expected, atol=1e-3)


def test_it_runs_as_a_program_of_its_own(tmp_path: Path) -> None:
    data = adopted()
    (tmp_path / "model.onnx").write_bytes(data)
    (tmp_path / "answer.py").write_text(python_program(facts_of(data), NAMES))
    (tmp_path / "a.jpg").write_bytes(IMAGES["a large JPEG"])
    argv = [sys.executable, "-I", "answer.py", "a.jpg"]
    done = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, check=True)
    shares = Session(data).run(load(IMAGES["a large JPEG"], (3, 32, 40))[None]).probabilities[0]
    assert done.stdout == f"{shares[0]:.4f} a\n{shares[1]:.4f} b\n"


def test_the_cpp_program_says_the_same_of_the_input() -> None:
    code = cpp_program(facts_of(adopted()), NAMES)
    assert "constexpr int C = 3, H = 32, W = 40;" in code
    assert "COLOR_BGR2RGB" in code
    assert "cv::INTER_AREA : cv::INTER_LINEAR" in code
    assert code.count("{") == code.count("}")
    grey = cpp_program(facts_of(adopted(1)), NAMES)
    assert "cv::imread(path, jpeg ? cv::IMREAD_GRAYSCALE : cv::IMREAD_COLOR)" in grey
    assert "if (!jpeg) cv::cvtColor(image, image, cv::COLOR_BGR2GRAY)" in grey


def test_the_grey_of_a_colour_png_is_rounded_as_everywhere_but_for_files_that_learned_libpngs() -> None:
    colours = picture(97, 55)
    stored, right = saved(colours, "PNG"), np.asarray(colours.convert("L"), int)
    ours, former = (decode(stored, 1, scales=scales)[:, :, 0].astype(int) for scales in ("halves", "eighths"))
    assert np.abs(ours - right).max() <= 1
    assert abs((ours - right).mean()) < 0.02
    assert -0.6 < (former - right).mean() < -0.3
