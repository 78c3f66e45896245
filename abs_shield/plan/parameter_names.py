"""The class of a parameter, by its English name: how its values are judged."""

from __future__ import annotations

from typing import Literal

from abs_shield.text.identifier_words import NATIONAL, name_words

ParameterClass = Literal["hard", "who", "soft", "public", "never", "open", "code", "number"]
"""
The class of a parameter, which says how its values are judged.

- ``hard``: identifiers, which must be mentioned;
- ``soft``: names and places;
- ``who``: a person's name as soft, an account as hard;
- ``public``: well-known names;
- ``code``: only if the value is spelt like an identifier;
- ``number``: like ``code``, and if the value is a long number;
- ``open``: by the value alone;
- ``never``: not judged.
"""

# `NATIONAL` has the local names of the registration numbers of people and companies.
_ID_WORDS = NATIONAL | frozenset(
    "id identifier uuid guid iban email phone account username login url uri link channel "
    "path filepath filename file folder directory sku isbn reference ref handle hash sha "
    "arn vin imei ssn webpage "
    "website mailbox repo repository bucket ticket invoice zip zipcode postcode mrn pnr barcode "
    "ean upc gtin asin isin cusip doi orcid iccid msisdn uid oid sid cid npi ein vat tin siret ip "
    "ipv4 ipv6 plate locator imo mmsi serial docket bic swift".split()
)
_HOST_WORDS = frozenset("host hostname domain".split())
"""Identifiers if their value has a dot; without one it is a word such as ``climate``."""
_NUMBER_WORDS = frozenset({"number", "no", "num", "nr"})
# The noun before one of these decides: `order_number` identifies, `page_number` does not.
_NUMBER_SUFFIXES = _NUMBER_WORDS | {"code", "key"}
_NOUNS_WITHOUT_IDENTITY = {
    "code": frozenset(
        "country currency language area airport iata status error color colour source "
        "primary test exit response http reason rate tax state lang hs "
        "region html css javascript python sql program".split()
    ),
    "key": frozenset(
        "sort primary partition cache public private secret api access encryption".split()
    ),
    **dict.fromkeys(
        _NUMBER_WORDS,
        frozenset(
            "page line row max min floor house street people port primary hour minute week".split()
        ),
    ),
}
"""Nouns whose number or code identifies nothing: ordinals, counts, standard codes."""
_COUNTED_NOUNS = frozenset("room guest passenger item person".split())
"""Nouns that ``guest_number`` may count or identify."""
_RECORD_NOUNS = frozenset("order policy event package property".split())
"""Words of an interface when alone (``order`` of a list); records if they have a number."""
_CODED_NOUNS = frozenset({"sort"})
"""Words of an interface whose code identifies something: a ``sort_code`` is a bank's branch."""
_INTERFACE_NOUNS = _RECORD_NOUNS | frozenset(
    "unit class model engine version provider region zone platform tag label cabin action "
    "operation season stage fare template object sobject resource namespace module plan tier "
    "domain".split()
)
"""Words whose values belong to the interface, but whose numbers identify something."""
_PERSON_WORDS = frozenset("user recipient participant attendee assignee member payee owner".split())
_PLAIN_WORDS = frozenset(
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
_AMOUNT_WORDS = frozenset("amount value price cost total sum balance quantity".split())
_VOCABULARY_WORDS = frozenset(
    "metric stat statistic stage fare event function method package parameter setting option "
    "schema template object sobject resource namespace dimension measure module plan tier "
    "aggregation policy permission capability feature domain operator comparison algorithm".split()
)
"""Words whose values belong to the interface, and are not entities of a run."""
_QUALIFIED_WORDS: dict[str, ParameterClass] = {"token": "code", "tag": "open"}
"""Words that may identify after another word: the token of a file, the tag of an asset."""
_DIRECTION_WORDS = frozenset("from to where via".split())
"""Names of places only if the schema says so: ``to`` also names the recipients of a mail."""
_VARIANT_LETTERS = frozenset("abcde")
"""Letters that distinguish parameters of one kind: ``city_a`` and ``city_b``."""
_FILE_WORDS = frozenset("path file filename filepath folder directory dir root cwd".split())
_PAYMENT_WORDS = frozenset({"method", "instrument", "source", "option", "plan"})
_PLACE_WORDS = frozenset(
    "city place location address origin destination street station venue country town region "
    "district airport hometown birthplace county province state area".split()
)
_PUBLIC_WORDS = frozenset(
    "author artist composer director actor band singer writer brand player team league club movie "
    "film book song album track game recipe ingredient food dish species drug medication "
    "starring cast".split()
)
"""Well-known things: their names need no mention, unless the run mentions a part of the name."""
_BY_VERBS: dict[str, ParameterClass] = {
    **dict.fromkeys(
        "directed written performed composed produced painted recorded".split(), "public"
    ),
    **dict.fromkeys("sort sorted order group grouped filter partition rank split".split(), "never"),
}
"""Words before ``by``: an artist follows in ``directed_by``, a field in ``sort_by``."""
_COMMON_KNOWLEDGE_WORDS = frozenset("token coin stock library package framework".split())
"""Things whose names an agent knows without a mention."""
_INFRASTRUCTURE = "database db collection table dataset branch pod container cluster queue slug"
_SOFT_WORDS = frozenset(
    f"{_INFRASTRUCTURE} name city place location company organization organisation person hotel "
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
_CLASS_WORDS = frozenset("type status priority role state stage currency language level".split())
"""Nouns whose id is a word of the interface, and not an entity of a run."""
_ID_SUFFIXES = frozenset({"id", "identifier"})
_COUNT_WORDS = frozenset({"num", "nb", "no", "number", "count"})
_FOREIGN_NUMBER = ("nummer", "nummern")
"""Endings of names of numbers in German, Dutch and Scandinavian languages."""
ENDS_OF_A_MOVE = frozenset(
    "from to old new source target src dst destination dest origin current previous".split()
)
"""Words that distinguish source and destination of a move in the names of parameters."""
_MIN_ID_WORD_LENGTH = 3  # `bid`, `aid` and `kid` end in "id" by chance
_WORDS_ENDING_IN_ID = frozenset(
    "paid valid invalid void avoid grid hybrid android fluid solid covid liquid rapid squid said "
    "unpaid prepaid amid acid".split()
)
"""Words that end in ``id`` and are not identifiers, unlike ``userid``."""
_ADDRESS_KINDS = frozenset({"email", "mail", "ip", "mac", "wallet"})


def classify_name(name: str) -> ParameterClass:
    """
    Return the class of a parameter with this English name; ``open`` if the name has none.

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
    words = name_words(name)
    if not words:
        return "open"
    # Before `_head` removes the words after "of": `number_of_tickets` counts tickets.
    if _is_count(words):
        return "never"
    words = _head(words)
    last, before = words[-1], words[:-1]
    if last in _NUMBER_SUFFIXES:
        return _classify_number(last, before[-1]) if before else "open"
    # `email_address` identifies, `street_address` is a place.
    if last == "address" and before and before[-1] in _ADDRESS_KINDS:
        return "hard"
    if last in _ID_WORDS or last in _HOST_WORDS:
        return _classify_id(before[-1]) if last in _ID_SUFFIXES and before else "hard"
    if last in _QUALIFIED_WORDS and before:
        return _QUALIFIED_WORDS[last]
    if last in _PERSON_WORDS:
        return "who"
    if last in _PAYMENT_WORDS:
        return "code"
    # Anywhere in the name: `price_per_item`.
    if last in _PLAIN_WORDS or last in _VOCABULARY_WORDS or not _AMOUNT_WORDS.isdisjoint(words):
        return "never"
    if last == "by" and before:
        return _BY_VERBS.get(before[-1], "open")
    if last in _PUBLIC_WORDS or (last == "name" and before and before[-1] in _PUBLIC_WORDS):
        return "public"
    if last in _COMMON_KNOWLEDGE_WORDS or (
        last == "name" and before and _has_no_entity_name(before[-1])
    ):
        return "never"
    if last.endswith(_FOREIGN_NUMBER):
        return "number"
    # `userid` and `orderid`, unless it is a word such as `paid`.
    if last.endswith("id") and len(last) > _MIN_ID_WORD_LENGTH and last not in _WORDS_ENDING_IN_ID:
        return "hard"
    return "soft" if last in _SOFT_WORDS else "open"


def _has_no_entity_name(noun: str) -> bool:
    """Return whether the ``name`` of a *noun* does not name an entity: ``metric_name``."""
    return noun in _PLAIN_WORDS or noun in _VOCABULARY_WORDS or noun in _COMMON_KNOWLEDGE_WORDS


def _head(words: tuple[str, ...]) -> tuple[str, ...]:
    """
    Return the words of a name that describe its values.

    They precede ``of``, as in ``city_of_event``, or a letter or number that distinguishes
    parameters of one kind, as in ``city_b``.
    """
    # Only if the words before "of" have a class: in `date_of_birth`, but not in `out_of_office`.
    if "of" in words[1:-1] and classify_name("_".join(words[: words.index("of", 1)])) != "open":
        return words[: words.index("of", 1)]
    has_variant = len(words) > 1 and (words[-1].isdigit() or words[-1] in _VARIANT_LETTERS)
    return words[:-1] if has_variant else words


def _is_count(words: tuple[str, ...]) -> bool:
    """Return whether a name is a count: ``number_of_tickets``, ``num_guests``."""
    if len(words) < 2 or words[0] not in _COUNT_WORDS:
        return False
    return words[1] == "of" or (
        words[0] in ("num", "nb") and words[-1] not in _NUMBER_SUFFIXES | _ID_SUFFIXES
    )


def _classify_number(suffix: str, noun: str) -> ParameterClass:
    """Return the class of the number, the code or the key of a *noun*."""
    if noun in _NOUNS_WITHOUT_IDENTITY[suffix]:
        return "never"
    if suffix == "code" and noun in _CODED_NOUNS:
        return "hard"
    is_number = suffix in _NUMBER_WORDS
    if noun in _INTERFACE_NOUNS:
        return "hard" if is_number and noun in _RECORD_NOUNS else "number"
    if noun in _PLAIN_WORDS or noun in _VOCABULARY_WORDS:
        return "never"
    return "number" if is_number and noun in _COUNTED_NOUNS else "hard"


def _classify_id(noun: str) -> ParameterClass:
    """Return the class of the id of a *noun*; a ``unit`` is a measure, or a flat with a number."""
    if noun in _CLASS_WORDS:
        return "never"
    return "number" if noun == "unit" else "hard"


def is_host(name: str) -> bool:
    """Return whether a parameter of this name contains a host or an internet domain."""
    words = name_words(name)
    return bool(words) and words[-1] in _HOST_WORDS


def is_place(name: str) -> bool:
    """Return whether a parameter of this name contains a place, such as ``Bonn, Germany``."""
    return any(word in _PLACE_WORDS or word in _DIRECTION_WORDS for word in name_words(name))


def is_direction(name: str) -> bool:
    """
    Return whether a parameter of this name may contain a place, a time, or a person: ``from``.
    """
    return _DIRECTION_WORDS.issuperset(name_words(name) or ("",))


def is_path(name: str) -> bool:
    """Return whether a parameter of this name contains a file or a folder."""
    words = name_words(name)
    return bool(words) and words[-1] in _FILE_WORDS
