"""The parts of a transformer as ONNX nodes, int8 as ONNX Runtime computes it fastest (dynamic quantisation)."""
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from reference import sinusoids

OPSET, IR_VERSION = 17, 8
MASKED = -1e9


class Graph:
    """Collects nodes and constants. Activations are [batch, position, width]."""

    def __init__(self, model, positions, first_name=0):
        """`model`: reference.Model. `positions`: how many there are. `first_name`: keeps names of subgraphs apart."""
        self.model, self.nodes, self.constants, self.count = model, [], [], first_name
        size = model.decoder.width // model.decoder.heads
        self.split_shape = self.constant(np.array([0, 0, model.decoder.heads, size]))
        self.join_shape = self.constant(np.array([0, 0, model.decoder.width]))
        self.attention_scale = self.constant(np.float32(1 / np.sqrt(size)))
        self.positions = self.constant(sinusoids('sinusoidal', np.arange(positions), model.decoder.width).astype(np.float32))

    def name(self):
        """A new one."""
        self.count += 1
        return f'x{self.count}'

    def constant(self, array):
        """The name of a constant tensor."""
        name = self.name()
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(array).reshape(np.shape(array)), name))
        return name

    def op(self, kind, inputs, outputs=1, **attributes):
        """Appends a node; the name of its output, or the names. `outputs` may be a list of names."""
        names = outputs if isinstance(outputs, list) else [self.name() for _ in range(outputs)]
        self.nodes.append(helper.make_node(kind, inputs, names, name=self.name(), **attributes))
        return names[0] if len(names) == 1 else names

    def quantised(self, x):
        """Activations as uint8: (values, scale, zero point). Several layers can share them."""
        return self.op('DynamicQuantizeLinear', [x], 3)

    def product(self, quantised, integers, scale, bias):
        """integers [out, in] int8, scale [out], bias [out]; what `quantised` gives times the transposed matrix, plus bias."""
        x, x_scale, x_zero = quantised
        weight, zero = self.constant(integers.T.astype(np.int8)), self.constant(np.int8(0))
        y = self.op('Cast', [self.op('MatMulInteger', [x, weight, x_zero, zero])], to=TensorProto.FLOAT)
        y = self.op('Mul', [y, self.op('Mul', [x_scale, self.constant(scale.astype(np.float32))])])
        return self.op('Add', [y, self.constant(bias.astype(np.float32))])

    def linear(self, name, quantised):
        """A linear layer of the model."""
        return self.product(quantised, *int8_rows(self.model.matrices[name + '.weight']), self.model.vectors[name + '.bias'])

    def norm(self, name, x):
        """A layer norm of the model."""
        weight, bias = (self.constant(self.model.vectors[f'{name}.{part}'].astype(np.float32)) for part in ('weight', 'bias'))
        return self.op('LayerNormalization', [x, weight, bias], axis=-1, epsilon=self.model.config['layer_norm_eps'])

    def heads(self, name, quantised):
        """A projection, split: [batch, heads, position, size]"""
        return self.op('Transpose', [self.op('Reshape', [self.linear(name, quantised), self.split_shape])], perm=[0, 2, 1, 3])

    def attend(self, q, k, v, mask=None):
        """Attention of heads and its join: [batch, position, width]"""
        scores = self.op('MatMul', [q, self.op('Transpose', [k], perm=[0, 1, 3, 2])])
        scores = self.op('Mul', [scores, self.attention_scale])
        if mask:
            scores = self.op('Add', [scores, mask])
        context = self.op('MatMul', [self.op('Softmax', [scores], axis=-1), v])
        return self.op('Reshape', [self.op('Transpose', [context], perm=[0, 2, 1, 3]), self.join_shape])

    def residual(self, x, y, norm):
        """norm(x + y)"""
        return self.norm(norm, self.op('Add', [x, y]))

    def feed_forward(self, layer, x):
        """A layer's last part, with its residual and norm."""
        y = self.op('Relu', [self.linear(f'{layer}.fc1', self.quantised(x))])
        return self.residual(x, self.linear(f'{layer}.fc2', self.quantised(y)), f'{layer}.final_layer_norm')

    def embed(self, ids, integers, scale, start):
        """Embeddings of ids [batch, position], times sqrt(width), plus the positions from `start` on."""
        factor = (scale * np.sqrt(self.model.decoder.width)).astype(np.float32)[:, None]
        rows = self.op('Cast', [self.op('Gather', [self.constant(integers.astype(np.int8)), ids])], to=TensorProto.FLOAT)
        rows = self.op('Mul', [rows, self.op('Gather', [self.constant(factor), ids])])
        length = self.op('Slice', [self.op('Shape', [ids]), self.constant(np.array([1])), self.constant(np.array([2]))])
        return self.op('Add', [rows, self.op('Slice', [self.positions, start, self.op('Add', [start, length])])])

    def mask(self, attention_mask):
        """[batch, position] of 0 and 1 -> what is added to the scores"""
        absent = self.op('Sub', [self.constant(np.float32(1)), self.op('Cast', [attention_mask], to=TensorProto.FLOAT)])
        mask = self.op('Mul', [absent, self.constant(np.float32(MASKED))])
        return self.op('Unsqueeze', [mask, self.constant(np.array([1, 2]))])

    def save(self, path, inputs, outputs):
        """Writes a checked model file."""
        graph = helper.make_graph(self.nodes, 'dragoman', inputs, outputs, self.constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid('', OPSET)])
        model.ir_version = IR_VERSION
        onnx.checker.check_model(model)
        onnx.save(model, path)


def int8_rows(matrix):
    """(integers [N, K], scale [N]) of a reference.Matrix; float matrices get one scale a row."""
    scale = np.abs(matrix.real).max(1) / 127 if matrix.scale is None else matrix.scale
    scale = np.where(scale == 0, 1, scale)
    return np.clip(np.rint(matrix.real / scale[:, None]), -127, 127), scale
