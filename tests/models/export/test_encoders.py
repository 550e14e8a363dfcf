"""A pair of encoders of one's own as two files that the platform runs: what they say stays, and each fault is named."""

from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime as ort
import pytest
from tests.tiny_encoders import COLOURS, SIDE, WIDTH, WORDS, image_encoder, outside, text_encoder, tokenizer

from export.runtime import Session
from export.words.encoder_spec import CLIP_MEAN, CLIP_STD, EncoderError, EncodersConfig, EncoderSpec
from export.words.encoders import adopt_encoders
from export.words.text_model import TextModel
from worker_programs.config import ConfigError, parse

PARTS: dict[str, Any] = {"image": image_encoder(), "text": text_encoder(), "tokenizer": tokenizer().encode()}


@pytest.fixture
def adopted(tmp_path: Path):
    """What comes of the files, with others in place of some of them."""

    def adopt(spec: EncoderSpec | None = None, **parts: bytes) -> tuple[dict[str, Any], Session, TextModel]:
        paths = {name: tmp_path / name for name in PARTS}
        for name, data in (PARTS | parts).items():
            paths[name].write_bytes(data)
        outs = {"image_out": tmp_path / "image.onnx", "text_out": tmp_path / "text.onnx"}
        told = adopt_encoders(EncodersConfig(**paths, **outs, spec=spec or EncoderSpec()))
        return told, Session(outs["image_out"].read_bytes()), TextModel(outs["text_out"].read_bytes())

    return adopt


def noise(count: int = 2) -> Any:
    return np.random.default_rng(1).integers(0, 256, (count, SIDE, SIDE, 3), np.uint8)


def by_hand(data: bytes, pixels: Any, mean: Any = CLIP_MEAN, std: Any = CLIP_STD) -> Any:
    """What the file itself says, of length 1."""
    session = ort.InferenceSession(data, providers=["CPUExecutionProvider"])
    scaled = ((pixels / 255 - mean) / std).transpose(0, 3, 1, 2).astype(np.float32)
    rows = np.concatenate([session.run(["image_embeds"], {"pixel_values": one[None]})[0] for one in scaled])
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_images_are_described_as_the_file_says_normalised_as_clip_is_and_with_length_1(adopted):
    told, images, texts = adopted()
    size = {"width": WIDTH, "input_size": (3, SIDE, SIDE)}
    assert told == size | {"text_length": 77, "fill": False, "trunk_fault": ""}
    found = images.run(noise())
    np.testing.assert_allclose(found.embedding, by_hand(PARTS["image"], noise()), atol=1e-5)
    assert (found.probabilities == 1).all()
    red = texts.read("A photo of a RED car")
    expected = np.mean([COLOURS.get(word, (0.01 * WORDS.index(word), 0, 0))
                        for word in ("a", "photo", "of", "a", "red", "car")], axis=0)  # fmt: skip
    np.testing.assert_allclose(red.embedding, [*expected, 0], atol=1e-6)
    assert (red.tokens, red.read) == (6, 6)


def test_what_is_told_counts_before_what_is_guessed(adopted):
    spec = EncoderSpec(
        mean=[0.5] * 3, std=[0.25] * 3, text_length=4, fill=True, pad_token="car", image_output="image_embeds"
    )
    told, images, texts = adopted(spec)
    assert (told["text_length"], told["fill"]) == (4, True)
    np.testing.assert_allclose(images.run(noise()).embedding, by_hand(PARTS["image"], noise(), 0.5, 0.25), atol=1e-5)
    short = texts.read("red").embedding
    np.testing.assert_allclose(short[0], (1 + 3 * 0.01 * WORDS.index("car")) / 4, atol=1e-6)
    assert texts.read("red " * 9)[1:] == (9, 4)


def test_means_of_another_output_can_be_asked_for(adopted):
    told, *_ = adopted(EncoderSpec(image_output="means"), text=text_encoder(width=3))
    assert told["width"] == 3


@pytest.mark.parametrize(
    ("parts", "batch"),
    [({"image": image_encoder(batch=1)}, 1), ({"image": image_encoder(side="side")}, "batch"),
     ({"text": text_encoder(tokens=5, kind=6)}, "batch"), ({"text": text_encoder(name="text")}, "batch"),
     ({"image": image_encoder(opset=13), "text": text_encoder(opset=13)}, "batch")],
    ids=["a batch of one", "any size", "five tokens of 32 bits", "another name of the ids", "old operators"],
)  # fmt: skip
def test_encoders_of_many_kinds_fit(adopted, parts, batch):
    _, images, texts = adopted(EncoderSpec(input_size=(3, SIDE, SIDE)), **parts)
    assert images._session.get_inputs()[0].shape[0] == batch
    np.testing.assert_allclose(images.run(noise(5)).embedding, by_hand(PARTS["image"], noise(5)), atol=1e-5)
    assert texts.read("red").embedding.shape == (WIDTH,)


@pytest.mark.parametrize(
    ("parts", "spec", "part", "words"),
    [({"image": b"no model"}, {}, "image", "not an ONNX model"),
     ({"image": outside(image_encoder())}, {}, "image", "lies outside the file; save it without external data"),
     ({"text": outside(text_encoder())}, {}, "text", "lies outside the file"),
     ({"image": image_encoder(opset=12)}, {}, "image", "operator set is 12: export with opset 13 or newer"),
     ({"image": image_encoder(inputs=2)}, {}, "image", "it takes 2 inputs"),
     ({"image": image_encoder(side="side")}, {}, "image", "give `input_size`"),
     ({"image": PARTS["text"]}, {}, "image", "has 2 axes; images in batches have 4"),
     ({}, {"input_size": (3, 8, 8)}, "image", "check `layout` and `input_size`"),
     ({}, {"image_output": "head"}, "image", "no output 'head' for `image_output`; it has image_embeds, means"),
     ({}, {"image_output": "means"}, "text", "gives 4 numbers for a text, the image encoder 3"),
     ({"text": text_encoder(width=6)}, {}, "text", "gives 6 numbers for a text, the image encoder 4"),
     ({"text": text_encoder(kind=1)}, {}, "text", "must be whole numbers (batch, tokens)"),
     ({"text": PARTS["image"]}, {}, "text", "must be whole numbers"),
     ({"text": text_encoder(tokens=5)}, {"text_length": 7}, "text", "it takes 5 tokens, `text_length` is 7"),
     ({"text": text_encoder(tokens=5)}, {"fill": False}, "text", "leave `fill` out"),
     ({"tokenizer": b"{}"}, {}, "tokenizer", "can't be read"),
     ({"tokenizer": b"\xff\xfe"}, {}, "tokenizer", "is not text in UTF-8"),
     ({}, {"pad_token": "<none>"}, "tokenizer", "has no token '<none>' for `pad_token`")],
)  # fmt: skip
def test_what_does_not_fit_is_refused_with_the_part_and_the_fix(adopted, parts, spec, part, words):
    with pytest.raises(EncoderError) as refused:
        adopted(EncoderSpec(**spec), **parts)
    assert refused.value.part == part
    assert str(refused.value).startswith(f"{part}: ")
    assert words in str(refused.value)


def test_a_tokenizer_that_knows_no_words_is_noticed(adopted):
    other = tokenizer().replace('"red"', '"rot"').replace('"photo"', '"foto"').replace('"a"', '"ein"')
    other = other.replace('"of"', '"von"').replace('"car"', '"auto"')
    with pytest.raises(EncoderError, match="are the same to it: check the tokenizer"):
        adopted(tokenizer=other.encode())


@pytest.mark.parametrize(
    ("told", "field"),
    [({"mean": [1], "input_size": [3, 8, 8]}, "mean"), ({"std": [0, 1, 1]}, "std.0"),
     ({"text_length": 0}, "text_length"), ({"colour": 1}, "colour"), ({"layout": "hw"}, "layout")],
)  # fmt: skip
def test_a_parameter_that_makes_no_sense_is_named(told, field):
    with pytest.raises(ConfigError) as refused:
        parse(EncoderSpec, told)
    assert list(refused.value.errors) == [field]
