"""Writing a folder's abstract, key facts and overview: by the model, or in the texts' own words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.html import escape
from pydantic import BaseModel, Field

from kbsite.llm.analyze import limited
from kbsite.llm.chat_models import chat_model
from kbsite.llm.complete import complete_json
from kbsite.llm.models import Purpose
from kbsite.llm.offline import summarise
from kbsite.llm.offline.facts import key_facts
from kbsite.llm.offline.sentences import size
from kbsite.prompts.store import render
from kbsite.text import storable
from skills.folder_pages.gather import Fact, Inputs, Item

PROMPT = "folder_page"
MOST_FACTS = 8
ABSTRACT_TOKENS = 160
OVERVIEW_TOKENS = 1600
FACT_TOKENS = 90
PART_TOKENS = 6000
MOST_PARTS = 6  # and one more call brings them together
OUTLINED = 12  # things the offline overview goes through one by one, sub-folders first

_OUR_TAG = re.compile(r"<(/?\s*(?:folder|item|part))", re.IGNORECASE)
_HEADING = re.compile(r"^(#{1,6})(?=\s)", re.M)
_BULLET = re.compile(r"\A\s*(?:[-*•]|\d+[.)、])\s+")


class FolderFact(BaseModel):
    """One key fact, and the number of the item that says so."""

    fact: str
    item: int


class FolderLayers(BaseModel):
    """What a model answers about a folder."""

    abstract: str = Field(min_length=1)
    key_facts: list[FolderFact] = Field(default_factory=list)
    overview: str = Field(min_length=1)


@dataclass(frozen=True, slots=True)
class Composed:
    """A page's text. ``by`` is the model's name, "" for the offline one."""

    abstract: str = ""
    facts: tuple[Fact, ...] = ()
    overview: str = ""
    by: str = ""


def compose(title: str, inputs: Inputs) -> Composed:
    """The text of a folder's page, in the language of most of what was read. Empty for nothing.

    At most seven calls of a model, one where few or short things are read, none for a single one.
    Raises ModelUnavailable when a model is connected but doesn't answer.
    """
    items = inputs.items
    if not items:
        return Composed()
    model = chat_model(Purpose.ANALYZE)
    if model.is_offline or len(items) == 1:
        return _quoted(inputs)
    numbered = list(enumerate(items, 1))
    share = max(40, PART_TOKENS * MOST_PARTS // len(items) - 20)
    shown = [(n, _item(n, item, share)) for n, item in numbered]
    parts = _parts([text for _n, text in shown])
    system = render(PROMPT, language=_spoken(inputs.language))
    written = [_ask(system, title, part) for part in parts]
    whole = written[0] if len(parts) == 1 else _ask(system, title, _together(written))
    return Composed(
        limited(_line(whole.abstract), ABSTRACT_TOKENS),
        tuple(_facts(whole.key_facts, dict(numbered))),
        limited(storable(whole.overview).strip(), OVERVIEW_TOKENS),
        model.name,
    )


def _quoted(inputs: Inputs) -> Composed:
    items = inputs.items
    abstract = summarise("\n\n".join(item.text for item in items), inputs.language).abstract
    first = sorted(items, key=lambda item: item.folder is None)[:OUTLINED]
    outlined = "\n\n".join(f"## {_line(item.name)}\n\n{_lowered(item.text)}" for item in first)
    overview = summarise(outlined, inputs.language).overview
    said = key_facts([item.text for item in items], MOST_FACTS)
    facts = tuple({"text": text, **_source(items[of], text)} for of, text in said)
    return Composed(abstract, facts, limited(overview, OVERVIEW_TOKENS))


def _source(item: Item, text: str) -> Fact:
    """Who says ``text``: the skill behind a sub-folder's fact, else the thing it was read in."""
    known = next((fact for fact in item.facts if fact["text"] == text), None)
    return {"skill": known["skill"], "folder": known["folder"]} if known else item.source()


def _lowered(text: str) -> str:
    """Headings two levels down, under the name of the thing."""
    return _HEADING.sub(lambda found: "#" * min(len(found[1]) + 2, 6), text)


def _item(number: int, item: Item, tokens: int) -> str:
    kind = "folder" if item.folder else "skill"
    text = _OUR_TAG.sub(r"‹\1", limited(item.text, tokens))
    return f'<item n="{number}" kind="{kind}" name="{escape(_line(item.name))}">\n{text}\n</item>'


def _parts(shown: Sequence[str]) -> list[str]:
    """The items in stretches that the model can take."""
    parts: list[list[str]] = [[]]
    used = 0
    for text in shown:
        tokens = size(text)
        if used and used + tokens > PART_TOKENS and len(parts) < MOST_PARTS:
            parts.append([])
            used = 0
        parts[-1].append(text)
        used += tokens
    return ["\n".join(part) for part in parts]


def _together(written: Sequence[FolderLayers]) -> str:
    """What was written of the parts, as the items of one more question; facts keep their numbers."""
    shown = []
    for layers in written:
        overview = _OUR_TAG.sub(r"‹\1", limited(layers.overview, PART_TOKENS // MOST_PARTS))
        facts = (
            f'<item n="{f.item}">{_OUR_TAG.sub(r"‹\1", limited(_line(f.fact), FACT_TOKENS))}</item>'
            for f in layers.key_facts[:MOST_FACTS]
        )
        shown.append("\n".join(["<part>", overview, *facts, "</part>"]))
    return "\n".join(shown)


def _ask(system: str, title: str, shown: str) -> FolderLayers:
    user = f'<folder name="{escape(_line(title))}">\n{shown}\n</folder>'
    return complete_json(Purpose.ANALYZE, system, user, FolderLayers)


def _facts(given: Sequence[FolderFact], items: dict[int, Item]) -> list[Fact]:
    """Facts that name an item there is; one that names none can't be checked and is left out."""
    found: list[Fact] = []
    for said in given:
        text = limited(_BULLET.sub("", _line(said.fact)), FACT_TOKENS)
        item = items.get(said.item)
        if text and item and all(text != fact["text"] for fact in found):
            found.append({"text": text, **item.source()})
    return found[:MOST_FACTS]


def _line(text: str) -> str:
    return " ".join(storable(text).split())


def _spoken(language: str) -> str:
    if language.startswith("zh"):
        return "Chinese, in the same script (simplified or traditional) as most of the items"
    return "English" if language.startswith("en") else "the language of most of the items"
