"""What the product does without a language model: it quotes. No network, the same answer every time."""

from kbsite.llm.offline.model import OfflineModel
from kbsite.llm.offline.summary import Layers, summarise

__all__ = ["Layers", "OfflineModel", "summarise"]
