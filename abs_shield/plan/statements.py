"""What a statement that ran brings into being: a table of SQL, a folder or a branch of a shell."""

from __future__ import annotations

import re

_MAKING = re.compile(
    r"\bcreate\s{1,4}(?:or\s{1,4}replace\s{1,4})?(?:temp(?:orary)?\s{1,4})?"
    r"(?:table|view|database|schema|index|function|procedure|sequence|role|user|collection)\s{1,4}"
    r"(?:if\s{1,4}not\s{1,4}exists\s{1,4})?([^\s(;,]{1,128})"
    r"|\b(?:mkdir(?:\s{1,4}-p)?|touch|git\s{1,4}(?:checkout|switch)\s{1,4}-[bBc]"
    r"|git\s{1,4}branch|(?:cp|mv)\s{1,4}[^\s-]\S{0,128})\s{1,4}([^\s;|&]{1,128})",
    re.IGNORECASE,
)


def made_in(text: str) -> list[str]:
    """
    Give the names of what statements in *text* make.

    >>> made_in("CREATE TABLE IF NOT EXISTS a.b (x int)"), made_in("cd /srv && mkdir -p out")
    (['a.b'], ['out'])
    """
    return [(table or path).strip("\"'`") for table, path in _MAKING.findall(text)]
