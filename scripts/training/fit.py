"""The training run: one direction, on one GPU or on processor cores, within a budget of minutes."""
import dataclasses
import os
import time

import numpy as np
import sentencepiece
import torch

import batches
import model_config
import network
import optimise

# What config.json says of each.
DECODER_UNITS = {'self-attention': {}, 'ssru': {'decoder_unit': 'ssru'}}


@dataclasses.dataclass
class Settings:
    """A run's settings. The defaults are the large shape on a GPU; train's options have the same names."""
    source: str = ''                # the language to translate from; without: the first of prepare's two
    minutes: float = 25.0           # the budget
    steps: int = 0                  # the budget in steps in place of minutes, where a run must be repeatable
    width: int = 384
    ffn: int = 1536
    encoder_layers: int = 6
    decoder_layers: int = 2
    heads: int = 6
    decoder_unit: str = 'self-attention'    # or another of DECODER_UNITS
    batch_tokens: int = 60000       # ids a side and a step
    longest: int = 160              # pieces; longer pairs are left out
    rate: float = 1.5e-3            # peak learning rate
    warm_up: float = 0.03           # part of the budget
    cool_down: float = 0.4          # part of the budget
    late: float = 0.6               # part of the budget after which epochs follow the late counts of prepare.py
    dropout: float = 0.1
    smoothing: float = 0.1          # of the labels
    seed: int = 1
    bfloat16: bool = False          # pays where the processor has bfloat16 products; a GPU always does them so
    save_minutes: float = 10.0      # between snapshots of the model folder
    init: str = ''                  # a model folder to go on from, float or int8


class Run:
    """Model, data and device of one training run."""

    def __init__(self, work, out, settings):
        torch.manual_seed(settings.seed)
        self.settings, self.out = settings, out
        self.device = torch.device('cuda' if torch.cuda.is_available() else 'cpu')
        self.dtype = torch.bfloat16 if settings.bfloat16 or self.device.type == 'cuda' else torch.float32
        self.vocabulary = os.path.join(work, 'vocab.spm')
        pieces = sentencepiece.SentencePieceProcessor(model_file=self.vocabulary).get_piece_size()
        self.train = batches.Corpus(os.path.join(work, 'train.npz'), settings.longest, settings.source)
        self.held_out = batches.Corpus(os.path.join(work, 'held-out.npz'), settings.longest, settings.source)
        config = model_config.make_config(*self.train.languages, pieces, settings.width, settings.ffn, settings.encoder_layers,
                                          settings.decoder_layers, settings.heads, **DECODER_UNITS[settings.decoder_unit])
        self.model = network.Translator(config, settings.dropout).to(self.device)
        if settings.init:
            network.load(self.model, settings.init)

    def loss(self, source, target, smoothing):
        """Summed loss of a batch and its number of target tokens."""
        count = int((target >= 0).sum())        # before the copy: afterwards it would wait for the GPU
        source, target = source.to(self.device), target.to(self.device)
        with torch.autocast(self.device.type, dtype=torch.bfloat16, enabled=self.dtype == torch.bfloat16):
            return optimise.loss(self.model, source, target, smoothing), count

    def held_out_loss(self):
        """Nats a token on the held-out pairs, without smoothing."""
        total = tokens = 0
        self.model.eval()
        with torch.no_grad():
            for numbers in self.held_out.epoch(self.settings.batch_tokens, np.random.default_rng(0)):
                loss, count = self.loss(*self.held_out.batch(numbers), 0.0)
                total, tokens = total + float(loss), tokens + count
        self.model.train()
        return total / tokens

    def save(self):
        """Write the model folder as things stand."""
        network.save(self.model, self.vocabulary, self.out)

    def progress(self, start, step):
        """The part of the budget that is spent."""
        if self.settings.steps:
            return step / self.settings.steps
        return (time.monotonic() - start) / (60 * self.settings.minutes)

    def fit(self):
        """Train until the budget is spent; the model folder is written now and then, and in the end."""
        settings, optimiser = self.settings, optimise.Optimiser(self.model, self.dtype)
        stream = batches.stream(self.train, settings.batch_tokens, settings.seed)
        weights = sum(p.numel() for p in self.model.parameters())
        print(f'{weights:,} weights, {len(self.train.repeats):,} pairs, {self.device}', flush=True)
        start = saved = reported = time.monotonic()
        step = total = tokens = seen = 0
        while (progress := self.progress(start, step)) < 1:
            self.train.late = progress > settings.late
            loss, count = self.loss(*next(stream), settings.smoothing)
            (loss / count).backward()
            rate = optimise.learning_rate(settings.rate, progress, settings.warm_up, settings.cool_down)
            optimiser.step(rate)
            step, total, tokens, seen = step + 1, total + loss.detach(), tokens + count, seen + count
            now = time.monotonic()
            if now - reported > (5 if settings.steps else settings.minutes):        # sixty lines a run of minutes
                print(f'{progress:4.0%} step {step} loss {float(total) / tokens:.3f} rate {rate:.1e} '
                      f'{tokens / (now - reported):,.0f} tokens/s', flush=True)
                reported, total, tokens = now, 0, 0
            if now - saved > 60 * settings.save_minutes:
                self.save()
                print(f'     held out {self.held_out_loss():.3f}, saved', flush=True)
                saved = time.monotonic()
        self.save()
        print(f'done: {step} steps, {seen:,} target tokens, held out {self.held_out_loss():.3f} nats a token', flush=True)
