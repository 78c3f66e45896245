"""Variants of names: abbreviations, and other names of places."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from abs_shield.text.identifier_words import abbreviates
from abs_shield.text.normal_form import normal, remove_accents, words

_CAPITALS = re.compile(r"(?<![\w.])(?:[A-Z]{2,6}|(?:[A-Z]\.){2,6})(?!\w)")
_SMALL = frozenset("of the and for de la le du der die das y".split())
"""Words that are left out of initials."""
# Enough for a message with a long mail in it; each text is split into words completely.
_LONGEST_TEXT = 16 * 1024
_MOST_WORDS = 12  # an address or an institution's name has fewer words
_LEAST_EXACT = 3  # letters of an unabbreviated word: "st" or initials are in too many texts
_LEAST_BEGUN = 4  # letters of a name's beginning; three are the beginning of too many names
_LEAST_LONG = 6  # letters of a beginning that distinguishes a street without its other words
_LEAST_INITIALS = 3
"""Two initials fit too many names."""


def is_abbreviated(name: str, texts: Iterable[str]) -> bool:
    """
    Return whether one of *texts* has the words of *name*, some of them shortened.

    At least one word of three letters or digits must be unabbreviated. A name of one word may be
    cut to its beginning, a name of three words to its initials.

    >>> is_abbreviated("418 North Alder Avenue", ["It's 418 N. Alder Ave."])
    True
    >>> is_abbreviated("418 North Alder Avenue", ["It's 418 S. Alder Ave."])
    False
    >>> is_abbreviated("University of California San Francisco", ["I study at UCSF"])
    True
    >>> is_abbreviated("Rijksmuseum, Amsterdam", ["The Rijks wants it."])
    True
    """
    # A city, a country or a title after a comma is often omitted.
    name = name.split(",")[0]
    wanted = words(remove_accents(normal(name)))[:_MOST_WORDS]
    significant = [word for word in wanted if word not in _SMALL]
    initials = "".join(word[0] for word in significant)
    return any(
        _has_words(wanted, text)
        or (len(significant) >= _LEAST_INITIALS and initials in _capitals(text[:_LONGEST_TEXT]))
        for text in texts
    )


def _has_words(wanted: list[str], text: str) -> bool:
    written = _words(text[:_LONGEST_TEXT])
    exact = [word for word in wanted if len(word) >= _LEAST_EXACT and word in written]
    if len(wanted) == 1:
        return any(len(word) >= _LEAST_BEGUN and wanted[0].startswith(word) for word in written)
    if exact:
        first = wanted.index(exact[0])
        places = [n for n, word in enumerate(written) if word == exact[0]]
    elif any(map(str.isdigit, wanted)):  # a short street and number: "Bahnhofstr. 12"
        first, places = _find_beginning(wanted, written)
    else:
        return False
    # A negative start would count from the end of the text.
    rows = (written[at - first : at - first + len(wanted)] for at in places if at >= first)
    return any(len(row) == len(wanted) and all(map(_is_short_for, row, wanted)) for row in rows)


def _find_beginning(wanted: list[str], written: Sequence[str]) -> tuple[int, list[int]]:
    """Return the longest of *wanted* that is written as a long beginning, and where it is."""
    first = max(range(len(wanted)), key=lambda n: len(wanted[n]), default=0)
    return first, [
        n
        for n, word in enumerate(written)
        if len(word) >= _LEAST_LONG and wanted[first].startswith(word)
    ]


def _is_short_for(written: str, word: str) -> bool:
    if written == word:
        return True
    return (
        len(written) < len(word)
        and written.isalpha()
        and (word.startswith(written) or abbreviates(written, word))
    )


# Cached: all names of a call are searched for in the same few texts.
@lru_cache(maxsize=64)
def _words(text: str) -> tuple[str, ...]:
    return tuple(words(remove_accents(normal(text))))


@lru_cache(maxsize=64)
def _capitals(text: str) -> frozenset[str]:
    return frozenset(match[0].replace(".", "").casefold() for match in _CAPITALS.finditer(text))


_BRACKETED = re.compile(r"\s*\([^()]{1,40}\)")
_VENUE = frozenset(
    "airport intl international station hbf hauptbahnhof bahnhof gare stazione central centrale "
    "centre center street st avenue ave road rd square sq boulevard blvd lane ln drive dr city "
    "town county district downtown university hospital hotel port terminal main".split()
)
"""Generic words for kinds of places."""
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
_SHORT = (
    "los angeles,la,l.a,lax,city of angels/san francisco,sf,s.f,sfo,frisco,san fran/"
    "new york,new york city,ny,n.y,nyc,n.y.c,jfk,lga,ewr,big apple,manhattan/las vegas,vegas,lv,"
    "sin city/san diego,sd/philadelphia,philly,phl,phila/atlanta,atl/chicago,chi,ord,mdw,"
    "chi-town,windy city/washington,washington dc,washington d.c,dc,d.c,district of columbia,iad,"
    "dca/seattle/"
    "boston,bos,beantown/san jose,sj,sjc/sacramento,sac,smf/portland,pdx/phoenix,phx/denver/"
    "dallas,dfw,dal/houston,hou,iah,h-town/austin,aus,atx/san antonio/miami,mia/orlando,mco,orl/"
    "tampa,tpa/new orleans,nola,msy/nashville,bna/memphis/detroit,dtw/minneapolis,msp/"
    "st louis,st. louis,saint louis,stl/kansas city,kc,mci/salt lake city,slc/baltimore,bwi/"
    "charlotte,clt/raleigh,rdu/pittsburgh/cleveland,cle/cincinnati,cincy,cvg/columbus,cmh/"
    "indianapolis,indy/milwaukee,mke/honolulu,hnl/anchorage,anc/oakland/oklahoma city,okc/"
    "toronto,yyz/montreal,yul,mtl/vancouver,yvr/calgary,yyc/ottawa,yow/"
    "mexico city,cdmx,ciudad de mexico,mex/sao paulo,gru/rio de janeiro,rio,gig/"
    "buenos aires,eze,ba/bogota,bog/lima,lim/santiago,scl/london,lhr,lgw,ldn/manchester/"
    "edinburgh,edi/dublin,dub/paris,cdg,ory/amsterdam,ams/frankfurt,fra,ffm/munich,muc/berlin,ber/hamburg/vienna,vie/"
    "zurich,zrh/geneva,gva/brussels,bru/madrid/barcelona,bcn,barca/lisbon,lis/rome,fco/milan,mxp/"
    "venice,vce/athens,ath/istanbul,ist/copenhagen,cph/stockholm,arn/oslo,osl/helsinki,hel/"
    "warsaw,waw/prague,prg/budapest,bud/moscow,svo/saint petersburg,st petersburg,spb/kyiv,kbp/"
    "dubai,dxb/abu dhabi,auh/doha,doh/riyadh,ruh/cairo/casablanca,cmn/lagos/nairobi,nbo/"
    "johannesburg,jnb,joburg,jozi/cape town,cpt/mumbai,bom/delhi,new delhi/bangalore,blr/"
    "kolkata,ccu/chennai,maa/hyderabad,hyd/singapore,sg/bangkok,bkk/kuala lumpur,kl,kul/"
    "jakarta,cgk,jkt/bali,denpasar,dps/manila,mnl/ho chi minh city,saigon,hcmc,sgn/hanoi/"
    "hong kong,hk,hkg/beijing,pek,pkx/shanghai,sha,pvg/guangzhou/shenzhen,szx/taipei,tpe/"
    "tokyo,nrt,hnd,tyo/osaka,kix/seoul,icn,sel/sydney,syd/melbourne,mel/brisbane,bne/perth/"
    "auckland,akl"
)
"""Nicknames of large cities, and the codes of their airports."""
_CALLED = tuple(tuple(row.split()) for row in _EXONYMS.split("/"))
_NAMES = {remove_accents(normal(name)): row for row in _CALLED for name in row}
_SHORTENED = {name: row.split(",") for row in _SHORT.split("/") for name in row.split(",")}


def bare_place(place: str) -> str:
    """
    Return the name of a place without qualifiers and generic words.

    >>> bare_place("Tromsø Airport (TOS), Norway"), bare_place("Munich Hbf"), bare_place("Station")
    ('Tromsø', 'Munich', 'Station')
    """
    # A name is shorter, and the pattern would otherwise read all of a hostile text.
    first = _BRACKETED.sub("", place[:200]).split(",")[0]
    names = [word for word in first.split() if normal(word).strip(".") not in _VENUE]
    return " ".join(names) or first.strip()


def foreign_names(place: str) -> list[str]:
    """
    Return the names of a city in other languages.

    >>> foreign_names("Cologne"), foreign_names("Leeds")
    (['köln'], [])
    """
    name_key = remove_accents(normal(place[:40]))  # the longest name of the table is shorter
    return [name for name in _NAMES.get(name_key, ()) if remove_accents(normal(name)) != name_key]


def short_city_names(place: str) -> list[str]:
    """
    Return the short names of a large city, in lower case.

    >>> short_city_names("Las Vegas"), short_city_names("Leeds")
    (['vegas', 'lv', 'sin city'], [])
    """
    # the longest name of the table is shorter
    name_key = remove_accents(normal(place[:40])).strip(" .")
    return [name for name in _SHORTENED.get(name_key, ()) if name != name_key]
