"""The clock's part: forget what need not be known any more."""

from __future__ import annotations

from celery import shared_task

from kbsite.accounts import signing_in


@shared_task(name="accounts.forget_failures")
def forget_failures() -> None:
    """Hourly, by beat."""
    signing_in.forget_failures()
