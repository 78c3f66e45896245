"""The pictures of docs/dashboard.md are those that the script takes, and small."""

from __future__ import annotations

import re
from pathlib import Path

from benchmarks.dashboard_screenshots import FOLDER, MOST_BYTES, PICTURES

PAGE = Path(__file__).parents[2] / "docs" / "dashboard.md"


def test_each_picture_is_on_the_page() -> None:
    """No picture is missing, and none is left over."""
    shown = re.findall(r"\(pictures/dashboard/(.+?)\.png\)", PAGE.read_text(encoding="utf-8"))

    assert sorted(PICTURES) == sorted(shown) == sorted(file.stem for file in FOLDER.iterdir())


def test_each_picture_is_small() -> None:
    """The page loads quickly."""
    large = [file.name for file in FOLDER.iterdir() if file.stat().st_size > MOST_BYTES]

    assert [] == large
