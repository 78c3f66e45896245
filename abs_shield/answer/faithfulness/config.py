"""The guardrail's configuration as its own format writes it: JSON in, keywords out."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from abs_shield.errors import PolicyError
from abs_shield.text.nearest import nearest
from abs_shield.text.show import escaped, shown

ID = "faithfulness"
_ENTRY = ("enabled", "before", "after", "id", "config")
_CONFIG = (
    "ref", "provider", "context", "threshold", "exclude_out_of_scope_statements", "out_of_scope",
)  # fmt: skip
_SWITCHES = ("enabled", "before", "after")
_LONGEST = 10_000_000


def settings_in(config: Any) -> dict[str, Any]:
    """
    Give the keywords of one configured guardrail.

    Args:
        config: JSON text, or what it holds: ``{"guardrails": [...]}``, that list, one of its
            entries, or an entry's ``config`` alone. The text may lack its outer braces.

    Raises:
        PolicyError: It cannot be read, has not exactly one faithfulness guardrail, or an unknown
            name, with the nearest known one.
    """
    entry = _entry(_parsed(config))
    if "config" not in entry and "id" not in entry:
        return _known(entry, _CONFIG, "config")
    _known(entry, _ENTRY, "guardrail")
    for name in _SWITCHES:
        if not isinstance(entry.get(name, False), bool):
            raise PolicyError(f"guardrail: `{name}` is {shown(entry[name])}; give true or false")
    inner = entry.get("config", {})
    if not isinstance(inner, Mapping):
        raise PolicyError(f"guardrail: `config` is {shown(inner)}; give an object")
    return {name: entry[name] for name in _SWITCHES if name in entry} | _known(
        inner, _CONFIG, "config"
    )


def _parsed(config: Any) -> Any:
    if isinstance(config, bytes):
        config = config.decode("utf-8", "replace")
    if not isinstance(config, str):
        return config
    text = config.lstrip("\ufeff").strip()[:_LONGEST].rstrip(",")
    try:
        return json.loads(f"{{{text}}}" if text.startswith('"guardrails"') else text)
    except (ValueError, RecursionError) as error:
        raise PolicyError(f"guardrail: this is no JSON: {escaped(str(error))}") from None


def _entry(parsed: Any) -> Mapping[str, Any]:
    """The one faithfulness guardrail among those that are configured."""
    if isinstance(parsed, Mapping) and "guardrails" in parsed:
        _known(parsed, ("guardrails",), "configuration")
        parsed = parsed["guardrails"]
    entries = [parsed] if isinstance(parsed, Mapping) else parsed
    if not isinstance(entries, list) or not all(isinstance(one, Mapping) for one in entries):
        raise PolicyError(f"guardrail: got {shown(parsed)}; give an object with `guardrails`")
    for one in entries:
        if one.get("id", ID) != ID:
            hint = f'this is `"{ID}"`; load its entry alone'
            raise PolicyError(f"guardrail: {shown(one['id'])} is not known here; {hint}")
    if len(entries) != 1:
        raise PolicyError(f"guardrail: got {len(entries)} of `{ID}`; load one entry at a time")
    return dict(entries[0])


def _known(given: Mapping[str, Any], names: Iterable[str], where: str) -> dict[str, Any]:
    for name in given:
        if name not in names:
            near = nearest(str(name), names)
            hint = f"; did you mean `{near[0]}`?" if near else ""
            raise PolicyError(f"{where}: `{escaped(str(name))}` is not known{hint}")
    return dict(given)
