"""What to search for: when a question leans on the one before, and when the first search found nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kbsite.llm.offline.sentences import STOP_WORDS, is_chinese, terms

_POINTS_BACK = re.compile(
    r"^(?:那么?|那个|还有|另外|其他|然后|为什么|为何|怎么办|具体)|(?:它|他|她|它们|他们|这个|那个|这些|那些|上面|上述|刚才|前面|前者|后者)"
    r"|^(?:and|or|but|so|then|what about|how about|what else|anything else|why|which one|really|how come)\b"
    r"|\b(?:it|its|they|them|their|he|him|his|she|her|this|that|these|those|there|one|ones|former|latter|same|above"
    r"|instead|either|both|another|others?|else)\b",
    re.IGNORECASE,
)
_ASKING = re.compile(
    r"什么时候|什么时间|什么|怎么样|怎么办|怎么|怎样|如何|为什么|为何|多少|几时|哪些|哪个|哪里|哪儿|哪|谁|请问|告诉我|我想知道"
    r"|能不能|能否|可不可以|可以|是不是|是否|有没有|应该|需要|必须|之后|之前|[吗呢吧啊的了是要请]"
    r"|[^\w'’.+#/-]+|[.'’](?=\s|$)"
)
_TRAILING = re.compile(r"呢[?？]?$")


def search_words(question: str, earlier: Sequence[str]) -> str:
    """The words to search with: ``question``, preceded by the last question before it that stood by
    itself when this one doesn't ("那英文版呢？", "and in English?")."""
    question = question.strip()
    if not leans(question):
        return question
    for before in reversed(earlier):
        if before.strip() and terms(before):
            context = search_words(before, earlier[: earlier.index(before)]) if leans(before) else before
            return f"{context.strip()} {question}"
    return question


def keywords(question: str) -> str:
    """``question`` without the words that only ask: for a second search when the first found nothing."""
    words = [w for w in _ASKING.sub(" ", question).split() if w.strip("'’").lower() not in STOP_WORDS]
    return " ".join(words)


def leans(question: str) -> bool:
    """Whether ``question`` can't be understood without what was said before."""
    words = set(terms(question))
    few = 3 if is_chinese(question) else 2
    if _TRAILING.search(question) or len(words) < (2 if few == 3 else 1):
        return True
    return bool(_POINTS_BACK.search(question)) and len(words) <= few * 3
