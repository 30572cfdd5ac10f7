"""Parse-to-ready of 50 Markdown files offline, against the embedding time alone.

    .venv/bin/python -m bench.ingest [--files 50]

Every file goes through the real pipeline (parse → analyze → dedupe → store → index) in this
process; then the same texts are embedded again, batch for batch, with nothing around them. The
two take turns, file by file, so that a noisy machine disturbs both alike. Printed: the ratio.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from pathlib import Path

from django.core.files.base import ContentFile
from django.core.management import call_command

from bench import environment  # noqa: F401
from documents import upload
from kbsite.accounts.models import Role, User
from kbsite.llm.embedding import active_space, embedder, warm_up
from skills import index, pipeline
from skills.models import Skill

ROOT = Path(__file__).resolve().parent.parent
LIMIT = 1.5


def texts(count: int) -> list[bytes]:
    """``count`` different Markdown files of some 1,500 words, from our own documents, shuffled by a seed."""
    sources = [
        *ROOT.glob("docs/*.md"),
        *ROOT.glob("kbsite/quick_setup/sample_documents/*.md"),
        *ROOT.glob("README*.md"),
    ]
    parts = [part for path in sources for part in path.read_text().split("\n\n") if len(part) > 80]
    chance = random.Random(7)
    made = []
    for n in range(count):
        chosen = chance.sample(parts, 24)
        sections = [f"## Section {i}\n\n{part}" if i % 4 == 0 else part for i, part in enumerate(chosen)]
        made.append(f"# Notes {n}\n\n{'\n\n'.join(sections)}\n".encode())
    return made


def main() -> None:
    """Run and print."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--files", type=int, default=50)
    run(options.parse_args().files)


def run(count: int) -> None:
    """Measure ``count`` files."""
    call_command("migrate", verbosity=0)
    editor = User.objects.create_user("bench@example.com", "bench", role=Role.EDITOR)
    warm_up()
    engine = embedder(active_space())
    engine.embed_passages(["warm"] * 8)
    whole, alone = [], []
    for n, data in enumerate(texts(count)):
        receipt = upload.receive([ContentFile(data, name=f"notes-{n}.md")], editor, on_duplicate="keep")
        began = time.perf_counter()
        pipeline.ingest(receipt.files[0].run.pk)
        whole.append(time.perf_counter() - began)
        skill = Skill.objects.get(sources__version__document=receipt.files[0].run.version.document)
        batch = [text for _, text in index.layer_texts(skill)]
        batch += [
            index.passage_text(skill, p.heading_path, p.prefix + p.text)
            for p in skill.passages.order_by("ordinal")
        ]
        began = time.perf_counter()
        for start in range(0, len(batch), index.TEXTS_BETWEEN_BEATS):
            engine.embed_passages(batch[start : start + index.TEXTS_BETWEEN_BEATS])
        alone.append(time.perf_counter() - began)
    ratio = sum(whole) / sum(alone)
    print(f"files                     {count}")
    print(f"parse to ready            {sum(whole):8.2f} s   median {statistics.median(whole) * 1000:6.0f} ms")
    print(f"embedding alone           {sum(alone):8.2f} s   median {statistics.median(alone) * 1000:6.0f} ms")
    verdict = "ok" if ratio <= LIMIT else "TOO SLOW"
    print(f"ratio                     {ratio:8.2f}     (limit {LIMIT})  {verdict}")


if __name__ == "__main__":
    main()
