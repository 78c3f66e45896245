"""What a parameter's English name says of its values."""

from __future__ import annotations

from typing import Literal

from abs_shield.text.names import NATIONAL, name_words

Judged = Literal["hard", "who", "soft", "public", "never", "open", "code", "number"]
"""
How an argument is judged: ``open`` leaves it to the value, ``code`` judges it only where the value
is written as an identifier, ``number`` as well where it is a long number, ``who`` takes a person's
name as soft and an account as hard, and ``public`` is a name that the world knows.
"""

_IDENTIFIERS = NATIONAL | frozenset(
    "id identifier uuid guid iban email phone account username login url uri link channel "
    "path filepath filename file folder directory sku isbn reference ref handle hash sha "
    "arn vin imei ssn webpage "
    "website mailbox repo repository bucket ticket invoice zip zipcode postcode mrn pnr barcode "
    "ean upc gtin asin isin cusip doi orcid iccid msisdn uid oid sid cid npi ein vat tin siret ip "
    "ipv4 ipv6 plate locator imo mmsi serial docket bic swift".split()
)
_HOSTS = frozenset("host hostname domain".split())
"""Identifiers where they have a dot in them; else words such as ``climate``."""
_COUNTING = frozenset({"number", "no", "num", "nr"})
_NUMBERED = _COUNTING | {"code", "key"}
_UNNUMBERED = {
    "code": frozenset(
        "country currency language area airport iata status error color colour source "
        "primary test exit response http reason rate tax state lang hs "
        "region html css javascript python sql program".split()
    ),
    "key": frozenset(
        "sort primary partition cache public private secret api access encryption".split()
    ),
    **dict.fromkeys(
        _COUNTING,
        frozenset(
            "page line row max min floor house street people port primary hour minute week".split()
        ),
    ),
}
"""What these words number without identifying it: ordinals, counts, codes that the world knows."""
_COUNTED = frozenset("room guest passenger item person".split())
"""What ``guest_number`` may count as well as identify."""
_RECORDS = frozenset("order policy event package property".split())
"""Words of an interface alone (``order`` of a list), and records where they have a number."""
_CODED = frozenset({"sort"})
"""Words of an interface whose code identifies something: the branch of a bank."""
_THINGS = _RECORDS | frozenset(
    "unit class model engine version provider region zone platform tag label cabin action "
    "operation season stage fare template object sobject resource namespace module plan tier "
    "domain".split()
)
"""Words whose own values are an interface's, and which are numbered as things are."""
_PEOPLE = frozenset("user recipient participant attendee assignee member payee owner".split())
_PLAIN = frozenset(
    "status type category sort order format unit language lang locale currency priority level "
    "mode cabin class color colour size role gender state genre cuisine timezone tz "
    "action operation day month year weekday season period frequency interval duration encoding "
    "protocol scope visibility severity theme style tone model engine version provider region "
    "zone platform os industry tag label kind flag strategy direction position time date "
    "datetime timestamp start end amount price cost total count limit offset page quantity qty "
    "weight height width length age rate percent percentage score rating threshold latitude "
    "longitude lat lon lng radius distance temperature password pin step index depth n k x y z "
    "seed max min field column attribute property dob birthday deadline range cpc ipc icd icd10 "
    "cpt cdt hcpcs drg atc loinc snomed naics isic nace mcc unspsc hts hsn taric dewey".split()
)
_SUMS = frozenset("amount value price cost total sum balance quantity".split())
_VOCABULARY = frozenset(
    "metric stat statistic stage fare event function method package parameter setting option "
    "schema template object sobject resource namespace dimension measure module plan tier "
    "aggregation policy permission capability feature domain operator comparison algorithm".split()
)
"""Words whose values are an interface's own, and no entity of a run."""
_SHADED: dict[str, Judged] = {"token": "code", "tag": "open"}
"""What a word before them makes more telling: the token of a file, the tag of an asset."""
_DIRECTIONS = frozenset("from to where via".split())
"""Names of places only where the schema says so: ``to`` names the readers of a mail as well."""
_APART = frozenset("abcde")
"""What tells two parameters of one kind apart: ``city_a`` and ``city_b``."""
_FILES = frozenset("path file filename filepath folder directory dir root cwd".split())
_PAYING = frozenset({"method", "instrument", "source", "option", "plan"})
_PLACES = frozenset(
    "city place location address origin destination street station venue country town region "
    "district airport hometown birthplace county province state area".split()
)
_PUBLIC = frozenset(
    "author artist composer director actor band singer writer brand player team league club movie "
    "film book song album track game recipe ingredient food dish species drug medication "
    "starring cast".split()
)
"""Things that the world knows: their names need no mention, unless half of one was said."""
_BY: dict[str, Judged] = {
    **dict.fromkeys(
        "directed written performed composed produced painted recorded".split(), "public"
    ),
    **dict.fromkeys("sort sorted order group grouped filter partition rank split".split(), "never"),
}
"""What stands before ``by``: artists have done it, and a list is sorted by one of its fields."""
_TRADED = frozenset("token coin stock library package framework".split())
"""Names that an agent has to know by itself."""
_INFRA = "database db collection table dataset branch pod container cluster queue slug"
_NAMED = frozenset(
    f"{_INFRA} name city place location company organization organisation person hotel "
    "restaurant street address destination origin customer patient employee student contact "
    "firstname lastname surname fullname applicant counterparty tenant landlord buyer seller payer "
    "beneficiary claimant guest speaker reviewer approver traveller traveler passenger client "
    "researcher scientist professor teacher instructor nurse physician therapist veterinarian "
    "lawyer attorney judge inspector officer pilot captain manager supervisor "
    "technician borrower lender organizer organiser electrician plumber mechanic caretaker notary "
    "broker mentor tutor signatory guarantor custodian steward trustee "
    "driver vendor supplier project product item group hospital doctor school "
    "university airline station venue country nationality area district "
    "nombre apellido pasajero vorname nachname fahrgast prenom prénom passager passagier cognome "
    "passeggero sobrenome passageiro".split()
)
_CLASSES = frozenset("type status priority role state stage currency language level".split())
"""What these identify is a word of an interface, and no entity of a run."""
_IDS = frozenset({"id", "identifier"})
_COUNTS = frozenset({"num", "nb", "no", "number", "count"})
_FOREIGN_NUMBER = ("nummer", "nummern")
"""What names of numbers end with in German, Dutch and the north."""
ENDS_OF_A_MOVE = frozenset(
    "from to old new source target src dst destination dest origin current previous".split()
)
"""What tells the two ends of a move apart in the names of parameters."""
_LEAST = 3
_NO_IDS = frozenset(
    "paid valid invalid void avoid grid hybrid android fluid solid covid liquid rapid squid said "
    "unpaid prepaid amid acid".split()
)
"""Words that end as ``userid`` does."""
_ADDRESSES = frozenset({"email", "mail", "ip", "mac", "wallet"})


def classify_name(name: str) -> Judged:
    """
    Return how a parameter of this English name is judged; ``open`` if the name does not tell.

    >>> [classify_name(name) for name in ("order_id", "first_name", "amount", "flight_number")]
    ['hard', 'soft', 'never', 'hard']
    >>> [classify_name(name) for name in ("metric_name", "payment_method", "room_number")]
    ['never', 'code', 'number']
    >>> [classify_name(name) for name in ("city_of_event", "city_b", "directed_by", "sort_by")]
    ['soft', 'soft', 'public', 'never']
    >>> [classify_name(name) for name in ("sort_code", "swift", "promo_code", "sort_order")]
    ['hard', 'hard', 'hard', 'never']
    >>> [classify_name(name) for name in ("number_of_tickets", "num_guests", "page_number")]
    ['never', 'never', 'never']
    """
    said = name_words(name)
    if not said:
        return "open"
    if _is_count(said):
        return "never"
    said = _head(said)
    last, before = said[-1], said[:-1]
    if last in _NUMBERED:
        return _by_number(last, before[-1]) if before else "open"
    if last == "address" and before and before[-1] in _ADDRESSES:
        return "hard"
    if last in _IDENTIFIERS or last in _HOSTS:
        return _by_class(before[-1]) if last in _IDS and before else "hard"
    if last in _SHADED and before:
        return _SHADED[last]
    if last in _PEOPLE:
        return "who"
    if last in _PAYING:
        return "code"
    if last in _PLAIN or last in _VOCABULARY or not _SUMS.isdisjoint(said):
        return "never"
    if last == "by" and before:
        return _BY.get(before[-1], "open")
    if last in _PUBLIC or (last == "name" and before and before[-1] in _PUBLIC):
        return "public"
    if last in _TRADED or (last == "name" and before and _is_unnamed(before[-1])):
        return "never"
    if last.endswith(_FOREIGN_NUMBER):
        return "number"
    if last.endswith("id") and len(last) > _LEAST and last not in _NO_IDS:
        return "hard"
    return "soft" if last in _NAMED else "open"


def _is_unnamed(noun: str) -> bool:
    """Whether the ``name`` of a *noun* is no entity's: ``metric_name``."""
    return noun in _PLAIN or noun in _VOCABULARY or noun in _TRADED


def _head(said: tuple[str, ...]) -> tuple[str, ...]:
    """
    Return the words of a name that say what its values are.

    They stand before ``of``, ``city_of_event``, and before what tells two of a kind apart.
    """
    if "of" in said[1:-1] and classify_name("_".join(said[: said.index("of", 1)])) != "open":
        return said[: said.index("of", 1)]
    marked = len(said) > 1 and (said[-1].isdigit() or said[-1] in _APART)
    return said[:-1] if marked else said


def _is_count(said: tuple[str, ...]) -> bool:
    """Whether a name says how many there are: ``number_of_tickets``, ``num_guests``."""
    if len(said) < 2 or said[0] not in _COUNTS:
        return False
    return said[1] == "of" or (said[0] in ("num", "nb") and said[-1] not in _NUMBERED | _IDS)


def _by_number(suffix: str, noun: str) -> Judged:
    """Return how the number, the code or the key of a *noun* is judged."""
    if noun in _UNNUMBERED[suffix]:
        return "never"
    if suffix == "code" and noun in _CODED:
        return "hard"
    counting = suffix in _COUNTING
    if noun in _THINGS:
        return "hard" if counting and noun in _RECORDS else "number"
    if noun in _PLAIN or noun in _VOCABULARY:
        return "never"
    return "number" if counting and noun in _COUNTED else "hard"


def _by_class(noun: str) -> Judged:
    """Return how the id of a *noun* is judged; ``unit`` is a measure, or a flat with a number."""
    if noun in _CLASSES:
        return "never"
    return "number" if noun == "unit" else "hard"


def is_host(name: str) -> bool:
    """Whether a parameter of this name holds a host or a domain of the net."""
    said = name_words(name)
    return bool(said) and said[-1] in _HOSTS


def is_place(name: str) -> bool:
    """Whether a parameter of this name holds a place, told from the small to the large."""
    return any(word in _PLACES or word in _DIRECTIONS for word in name_words(name))


def is_direction(name: str) -> bool:
    """Whether a parameter of this name may hold a place, or a moment, or somebody: ``from``."""
    return _DIRECTIONS.issuperset(name_words(name) or ("",))


def is_path(name: str) -> bool:
    """Whether a parameter of this name holds a file or a folder."""
    said = name_words(name)
    return bool(said) and said[-1] in _FILES
