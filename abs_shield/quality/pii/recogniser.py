"""Recognisers: the pattern, validation and context words of an identifier."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from abs_shield.errors import PolicyError
from abs_shield.text.stem import lowered

_WORD = re.compile(r"[^\W\d_]+")
_CAMEL = re.compile(r"[a-z][A-Z]")
_HUMPS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
# scripts without blanks between words, or with endings joined to them
_UNSPACED = re.compile("[\u0900-\u0dff\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7ff]")
_MOST_BETWEEN = 3
"""Characters between two words of a phrase, as in `driver's license` and `account_-_no`."""


class PhraseMatch(NamedTuple):
    """A phrase and its place in the text."""

    start: int
    end: int
    phrase: str


class Phrases:
    """A set of phrases, searched in time linear in the text, whatever their number."""

    def __init__(self, phrases: Iterable[str]) -> None:
        """Index the phrases by their first word; those without blanks are searched as text."""
        self._unspaced: list[str] = []
        self._context_words: set[str] = set()
        self._by_first: defaultdict[str, list[tuple[str, ...]]] = defaultdict(list)
        for phrase in dict.fromkeys(phrases):
            if _UNSPACED.search(phrase):
                self._unspaced.append(phrase)
            else:
                words = tuple(lowered(word) for word in phrase.split())
                self._by_first[words[0]].append(words)
                self._context_words.update(words)
        self._spelled = {
            tuple(lowered(word) for word in phrase.split()): phrase for phrase in phrases
        }

    def find(self, text: str, windows: Iterable[tuple[int, int]]) -> list[PhraseMatch]:
        """
        Return the phrases in parts of a text, in order.

        >>> some = Phrases(["ssn", "account number"])
        >>> [hit.phrase for hit in some.find("accountNumber, SSN: 1", [(0, 21)])]
        ['account number', 'ssn']
        """
        unspaced = bool(self._unspaced) and not text.isascii()
        matches: list[PhraseMatch] = []
        for start, end in windows:
            words = [one for one in _words(text, start, end) if one[0] in self._context_words]
            matches.extend(hit for n in range(len(words)) for hit in self._at(words, n))
            if unspaced:
                matches.extend(self._in_unspaced(text, start, end))
        if unspaced:
            matches.sort()
        return matches

    def _at(self, words: Sequence[tuple[str, int, int]], first: int) -> Iterator[PhraseMatch]:
        for phrase in self._by_first.get(words[first][0], ()):
            last = first + len(phrase) - 1
            if last < len(words) and all(
                words[first + n][0] == word
                and words[first + n][1] - words[first + n - 1][2] <= _MOST_BETWEEN
                for n, word in enumerate(phrase[1:], 1)
            ):
                yield PhraseMatch(words[first][1], words[last][2], self._spelled[phrase])

    def _in_unspaced(self, text: str, start: int, end: int) -> Iterator[PhraseMatch]:
        if text[start:end].isascii():
            return
        for phrase in self._unspaced:
            place = text.find(phrase, start, end)
            while place >= 0:
                yield PhraseMatch(place, place + len(phrase), phrase)
                place = text.find(phrase, place + len(phrase), end)


def near(
    hits: Sequence[PhraseMatch], start: int, *, before: int, behind: int
) -> Sequence[PhraseMatch]:
    """Return the hits that begin within some characters before and after a place."""
    left = bisect_left(hits, (start - before,))
    right = bisect_left(hits, (start + behind,), left)
    return hits[left:right]


def windows(places: Iterable[int], *, before: int, behind: int) -> list[tuple[int, int]]:
    """
    Return the parts of a text around ordered places; overlapping parts are merged.

    >>> windows([5, 8, 50], before=4, behind=3)
    [(1, 11), (46, 53)]
    """
    merged: list[tuple[int, int]] = []
    for place in places:
        start, end = max(0, place - before), place + behind
        if merged and start <= merged[-1][1]:
            start = merged.pop()[0]
        merged.append((start, end))
    return merged


def _words(text: str, start: int, end: int) -> Iterator[tuple[str, int, int]]:
    """Yield whole words in lower case with their places; `camelCase` is two words."""
    for match in _WORD.finditer(text, start, end):
        word, place = match[0], match.start()
        # the window begins inside a word
        if place == start and place and text[place - 1].isalpha():
            continue
        if not word.islower() and _CAMEL.search(word):
            for hump in _HUMPS.finditer(word):
                yield hump[0].lower(), place + hump.start(), place + hump.end()
        else:
            yield lowered(word), place, place + len(word)


ENOUGH = 0.5
"""Minimum confidence of a match; a recogniser with less strength needs context words."""
LONGEST_REACH = 60
"""Maximum distance of a context word; words farther away introduce something else."""
NO_DATE = r"(?!(?:(?:19|20)\d\d[-./ ]\d\d[-./ ]\d\d|\d\d[-./ ]\d\d[-./ ](?:19|20)\d\d)(?!\d))"
"""Prefix of patterns without check digit, to exclude dates."""
_OTHER = re.compile(r"[^A-Za-z0-9]+")
_END = r"(?![A-Za-z0-9_])(?![.,/-]\d)"
"""Suffix of patterns: an identifier is not the start of a longer word, number or date."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)  # a row is found by identity
class Recogniser:
    """
    The recogniser of one identifier.

    Attributes:
        name: The kind of identifier, such as `SSN`.
        pattern: The pattern, matched from the first character on.
        strength: Confidence without context words, in [0, 1]; below `ENOUGH` they are required.
        validator: Returns whether a match is valid.
        compact: Whether the validator receives only letters, in upper case, and digits.
        context: Words that introduce it, in the languages of its jurisdiction, without accents.
        jurisdiction: ISO 3166 code of the issuing country; empty for any.
        vague: Context words that also introduce other things; they count only if `backed`
            returns true.
        backed: Returns whether a vague word counts, given the text, the word and the match's
            place.
        yields: Words directly before a match that make it something else, even if no context is
            required.
        fits: Returns whether the surroundings allow a match, given the text and its place.
        reach: Characters before the identifier in which a context word counts.
        sign: A character that each match contains. A recogniser with a sign is searched for in
            the whole text; others only where a word or a number with a digit begins.

    Raises:
        PolicyError: Its strength or reach is out of range, or it needs context and has none.
    """

    name: str
    pattern: re.Pattern[str]
    strength: float
    validator: Callable[[str], bool] | None = None
    compact: bool = True
    context: frozenset[str] = frozenset()
    jurisdiction: str = ""
    vague: frozenset[str] = frozenset()
    backed: Callable[[str, PhraseMatch, tuple[int, int]], bool] | None = None
    yields: frozenset[str] = frozenset()
    fits: Callable[[str, int, int], bool] | None = None
    reach: int = LONGEST_REACH
    sign: str = ""

    def __post_init__(self) -> None:
        if not 0 <= self.strength <= 1:
            raise PolicyError(f"recogniser `{self.key}`: `strength` must be in [0, 1]")
        if not 0 <= self.reach <= LONGEST_REACH:
            raise PolicyError(f"recogniser `{self.key}`: `reach` must be in [0, {LONGEST_REACH}]")
        if self.strength < ENOUGH and not self.context:
            raise PolicyError(
                f"recogniser `{self.key}` never counts: give it `context`, or a `strength` of "
                f"{ENOUGH} or more"
            )

    @property
    def key(self) -> str:
        """The jurisdiction and the name, as in `US.SSN`."""
        return f"{self.jurisdiction}.{self.name}" if self.jurisdiction else self.name

    def accepts(self, written: str) -> bool:
        """Return whether the validator accepts a match as written."""
        if self.validator is None:
            return True
        return self.validator(_OTHER.sub("", written).upper() if self.compact else written)


def form(body: str) -> re.Pattern[str]:
    """
    Compile the pattern of an identifier, case-insensitive.

    >>> bool(form(r"\\d{3}-\\d{2}").match("123-45")), bool(form(r"\\d{3}-\\d{2}").match("123-456"))
    (True, False)
    """
    # ASCII, because digits of other scripts have no checksum here
    return re.compile(rf"(?:{body}){_END}", re.IGNORECASE | re.ASCII)


def capitals(body: str) -> re.Pattern[str]:
    """Compile the pattern of an identifier with upper-case letters only."""
    return re.compile(rf"(?:{body}){_END}", re.ASCII)


def phrases(listed: str) -> frozenset[str]:
    """
    Return the phrases of a comma-separated list.

    >>> sorted(phrases("ssn, social security"))
    ['social security', 'ssn']
    """
    return frozenset(phrase.strip() for phrase in listed.split(",") if phrase.strip())


RIVALS = phrases(
    "order, orders, order id, order number, order no, bestellung, bestellnummer, commande, pedido, "
    "ordine, zamowienie, tracking, tracking number, shipment, parcel, invoice, rechnung, facture, "
    "factura, fattura, ticket, reservation, booking, buchung, confirmation, flight, item, items, "
    "product, products, sku, article, artikel, transaction, transactions, reference, ref, case, "
    "id, ids, serial, zip, zip code, postal code, postcode, plz, isbn, issn, ean, gtin, upc, doi, "
    "date, time, timestamp, year, amount, price, total, balance, cost, quantity, stock, version, "
    "purchase order, po number, p n, s n, "
    "part, part number, part no, part nr, serial number, serial no, model number, asset tag, "
    "queue, prescription plan, prescription drug, prescription benefit, prescription program, "
    "build, page, pages, room, apartment, street, phone model, model, batch, lot, key, token, "
    "pedidos, numero de pedido, encomenda, bestelling, bestelnummer, ordernummer, ordrenummer, "
    "ordre, ordrenr, tilaus, tilausnumero, numer zamowienia, zamowienia, numero de commande, "
    "numero ordine, "
    "lieferschein, sendungsnummer, sendung, colis, envio, spedizione, przesylka, zending, "
    "rechnungsnummer, numero de facture, numero de factura, nota fiscal, faktura, fakturanummer, "
    "fakturanr, factuur, factuurnummer, lasku, laskun, "
    "serie, numero de serie, numero di serie, seriennummer, serienummer, numer seryjny, "
    "sarjanumero, lote, lotto, chargennummer, partita, partia, parti, era, "
    "produkt, produktnummer, produit, producto, produto, prodotto, tuote, artikelnummer, articulo, "
    "articolo, artikkel, artykul, referencia, riferimento, modele, modelo, modello, modell, "
    "product code, part code, codigo de producto, codice prodotto, code produit, "
    "订单, 订单号, 序列号, 产品, 型号, 注文, 注文番号, 製造番号, シリアル番号, 型番, "
    "주문, 주문번호, 일련번호, 상품, "
    "hash, population, members, followers, views, latitude, longitude, lat, lng, lon, coordinates"
)
"""If one of them is nearer to a number than any context word, it is not an identifier."""
NAMELESS = RIVALS - phrases("id, ids, reference, ref, case, key, token, article, artikel")
"""The unambiguous ones: *id* and *reference* are also words for a person's number."""
