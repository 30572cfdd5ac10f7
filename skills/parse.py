"""Parse: a version's bytes become Markdown, kept with what was learned about the file."""

from __future__ import annotations

from documents.models import DocumentVersion, IngestRun
from documents.read import read


def read_version(run: IngestRun) -> DocumentVersion:
    """The run's version with its Markdown. What an earlier attempt of this run read is kept.

    Raises UnreadableFile, which the same bytes would raise again.
    """
    if run.version.markdown and run.attempts > 1:
        return run.version
    return read(run)
