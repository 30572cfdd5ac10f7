"""Processes that serve have the model at hand before anyone asks."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from pytest_django import Settings

from kbsite.llm.e5 import engines
from kbsite.llm.embedding import active_space, warm_up

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.django_db
def test_warming_up_makes_the_model_and_the_space(settings: Settings) -> None:
    """Afterwards the quick engine answers, and the space is there."""
    warm_up()
    assert engines.engines().current().name == "onnx"
    assert active_space().cohort


def test_a_command_loads_no_model() -> None:
    """``manage.py`` starts as if there were none."""
    said = subprocess.run(
        [sys.executable, "-c", "import django, sys; django.setup(); print('onnxruntime' in sys.modules)"],
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "kbsite.settings", "KB_PART": ""},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert said.stdout.strip() == "False"
