"""How much later than the model's own first token the reader has it, and whether a fast stream is slowed.

A real site (web processes, worker, beat) and the model double on loopback, one clock for both. Run:
``python -m bench.first_token``. Printed: milliseconds for the first token, ratios for the rest.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx

from tests.model_double import ModelDouble, Reply, running
from tests.running import ADMIN, PASSWORD, Site

CONNECT = """
from kbsite.llm.models import Provider, PurposeModel
p = Provider.objects.create(name="Double", base_url={url!r})
PurposeModel.objects.create(purpose="chat", provider=p, model="double-chat")
"""


@dataclass
class Timed(Reply):
    """A reply that notes when its first piece is about to be written, in seconds since the epoch."""

    begun: list[float] = field(default_factory=list)

    def deltas(self) -> list[dict[str, Any]]:
        """What is streamed; asked for just before the first byte."""
        self.begun.append(time.time())
        return super().deltas()


def answer_with(double: ModelDouble, reply: Reply) -> None:
    """Let ``double`` stream ``reply``; what is asked without a stream is a title."""
    double.default = lambda body: reply if body.get("stream") else Reply(text="A title")


class Asker:
    """Alice, with a key for the API and a session for the page."""

    def __init__(self, site: Site) -> None:
        self.api = site.client(site.key())
        self.page = httpx.Client(base_url=site.address, follow_redirects=True, timeout=60)
        login = {"username": ADMIN, "password": PASSWORD, "csrfmiddlewaretoken": self._token("/login/")}
        self.page.post("/login/", data=login, headers={"Referer": f"{site.address}/login/"})

    def _token(self, path: str) -> str:
        found = re.search(r'csrfmiddlewaretoken" value="([^"]+)', self.page.get(path).text)
        assert found, f"no form on {path}"
        return found[1]

    def ask_page(self, question: str) -> str:
        """Ask as htmx does; the address of the answer's stream."""
        data = {"question": question, "folder_id": "", "csrfmiddlewaretoken": self._token("/")}
        answered = self.page.post("/", data=data, headers={"HX-Request": "true"})
        found = re.search(r'sse-connect="([^"]+)"', answered.text)
        assert found, answered.text[:2000]
        return found[1]


def json_stream(api: httpx.Client, question: str) -> Iterator[tuple[float, str, dict[str, Any]]]:
    """(when it came, type, payload) of each frame."""
    with api.stream("POST", "/api/chat/stream", json={"message": question}, timeout=120) as response:
        for line in response.iter_lines():
            if line.startswith("data: "):
                frame = json.loads(line[6:])
                yield time.time(), frame["type"], frame["payload"]


def first_in_json(asker: Asker, double: ModelDouble) -> float:
    """Milliseconds from the model's first token to the API client's."""
    reply = Timed(text="word " * 20, rate=50, first_delay=0.3)
    answer_with(double, reply)
    came = 0.0
    for at, type, _payload in json_stream(asker.api, "How long?"):
        if type == "assistant.delta" and not came:
            came = at
    return (came - reply.begun[0]) * 1000


def first_in_page(asker: Asker, double: ModelDouble) -> float:
    """The same for the page: until the HTML with the first word is there."""
    reply = Timed(text="word " * 20, rate=50, first_delay=0.8)
    answer_with(double, reply)
    came = 0.0
    with asker.page.stream("GET", asker.ask_page("How long?")) as response:
        for line in response.iter_lines():
            if not came and "word" in line:
                came = time.time()
    return (came - reply.begun[0]) * 1000


def first_elsewhere(asker: Asker, double: ModelDouble, followers: int = 6) -> float:
    """The same for the slowest of some that follow the answer on connections of their own.

    They spread over all web processes, so that most frames come through the table.
    """
    reply = Timed(text="word " * 20, rate=50, first_delay=1.0)
    answer_with(double, reply)
    came: list[float] = []

    def follow(message_id: str) -> None:
        headers = dict(asker.api.headers)
        url = asker.api.base_url.join(f"/api/chat/messages/{message_id}/stream")
        with httpx.stream("GET", url, headers=headers, timeout=60, trust_env=False) as response:
            for line in response.iter_lines():
                if line == "event: assistant.delta":
                    came.append(time.time())
                    return

    threads: list[threading.Thread] = []
    for _at, type, payload in json_stream(asker.api, "How long?"):
        if type == "meta.start":
            ids = [payload["assistant_message_id"]] * followers
            threads = [threading.Thread(target=follow, args=[message_id]) for message_id in ids]
            for thread in threads:
                thread.start()
    for thread in threads:
        thread.join()
    return (max(came) - reply.begun[0]) * 1000


def slowed(asker: Asker, double: ModelDouble, tokens: int, rate: float) -> float:
    """How long a stream of ``tokens`` took the reader, over how long the model took."""
    reply = Timed(pieces=[f"w{n} " for n in range(tokens)], rate=rate)
    answer_with(double, reply)
    came = [at for at, type, _payload in json_stream(asker.api, "Count") if type == "assistant.delta"]
    return (came[-1] - reply.begun[0]) / (tokens / rate)


@contextmanager
def waiting(asker: Asker, double: ModelDouble, readers: int) -> Iterator[None]:
    """``readers`` streams whose model takes twenty seconds for its first token."""
    answer_with(double, Reply(text="late", first_delay=20))
    threads = [
        threading.Thread(target=lambda n=n: list(json_stream(asker.api, f"{n}?")), daemon=True)
        for n in range(readers)
    ]
    for thread in threads:
        thread.start()
    time.sleep(2)
    yield
    for thread in threads:
        thread.join()


def pages(asker: Asker, times: int) -> list[float]:
    """Seconds that the first page takes, each time."""
    taken = []
    for _ in range(times):
        began = time.perf_counter()
        assert asker.page.get("/").status_code == 200
        taken.append(time.perf_counter() - began)
    return taken


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=20)
    options = parser.parse_args()
    with running(key=None) as double, Site() as site:
        answer_with(double, Reply(text="Warm"))
        site.command("shell", "-c", CONNECT.format(url=double.url))
        asker = Asker(site)
        list(json_stream(asker.api, "Warm up"))
        in_json = [first_in_json(asker, double) for _ in range(options.times)]
        in_page = [first_in_page(asker, double) for _ in range(options.times)]
        print(f"first token, JSON stream: median {_ms(in_json)}, worst {max(in_json):.0f} ms (goal 100)")
        print(f"first token, page:        median {_ms(in_page)}, worst {max(in_page):.0f} ms (goal 100)")
        first_elsewhere(asker, double)  # the other processes load what they need
        elsewhere = [first_elsewhere(asker, double) for _ in range(options.times)]
        print(f"first token, elsewhere:   median {_ms(elsewhere)}, worst {max(elsewhere):.0f} ms (goal 100)")
        ratios = [slowed(asker, double, 600, 200) for _ in range(3)]
        print(f"600 tokens at 200/s:      {statistics.median(ratios):.3f} × the model's own time (goal 1.0)")
        idle = pages(asker, 20)
        with waiting(asker, double, 5):
            busy = pages(asker, 20)
        ratio = statistics.median(busy) / statistics.median(idle)
        print(f"page while 5 wait 20 s:   {ratio:.2f} × idle, worst {max(busy):.2f} s (goal 1)")


def _ms(values: list[float]) -> str:
    return f"{statistics.median(values):.0f} ms"


if __name__ == "__main__":
    main()
