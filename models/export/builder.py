"""NVIDIA's parser and builder for one model, from the TensorRT module that is given."""

from typing import Any

from export.config import Profile


class Builder:
    """One parsed model in one TensorRT module, whose error messages are kept."""

    def __init__(self, trt: Any) -> None:
        self.trt, self.said = trt, list[str]()
        said = self.said

        class Logger(trt.ILogger):  # type: ignore[misc]  # the module is loaded by name
            def __init__(self) -> None:
                trt.ILogger.__init__(self)

            def log(self, severity: Any, message: str) -> None:
                if severity in (trt.ILogger.ERROR, trt.ILogger.INTERNAL_ERROR):
                    said.append(message)

        self.logger = Logger()
        self.builder = trt.Builder(self.logger)
        self.network = self.builder.create_network(1 << int(trt.NetworkDefinitionCreationFlag.STRONGLY_TYPED))

    def parse(self, data: bytes) -> list[str]:
        """List what the parser refuses; empty if the whole model is supported as one piece."""
        parser = self.parser = self.trt.OnnxParser(self.network, self.logger)  # it owns the network's weights
        if not parser.parse(data):
            faults = [parser.get_error(number) for number in range(parser.num_errors)]
            return [f"{fault.node_operator()} {fault.node_name()!r}: {fault.desc()}" for fault in faults] or self.said
        other = self.builder.create_network(self.network.flags)
        probe = self.trt.OnnxParser(other, self.logger)
        if not probe.supports_model_v2(data):
            return self.said or ["the parser does not support the whole model"]
        return []

    def build(self, profile: Profile, shape: list[int], architecture: str | None) -> bytes | None:
        """Build an engine for the GPU architecture (None: this machine's GPU); returns None if the build fails."""
        config = self.builder.create_builder_config()
        shapes = self.builder.create_optimization_profile()
        batches = ((size, *shape) for size in (profile.min, profile.opt, profile.max))
        shapes.set_shape(self.network.get_input(0).name, *batches)
        config.add_optimization_profile(shapes)
        if architecture is not None:
            config.num_compute_capabilities = 1
            config.set_compute_capability(getattr(self.trt.ComputeCapability, architecture), 0)
        self.said.clear()
        plan = self.builder.build_serialized_network(self.network, config)
        return None if plan is None else bytes(plan)
