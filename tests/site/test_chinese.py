"""The Chinese catalogue: all of it, in the same words, set as Chinese is set."""

from __future__ import annotations

import re

import polib
import pytest
from django.utils import translation

from kbsite.catalogues import LOCALES
from kbsite.text import in_a_row, said_again
from skills.models import Revision
from tests.site.wording import texts_in_code

CATALOGUE = polib.pofile(str(LOCALES / "zh_Hans" / "LC_MESSAGES" / "django.po"))
HOW_TO = "run `make messages`, then translate what is empty in locale/zh_Hans/LC_MESSAGES/django.po"
CHINESE = "\u3400-\u9fff"
PLACES = re.compile(r"%\(\w+\)[\d.]*[sdf]|%[sd]|%%|\{\w+\}|</?\w+>")

# What a thing is called. The English word (as a pattern) → one of these stands in the translation.
GLOSSARY = {
    r"\babstracts?\b": "摘要",
    r"\boverviews?\b": "概览",
    r"\bfull texts?\b": "全文",
    r"\bskills?\b(?!-)": "技能",
    r"\bpassages?\b": "段|摘引原文",
    r"\bdocuments?\b": "文档|份|文件",
    r"(?<!root )\bfolders?\b": "文件夹|里面",
    r"\bunfiled\b": "未归档",
    r"\broot folder\b": "根目录",
    r"\bsources?\b": "来源",
    r"\bconversations?\b": "会话",
    r"\bretry\b": "重试",
    r"\bqueued\b": "排队",
    r"\bready\b": "已就绪|已生成",
    r"\beditors?\b": "编辑",
    r"\bcurators?\b": "知识管理员",
    r"\badmins?\b": "管理",
    r"\bprompts?\b": "提示词",
    r"\bembedding space": "向量空间",
    r"\bembedding model": "嵌入模型",
    r"\bmodels?\b": "模型",
    r"\bAPI keys?\b": "API 密钥",
    r"\bhotness\b": "热度",
    r"\bproviders?\b": "服务商",
    r"\bpriority\b": "优先级",
    r"\btrash\b": "回收站",
    r"\bundo\b": "撤销",
    r"\bcancel\b": "取消",
    r"\btags?\b": "标签",
    r"\brelations?\b": "关系",
    r"\bvectors?\b": "向量",
}
# Names stay as they are.
NAMES = r"Skill-Know|Markdown|PDF|Word \(|OpenAI|Ollama|vLLM|YAML|UTF-8|API key|If-Match"


def texts() -> list[tuple[str, str]]:
    """(English, Chinese) of every entry, plural forms too."""
    found = []
    for entry in CATALOGUE:
        if entry.msgid_plural:
            found += [(entry.msgid_plural, chinese) for chinese in entry.msgstr_plural.values()]
        else:
            found.append((entry.msgid, entry.msgstr))
    return found


def test_every_text_in_the_code_is_in_the_catalogue() -> None:
    """And nothing else is. Read without GNU gettext, so that it is checked everywhere."""
    known = {(entry.msgctxt or "", entry.msgid) for entry in CATALOGUE}
    code = texts_in_code()
    missing = {text: path.name for text, path in code.items() if text not in known}
    assert missing == {}, HOW_TO
    assert known - set(code) == set(), HOW_TO


def test_every_text_is_translated() -> None:
    """No entry is empty, fuzzy or out of use; Chinese has one form for every number."""
    assert "nplurals=1" in CATALOGUE.metadata["Plural-Forms"]
    assert [english for english, chinese in texts() if not chinese.strip()] == [], HOW_TO
    assert [entry.msgid for entry in CATALOGUE if entry.fuzzy or entry.obsolete] == [], HOW_TO
    assert all(set(e.msgstr_plural) == {0} for e in CATALOGUE if e.msgid_plural)


def test_places_to_fill_are_the_same() -> None:
    """Whatever is filled in on the page is filled in in Chinese too."""
    unlike = {
        english: chinese
        for english, chinese in texts()
        if sorted(PLACES.findall(english)) != sorted(PLACES.findall(chinese))
    }
    assert unlike == {}


@pytest.mark.parametrize("english", GLOSSARY)
def test_a_thing_has_one_name(english: str) -> None:
    """The words of the glossary are used wherever the thing is spoken of."""
    word = re.compile(english, re.IGNORECASE)
    chosen = re.compile(GLOSSARY[english])
    assert {
        source: said
        for source, said in texts()
        if word.search(PLACES.sub("", source)) and not chosen.search(said)
    } == {}


def test_names_stay() -> None:
    """Skill-Know is Skill-Know in Chinese."""
    for english, chinese in texts():
        for name in re.findall(NAMES, english):
            assert name.removesuffix(" (").replace(" key", "") in chinese, english


def test_chinese_is_set_as_chinese() -> None:
    """Full-width punctuation, curly quotes, a blank between Chinese and Latin letters or digits."""
    half = re.compile(
        rf'[{CHINESE}][,.:;?!()]|[,;?!(][{CHINESE}]|"|「|」| [，。：；？！、]|[，。：；？！、] '
    )
    close = re.compile(rf"[{CHINESE}][A-Za-z0-9]|[A-Za-z0-9][{CHINESE}]")
    for english, chinese in texts():
        said = PLACES.sub("\ufffc", chinese)
        assert not half.search(said), (english, chinese)
        assert not close.search(said), (english, chinese)
        assert "您" not in said, (english, chinese)


def test_sentences_run_on_without_blanks() -> None:
    """Where sentences are put together, no blank follows a Chinese full stop."""
    assert in_a_row(["已连接。", "", "向量为 3 维。"]) == "已连接。向量为 3 维。"
    assert in_a_row(["Connected.", "", "Vectors have 3 numbers."]) == "Connected. Vectors have 3 numbers."


def test_what_is_kept_in_english_is_said_again_in_chinese() -> None:
    """Sentences in rows are English; a reader gets them in Chinese, whatever was filled in."""
    with translation.override("zh-hans"):
        assert said_again("Renamed") == "改名"
        assert said_again("Read from “a “b”.md”", [Revision.READ]) == "读自“a “b”.md”"
        assert said_again("Revision 12 restored", [Revision.READ, Revision.RESTORED]) == "恢复到修订 12"
        assert said_again("嗯", [Revision.READ]) == "嗯"
        assert said_again("") == ""
    with translation.override("en"):
        assert said_again("Revision 12 restored", [Revision.RESTORED]) == "Revision 12 restored"
