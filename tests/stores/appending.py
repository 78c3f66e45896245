"""A process that appends decisions until it is killed, and prints how many it flushed."""

from __future__ import annotations

import sys

from abs_shield.stores import open_store
from tests.stores.conftest import decision


def main(address: str, start: str, count: str, every: str) -> None:
    store = open_store(address)
    for number in range(int(start), int(start) + int(count)):
        store.append(decision(number))
        if number % int(every) == 0 and store.flush():
            print(number, flush=True)
    print("end", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
