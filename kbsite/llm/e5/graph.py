"""The network as an ONNX graph, written straight from the 4-bit blocks.

The table of word vectors stays in 4 bits, exactly as it is in the file. The matrices of the layers
become 7-bit whole numbers with a scale per column (7, because processors without VNNI add two
products of 8 bits in 16 and would overflow), and what is multiplied with them is rounded to 8 bits
with a scale per token: so a text's vector does not depend on the texts it is batched with.

Inputs: ``ids`` int32 (texts, tokens), padded with anything; ``lengths`` int32 (texts,), at least 1.
Output: ``vectors`` float32 (texts, hidden), the mean over the tokens, of unit length.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

from kbsite.llm.e5.weights import BLOCK, Weights

BUILDER_VERSION = 1
_VENDOR = "com.microsoft"
_LARGEST_WEIGHT = 63
_LARGEST_INPUT = 127
_SIGN_BITS = np.uint8(0x88)  # turns two numbers 0..15 in a byte into two 4-bit numbers -8..7


class Graph:
    """Collects nodes and constants; names of values are the names they were given."""

    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        self.nodes: list[NodeProto] = []
        self.constants: list[TensorProto] = []

    def constant(self, name: str, value: NDArray[np.generic]) -> str:
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def floats(self, name: str) -> str:
        """A vector of the file as a constant of the same name."""
        return self.constant(name, self.weights.floats(name))

    def add(
        self, op: str, inputs: Sequence[str], output: str, *, vendor: bool = False, **options: float
    ) -> str:
        domain = _VENDOR if vendor else ""
        self.nodes.append(helper.make_node(op, inputs, [output], None, None, domain, None, **options))
        return output


def model(weights: Weights, progress: Callable[[float], None] = lambda done: None) -> bytes:
    """The whole model, serialised; the same bytes for the same weights. ``progress`` gets 0 to 1."""
    graph = Graph(weights)
    _shared_constants(graph)
    hidden = _embeddings(graph)
    progress(0.3)
    for number in range(weights.shape.layers):
        hidden = _layer(graph, f"l{number}.", hidden)
        progress(0.3 + 0.6 * (number + 1) / weights.shape.layers)
    _mean(graph, hidden)
    return bytes(_assembled(graph).SerializeToString(deterministic=True))


def _shared_constants(graph: Graph) -> None:
    hidden = graph.weights.shape.hidden
    graph.constant("one", np.array(1, np.float32))
    graph.constant("middle", np.array(128, np.uint8))
    graph.constant("step", np.array(1 / _LARGEST_INPUT, np.float32))
    graph.constant("last axis", np.array([-1], np.int64))
    graph.constant("first", np.array([0], np.int64))
    graph.constant("second", np.array([1], np.int64))
    graph.constant("thirds", np.array([hidden] * 3, np.int64))
    graph.constant("from", np.array(0, np.int64))
    graph.constant("by", np.array(1, np.int64))


def _embeddings(graph: Graph) -> str:
    """Word vector + position + type, normed."""
    weights, shape = graph.weights, graph.weights.shape
    scales, numbers = weights.blocks("emb.word", shape.hidden)
    pairs = (numbers[:, 0::2] | numbers[:, 1::2] << 4) ^ _SIGN_BITS
    table = TensorProto(name="words", data_type=TensorProto.INT4, dims=[shape.words, shape.hidden])
    table.raw_data = pairs.tobytes()
    graph.constants.append(table)
    graph.constant("word scales", scales.astype(np.float32))
    graph.add(
        "GatherBlockQuantized",
        ["words", "ids", "word scales"],
        "word",
        vendor=True,
        gather_axis=0,
        quantize_axis=1,
        block_size=BLOCK,
    )
    places = weights.floats("emb.pos").reshape(-1, shape.hidden)
    graph.constant("places", places + weights.floats("emb.type")[: shape.hidden])
    graph.add("Shape", ["ids"], "longest", start=1, end=2)
    graph.add("Slice", ["places", "first", "longest", "first"], "place")
    graph.add("Add", ["word", "place"], "placed word")
    return _norm(graph, "placed word", "emb.ln", "embedded")


def _norm(graph: Graph, value: str, parameters: str, output: str) -> str:
    names = [graph.floats(f"{parameters}.w"), graph.floats(f"{parameters}.b")]
    return graph.add("LayerNormalization", [value, *names], output, axis=-1, epsilon=graph.weights.epsilon)


def _layer(graph: Graph, layer: str, hidden: str) -> str:
    shape = graph.weights.shape
    both = _product(
        graph, hidden, [f"{layer}{part}" for part in ("q", "k", "v")], shape.hidden, f"{layer}qkv"
    )
    parts = [f"{layer}query", f"{layer}key", f"{layer}value"]
    graph.nodes.append(helper.make_node("Split", [both, "thirds"], parts, axis=2))
    bias = np.concatenate([graph.weights.floats(f"{layer}{part}.b") for part in ("q", "k", "v")])
    graph.constant(f"{layer}qkv.b", bias)
    inputs = [*parts, f"{layer}qkv.b", "lengths"]
    seen = graph.add("MultiHeadAttention", inputs, f"{layer}seen", vendor=True, num_heads=shape.heads)
    hidden = _residual(graph, hidden, seen, f"{layer}ao", shape.hidden, f"{layer}aln")
    inner = _product(graph, hidden, [f"{layer}fi"], shape.hidden, f"{layer}inner")
    active = graph.add("BiasGelu", [inner, graph.floats(f"{layer}fi.b")], f"{layer}active", vendor=True)
    return _residual(graph, hidden, active, f"{layer}fo", shape.inner, f"{layer}oln")


def _residual(graph: Graph, hidden: str, value: str, matrix: str, columns: int, norm: str) -> str:
    """norm(hidden + value · matrix + bias)."""
    product = _product(graph, value, [matrix], columns, f"{matrix}.product")
    biased = graph.add("Add", [product, graph.floats(f"{matrix}.b")], f"{matrix}.biased")
    return _norm(graph, graph.add("Add", [hidden, biased], f"{matrix}.sum"), norm, norm)


def _product(graph: Graph, value: str, matrices: Sequence[str], columns: int, name: str) -> str:
    """``value`` times the matrices side by side, in whole numbers, without bias."""
    numbers, scales = _columns(graph.weights, matrices, columns)
    graph.constant(f"{name}.numbers", numbers)
    graph.constant(f"{name}.scales", scales)
    graph.add("Abs", [value], f"{name}.size")
    graph.add("ReduceMax", [f"{name}.size", "last axis"], f"{name}.largest", keepdims=1)
    graph.add("Mul", [f"{name}.largest", "step"], f"{name}.scale")
    graph.add("Div", [value, f"{name}.scale"], f"{name}.scaled")
    graph.add("QuantizeLinear", [f"{name}.scaled", "one", "middle"], f"{name}.rounded")
    inputs = [f"{name}.rounded", f"{name}.numbers", "one", f"{name}.scales", "middle"]
    graph.add("MatMulIntegerToFloat", inputs, f"{name}.unscaled", vendor=True)
    return graph.add("Mul", [f"{name}.unscaled", f"{name}.scale"], name)


def _columns(
    weights: Weights, matrices: Sequence[str], columns: int
) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Matrices side by side as whole numbers, shape (inputs, outputs), and a scale per output."""
    numbers, scales = [], []
    for name in matrices:
        block_scales, blocks = weights.blocks(f"{name}.w", columns)
        values = (blocks.astype(np.float32) - 8) * np.repeat(block_scales.astype(np.float32), BLOCK, axis=1)
        scale = np.abs(values).max(axis=1) / np.float32(_LARGEST_WEIGHT)
        numbers.append(np.rint(values / scale[:, None]).astype(np.int8).T)
        scales.append(scale)
    return np.concatenate(numbers, axis=1), np.concatenate(scales)


def _mean(graph: Graph, hidden: str) -> None:
    """The mean of a text's own tokens, of unit length."""
    graph.add("Squeeze", ["longest"], "width")
    graph.add("Range", ["from", "width", "by"], "numbered")
    graph.add("Cast", ["numbered"], "number", to=TensorProto.INT32)
    graph.add("Unsqueeze", ["lengths", "second"], "length")
    graph.add("Less", ["number", "length"], "own")
    graph.add("Cast", ["own"], "weight", to=TensorProto.FLOAT)
    graph.add("Unsqueeze", ["weight", "second"], "weights")
    graph.add("MatMul", ["weights", hidden], "sums")
    graph.add("Squeeze", ["sums", "second"], "sum")
    graph.add("LpNormalization", ["sum"], "vectors", axis=1, p=2)


def _assembled(graph: Graph) -> ModelProto:
    ids = helper.make_tensor_value_info("ids", TensorProto.INT32, ["texts", "tokens"])
    lengths = helper.make_tensor_value_info("lengths", TensorProto.INT32, ["texts"])
    hidden = graph.weights.shape.hidden
    vectors = helper.make_tensor_value_info("vectors", TensorProto.FLOAT, ["texts", hidden])
    body = helper.make_graph(graph.nodes, "e5", [ids, lengths], [vectors], graph.constants)
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid(_VENDOR, 1)]
    return helper.make_model(body, opset_imports=opsets, ir_version=10, producer_name="skill-know")
