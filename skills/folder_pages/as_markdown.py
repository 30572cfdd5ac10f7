"""A folder's page as Markdown, in the form of a knowledge project's ``project.md``.

The headings are in the language of the folder's content, so that a program reads the same file
whoever asks for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime

from django.utils import timezone

from kbsite.llm.offline.sentences import is_chinese
from skills.folder_pages.lines import Line, Named
from skills.folder_pages.page import KeyFact, View
from skills.models import Skill

MOST_ROWS = 500

WORDS: dict[str, dict[str, str]] = {
    "en": {
        "overview": "Overview",
        "facts": "Key facts",
        "index": "Index",
        "conflicts": "Conflicts",
        "log": "Update log",
        "name": "Name",
        "abstract": "Abstract",
        "status": "Status",
        "updated": "Updated",
        "skills": "Skills",
        "folder": "Folder",
        "nothing": "Nothing yet.",
        "more": "{n} more are not listed here.",
        "by": " by {who}",
        "and": " and {n} more",
        "made": "Made {at} from {n} things",
        "model": "by {model}",
        "offline": "by quoting, without a model",
        "written": "Written",
        "changed": "Changed",
        "read": "Read",
        "version": "New version",
        "moved_in": "Moved in",
        "moved_out": "Moved out",
        "deleted": "Deleted",
        "restored": "Restored",
        "remade": "This page was made",
        "pending": "pending",
        "processing": "processing",
        "approved": "approved",
        "checked": "checked",
        "rejected": "rejected",
        "colon": ": ",
        "comma": ", ",
        "sep": ", ",
    },
    "zh": {
        "overview": "概述",
        "facts": "关键信息",
        "index": "文件索引",
        "conflicts": "冲突",
        "log": "更新记录",
        "name": "名称",
        "abstract": "摘要",
        "status": "状态",
        "updated": "更新时间",
        "skills": "技能",
        "folder": "文件夹",
        "nothing": "暂无内容。",
        "more": "另有 {n} 项未列出。",
        "by": "（{who}）",
        "and": "等另外 {n} 项",
        "made": "{at} 根据 {n} 项内容生成",
        "model": "由 {model}",
        "offline": "摘录原文，未使用模型",
        "written": "编写",
        "changed": "修改",
        "read": "解析",
        "version": "新版本",
        "moved_in": "移入",
        "moved_out": "移出",
        "deleted": "删除",
        "restored": "恢复",
        "remade": "重新生成本页",
        "pending": "待处理",
        "processing": "处理中",
        "approved": "已通过",
        "checked": "已核对",
        "rejected": "已拒绝",
        "colon": "：",
        "comma": "、",
        "sep": "，",
    },
}

_SPECIAL = re.compile(r"([\\`*_\[\]<>|])")
_HEADING = re.compile(r"^(#{1,6})(?=\s)", re.M)
_FENCE = re.compile(r"^(```|~~~)", re.M)


def as_markdown(view: View, index: Sequence[Skill], log: Iterable[Line]) -> str:
    """The page as Markdown: overview, key facts, index, conflicts where there are any, update log.

    ``index`` are the skills to list, at most 500; ``log`` the lines, newest first.
    """
    words = WORDS["zh" if _is_chinese(view) else "en"]
    parts = [f"# {_plain(view.name)}"]
    if view.folder.description:
        parts.append(_plain(view.folder.description))
    parts += [f"## {words['overview']}", _overview(view, words)]
    facts = "\n".join(f"- {_plain(fact.text)} {_source(fact)}" for fact in view.text.facts)
    parts += [f"## {words['facts']}", facts or words["nothing"]]
    parts += [f"## {words['index']}", *_index(view, index, words)]
    if view.conflicts:
        said = (f"- {_skill(c.one)} ↔ {_skill(c.other)}" + _reason(c.reason, words) for c in view.conflicts)
        parts += [f"## {words['conflicts']}", "\n".join(said)]
    entries = "\n".join(_entry(line, words) for line in log)
    parts += [f"## {words['log']}", entries or words["nothing"]]
    return "\n\n".join(parts) + "\n"


def _is_chinese(view: View) -> bool:
    if view.page.language:
        return view.page.language.startswith("zh")
    return is_chinese(f"{view.name} {view.folder.description}")


def _overview(view: View, words: dict[str, str]) -> str:
    text = view.text
    if not text.abstract:
        return words["nothing"]
    by = words["model"].format(model=_plain(view.page.made_by)) if view.page.made_by else words["offline"]
    made = words["made"].format(at=_when(view.page.made_at), n=view.page.made_from)
    return "\n\n".join([text.abstract, _lowered(text.overview), f"*{made}{words['sep']}{by}*"])


def _lowered(text: str) -> str:
    """Headings two levels down, so that they stand under this page's own."""
    if _FENCE.search(text):
        return text
    return _HEADING.sub(lambda found: "#" * min(len(found[1]) + 1, 6), text)


def _index(view: View, index: Sequence[Skill], words: dict[str, str]) -> list[str]:
    parts = []
    if view.folders:
        head = _row(words["folder"], words["abstract"], words["skills"])
        rows = (
            _row(
                f"[{_plain(f.folder.name)}](/folders/{f.folder.pk}/page.md)",
                _short(f.abstract),
                str(f.skills),
            )
            for f in view.folders
        )
        parts.append("\n".join([head, _row("---", "---", "---"), *rows]))
    if index:
        head = _row(words["name"], words["abstract"], words["status"], words["updated"])
        rows = (
            _row(_skill(s), _short(s.abstract), words.get(s.status, s.status), _when(s.updated_at))
            for s in index
        )
        parts.append("\n".join([head, _row("---", "---", "---", "---"), *rows]))
    if left := view.skills - len(index):
        parts.append(words["more"].format(n=left))
    return parts or [words["nothing"]]


def _entry(line: Line, words: dict[str, str]) -> str:
    said = words.get(line.what, line.what)
    if line.what != "remade":
        names = words["comma"].join(_named(name) for name in line.names)
        more = words["and"].format(n=line.unnamed) if line.unnamed else ""
        said += words["colon"] + (f"{names}{more}" if names else str(line.count))
    by = words["by"].format(who=_plain(line.actor)) if line.actor else ""
    return f"- {_when(line.at)}: {said}{by}"


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return _plain(line if len(line) <= 200 else f"{line[:199]}…")


def _plain(text: str) -> str:
    """On one line, and not Markdown."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def _skill(skill: Skill) -> str:
    return f"[{_plain(skill.name)}](sk://skills/{skill.slug})"


def _named(name: Named) -> str:
    return f"[{_plain(name.name)}](sk://skills/{name.slug})" if name.slug else _plain(name.name)


def _source(fact: KeyFact) -> str:
    """``[[Name]]``, or an address where the name can't stand in such brackets."""
    if fact.skill is None:
        return f"[{_plain(fact.folder.name)}](/folders/{fact.folder.pk}/page.md)" if fact.folder else ""
    if any(c in fact.skill.name for c in "[]|\n"):
        return _skill(fact.skill)
    return f"[[{fact.skill.name}]]"


def _reason(reason: str, words: dict[str, str]) -> str:
    return f"{words['colon']}{_plain(reason)}" if reason else ""


def _when(at: datetime | None) -> str:
    return f"{timezone.localtime(at):%Y-%m-%d %H:%M}" if at else ""
