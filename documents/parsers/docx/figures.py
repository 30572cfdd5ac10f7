"""Numbers written the ways Word can: letters, Roman, Chinese, circled."""

from __future__ import annotations

from collections.abc import Callable

ROMAN = (
    *((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc")),
    *((50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")),
)
DIGITS = "〇一二三四五六七八九"
FORMAL_DIGITS = "零壹贰叁肆伍陆柒捌玖"
STEMS = "甲乙丙丁戊己庚辛壬癸"
BRANCHES = "子丑寅卯辰巳午未申酉戌亥"
CHINESE = {
    *("chineseCounting", "chineseCountingThousand", "taiwaneseCounting", "taiwaneseCountingThousand"),
    *("japaneseCounting", "ideographDigital", "taiwaneseDigital", "koreanDigital2", "koreanCounting"),
}


def figure(n: int, format: str) -> str:
    """``n`` in Word's number ``format``; plain digits where the format is unknown or can't show it."""
    if format == "none":
        return ""
    if n < 1:
        return str(n)
    if format in CHINESE:
        return chinese(n)
    write = WRITERS.get(format)
    return (write(n) if write else "") or str(n)


def chinese(n: int, digits: str = DIGITS, units: str = "十百千") -> str:
    """``n`` in Chinese figures, up to 9999; digits one by one above."""
    if n > 9999:
        return "".join(digits[int(digit)] for digit in str(n))
    zero = "零"
    text = ""
    for place, digit in enumerate(reversed(str(n))):
        if digit == "0":
            text = text if not text or text.startswith(zero) else zero + text
        else:
            text = digits[int(digit)] + (units[place - 1] if place else "") + text
    return text.removeprefix(digits[1]) if 10 <= n < 20 and digits is DIGITS else text


def _letters(n: int) -> str:
    return chr(ord("a") + (n - 1) % 26) * ((n - 1) // 26 + 1)


def _roman(n: int) -> str:
    text = ""
    for amount, letters in ROMAN:
        text += letters * (n // amount)
        n %= amount
    return text


def _formal(n: int) -> str:
    return chinese(n, FORMAL_DIGITS, "拾佰仟")


def _circled(n: int) -> str:
    return chr(ord("①") + n - 1) if n <= 20 else ""


WRITERS: dict[str, Callable[[int], str]] = {
    "lowerLetter": _letters,
    "upperLetter": lambda n: _letters(n).upper(),
    "lowerRoman": _roman,
    "upperRoman": lambda n: _roman(n).upper(),
    "decimalZero": lambda n: f"{n:02d}",
    "decimalFullWidth": lambda n: "".join(chr(ord("０") + int(digit)) for digit in str(n)),
    "decimalEnclosedCircle": _circled,
    "decimalEnclosedCircleChinese": _circled,
    "chineseLegalSimplified": _formal,
    "ideographLegalTraditional": _formal,
    "ideographTraditional": lambda n: STEMS[n - 1 : n],
    "ideographZodiac": lambda n: BRANCHES[n - 1 : n],
}
