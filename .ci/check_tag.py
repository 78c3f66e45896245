"""Check that a tag may be released: `python .ci/check_tag.py v1.2.3` exits with 1 if not."""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def problems(tag: str, root: Path = ROOT) -> list[str]:
    """Return why the checkout at *root* is not the release that *tag* names."""
    source = (root / "abs_shield" / "version.py").read_text(encoding="utf-8")
    changelog = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    citation = (root / "CITATION.cff").read_text(encoding="utf-8")
    version = re.findall(r'^__version__ = "(.+)"$', source, re.MULTILINE)[0]
    dates = re.findall(rf"^## \[{re.escape(version)}\] - (\d{{4}}-\d\d-\d\d)$", changelog, re.M)
    wrong = []
    if tag != f"v{version}":
        wrong.append(f"the tag is {tag}, but abs_shield/version.py says {version}")
    if not dates:
        wrong.append(f"CHANGELOG.md has no section `## [{version}] - YYYY-MM-DD`")
    elif f"\nversion: {version}\ndate-released: {dates[0]}\n" not in citation:
        wrong.append(f"CITATION.cff does not name version {version} of {dates[0]}")
    return wrong


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python .ci/check_tag.py v1.2.3")
    if wrong := problems(sys.argv[1]):
        sys.exit("\n".join(wrong))
