"""Load a policy from ``package.module:attr`` or ``path/to/file.py:attr``."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import ModuleType
from typing import Any

from abs_shield.core.digest import digest
from abs_shield.errors import PolicyError
from abs_shield.policy.configuration import configure
from abs_shield.policy.declaration_base import SourceLocation
from abs_shield.policy.policy import Policy
from abs_shield.text.nearest import nearest
from abs_shield.text.safe_display import escaped

_LOADED_FOLDERS: set[Path] = set()
"""The folders of the files loaded so far."""


def load_policy(place: str) -> Policy:
    """
    Import the policy that *place* names.

    Args:
        place: ``"package.module:attr"`` or ``"path/to/file.py:attr"``; ``attr`` may be a
            `Policy`, or a mapping as `configure` takes it. A file may import the modules beside
            it.

    Raises:
        PolicyError: The module cannot be imported, has no such attribute, or it is not a policy.
    """
    value = load(place)
    if isinstance(value, Policy):
        return value
    if isinstance(value, Mapping):
        # A mapping has no place of its own; the file at least is known.
        return configure(value).placed(SourceLocation(_file(place)))
    raise PolicyError(
        f"`{place}` is not a policy but `{type(value).__name__}`; make it with `shield.configure`"
    )


def load(place: str) -> Any:
    """
    Import the object that *place* names.

    Raises:
        PolicyError: The module cannot be imported, or has no such attribute.
    """
    where, colon, attribute = place.rpartition(":")
    if not colon or not where or not attribute:
        raise PolicyError(f"`{place}` is not the place of a policy; write `package.module:attr`")
    module = _module(where, place)
    value: Any = module
    # A dot leads into an object: `module:Settings.policy`.
    for part in attribute.split("."):
        if not hasattr(value, part):
            near = nearest(part, dir(value))
            hint = f"did you mean `{near[0]}`?" if near else "name its attribute"
            raise PolicyError(f"`{where}` has no attribute `{part}`; {hint}")
        value = getattr(value, part)
    return value


def _file(place: str) -> str:
    """Return the file of the module that *place* names, which is already imported."""
    where = place.rpartition(":")[0]
    if where.endswith(".py"):
        return where
    return str(getattr(sys.modules.get(where), "__file__", None) or "")


def _module(where: str, place: str) -> ModuleType:
    try:
        return _from_file(Path(where)) if where.endswith(".py") else _from_name(where)
    # Raised by the policy itself while it is declared: it says more than "cannot import".
    except PolicyError:
        raise
    except ModuleNotFoundError as error:
        raise PolicyError(f"cannot import `{where}`: there is no module `{error.name}`") from None
    # A module that calls `sys.exit` would end the program that loads it.
    except SystemExit:
        raise PolicyError(
            f"cannot import `{where}`: it ends the program; put that behind"
            ' `if __name__ == "__main__":`'
        ) from None
    # A user's module may raise anything.
    except Exception as error:
        raise PolicyError(
            f"cannot import `{where}`: {type(error).__name__}: {escaped(str(error), limit=200)}"
        ) from error


def _from_name(name: str) -> ModuleType:
    # As `python -m` does, so that a policy in the current folder is found.
    if "" not in sys.path and "." not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    return importlib.import_module(name)


def _from_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise PolicyError(f"there is no file `{path}`")
    # two versions of one file may be loaded side by side
    name = f"_abs_shield_policy_{path.stem}_{digest(str(path.resolve()), size=8).hex()}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise PolicyError(f"`{path}` is not a Python file")
    module = importlib.util.module_from_spec(spec)
    # Before it runs: dataclasses and pydantic look the module up by its name.
    sys.modules[spec.name] = module
    try:
        with _sibling_imports(path.resolve().parent):
            spec.loader.exec_module(module)
    # Even where it is interrupted: a half-executed module must not be found later.
    except BaseException:
        del sys.modules[spec.name]
        raise
    return module


@contextmanager
def _sibling_imports(folder: Path) -> Iterator[None]:
    """
    Let a file import the modules beside it, as `python file.py` does.

    The folder stays at the end of the path, for what a rule imports when it runs. Modules that a
    file of another folder imported are hidden meanwhile: with two versions of a policy in two
    folders, each has its own siblings.
    """
    names = [name for name in [*sys.modules] if _is_foreign_namesake(name, folder)]
    hidden = {name: sys.modules.pop(name) for name in names}
    sys.path.insert(0, str(folder))
    _LOADED_FOLDERS.add(folder)
    try:
        yield
    finally:
        sys.modules.update(hidden)
        # The file itself may have removed it.
        with suppress(ValueError):
            sys.path.remove(str(folder))
        if str(folder) not in sys.path:
            sys.path.append(str(folder))


def _is_foreign_namesake(name: str, folder: Path) -> bool:
    """Return whether *folder* has a module of this name that was imported from another folder."""
    top = name.partition(".")[0]
    origin = getattr(sys.modules.get(top), "__file__", None)
    if origin is None:
        return False
    file = Path(origin)
    home = file.parent.parent if file.name == "__init__.py" else file.parent
    if home == folder or home not in _LOADED_FOLDERS:
        return False
    return (folder / f"{top}.py").is_file() or (folder / top).is_dir()
