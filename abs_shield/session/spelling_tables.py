"""Tables of the spellings in which values occur in a run, other than verbatim."""

from __future__ import annotations

import re
from itertools import filterfalse

from abs_shield.session.compound_spellings import spellings_of
from abs_shield.session.packed_tables import PackedTable, SpellingTable, unpack
from abs_shield.session.recent_text import At
from abs_shield.text.digit_groups import groups
from abs_shield.text.separatorless import SeparatorlessText
from abs_shield.text.spelling_equivalence import is_same_spelling, may_be_several

_LEAST_GROUPED = 4  # digits; fewer in groups are counts, scores and days
_PADDED = re.compile(r"0(?<!\w0)\d")
_NEGATIVE = re.compile(r"-(?<![\w.,)\]%-]-)\d[\d.,]*")
_CELL = re.compile(
    r"(?:\A|(?<=\| ))(?=[^|]*\d)(?=[^|]*[a-z])(?:[a-z]{1,4}|[a-z]{0,4}\d[a-z0-9]{0,11})"
    r"(?:[ /-](?:[a-z]{1,4}|[a-z]{0,4}\d[a-z0-9]{0,11})){1,4}(?=\Z| \|)"
)
"""A code in groups that is the whole value of a result: ``k-10 442``, ``hb/20871``."""
_AS_HYPHENS = str.maketrans(" /_", "---")


class SpellingTables:
    """
    Hashes of the parts, letters and digits of the texts of a run, with their positions.

    Not thread-safe; positions are packed when they are added.

    Attributes:
        parts: Whole words of longer chunks, and folders in paths.
        squeezed: Letters and digits of chunks and of numbers in groups, with their separators.
        grouped: Digits in groups that may be several numbers.
        one: Numbers in groups separated by blanks only.
        cells: Codes that are the whole value of a result.
        unpadded: Numbers after leading zeros.
        negative: Numbers after a minus sign.
    """

    __slots__ = ("cells", "grouped", "negative", "one", "parts", "squeezed", "unpadded")

    def __init__(self) -> None:
        self.parts = PackedTable()
        self.squeezed = SpellingTable()
        self.grouped = SpellingTable()
        self.one = PackedTable()
        self.cells = PackedTable()
        self.unpadded = PackedTable()
        self.negative = PackedTable()

    @property
    def tables(self) -> tuple[PackedTable | SpellingTable, ...]:
        """All tables."""
        return (
            self.parts, self.squeezed, self.grouped, self.one, self.cells, self.unpadded,
            self.negative,
        )  # fmt: skip

    # Adding text ---------------------------------------------------------------------------------

    def add_compounds(self, fresh: list[str], text: str, at: int, own: frozenset[str]) -> None:
        """Index the parts and letters of chunks that have more than letters and digits."""
        parts: list[str] = []
        for chunk in filterfalse(str.isalnum, fresh) if text.isascii() else fresh:
            if not chunk.isalnum() or not chunk.isascii():
                whole = spellings_of(chunk)
                if own:
                    whole = whole.exclude(own)
                parts += whole.parts
                for letters, codes in whole.spellings:
                    self.squeezed.put(letters, at, codes)
                for digits in whole.unpadded:
                    self.unpadded.put(hash(digits), at)
        self.parts.add(map(hash, parts), at)
        if _PADDED.search(text) is not None:
            for chunk in filter(str.isdigit, fresh):
                if chunk[0] == "0":
                    self.unpadded.put(hash(chunk.lstrip("0")), at)

    def add_groups(self, text: str, at: int) -> None:
        """Index digits in groups: those that are one number, and those that may be several."""
        for run in groups(text):
            tight = SeparatorlessText.of(run.text)
            if len(tight.letters) >= _LEAST_GROUPED:
                table = self.squeezed if run.one else self.grouped
                table.put(tight.letters, at, tight.codes[1:-1])
                if run.one and run.text.replace(" ", "").isdigit():
                    self.one.put(hash(tight.letters), at)

    def add_cells(self, text: str, at: int) -> None:
        """Index codes that are the whole value of a result, without or with other separators."""
        for code in _CELL.finditer(text):
            tight = SeparatorlessText.of(code[0])
            if not may_be_several(tight.letters, tight.codes[1:-1]):
                self.cells.put(hash(_remove_gaps(code[0])), at)
                self.cells.put(hash(_hyphenate(code[0])), at)

    def add_negatives(self, text: str, at: int) -> None:
        """Index numbers after a minus sign."""
        if "-" in text:
            for number in _NEGATIVE.findall(text):
                self.negative.put(hash(_plain_number(number)), at)

    # Queries -------------------------------------------------------------------------------------

    def find_part(self, part: str) -> At | None:
        """Return where *part* is a whole word of a longer chunk, or a folder in a path."""
        return unpack(self.parts.get(hash(part)))

    def find(self, letters: str, spelt: bytes, *, grouped: bool) -> At | None:
        """Return where a value with these letters and digits has equivalent separators."""
        if not any(spelt) and (one := self.one.get(hash(letters))) is not None:
            return unpack(one)
        for table in (self.squeezed, self.grouped) if grouped else (self.squeezed,):
            entry = table.get(letters)
            if entry is not None and is_same_spelling(letters, spelt, entry[1]):
                return unpack(entry[0])
        return None

    def find_cell(self, text: str) -> At | None:
        """Return where a code is the whole value of a result."""
        at = self.cells.get(hash(text))
        return unpack(self.cells.get(hash(_hyphenate(text))) if at is None else at)

    def find_unpadded(self, digits: str) -> At | None:
        """Return where *digits* occur after leading zeros."""
        return unpack(self.unpadded.get(hash(digits)))

    def find_negative(self, number: str) -> At | None:
        """Return where a number occurs with its minus sign."""
        return unpack(self.negative.get(hash(_plain_number(number))))

    def may_contain(self, forms: set[str], letters: set[str]) -> bool:
        """Return whether a table may have one of several spellings, or their letters and digits."""
        if not self.parts.isdisjoint([*map(hash, forms)]):
            return True
        hashes = [*map(hash, letters)]
        return not all(table.isdisjoint(hashes) for table in (self.squeezed, self.one))


def _remove_gaps(code: str) -> str:
    """Return a code without its blanks and slashes."""
    return code.replace(" ", "").replace("/", "")


def _hyphenate(code: str) -> str:
    """Return a code with hyphens in place of its other separators."""
    return code.translate(_AS_HYPHENS)


def _plain_number(number: str) -> str:
    """Return a number without commas and without trailing zeros after its decimal point."""
    plain = number.replace(",", "").rstrip(".")
    return plain.rstrip("0").rstrip(".") if "." in plain else plain
