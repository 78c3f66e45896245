"""Markdown blocks of an answer: prose, list items, table rows and headings, without code."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

_TAG = re.compile(
    r"<(/?)([A-Za-z][\w-]{0,40})"
    r"(?:\s{1,4}[\w:-]{1,40}\s{0,4}=\s{0,4}(?:\"[^\"<>]{0,300}\"|'[^'<>]{0,300}'|[^\s<>\"']{1,300})){0,9}"
    r"\s{0,4}/?>"
)
_REASONING = frozenset({"think", "thinking", "thought", "reasoning", "scratchpad", "reflection"})


def without_markup(answer: str) -> str:
    """
    Return *answer* with its tags and closed reasoning blocks replaced by blanks, of equal length.

    An unclosed block is kept. Time is linear.

    >>> without_markup("<think>Maybe 5?</think>It is <b>4</b>.").split()
    ['It', 'is', '4', '.']
    """
    if "<" not in answer:
        return answer
    pieces, behind = [], 0
    for start, end in _hidden_spans(answer):
        if start >= behind:
            pieces += [answer[behind:start], re.sub(r"[^\n]", " ", answer[start:end])]
            behind = end
    return "".join([*pieces, answer[behind:]])


_JSON = re.compile(
    r'"(?P<text>(?:[^"\\]|\\.)*)"(?P<key>\s*:(?P<prose>(?=\s*"[^"\\]{0,99}\s))?)?|[{}\[\],]',
    re.DOTALL,
)
_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{4}|.)", re.DOTALL)
_LINES = {"n": "\n", "r": "\n", "t": "\t"}


def without_json(answer: str) -> str:
    """
    Return an answer that is a JSON object as plain lines, of equal length; other text as it is.

    Quotes, braces and the names of fields with prose become blanks, and escaped line breaks become
    line breaks. Time is linear.

    >>> without_json('{"message": "It is paid.\\\\nSee W-7."}').split("\\n")
    ['             It is paid. ', 'See W-7.  ']
    >>> without_json("{order} is paid.")
    '{order} is paid.'
    """
    text = answer.strip()
    if not (text.startswith("{") and text.endswith("}")) or not _is_object(text):
        return answer
    return _JSON.sub(_plain, answer)


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):  # braces of a template, or JSON too deep to be an answer
        return False


def _plain(part: re.Match[str]) -> str:
    if part["text"] is None:
        return "\n" if part[0] == "," else " "
    if part["prose"] is not None:
        return " " * len(part[0])
    text = _ESCAPE.sub(_unescape, part["text"])
    return f" {text} " if part["key"] is None else f"  {text}{part['key']}"


def _unescape(escape: re.Match[str]) -> str:
    """Return the character of an escape, after blanks so that the length stays the same."""
    code = escape[0][1]
    character = chr(int(escape[0][2:], 16)) if len(escape[0]) > 2 else _LINES.get(code, code)
    # half of a character outside the basic plane is no text
    return (" " if "\ud800" <= character <= "\udfff" else character).rjust(len(escape[0]))


def _hidden_spans(answer: str) -> Iterator[tuple[int, int]]:
    """Yield the offsets of tags and reasoning blocks, in order of their starts."""
    tags = list(_TAG.finditer(answer))
    ends: dict[str, list[int]] = defaultdict(list)
    for tag in tags:
        if tag[1]:
            ends[tag[2].lower()].append(tag.end())
    for tag in tags:
        name = tag[2].lower()
        # an unclosed block hides nothing, or a model could hide its answer
        closed = ends[name] if name in _REASONING and not tag[1] else []
        # the nearest end; sorted, so a search by halves keeps the time linear
        first = bisect_right(closed, tag.end())
        yield tag.start(), closed[first] if first < len(closed) else tag.end()


_LINE = re.compile(r"[^\n]*\n|[^\n]+")
# bounded repeats, here and below: an answer may be one line of a megabyte
_FENCE = re.compile(r"\s{0,3}(?:> ?){0,8}(`{3,64}|~{3,64})[ \t]*([\w+-]{0,32})")
_PROSE_FENCE = frozenset({"text", "txt", "plaintext", "markdown", "md"})
_QUOTE = re.compile(r"[ \t]{0,64}(?:>[ \t]?){1,64}")
_HEADING = re.compile(r"[ \t]{0,3}#{1,6}[ \t]+")
_ITEM = re.compile(
    r"[ \t]*(?:[-*+\u2022\u2023\u25aa\u25cf\u2013\u2014\u30fb][ \t]+|(?:\d{1,4}|[a-zA-Z])[.)][ \t]+"
    r"|\(\d{1,4}\)[ \t]+)(?:\[[ xX]\][ \t]+)?"
)
_RULE = re.compile(r"[\s|:+=*_.\-\u2500-\u257f]*")
_MARKUP = re.compile(r"[*`~]{1,3}|(?<!\w)_{1,3}(?=\w)|(?<=\w)_{1,3}(?!\w)")
_STOPS = ".!?:;\u3002\uff01\uff1f\u2026|"
_WRAPPED = 50
"""Characters of a line from which on its end may be a line wrap; shorter lines end on purpose."""


class BlockForm(StrEnum):
    """The layout of a block."""

    PROSE = "prose"
    ITEM = "item"
    ROW = "row"
    HEADING = "heading"


@dataclass(frozen=True, slots=True)
class MarkdownBlock:
    """
    A paragraph, a list item, a table row or a heading.

    Attributes:
        form: Its layout.
        start: Offset of its first character in the answer.
        text: Its text, of the same length as in the answer; layout marks are replaced by blanks.
    """

    form: BlockForm
    start: int
    text: str


def blocks(answer: str) -> Iterator[MarkdownBlock]:
    """
    Yield the blocks of *answer* that may contain claims, in order and in linear time.

    Fenced code is left out, unless the fence is marked as text, and so are tags and closed
    reasoning blocks; unclosed ones are kept. A line of 50 characters or more without a final stop
    is joined with a next line that begins in lower case.

    >>> [(b.form.value, b.text.strip()) for b in blocks("# Trip\\n- **Seat** 4\\n```\\nx\\n```")]
    [('heading', 'Trip'), ('item', 'Seat   4')]
    """
    last: MarkdownBlock | None = None
    for block in _without_rules(_lines(without_markup(answer))):
        if last and _continues(last, block):
            gap = " " * (block.start - last.start - len(last.text))
            last = MarkdownBlock(last.form, last.start, last.text.rstrip("\r\n") + gap + block.text)
            continue
        if last:
            yield last
        last = block
    if last:
        yield last


def has_code(answer: str) -> bool:
    """
    Return whether *answer* has fenced code, which is left out.

    >>> has_code("```\\nx = 1\\n```"), has_code("`x`")
    (True, False)
    """
    lines = [(line.start(), line[0]) for line in _LINE.finditer(without_markup(answer))]
    return any(code for _, _, code in _fences(lines))


def _continues(block: MarkdownBlock, following: MarkdownBlock) -> bool:
    """Return whether a sentence of *block* continues in the *following* one."""
    if block.form not in (BlockForm.PROSE, BlockForm.ITEM) or following.form is not BlockForm.PROSE:
        return False
    end = block.text[-400:].rstrip()  # 400 characters: enough for the last word and its stop
    ended = not end or end[-1] in _STOPS or len(block.text) - block.text.rfind("\n") < _WRAPPED
    return not ended and following.text.lstrip()[:1].islower()


def _lines(answer: str) -> Iterator[MarkdownBlock]:
    """Yield the lines outside code, each with its layout."""
    for start, line in _outside_code(answer):
        text = line.rstrip("\r\n")
        if not text or text.isspace():
            yield MarkdownBlock(BlockForm.PROSE, start, text)
            continue
        text = _QUOTE.sub(_blanks, text, count=1)
        form = BlockForm.PROSE
        for pattern, layout in ((_HEADING, BlockForm.HEADING), (_ITEM, BlockForm.ITEM)):
            if mark := pattern.match(text):
                text, form = _blanks(mark) + text[mark.end() :], layout
                break
        if form is BlockForm.PROSE and text.lstrip().startswith("|"):
            form = BlockForm.ROW
        yield MarkdownBlock(form, start, _MARKUP.sub(_blanks, text))


def _blanks(mark: re.Match[str]) -> str:
    return " " * len(mark[0])


def _outside_code(answer: str) -> Iterator[tuple[int, str]]:
    lines = [(line.start(), line[0]) for line in _LINE.finditer(answer)]
    behind = 0
    for first, last, code in _fences(lines):
        yield from lines[behind:first]
        yield from () if code else lines[first + 1 : last]
        behind = last + 1
    yield from lines[behind:]


def _fences(lines: list[tuple[int, str]]) -> Iterator[tuple[int, int, bool]]:
    """Yield the first and the last line of each closed fence, and whether it contains code."""
    opened: tuple[int, str, str] | None = None
    for n, (_, line) in enumerate(lines):
        fence = _FENCE.match(line)
        if fence is None:
            continue
        if opened is None:
            opened = n, fence[1], fence[2].lower()
        # a closing fence is at least as long, of the same character, and without a word
        elif fence[1].startswith(opened[1]) and not line[fence.end() :].strip() and not fence[2]:
            yield opened[0], n, opened[2] not in _PROSE_FENCE
            opened = None


def _without_rules(lines: Iterator[MarkdownBlock]) -> Iterator[MarkdownBlock]:
    """Yield blocks without rules and table headers; an underlined line becomes a heading."""
    last: MarkdownBlock | None = None
    for block in lines:
        is_rule = _RULE.fullmatch(block.text) is not None
        if is_rule and last and "-" in block.text and "|" in block.text and "|" in last.text:
            last = None  # a table's header names columns and states nothing
        elif is_rule and last and _is_underlined(last, block):
            last = MarkdownBlock(BlockForm.HEADING, last.start, last.text)
        if last:
            yield last
        last = None if is_rule else block
    if last:
        yield last


def _is_underlined(block: MarkdownBlock, rule: MarkdownBlock) -> bool:
    marks = rule.text.strip()
    plain = len(marks) > 2 and set(marks) in ({"="}, {"-"})
    return plain and block.form is BlockForm.PROSE and block.text.rstrip()[-1:] not in _STOPS
