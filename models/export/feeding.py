"""How a file wants its images: one declaration, in the file's metadata and on the model card, with programs that follow
it. What the platform itself does is `blobs.decoding.load`; the tests hold the programs to it."""

from collections.abc import Mapping
from typing import Any

PREPROCESSING = "preprocessing"
"""The declaration's name among the facts of the metadata."""
GREY = "grey, by ITU-R 601 (0.299 R + 0.587 G + 0.114 B, rounded; of a JPEG its own Y)"


def declaration(size: tuple[int, int, int], operator: str | None, *, is_bytes: bool) -> dict[str, Any]:
    """Describe the pixels that a file takes, [C, H, W], and what its last output is (`operator` from logits; None:
    scores that have no temperature). `is_bytes` files take uint8."""
    channels, height, width = size
    return {
        "size": {"height": height, "width": width},
        "colour": GREY if channels == 1 else "RGB",
        "layout": "NHWC" if is_bytes else "NCHW",
        "type": "uint8" if is_bytes else "float32",
        "range": [0, 255],
        "normalisation": "in the file: mean and std are applied by the graph, so send values 0 to 255",
        "orientation": "upright: turned as EXIF says",
        "geometry": "stretch: the whole image to the size, without crop, border or its proportions",
        "filter": {
            "shrinking": "area: the mean of the pixels that an output pixel covers (cv2.INTER_AREA)",
            "growing": "bilinear without antialiasing (cv2.INTER_LINEAR), if either side grows",
        },
        "jpeg": "decoded at 1/2, 1/4 or 1/8, where both sides stay at least as large as the size (Image.draft in PIL)",
        "rounding": "to whole numbers after resizing, halves to even",
        "probabilities": "scores, without a temperature"
        if operator is None
        else f"{operator.lower()} of the logits at temperature 1: not calibrated",
    }


def table(
    told: Mapping[str, Any], outputs: tuple[str, str, str], operator: str | None, temperature: float | None
) -> dict[str, str]:
    """Return a declaration in words, by name; `temperature` is that which an evaluation fitted."""
    size = told["size"]
    rows = {
        "size": f"{size['height']} high, {size['width']} wide",
        "colour": told["colour"],
        "layout, type, range": f"{told['layout']}, {told['type']}, {told['range'][0]} to {told['range'][1]}",
        **{name: told[name] for name in ("normalisation", "orientation", "geometry")},
        "filter, shrinking": told["filter"]["shrinking"],
        "filter, growing": told["filter"]["growing"],
        **{name: told[name] for name in ("jpeg", "rounding")},
        "outputs": ", ".join(outputs),
        "probabilities": told["probabilities"],
    }
    if temperature is not None and operator is not None:
        rows["temperature"] = (
            f"{temperature:.4g}: {operator.lower()} of {outputs[0]} divided by it gives the platform's calibrated "
            "probabilities"
        )
    return rows


def python_program(facts: Mapping[str, Any], outputs: tuple[str, str, str], file: str = "model.onnx") -> str:
    """Return a Python program for this file: `answer(path)` gives the last output's row of an image. It needs NumPy,
    ONNX Runtime and Pillow alone."""
    told = facts[PREPROCESSING]
    height, width = told["size"]["height"], told["size"]["width"]
    mode = "L" if told["colour"].startswith("grey") else "RGB"
    arrays = "pixels[None]" if told["layout"] == "NHWC" else "pixels.transpose(2, 0, 1)[None]"
    return f"""\
import sys

import numpy as np
import onnxruntime as ort
from PIL import Image, ImageOps

H, W, MODE, CLASSES = {height}, {width}, "{mode}", {list(facts["classes"])!r}

def weights(given, wanted, shrink):  # (wanted, given): what each pixel adds to each pixel of the resized image
    if shrink:  # area: the share of each pixel that lies below an output pixel
        ends, pixel = np.arange(wanted + 1) * given / wanted, np.arange(given)
        covered = np.minimum(ends[1:, None], pixel + 1) - np.maximum(ends[:-1, None], pixel)
        return np.maximum(covered, 0) * wanted / given
    centre = np.clip((np.arange(wanted) + 0.5) * given / wanted - 0.5, 0, given - 1)  # bilinear
    return np.maximum(1 - abs(centre[:, None] - np.arange(given)), 0)

def load(path):
    image = Image.open(path)
    image.draft(MODE, (H, W) if image.getexif().get(0x0112, 1) >= 5 else (W, H))  # JPEG at 1/2, 1/4 or 1/8
    full = np.asarray(ImageOps.exif_transpose(image).convert(MODE), np.float64)
    full = full.reshape(*full.shape[:2], -1)  # (height, width, channels)
    shrink = full.shape[0] >= H and full.shape[1] >= W
    rows, columns = weights(full.shape[0], H, shrink), weights(full.shape[1], W, shrink)
    return np.rint(np.einsum("yh,hwc,xw->yxc", rows, full, columns, optimize=True))

session = ort.InferenceSession("{file}", providers=["CPUExecutionProvider"])

def answer(path):
    pixels = load(path).astype(np.{told["type"]})
    return session.run(["{outputs[2]}"], {{"input": {arrays}}})[0][0]

if __name__ == "__main__":
{_python_end(outputs)}"""


def _python_end(outputs: tuple[str, str, str]) -> str:
    if outputs[2] == "probabilities":
        return '    for name, share in zip(CLASSES, answer(sys.argv[1])):\n        print(f"{share:.4f} {name}")\n'
    return (
        "    for x1, y1, x2, y2, score, number in answer(sys.argv[1]):  # fractions of the upright image\n"
        "        if score >= 0.3:\n"
        '            print(f"{score:.4f} {CLASSES[int(number)]} {x1:.4f} {y1:.4f} {x2:.4f} {y2:.4f}")\n'
    )


def cpp_program(facts: Mapping[str, Any], outputs: tuple[str, str, str], file: str = "model.onnx") -> str:
    """Return the same as a C++ program, for OpenCV 4 and ONNX Runtime; it prints the last output's numbers."""
    told = facts[PREPROCESSING]
    height, width = told["size"]["height"], told["size"]["width"]
    grey, is_bytes = told["colour"].startswith("grey"), told["type"] == "uint8"
    channels, kind = (1 if grey else 3), ("uint8_t" if is_bytes else "float")
    reduced = "GRAYSCALE" if grey else "COLOR"
    whole = "jpeg ? cv::IMREAD_GRAYSCALE : cv::IMREAD_COLOR" if grey else "cv::IMREAD_COLOR"
    if is_bytes:
        fill = "  std::vector<uint8_t> input(image.data, image.data + image.total() * C);"
        shape = "{1, H, W, C}"
    else:
        fill = (
            "  std::vector<float> input(C * H * W);\n"
            "  for (int c = 0; c < C; ++c)\n"
            "    for (int i = 0; i < H * W; ++i) input[c * H * W + i] = image.data[i * C + c];"
        )
        shape = "{1, C, H, W}"
    colours = (
        "  if (!jpeg) cv::cvtColor(image, image, cv::COLOR_BGR2GRAY);  // libpng's own grey is not rounded\n"
        if grey
        else "  cv::cvtColor(image, image, cv::COLOR_BGR2RGB);\n"
    )
    return f"""\
// c++ -std=c++17 answer.cpp $(pkg-config --cflags --libs opencv4) -lonnxruntime
#include <onnxruntime_cxx_api.h>
#include <array>
#include <cstdio>
#include <opencv2/opencv.hpp>
#include <string>
#include <vector>

int main(int, char** argv) {{
  constexpr int C = {channels}, H = {height}, W = {width};
  const std::string path = argv[1];
  const std::string end = path.substr(path.rfind('.') + 1);
  const bool jpeg = end == "jpg" || end == "jpeg" || end == "JPG" || end == "JPEG";
  cv::Mat image = cv::imread(path, {whole});  // upright, as EXIF says
  if (image.empty()) return 1;
  const int scale = std::min(image.rows / H, image.cols / W);
  if (jpeg && scale >= 8) image = cv::imread(path, cv::IMREAD_REDUCED_{reduced}_8);
  else if (jpeg && scale >= 4) image = cv::imread(path, cv::IMREAD_REDUCED_{reduced}_4);
  else if (jpeg && scale >= 2) image = cv::imread(path, cv::IMREAD_REDUCED_{reduced}_2);
{colours}  const bool shrink = image.rows >= H && image.cols >= W;
  image.convertTo(image, CV_32F);  // of bytes OpenCV would round the weights too
  cv::resize(image, image, cv::Size(W, H), 0, 0, shrink ? cv::INTER_AREA : cv::INTER_LINEAR);
  image.convertTo(image, CV_8U);  // rounded, halves to even
{fill}
  Ort::Env env;
  Ort::Session session(env, "{file}", Ort::SessionOptions{{}});
  const std::array<int64_t, 4> shape{shape};
  auto memory = Ort::MemoryInfo::CreateCpu(OrtArenaAllocator, OrtMemTypeDefault);
  auto tensor = Ort::Value::CreateTensor<{kind}>(memory, input.data(), input.size(), shape.data(), shape.size());
  const char* in[] = {{"input"}};
  const char* out[] = {{"{outputs[2]}"}};
  auto made = session.Run(Ort::RunOptions{{nullptr}}, in, &tensor, 1, out, 1);
  const float* values = made[0].GetTensorData<float>();
  const size_t count = made[0].GetTensorTypeAndShapeInfo().GetElementCount();
  for (size_t i = 0; i < count; ++i) std::printf("%.6f\\n", values[i]);
}}
"""
