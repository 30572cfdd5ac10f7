"""System skills instruct the agent, and are no source of its answers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from skills.models import Skill
from skills.pipeline import refresh
from skills.system.instruct import HEADING
from skills.system.load import load
from tests.chat.conftest import Api, Library, last
from tests.model_double import ModelDouble


@pytest.fixture
def system(library: Library) -> Iterator[None]:
    """The system skills, indexed, beside the library; gone afterwards."""
    load()
    shipped = Skill.objects.filter(type=Skill.Type.SYSTEM)
    for skill in shipped:
        refresh(skill.pk)
    yield
    shipped.delete()


def told(double: ModelDouble) -> str:
    """The system message of the last call that was streamed."""
    calls = [body for body in double.chats() if body.get("stream")]
    return str(calls[-1]["messages"][0]["content"])


@pytest.mark.usefixtures("system")
def test_the_model_is_told_what_applies(bob: Api, double: ModelDouble) -> None:
    """After the answer prompt; counting only when the question is about that."""
    bob.ask("Can I carry over annual leave?")
    assert HEADING in told(double) and "Reading step by step" in told(double)
    assert told(double).index("You answer questions for a team") < told(double).index(HEADING)
    assert "Counting and comparing" not in told(double)
    bob.ask("How many leave rules are there?")
    assert "Counting and comparing" in told(double)


@pytest.mark.usefixtures("system")
def test_the_offline_model_answers_as_without_them(bob: Api) -> None:
    """It quotes the team's documents; about what only a system skill says it has found nothing."""
    answer = last(bob.ask("When is unused annual leave lost?"))
    assert "March" in answer["content"] and {c["title"] for c in answer["citations"]} == {"Leave policy"}
    nothing = last(bob.ask("What is progressive disclosure of abstract, overview and full text?"))
    assert not nothing["citations"]
