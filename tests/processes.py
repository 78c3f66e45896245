"""Python processes that tests start with the package of this checkout."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]


def run_python(
    *arguments: str | os.PathLike[str],
    check: bool = True,
    timeout: float = 120.0,
    variables: Mapping[str, str] | None = None,
    **options: Any,
) -> subprocess.CompletedProcess[str]:
    """
    Run Python to its end, and return its output.

    Args:
        arguments: The arguments of Python.
        check: Raise if the exit code is not 0.
        timeout: Time limit in seconds.
        variables: Environment variables in addition to those of the tests.
        options: More options of `subprocess.run`, such as `cwd` and `input`.
    """
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **(variables or {})}
    return subprocess.run(
        [sys.executable, *arguments], env=environment, capture_output=True, text=True,
        check=check, timeout=timeout, **options,
    )  # fmt: skip


def load_benchmark(name: str) -> Any:
    """Return a benchmark as a module; `benchmarks/` is not a package."""
    path = ROOT / "benchmarks" / f"{name}.py"
    if str(path.parent) not in sys.path:
        sys.path.insert(0, str(path.parent))  # for the modules that it imports
    spec = spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run_benchmark(name: str, *options: str | os.PathLike[str]) -> str:
    """Return the output of a benchmark; raise if it fails."""
    return run_python(ROOT / "benchmarks" / f"{name}.py", *options, timeout=900).stdout
