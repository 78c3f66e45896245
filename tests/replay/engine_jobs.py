"""Jobs for the tests of the engines, in a module that worker processes can import."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from abs_shield import PolicyError
from abs_shield.replay import Chunk


@dataclass(frozen=True)
class Numbers:
    """Return the line numbers of each chunk; with `slow`, early chunks finish late."""

    slow: float = 0.0

    def prepare(self) -> Callable[[Chunk], list[int]]:
        return self.numbers

    def numbers(self, chunk: Chunk) -> list[int]:
        numbers = [line.number for line in chunk.lines]
        time.sleep(self.slow if numbers[0] % 3 == 1 else 0)
        return numbers


@dataclass(frozen=True)
class Killed:
    """Kill the worker at one chunk, *times* times; *folder* counts the tries."""

    folder: str
    times: int
    at: int = 2

    def prepare(self) -> Callable[[Chunk], list[int]]:
        return self.numbers

    def numbers(self, chunk: Chunk) -> list[int]:
        numbers = [line.number for line in chunk.lines]
        if self.at in numbers and self._tries() <= self.times:
            os.kill(os.getpid(), signal.SIGKILL)
        return numbers

    def _tries(self) -> int:
        for n in range(1, 100):
            with suppress(FileExistsError):
                os.close(os.open(f"{self.folder}/{n}", os.O_CREAT | os.O_EXCL))
                return n
        raise AssertionError("it is tried without end")


class Odd(Exception):
    """An error that does not survive being pickled."""

    def __init__(self, one: int, two: int) -> None:
        super().__init__("odd\x1b")


@dataclass(frozen=True)
class Broken:
    """Raise an error, or return a value that cannot be pickled."""

    how: str

    def prepare(self) -> Callable[[Chunk], object]:
        return self.break_

    def break_(self, chunk: Chunk) -> object:
        if self.how == "policy":
            raise PolicyError("a rule does not fit")
        if self.how == "odd":
            raise Odd(1, 2)
        return lambda: None


@dataclass(frozen=True)
class Nodes:
    """Return the Ray node of each chunk and its line numbers, slowly."""

    def prepare(self) -> Callable[[Chunk], tuple[str, list[int]]]:
        return self.node

    def node(self, chunk: Chunk) -> tuple[str, list[int]]:
        import ray

        time.sleep(0.3)
        return ray.get_runtime_context().get_node_id(), [line.number for line in chunk.lines]
