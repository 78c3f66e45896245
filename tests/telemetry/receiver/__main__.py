"""An OTLP receiver that keeps every byte: ``python -m tests.telemetry.receiver FOLDER``."""

from __future__ import annotations

import argparse
import json
import sys
import time

from tests.telemetry.receiver.arrivals import Folder
from tests.telemetry.receiver.black_hole import black_hole
from tests.telemetry.receiver.over_grpc import over_grpc
from tests.telemetry.receiver.over_http import over_http


def main() -> None:
    """Print both ports as one line of JSON; end when standard input is closed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--answers-after", type=float, default=0.0, metavar="SECONDS")
    parser.add_argument("--black-hole", action="store_true", help="accept, and never answer")
    option = parser.parse_args()
    if option.black_hole:
        ports = {"grpc": black_hole(), "http": black_hole()}
    else:
        folder = Folder(option.folder, before_answer=lambda: time.sleep(option.answers_after))
        ports = {"grpc": over_grpc(folder), "http": over_http(folder)}
    print(json.dumps(ports), flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
