"""Load a policy from ``package.module:attr`` or ``path/to/file.py:attr``."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from traceback import walk_tb
from types import ModuleType
from typing import Any

from abs_shield.core.digest import digest
from abs_shield.errors import PolicyError
from abs_shield.policy.configuration import configure
from abs_shield.policy.declaration_base import SourceLocation
from abs_shield.policy.policy import Policy
from abs_shield.text.nearest import nearest
from abs_shield.text.safe_display import escaped

_PACKAGE = str(Path(__file__).parents[1])
_MOST_FILES = 1_000  # files whose names are compared for a hint
_LOADED_FOLDERS: set[Path] = set()
"""The folders of the files that were loaded."""


def load_policy(place: str) -> Policy:
    """
    Import a policy.

    Args:
        place: ``"package.module:attr"`` or ``"path/to/file.py:attr"``; ``attr`` is a `Policy`, a
            mapping for `configure`, or a `Shield`, whose policy then has its registered tools. A
            file may import modules in its folder.

    Raises:
        PolicyError: The module cannot be imported, has no such attribute, or it is not a policy.
    """
    value = load(place)
    # By its attribute, as this package does not import that of the Shield.
    value = getattr(value, "declared_policy", value)
    if isinstance(value, Policy):
        return value
    if isinstance(value, Mapping):
        # A mapping has no place of declaration, but its file is known.
        source = SourceLocation(_source_file(place))
        try:
            return configure(value).placed(source)
        except PolicyError as error:
            raise _located(error, source) from error
    raise PolicyError(
        f"`{place}` is not a policy but `{type(value).__name__}`; create it with `shield.configure`"
    )


def load(place: str) -> Any:
    """
    Import an object.

    Args:
        place: ``"package.module:attr"`` or ``"path/to/file.py:attr"``.

    Raises:
        PolicyError: The module cannot be imported, or has no such attribute.
    """
    where, colon, attribute = place.rpartition(":")
    if not colon or not where or not attribute:
        form = f"{place}:policy" if place.endswith(".py") else "package.module:attr"
        raise PolicyError(f"`{place}` is not the place of a policy; write `{form}`")
    module = _import_module(where)
    value: Any = module
    # The attribute may be nested: `module:Settings.policy`.
    for part in attribute.split("."):
        if not hasattr(value, part):
            near = nearest(part, dir(value))
            hint = f"did you mean `{near[0]}`?" if near else "name its attribute"
            raise PolicyError(f"`{where}` has no attribute `{part}`; {hint}")
        value = getattr(value, part)
    return value


def _source_file(place: str) -> str:
    """Return the file of the module that *place* names, which is already imported."""
    where = place.rpartition(":")[0]
    if where.endswith(".py"):
        return where
    return str(getattr(sys.modules.get(where), "__file__", None) or "")


def _import_module(where: str) -> ModuleType:
    try:
        return _import_file(Path(where)) if where.endswith(".py") else _import_by_name(where)
    # Raised by the declaration of the policy itself, with a better message.
    except PolicyError as error:
        raise _located(error, location_of(error)) from error
    except ModuleNotFoundError as error:
        near = nearest(str(error.name), [path.stem for path in _python_files(Path())])
        hint = f"; did you mean `{near[0]}`?" if near else ""
        raise PolicyError(
            f"cannot import `{where}`: there is no module `{error.name}`{hint}"
        ) from None
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


def location_of(error: BaseException) -> SourceLocation | None:
    """Return the last line of the user's own code in a traceback; None if it has none."""
    own = [
        SourceLocation(frame.f_code.co_filename, line)
        for frame, line in walk_tb(error.__traceback__)
        # not of this package, nor of an import
        if not frame.f_code.co_filename.startswith((_PACKAGE, "<"))
        and "importlib" not in frame.f_code.co_filename
    ]
    return own[-1] if own else None


def _located(error: PolicyError, location: SourceLocation | None) -> PolicyError:
    """Return the error with its file, relative to the working directory if below it, and line."""
    if location is None or not location.file:
        return error
    file = location.file.removeprefix(f"{Path.cwd()}/")
    return PolicyError(f"{escaped(str(SourceLocation(file, location.line)), limit=200)}: {error}")


def _python_files(folder: Path) -> list[Path]:
    """Return the Python files of a folder, for hints; none if it cannot be read."""
    with suppress(OSError):
        return sorted(islice(folder.glob("*.py"), _MOST_FILES))
    return []


def _import_by_name(name: str) -> ModuleType:
    # As `python -m` does, so that a policy in the working directory is found.
    if "" not in sys.path and "." not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    return importlib.import_module(name)


def _import_file(path: Path) -> ModuleType:
    if not path.is_file():
        near = nearest(path.name, [other.name for other in _python_files(path.parent)])
        hint = f"; did you mean `{path.with_name(near[0])}`?" if near else ""
        raise PolicyError(f"there is no file `{path}`{hint}")
    # named by path, because two versions of a file may be loaded
    name = f"_abs_shield_policy_{path.stem}_{digest(str(path.resolve()), size=8).hex()}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise PolicyError(f"`{path}` is not a Python file")
    module = importlib.util.module_from_spec(spec)
    # Before it is executed, because dataclasses and pydantic look up the module by name.
    sys.modules[spec.name] = module
    try:
        with _sibling_imports(path.resolve().parent):
            spec.loader.exec_module(module)
    # Even if it is interrupted: a partially executed module must not be found later.
    except BaseException:
        del sys.modules[spec.name]
        raise
    return module


@contextmanager
def _sibling_imports(folder: Path) -> Iterator[None]:
    """
    Let a file import the modules in its folder, as `python file.py` does.

    The folder stays at the end of `sys.path`, because rules may import modules when they run.
    Modules of the same names from other loaded folders are hidden meanwhile, so that two versions
    of a policy each import their own modules.
    """
    names = [name for name in [*sys.modules] if _is_foreign_namesake(name, folder)]
    hidden = {name: sys.modules.pop(name) for name in names}
    sys.path.insert(0, str(folder))
    _LOADED_FOLDERS.add(folder)
    try:
        yield
    finally:
        sys.modules.update(hidden)
        # The file may have removed the folder itself.
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
