"""The location of a version (file, folder, module attribute or address) and its hash."""

from __future__ import annotations

from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

from abs_shield.errors import StoreError
from abs_shield.text.safe_display import escaped

_CHUNK = 1 << 20  # 1 MiB: weights of a model have gigabytes, and must not be read as a whole


def absolute(location: str) -> str:
    """
    Return a location as an absolute path; a module location is returned unchanged.

    >>> absolute("json:loads")
    'json:loads'
    """
    if is_address(location):
        return location
    path, colon, attribute = _split(location)
    return location if path is None else f"{path.resolve()}{colon}{attribute}"


def is_address(location: str) -> bool:
    """Return whether a location is the address of an endpoint."""
    return location.startswith(("http://", "https://"))


def attribute_of(location: str) -> str:
    """
    Return the attribute of a location; empty for a file, a folder or an address.

    >>> attribute_of("json:loads"), attribute_of("prompt.txt"), attribute_of("http://a:80/")
    ('loads', '', '')
    """
    return "" if is_address(location) else _split(location)[2]


def hash_at(location: str) -> str:
    """
    Return the SHA-256 of a location's content: a file, all files of a folder, or the file of a
    module together with the attribute's name. For an address, only the address is hashed.

    Raises:
        StoreError: The location does not exist or cannot be read.
    """
    if is_address(location):
        return sha256(location.encode()).hexdigest()
    where, _, attribute = _split(location)
    path = where or _module_file(location)
    try:
        if attribute:
            # with the attribute: one file may hold several versions
            return sha256(f"{_file_hash(path)} {attribute}".encode()).hexdigest()
        if path.is_dir():
            # the order of a disk varies
            files = sorted(one for one in path.rglob("*") if one.is_file())
            lines = [f"{one.relative_to(path).as_posix()} {_file_hash(one)}" for one in files]
            return sha256("\n".join(lines).encode()).hexdigest()
        return _file_hash(path)
    except OSError as error:
        reason = escaped(str(error.strerror or error), limit=200)
        shown_location = escaped(location, limit=300)
        raise StoreError(
            f"flywheel: {shown_location}: {reason}; name a file that can be read"
        ) from None


def _split(location: str) -> tuple[Path | None, str, str]:
    """Return the path of a location (None for a module), the colon, and the attribute."""
    where, colon, attribute = location.rpartition(":")
    # before the check for a file, because `policy.py:POLICY` is no file
    if colon and where.endswith(".py"):
        return Path(where), colon, attribute
    if not colon or Path(location).exists():
        return Path(location), "", ""
    return None, colon, attribute


def _module_file(location: str) -> Path:
    module = location.rpartition(":")[0]
    try:
        spec = find_spec(module)
    # `find_spec` imports the parent packages, which may be missing or no packages
    except (ImportError, ValueError, AttributeError):
        spec = None
    if spec is None:  # policies are loaded from the working folder as well
        here = Path(*module.split(".")).with_suffix(".py")
        if here.is_file():
            return here
    if spec is None or not spec.origin:
        raise StoreError(f"flywheel: there is no module `{escaped(module)}`; name a file or module")
    return Path(spec.origin)


def _file_hash(path: Path) -> str:
    digest = sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()
