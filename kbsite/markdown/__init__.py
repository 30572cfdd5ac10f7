"""Markdown as people read it: rendered, cleaned, split and flattened.

What comes in was written by models and strangers. Raw HTML is shown as text, links go to http, https,
mailto and our own pages only, images but our own are links, and nh3 has the last word.
"""

from kbsite.markdown.render import Heading, front_matter_length, outline, plain, render, written_links
from kbsite.markdown.split import blocks

__all__ = ["Heading", "blocks", "front_matter_length", "outline", "plain", "render", "written_links"]
