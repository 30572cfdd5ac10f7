"""The documents are true: every setting and every command is in them, and nothing that is not there."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
CONFIGURATION = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
READ_BY = ["kbsite/settings.py", "kbsite/embedded.py", "kbsite/bootstrap.sh", "tests/journeys/conftest.py"]


def settings_read() -> set[str]:
    """Names of the environment variables that the code reads."""
    text = "\n".join((ROOT / path).read_text(encoding="utf-8") for path in READ_BY)
    return set(re.findall(r"\b(?:KB_[A-Z_]+|DATABASE_URL|CELERY_BROKER_URL)\b", text))


def settings_documented() -> set[str]:
    """Names in the first column of the tables."""
    return set(re.findall(r"^\| `([A-Z_]+)` \|", CONFIGURATION, re.M))


def test_every_setting_is_documented() -> None:
    """An environment variable that the code reads has a row in docs/configuration.md."""
    assert settings_read() - settings_documented() == set()


def test_no_setting_is_invented() -> None:
    """A row in docs/configuration.md is a variable that the code reads."""
    assert settings_documented() - settings_read() == set()


@pytest.mark.parametrize(
    "page", ["README.md", "README.zh.md", "docs/configuration.md", "docs/architecture.md"]
)
def test_documents_name_real_settings(page: str) -> None:
    """Whatever setting a document mentions exists."""
    path = ROOT / page
    mentioned = (
        set(re.findall(r"\bKB_[A-Z_]+\b", path.read_text(encoding="utf-8"))) if path.exists() else set()
    )
    assert mentioned - settings_read() == set()


def test_every_command_is_documented() -> None:
    """A management command of ours is in the table of commands."""
    commands = {
        path.stem
        for path in ROOT.glob("*/**/management/commands/*.py")
        if path.stem != "__init__" and ".venv" not in path.parts
    }
    assert {name for name in commands if f"manage.py {name}" not in CONFIGURATION} == set()


@pytest.mark.parametrize(
    "page", sorted(ROOT.glob("docs/**/*.md")) + sorted(ROOT.glob("*.md")), ids=lambda p: p.name
)
def test_links_lead_somewhere(page: Path) -> None:
    """A relative link in a document points at a file that is there."""
    links = re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_every_dependency_is_explained() -> None:
    """Each package that pyproject.toml names stands in docs/dependencies.md, and in a lock with its hash."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    explained = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8").lower()
    for lock, wanted in {
        "requirements.txt": project["project"]["dependencies"],
        "requirements-dev.txt": project["dependency-groups"]["dev"],
    }.items():
        names = {re.split(r"[\[<>=~ ]", line)[0].lower() for line in wanted}
        locked = set(re.findall(r"^([a-z0-9-]+)==", (ROOT / lock).read_text(encoding="utf-8"), re.M))
        assert {name for name in names if name not in explained} == set()
        assert names - locked == set()


@pytest.mark.parametrize("lock", ["requirements.txt", "requirements-dev.txt"])
def test_locks_name_no_place(lock: str) -> None:
    """A lock has versions and hashes: no index address, no path of somebody's machine."""
    text = (ROOT / lock).read_text(encoding="utf-8")
    assert re.findall(r"https?:|file:|--(?:extra-)?index|--find-links|^/|^-e", text, re.M) == []
