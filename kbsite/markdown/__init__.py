"""Markdown as people read it: rendered, cleaned, split and flattened.

What comes in was written by models and strangers. Raw HTML is shown as text, links go to http, https,
mailto and our own pages only, images are links, and nh3 has the last word.
"""

from kbsite.markdown.render import Heading, outline, plain, render
from kbsite.markdown.split import blocks

__all__ = ["Heading", "blocks", "outline", "plain", "render"]
