"""The configurations are what Triton reads: parsed against the part of its schema that they use."""

import pytest
from google.protobuf import (  # type: ignore[import-untyped]  # it ships no types
    descriptor_pb2,
    descriptor_pool,
    message_factory,
    text_format,
)

from export import Profile
from export.triton import PLAN, Served, config_pbtxt

OUTPUTS = {"logits": [5], "embedding": [64], "probabilities": [5]}
SERVED = Served(size=(3, 24, 32), kind="float32_nchw", outputs=OUTPUTS, profile=Profile(opt=16, max=128))
TYPES = {"TYPE_INVALID": 0, "TYPE_UINT8": 2, "TYPE_FP16": 10, "TYPE_FP32": 11}
KINDS = {"KIND_AUTO": 0, "KIND_GPU": 1, "KIND_CPU": 2}
FIELDS = {
    "Tensor": [("name", 1, "string"), ("data_type", 2, "DataType"), ("dims", 4, "*int64")],
    "Batching": [("preferred_batch_size", 1, "*int32"), ("max_queue_delay_microseconds", 2, "uint64")],
    "Instances": [("count", 2, "int32"), ("kind", 4, "Kind")],
    "ModelConfig": [
        ("name", 1, "string"), ("platform", 2, "string"), ("backend", 17, "string"), ("max_batch_size", 4, "int32"),
        ("default_model_filename", 8, "string"), ("input", 5, "*Tensor"), ("output", 6, "*Tensor"),
        ("dynamic_batching", 11, "Batching"), ("instance_group", 7, "*Instances"),
    ],
}  # fmt: skip


@pytest.fixture(scope="module")
def parsed():
    """Parses a config.pbtxt; an unknown field or a wrong type is an error."""
    file = descriptor_pb2.FileDescriptorProto(name="model_config.proto", package="t", syntax="proto3")
    for name, values in (("DataType", TYPES), ("Kind", KINDS)):
        made = file.enum_type.add(name=name)
        for value, number in values.items():
            made.value.add(name=value, number=number)
    field = descriptor_pb2.FieldDescriptorProto
    for name, members in FIELDS.items():
        message = file.message_type.add(name=name)
        for member, number, kind in members:
            own, plain = kind.strip("*"), getattr(field, f"TYPE_{kind.strip('*').upper()}", None)
            label = field.LABEL_REPEATED if kind.startswith("*") else field.LABEL_OPTIONAL
            item = message.field.add(name=member, number=number, label=label)
            item.type = plain or (field.TYPE_ENUM if own in ("DataType", "Kind") else field.TYPE_MESSAGE)
            if plain is None:
                item.type_name = f".t.{own}"
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    cls = message_factory.GetMessageClass(pool.FindMessageTypeByName("t.ModelConfig"))
    return lambda text: text_format.Parse(text, cls())


def test_an_onnx_file_is_served_by_onnx_runtime_in_dynamic_batches(parsed):
    found = parsed(config_pbtxt(SERVED, "model.int8.onnx"))
    assert (found.backend, found.platform) == ("onnxruntime", "")
    assert found.default_model_filename == "model.int8.onnx"
    assert found.max_batch_size == 128
    assert list(found.dynamic_batching.preferred_batch_size) == [16]
    assert [(i.name, i.data_type, list(i.dims)) for i in found.input] == [("input", TYPES["TYPE_FP32"], [3, 24, 32])]
    assert [(o.name, o.data_type, list(o.dims)) for o in found.output] == [
        ("logits", TYPES["TYPE_FP32"], [5]),
        ("embedding", TYPES["TYPE_FP32"], [64]),
        ("probabilities", TYPES["TYPE_FP32"], [5]),
    ]


def test_an_engine_is_served_by_tensorrt_on_a_gpu(parsed):
    found = parsed(config_pbtxt(SERVED, PLAN))
    assert (found.platform, found.backend) == ("tensorrt_plan", "")
    assert found.default_model_filename == "model.plan"
    assert found.instance_group[0].kind == KINDS["KIND_GPU"]


def test_bytes_come_as_bytes_with_the_channels_last(parsed):
    served = Served(size=(3, 24, 32), kind="uint8_nhwc", outputs=OUTPUTS, profile=Profile())
    found = parsed(config_pbtxt(served, "model.onnx")).input[0]
    assert (found.data_type, list(found.dims)) == (TYPES["TYPE_UINT8"], [24, 32, 3])
