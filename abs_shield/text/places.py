"""How a place is told: from the small to the large, in words of any map, in two languages."""

from __future__ import annotations

import re

from abs_shield.text.normal import normal, unaccented

_BRACKETED = re.compile(r"\s*\([^()]{1,40}\)")
_VENUE = frozenset(
    "airport intl international station hbf hauptbahnhof bahnhof gare stazione central centrale "
    "centre center street st avenue ave road rd square sq boulevard blvd lane ln drive dr city "
    "town county district downtown university hospital hotel port terminal main".split()
)
"""Words that say what kind of place is meant, and name none."""
_EXONYMS = (
    "cologne köln/munich münchen/vienna wien/nuremberg nürnberg/zurich zürich/geneva genève genf/"
    "basel basle bâle/bern berne/rome roma/milan milano/florence firenze/venice venezia/"
    "naples napoli/turin torino/genoa genova/padua padova/syracuse siracusa/lisbon lisboa/"
    "seville sevilla/prague praha prag/warsaw warszawa/cracow kraków krakow/copenhagen københavn/"
    "gothenburg göteborg/helsinki helsingfors/brussels bruxelles brussel/antwerp antwerpen anvers/"
    "ghent gent/bruges brugge/luxembourg luxemburg/athens athina/thessaloniki saloniki/"
    "moscow moskva moskau/kyiv kiev/lviv lvov/odesa odessa/bucharest bucurești/belgrade beograd/"
    "istanbul constantinople/izmir smyrna/beijing peking/guangzhou canton/mumbai bombay/"
    "chennai madras/kolkata calcutta/bengaluru bangalore/yangon rangoon/hanover hannover/"
    "brunswick braunschweig/strasbourg straßburg/dunkirk dunkerque/marseille marseilles/"
    "lyon lyons/mexico méxico/havana habana/tehran teheran/cairo kairo/mecca makkah/"
    "jerusalem yerushalayim/damascus dimashq/tripoli trablus/algiers alger"
)
_CALLED = tuple(tuple(row.split()) for row in _EXONYMS.split("/"))
_NAMES = {unaccented(normal(name)): row for row in _CALLED for name in row}


def bare(place: str) -> str:
    """
    Give the place itself: without what elaborates it, and without words of any map.

    >>> bare("Tromsø Airport (TOS), Norway"), bare("Munich Hbf"), bare("Station")
    ('Tromsø', 'Munich', 'Station')
    """
    first = _BRACKETED.sub("", place[:200]).split(",")[0]
    kept = [word for word in first.split() if normal(word).strip(".") not in _VENUE]
    return " ".join(kept) or first.strip()


def elsewhere(place: str) -> list[str]:
    """
    Give the place as it is called in another language, for cities that have two names.

    >>> elsewhere("Cologne"), elsewhere("Leeds")
    (['köln'], [])
    """
    said = unaccented(normal(place[:40]))
    return [name for name in _NAMES.get(said, ()) if unaccented(normal(name)) != said]
