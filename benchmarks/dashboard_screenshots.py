"""Pictures of the dashboard for the docs: ``python benchmarks/dashboard_screenshots.py``."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from abs_shield.core import Decision
from abs_shield.dashboard import dashboard
from abs_shield.stores.sqlite_store import SqliteStore
from benchmarks.command_line import announce, command_parser, report_progress
from tests.dashboard.company import fill
from tests.dashboard.serving import serve

FOLDER = Path(__file__).parents[1] / "docs" / "pictures" / "dashboard"
LAST_DAYS = "since=2026-11-14T00%3A00&until=2026-11-17T00%3A00"
MOST_BYTES = 150_000


class LabelledLog(SqliteStore):
    """A log whose pages show a short name in place of the folder that it is in for a minute."""

    @property
    def name(self) -> str:
        """The name of the file."""
        return Path(super().name).name


@dataclass(frozen=True, kw_only=True)
class Picture:
    """
    One picture.

    Attributes:
        path: The address of the view; ``{id}`` is a decision's.
        width: Width of the screen in CSS pixels.
        height: Its height; None for the whole page.
        scheme: The colours.
        server: Which dashboard: ``full``, ``values``, ``empty`` or ``locked``.
        density: Pixels of a CSS pixel.
    """

    path: str
    width: int = 1440
    height: int | None = None
    scheme: str = "light"
    server: str = "full"
    density: int = 1


PICTURES = {
    "heatmap": Picture(path="/", height=1_000),
    "heatmap-dark": Picture(path="/", scheme="dark", height=1_000),
    "heatmap-360": Picture(path="/", width=360, height=900, density=2),
    "heatmap-2560": Picture(path="/", width=2560, height=1_340),
    "compared": Picture(path=f"/?{LAST_DAYS}&compare=1&agent=travel", height=900),
    "cell": Picture(path="/cell?row=book_flight&check=phantom_target", height=760),
    "cell-360": Picture(
        path="/cell?row=book_flight&check=phantom_target", width=360, height=900, density=2
    ),
    "decision": Picture(path="/decisions/{id}"),
    "decision-values": Picture(path="/decisions/{id}", server="values"),
    "decision-360": Picture(path="/decisions/{id}", width=360, height=900, density=2),
    "rollout": Picture(path="/rollout"),
    "trends": Picture(path="/trends?agent=travel&model=gpt-6-mini", height=900),
    "trends-768-dark": Picture(path="/trends?agent=travel", width=768, height=900, scheme="dark"),
    "empty": Picture(path="/", server="empty", height=640),
    "sign-in": Picture(path="/", server="locked", width=768, height=520),
    "problem": Picture(path="/?range=1y", width=768, height=420),
}
"""By the name of the file."""


def shown_decision(decisions: list[Decision]) -> str:
    """Return the id of a decision with a finding in the middle of its session."""
    for before, one, behind in zip(
        decisions[5_000:], decisions[5_001:], decisions[5_003:], strict=False
    ):
        same = before.session_id == one.session_id == behind.session_id
        if same and one.tool == "refund_payment" and any(f.nearest for f in one.findings):
            return one.id
    raise SystemExit("no decision of the log is good for a picture")


@contextmanager
def servers() -> Iterator[tuple[dict[str, str], str]]:
    """Serve the dashboards that the pictures show, and give the id of a decision."""
    with TemporaryDirectory() as folder:
        full, empty = (LabelledLog(Path(folder) / name) for name in ("decisions.db", "new.db"))
        try:
            name = shown_decision(fill(full, scale=3.0))
            with (
                serve(dashboard(full)) as plain,
                serve(dashboard(full, show_values=True)) as values,
                serve(dashboard(empty)) as nothing,
                serve(dashboard(full, token="locked")) as locked,
            ):
                yield {"full": plain, "values": values, "empty": nothing, "locked": locked}, name
        finally:
            full.close()
            empty.close()


def take(browser: Any, picture: Picture, address: str, file: Path) -> None:
    """Take one picture."""
    size = {"width": picture.width, "height": picture.height or 900}
    context = browser.new_context(
        viewport=size, color_scheme=picture.scheme, device_scale_factor=picture.density
    )
    page = context.new_page()
    page.goto(address)
    page.wait_for_load_state("load")
    if "/trends" in address:
        page.locator(".plot canvas").last.wait_for()
    if page.locator("[data-refresh]").count():
        page.locator("[data-live]", has_text="live").wait_for()
    page.screenshot(path=file, full_page=picture.height is None)
    context.close()


def shrink(file: Path) -> int:
    """Write a picture again with its most frequent colours, and return its bytes."""
    from PIL import Image

    with Image.open(file) as picture:
        flat = picture.convert("RGB")
    counted = flat.getcolors(flat.width * flat.height) or []
    frequent = [colour for _, colour in sorted(counted, reverse=True)]
    palette = Image.new("P", (1, 1))
    for colours in (256, 128, 64):
        palette.putpalette([part for colour in frequent[:colours] for part in colour])
        flat.quantize(palette=palette, dither=Image.Dither.NONE).save(file, optimize=True)
        if file.stat().st_size <= MOST_BYTES:
            break
    return file.stat().st_size


def main() -> None:
    """Take all pictures, or those that are named."""
    parser = command_parser(__doc__, example="dashboard_screenshots.py heatmap --folder pictures")
    parser.add_argument("names", nargs="*", choices=[[], *PICTURES], help="all by default")
    parser.add_argument("--folder", type=Path, default=FOLDER)
    arguments = parser.parse_args()
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    folder = arguments.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    announce("filling a log")
    with servers() as (addresses, name), sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        names = arguments.names or list(PICTURES)
        for title in report_progress(names, doing="taking pictures", total=len(names)):
            picture, file = PICTURES[title], folder / f"{title}.png"
            address = addresses[picture.server] + picture.path.format(id=name)
            take(browser, picture, address, file)
            print(f"{title}: {shrink(file):,} bytes")
        browser.close()


if __name__ == "__main__":
    main()
