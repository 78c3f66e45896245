"""Facts from a SPARQL endpoint with Wikidata's data model."""

from __future__ import annotations

import json
import re
import time
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal, InvalidOperation
from threading import Lock
from typing import Any
from urllib.parse import urlencode, urlsplit

from abs_shield.core.fork_safety import renewed
from abs_shield.errors import PolicyError
from abs_shield.quality.facts.fact_table import TOLERANCE, Fact, FactsUnavailable
from abs_shield.text.safe_display import shown
from abs_shield.version import __version__

UNITS = {
    "United States dollar": "USD", "euro": "EUR", "pound sterling": "GBP", "yen": "JPY",
    "Japanese yen": "JPY", "Swiss franc": "CHF", "renminbi": "CNY", "Indian rupee": "INR",
    "kilometre": "km", "metre": "m", "square kilometre": "km²", "kilogram": "kg",
    "percent": "%", "human": "", "1": "",
}  # fmt: skip
"""Labels of units to their written form; other labels are used as they are."""
_PREFIXES = """\
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX skos: <http://www.w3.org/2004/02/skos/core#>
PREFIX wikibase: <http://wikiba.se/ontology#>
PREFIX p: <http://www.wikidata.org/prop/>
PREFIX ps: <http://www.wikidata.org/prop/statement/>
PREFIX psv: <http://www.wikidata.org/prop/statement/value/>
PREFIX pq: <http://www.wikidata.org/prop/qualifier/>
"""
_QUERY = """\
SELECT ?name ?property ?value ?label ?unit ?at WHERE {{
  VALUES ?name {{ {names} }}
  ?item rdfs:label|skos:altLabel ?name .
  VALUES (?property ?claim ?says ?node) {{ {properties} }}
  ?item ?claim ?statement .
  ?statement ?says ?value .
  FILTER NOT EXISTS {{ ?statement wikibase:rank wikibase:DeprecatedRank }}
  OPTIONAL {{ ?value rdfs:label ?label . FILTER(LANG(?label) = "{language}") }}
  OPTIONAL {{
    ?statement ?node ?full . ?full wikibase:quantityUnit/rdfs:label ?unit .
    FILTER(LANG(?unit) = "{language}")
  }}
  OPTIONAL {{ ?statement pq:P585 ?at }}
}} LIMIT {most}
"""
_PROPERTY = re.compile(r"P[1-9]\d{0,9}")
_LANGUAGE = re.compile(r"[a-z]{2,3}(?:-[a-z0-9]{2,8})?")
_WORD = r"[^\W\d_a-z][\w&.\u2019'-]{0,40}"
_NAMES = re.compile(rf"{_WORD}(?: (?:(?:of|the|and|de|la|von|van) )?{_WORD}){{0,7}}")
_POSSESSIVE = re.compile(r"['\u2019]s?$")
_MOST_WORDS = 5  # longer names are titles; each length adds names to the query
"""Maximum number of words of a queried name."""
_MOST_NAMES = 200
"""Maximum number of queried names per output: an endpoint may time out with more."""
_MOST_ROWS = 5_000  # 200 names with some 20 statements each; more is a common word
_MOST_BYTES = 5_000_000  # a row has some 500 bytes; a faulty endpoint may send without end
_MOST_CACHED = 10_000  # some MB; a name that is evicted is queried again
"""Maximum number of names whose facts are cached, including names without facts."""


class SparqlFacts:
    """
    Facts of a knowledge graph about the names in an output.

    Names are sequences of capitalised words: "Apple", "Deutsche Bahn". All names of an output are
    queried in one request; facts are cached for *fresh_s*. Only names leave the process, no
    sentences and no figures.

    Args:
        endpoint: URL of the endpoint, ``http`` or ``https``.
        properties: Ids of properties to their names in texts: ``{"P2226": "market cap"}``.
        language: Language of the labels.
        units: Labels of units to their written form, in addition to `UNITS`.
        tolerance: Relative tolerance of numbers.
        timeout_s: Time limit of one request in seconds.
        fresh_s: Lifetime of cached facts in seconds.
        headers: Headers of each request, such as ``Authorization``.

    Raises:
        PolicyError: A setting is invalid.
    """

    def __init__(
        self,
        endpoint: str,
        properties: Mapping[str, str],
        *,
        language: str = "en",
        units: Mapping[str, str] | None = None,
        tolerance: float = TOLERANCE,
        # every output waits for it
        timeout_s: float = 5.0,
        # facts change daily at most; an hour spares the endpoint nearly all requests
        fresh_s: float = 3_600.0,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        if urlsplit(endpoint).scheme not in ("http", "https"):
            raise PolicyError(f"facts: `endpoint` is {shown(endpoint)}; give an http(s) URL")
        wrong = [one for one in properties if not _PROPERTY.fullmatch(one)]
        if wrong or not properties:
            got = shown(wrong[0]) if wrong else "empty"
            raise PolicyError(f'facts: `properties` is {got}; give e.g. {{"P2226": "market cap"}}')
        if not _LANGUAGE.fullmatch(language):
            raise PolicyError(f"facts: `language` is {shown(language)}; give a code such as `en`")
        for name, seconds in (("timeout_s", timeout_s), ("fresh_s", fresh_s)):
            if not 0 <= seconds < float("inf") or (name == "timeout_s" and not seconds):
                raise PolicyError(f"facts: `{name}` is {shown(seconds)}; give seconds above 0")
        self._endpoint = endpoint
        self._properties = dict(properties)
        self._language = language
        self._units = {**UNITS, **(units or {})}
        self._tolerance = tolerance
        self._timeout_s = timeout_s
        self._fresh_s = fresh_s
        self._headers = {"User-Agent": f"abs_shield/{__version__}", **(headers or {})}
        self._lock = renewed(Lock())
        self._fact_cache: OrderedDict[str, tuple[float, tuple[Fact, ...]]] = OrderedDict()

    def read(self, text: str) -> None:
        """
        Query all names of an output that are not cached, in one request.

        Raises:
            FactsUnavailable: The endpoint does not respond, or not with SPARQL results.
        """
        names = [
            name for name in _names_in(text, most=_MOST_NAMES) if self._cached_facts(name) is None
        ]
        if not names:
            return
        facts_by_name: dict[str, list[Fact]] = {name: [] for name in names}
        for row in self._rows(names):
            fact = self._fact(row)
            if fact is not None and fact.subject in facts_by_name:
                facts_by_name[fact.subject].append(fact)
        now = time.monotonic()
        with self._lock:
            # also without facts, so that a name is not queried for every output
            for name, facts in facts_by_name.items():
                self._fact_cache[name] = now, tuple(facts)
            while len(self._fact_cache) > _MOST_CACHED:
                self._fact_cache.popitem(last=False)

    def facts_about(self, sentence: str) -> Iterator[Fact]:
        """
        Yield the facts whose subject a sentence names.

        Raises:
            FactsUnavailable: See `read`.
        """
        self.read(sentence)
        longer: list[str] = []
        for name in _names_in(sentence, most=_MOST_NAMES):  # longer ones first
            facts = self._cached_facts(name)
            # "Bank" inside "Deutsche Bank" is another subject
            if facts and not any(name in one for one in longer):
                longer.append(name)
                yield from facts

    def _cached_facts(self, name: str) -> tuple[Fact, ...] | None:
        with self._lock:
            at, facts = self._fact_cache.get(name, (float("-inf"), ()))
        return facts if time.monotonic() - at <= self._fresh_s else None

    def _rows(self, names: Iterable[str]) -> list[dict[str, Any]]:
        from urllib.request import Request, urlopen  # lazily: a table of facts needs no network

        query = _PREFIXES + _QUERY.format(
            names=" ".join(f"{_literal(name)}@{self._language}" for name in names),
            properties=" ".join(
                f'("{one}" p:{one} ps:{one} psv:{one})' for one in self._properties
            ),
            language=self._language,
            most=_MOST_ROWS,
        )
        accept = {"Accept": "application/sparql-results+json"}
        request = Request(
            self._endpoint,
            data=urlencode({"query": query}).encode(),
            headers={**accept, **self._headers},
        )
        try:
            with urlopen(request, timeout=self._timeout_s) as reply:
                body = reply.read(_MOST_BYTES + 1)
            if len(body) > _MOST_BYTES:
                raise ValueError("the answer is too large")
            rows = json.loads(body)["results"]["bindings"]
            return [{k: str(v["value"]) for k, v in row.items()} for row in rows]
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise FactsUnavailable(f"the SPARQL endpoint: {type(error).__name__}") from error

    def _fact(self, row: Mapping[str, str]) -> Fact | None:
        """Return the fact of a row; None if its value could not occur in a text."""
        value = row.get("label") or _number(row.get("value", ""))
        unit = row.get("unit", "")
        text = f"{value} {self._units.get(unit, unit)}".strip()
        attribute = self._properties.get(row.get("property", ""))
        if not value or not attribute:
            return None
        return Fact(
            subject=row["name"],
            attribute=attribute,
            value=text,
            period=row.get("at", "")[:4],  # the year: claims rarely name the day
            tolerance=self._tolerance,
        )


def _number(value: str) -> str:
    """Return a number in written form, or the day of a date; other values unchanged."""
    try:
        return f"{Decimal(value).normalize():f}"
    except InvalidOperation:
        return value.partition("T")[0] if value[:4].isdigit() else value


def _literal(text: str) -> str:
    r"""
    Return a literal of SPARQL.

    >>> print(_literal('a "b" \\ c'))
    "a \"b\" \\ c"
    """
    return json.dumps(text, ensure_ascii=False)


def _names_in(text: str, *, most: int) -> list[str]:
    """
    Return the possible names in a text, each once.

    >>> _names_in("In 2025 Deutsche Bahn's revenue fell.", most=9)
    ['In', 'Deutsche Bahn', 'Deutsche', 'Bahn']
    """
    names: dict[str, None] = {}
    for match in _NAMES.finditer(text):
        words = match[0].split(" ")
        for size in range(min(len(words), _MOST_WORDS), 0, -1):
            for start in range(len(words) - size + 1):
                name = " ".join(words[start : start + size]).rstrip(".,'\u2019-&")
                name = _POSSESSIVE.sub("", name)
                if name[:1].isupper():
                    names[name] = None
                if len(names) >= most:
                    return [*names]
    return [*names]
