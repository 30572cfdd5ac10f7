"""What it takes to reach a chat model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from kbsite.llm.capabilities import Lacking

NO_KEY = "none"


@dataclass(frozen=True)
class Line:
    """Everything an adapter needs. ``key`` is called at each request and never kept.

    ``learned`` is called with "tools" or "system" when the provider says the model can't.
    """

    base_url: str = ""
    model: str = ""
    key: Callable[[], str] = field(default=str, repr=False)
    takes_system: bool = True
    learned: Callable[[Lacking], None] = field(default=lambda lacking: None, repr=False)
    seconds: float = 60.0

    def usable_key(self) -> str:
        """The key; a word where there is none, for the client insists on one and may not look for
        another in the environment."""
        return self.key() or NO_KEY
