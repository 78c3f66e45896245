"""
Versions under test: a command, a function or an endpoint that answers cases.

All use the same protocol. Input: one JSON object per line, ``{"id": "c1", "prompt": "..."}``.
Output: one JSON object per line, ``{"id": "c1", "answer": "..."}``, each case once, in any order.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import TypeAlias
from urllib.error import URLError
from urllib.request import Request, urlopen

from abs_shield.errors import ShieldError
from abs_shield.flywheel.cases import EvaluationCase, numbered_lines
from abs_shield.flywheel.version_artifact import absolute, hash_at
from abs_shield.text.safe_display import escaped, shown


def run_program(words: Sequence[str], stdin: str, *, timeout_s: float, who: str) -> bytes:
    """
    Run a program without a shell, and return its standard output.

    Args:
        words: The program and its arguments.
        stdin: Its standard input.
        timeout_s: Time limit in seconds; then it is killed with its child processes.
        who: Name of the program in messages.

    Raises:
        ShieldError: It cannot be started, times out, or its exit code is not 0.
    """
    try:
        process = subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,  # its own process group, so that children can be killed with it
        )
    except (OSError, ValueError) as error:
        raise ShieldError(f"{who}: cannot start {shown(words[0])}: {escaped(str(error))}") from None
    try:
        out, errors = process.communicate(stdin.encode(), timeout=timeout_s)
    except subprocess.TimeoutExpired:
        raise ShieldError(f"{who}: not done within {timeout_s:g} s") from None
    finally:
        _end(process)
    if process.returncode:
        # errors end a log
        reason = escaped(errors.decode("utf-8", "replace").strip()[-300:], limit=300)
        raise ShieldError(f"{who}: exit code {process.returncode}: {reason or 'no message'}")
    return out


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill the program and its remaining child processes."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            with suppress(OSError):
                stream.close()


Answers: TypeAlias = dict[str, str]
Candidate: TypeAlias = Callable[[Sequence[EvaluationCase]], Answers]
"""A callable that returns an answer for each case, by id."""

Places: TypeAlias = tuple[str, ...]
"""Files, folders, ``module:attr`` or addresses that define a version."""

_LONGEST = 200_000_000
"""Maximum size of the answers, in bytes: a program may never stop writing."""


@dataclass(frozen=True, slots=True)
class Function:
    """
    A version that is a Python callable: a prompt in, a text out.

    Attributes:
        answer: The callable.
        places: The files that define it, by which `promote` recognises what was evaluated.
    """

    answer: Callable[[str], str]
    places: Places = ()

    def __call__(self, cases: Sequence[EvaluationCase]) -> Answers:
        """
        Return an answer for each case.

        Raises:
            ShieldError: The function raises, or returns something other than a string.
        """
        return {case.id: self._one(case) for case in cases}

    def _one(self, case: EvaluationCase) -> str:
        try:
            answer = self.answer(case.prompt)
        except Exception as error:
            raise ShieldError(
                f"candidate: case `{escaped(case.id)}`: {type(error).__name__}:"
                f" {escaped(str(error), limit=200)}"
            ) from error
        if not isinstance(answer, str):
            raise ShieldError(
                f"candidate: case `{escaped(case.id)}`: it answers {shown(answer)}; return a text"
            )
        return answer


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """
    A version that is a program, run without a shell.

    It reads cases from standard input and writes answers to standard output. The words ``{cases}``
    and ``{answers}`` are replaced by the paths of files. Exit code 0 means that all cases are
    answered.

    Attributes:
        words: The program and its arguments.
        timeout_s: Time limit for all cases; then it is killed with its child processes.
        made_of: What defines it, in addition to the files and folders among its words.
    """

    words: tuple[str, ...]
    # a few hundred cases with a second each
    timeout_s: float = 600.0
    made_of: Places = ()

    @property
    def places(self) -> Places:
        """The files and folders among its words, and what was declared."""
        return (*filter(_is_part, map(_value, self.words)), *self.made_of)

    def __call__(self, cases: Sequence[EvaluationCase]) -> Answers:
        """
        Return an answer for each case.

        Raises:
            ShieldError: It cannot be started, fails, times out, or does not answer a case.
        """
        with TemporaryDirectory(prefix="abs-shield-") as folder:
            files = {"{cases}": Path(folder) / "cases", "{answers}": Path(folder) / "answers"}
            files["{cases}"].write_text(_lines(cases), encoding="utf-8")
            words = [str(files.get(word, word)) for word in self.words]
            # a program that reads the file might not read its input, and a full pipe would block it
            stdin = "" if "{cases}" in self.words else _lines(cases)
            out = run_program(words, stdin, timeout_s=self.timeout_s, who="candidate")[:_LONGEST]
            if "{answers}" in self.words:
                out = _file(files["{answers}"])
        return read_answers(out, cases)


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """
    A version served over HTTP: cases are posted as JSON lines, and answers returned as such.

    Attributes:
        url: Its address.
        headers: Further headers, such as for authorization.
        timeout_s: Time limit for all answers.
        made_of: What defines the endpoint, such as the file of the model that it serves.
    """

    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    timeout_s: float = 600.0
    made_of: Places = ()

    @property
    def places(self) -> Places:
        """Its address, and what was declared."""
        return (self.url, *self.made_of)

    def __call__(self, cases: Sequence[EvaluationCase]) -> Answers:
        """
        Return an answer for each case.

        Raises:
            ShieldError: It is unreachable, rejects the request, or does not answer a case.
        """
        # urllib also opens `file:` addresses
        if not self.url.startswith(("http://", "https://")):
            raise ShieldError(f"candidate: {shown(self.url)} is not an HTTP address")
        headers = {"content-type": "application/x-ndjson", **self.headers}
        request = Request(self.url, data=_lines(cases).encode(), headers=headers)
        try:
            body = _run_with_timeout(self.timeout_s, lambda: self._post(request))
        except (URLError, HTTPException, OSError, ValueError) as error:
            reason = escaped(str(error) or type(error).__name__, limit=200)
            raise ShieldError(f"candidate: {escaped(self.url)} does not answer: {reason}") from None
        return read_answers(body, cases)

    def _post(self, request: Request) -> bytes:
        with urlopen(request, timeout=self.timeout_s) as response:
            body: bytes = response.read(_LONGEST)
        return body


def _run_with_timeout(timeout_s: float, work: Callable[[], bytes]) -> bytes:
    """
    Run *work* in a thread with a time limit, because urllib limits only each single read.

    Raises:
        TimeoutError: The limit is exceeded; the thread ends with its connection.
    """
    done: Future[bytes] = Future()

    def run() -> None:
        try:
            done.set_result(work())
        except Exception as error:
            done.set_exception(error)

    # a daemon, so that an endpoint that never answers cannot keep the process alive
    Thread(target=run, name="abs_shield endpoint", daemon=True).start()
    try:
        return done.result(timeout_s)
    except TimeoutError:
        raise TimeoutError(f"not done within {timeout_s:g} s") from None


def hashes_of(version: Candidate) -> dict[str, str]:
    """
    Return the hashes of the files and addresses that define a version, by place.

    Your own callable may have ``places``, a tuple of files, folders, ``module:attr`` or addresses;
    without them it has no hashes, and can only be promoted with an override.

    Raises:
        StoreError: One of its places is missing.
    """
    return {absolute(place): hash_at(place) for place in getattr(version, "places", ())}


def _value(word: str) -> str:
    """Return the path of ``--model=path``, or the word."""
    return word if Path(word).exists() else word.rpartition("=")[2]


def _is_part(word: str) -> bool:
    """Return whether a word is a file, or a folder that does not contain the working folder."""
    path = Path(word)
    try:
        # `.` among the words is an option, and hashing a whole project would change with every edit
        return path.is_file() or (path.is_dir() and path.resolve() not in _around())
    except (OSError, ValueError):  # too long for a file name, or with a NUL byte
        return False


def _around() -> tuple[Path, ...]:
    here = Path.cwd()
    return (here, *here.parents)


def read_answers(out: bytes, cases: Iterable[EvaluationCase]) -> Answers:
    """
    Parse answers from JSON lines.

    Raises:
        ShieldError: A line is not an answer, has an unknown or repeated id, or a case has none.
    """
    wanted, answers = {case.id for case in cases}, Answers()
    for number, line in numbered_lines(out.decode("utf-8", "replace")):
        try:
            record = json.loads(line)
            name, answer = str(record["id"]), record["answer"]
        except (ValueError, TypeError, KeyError, RecursionError):
            hint = 'write {"id": ..., "answer": ...}'
            raise ShieldError(f"candidate: line {number} is not an answer; {hint}") from None
        if not isinstance(answer, str):
            raise ShieldError(f"candidate: line {number}: `answer` is {shown(answer)}; give a text")
        # an answer too many means that the program lost track of the cases: no grade would be safe
        if name not in wanted or name in answers:
            what = "answers a case twice" if name in answers else "answers no case"
            raise ShieldError(f"candidate: line {number} {what}: {shown(name)}")
        answers[name] = answer
    missing = sorted(wanted - answers.keys())
    if missing:
        raise ShieldError(
            f"candidate: {len(missing)} of {len(wanted)} cases have no answer, such as"
            f" {shown(missing[0])}"
        )
    return answers


def _lines(cases: Iterable[EvaluationCase]) -> str:
    """Return the cases as JSON lines, without the expected answers."""
    return "".join(json.dumps({"id": case.id, "prompt": case.prompt}) + "\n" for case in cases)


def _file(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(_LONGEST)
    except FileNotFoundError:
        raise ShieldError("candidate: exit code 0, but it wrote no answers") from None
