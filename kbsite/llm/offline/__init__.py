"""What the product does without a language model: it quotes. No network, the same answer every time."""

from kbsite.llm.offline.model import NAME, OfflineModel
from kbsite.llm.offline.summary import Layers, summarise

__all__ = ["NAME", "Layers", "OfflineModel", "summarise"]
