"""What one training step needs: the loss over the tied output, the optimisers and the course of the learning rate."""
import math

import torch


class TiedCrossEntropy(torch.autograd.Function):
    """Summed label-smoothed loss of h E^T + b. Gradients are made on the way, chunk by chunk: the logits of a whole batch,
    the largest tensor by far, never exist at once."""

    @staticmethod
    def forward(ctx, hidden, embedding, bias, target, smoothing, chunk):
        """hidden [R, D], embedding [V, D], bias [V], target [R] (negative: padding) -> loss, nats"""
        table = embedding.to(hidden.dtype)
        size = table.shape[0]
        grad_hidden, grad_table = torch.empty_like(hidden), torch.zeros_like(embedding)
        grad_bias, total = torch.zeros_like(bias), torch.zeros((), device=hidden.device)
        for start in range(0, hidden.shape[0], chunk):
            rows, wanted = hidden[start:start + chunk], target[start:start + chunk]
            real, wanted = (wanted >= 0).float()[:, None], wanted.clamp(min=0)[:, None]
            logits = (rows @ table.t()).float() + bias
            log_p = torch.log_softmax(logits, -1)
            picked = log_p.gather(1, wanted)
            total += ((-(1 - smoothing) * picked - smoothing * log_p.mean(-1, keepdim=True)) * real).sum()
            grad = log_p.exp_().sub_(smoothing / size)
            grad.scatter_add_(1, wanted, torch.full_like(picked, smoothing - 1))
            grad *= real
            grad_bias += grad.sum(0)
            grad = grad.to(hidden.dtype)
            grad_hidden[start:start + chunk] = grad @ table
            grad_table += grad.t() @ rows
        ctx.save_for_backward(grad_hidden, grad_table, grad_bias)
        return total

    @staticmethod
    def backward(ctx, grad):
        hidden, table, bias = ctx.saved_tensors
        return hidden * grad.to(hidden.dtype), table * grad, bias * grad, None, None, None


def loss(model, source, target, smoothing, chunk=4096):
    """Summed loss of a batch: source [B, S], target [B, T] padded with negatives."""
    hidden = model.decode(target.clamp(min=0), model.encode(source)).flatten(0, 1)
    return TiedCrossEntropy.apply(hidden, model.model.shared.weight, model.final_logits_bias, target.flatten(), smoothing, chunk)


class Muon:
    """Momentum, orthogonalised by Newton-Schulz steps, for the matrices of the layers (Jordan et al. 2024).

    Matrices of one shape go through it as a stack. `dtype` is that of the products: bfloat16 is precise enough.
    """

    COEFFICIENTS = 3.4445, -4.7750, 2.0315

    def __init__(self, matrices, dtype, momentum=0.95):
        self.momentum, self.dtype, groups = momentum, dtype, {}
        for matrix in matrices:
            groups.setdefault(tuple(matrix.shape), []).append(matrix)
        self.groups = [(group, torch.zeros((len(group), *shape), device=group[0].device))
                       for shape, group in groups.items()]

    @torch.no_grad()
    def step(self, rate):
        for group, average in self.groups:
            gradient = torch.stack([matrix.grad for matrix in group])
            average.lerp_(gradient, 1 - self.momentum)
            x = gradient.lerp(average, self.momentum)
            tall = x.shape[1] > x.shape[2]
            if tall:
                x = x.transpose(1, 2)
            x = (x / (x.flatten(1).norm(dim=1)[:, None, None] + 1e-7)).to(self.dtype)
            a, b, c = self.COEFFICIENTS
            for _ in range(5):
                square = x @ x.transpose(1, 2)
                x = a * x + (b * square + c * (square @ square)) @ x
            if tall:
                x = x.transpose(1, 2)
            scale = 0.2 * math.sqrt(max(group[0].shape))    # an update as large as Adam's
            for matrix, update in zip(group, x.float(), strict=True):
                matrix.add_(update, alpha=-rate * scale)


class Optimiser:
    """Muon for the matrices of the layers, Adam for embeddings, biases and norms."""

    def __init__(self, model, dtype):
        """`dtype` of the products: float32, or bfloat16 where the machine multiplies that faster."""
        embedding = model.model.shared.weight
        matrices = [p for p in model.parameters() if p.dim() == 2 and p is not embedding]
        self.rest = [p for p in model.parameters() if p.dim() != 2 or p is embedding]
        self.muon, self.adam = Muon(matrices, dtype), torch.optim.Adam(self.rest, betas=(0.9, 0.98), eps=1e-9)
        self.model = model

    def step(self, rate):
        """One step with the gradients at hand, which it clears."""
        torch.nn.utils.clip_grad_norm_(self.rest, 1.0)      # Muon's steps have a fixed size and need no clipping
        for group in self.adam.param_groups:
            group['lr'] = rate
        self.adam.step()
        self.muon.step(rate)
        self.model.zero_grad(set_to_none=True)


def learning_rate(peak, progress, warm_up, cool_down):
    """Up, level, and linearly down to zero over the last part; progress, warm_up and cool_down are parts of 1."""
    rising = min(1.0, progress / warm_up)
    falling = min(1.0, (1 - progress) / cool_down)
    return max(1e-6, peak * rising * falling)
