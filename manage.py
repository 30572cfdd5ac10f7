#!/usr/bin/env python
"""Run a management command; brings up the embedded PostgreSQL when no other is named."""

import os
import sys

from django.core.management import execute_from_command_line

from kbsite import embedded

NEEDS_NO_DATABASE = {
    "help",
    "version",
    "--help",
    "--version",
    "check",
    "makemessages",
    "compilemessages",
    "collectstatic",
}


def main() -> None:
    """Entry point of every command."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "kbsite.settings")
    command = sys.argv[1] if len(sys.argv) > 1 else "help"
    if command not in NEEDS_NO_DATABASE:
        embedded.ensure_database_url()
    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
