"""Indirect mentions of ids, addresses and codes: dictated, by number only, or in parts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from abs_shield.core.events import MessageText
from abs_shield.plan.judged_arguments import Argument
from abs_shield.session import Session
from abs_shield.session.event_log import EventLog
from abs_shield.session.event_texts import texts_of
from abs_shield.session.session_record import mentions_of, record_of
from abs_shield.text.dictated_values import SpokenTexts
from abs_shield.text.digit_groups import is_iban
from abs_shield.text.identifier_words import abbreviates, name_words, split_words
from abs_shield.text.json_leaves import name_of
from abs_shield.text.name_forms import is_abbreviated
from abs_shield.text.normal_form import normal
from abs_shield.text.public_names import is_country_code
from abs_shield.text.text_templates import template_values, templates


def url_template(argument: Argument, session: Session) -> bool:
    """Return whether a URL fills a template of the schema: ``https://{ip}/v1/nodes``."""
    if not argument.description or "://" not in (text := normal(argument.text)):
        return False
    for template in templates(argument.description):
        filled = template_values(template, text)
        if filled and all(mentions_of(session).origin(part) is not None for part in filled):
            return True
    return False


def new_item_key(argument: Argument, session: Session) -> bool:
    """Return whether the value only distinguishes the new objects of one list."""
    return argument.is_list_key


_MAX_MESSAGES = 200
"""Messages that are searched, the newest first: people dictate values shortly before their use."""


_MAX_TEXT_LENGTH = 16_384  # a longer message is a document
UP_TO = (
    r"\s{0,3}(?:[-\u2010-\u2015~\u2026]|\.{2,3}"
    r"|(?:to|through|thru|until|till|up to|and|bis|\u00e0|al?|hasta)\b)\s{0,3}"
)
"""A pattern of the words and signs between the ends of a range."""
_RANGE = re.compile(rf"\d{UP_TO}\S{{0,32}}?\d")


def dictated_address(argument: Argument, session: Session) -> bool:
    """Return whether a person wrote the signs of the value as words: "ann at x dot org"."""
    return any(texts.spoken.speak(argument.text) for texts in _texts_of_runs(session))


def dictated_code(argument: Argument, session: Session) -> bool:
    """Return whether a person spelt the value letter by letter, or with words for letters."""
    return any(texts.spoken.spell(argument.text) for texts in _texts_of_runs(session))


def texts_with_ranges(session: Session) -> Iterator[str]:
    """Yield the normalised texts of people in which two numbers may be the ends of a range."""
    return chain.from_iterable(texts.ranged for texts in _texts_of_runs(session))


def texts_of_people(session: Session) -> Iterator[str]:
    """Yield the texts of users and the host, the newest message of a run first."""
    return chain.from_iterable(texts.newest for texts in _texts_of_runs(session))


def _texts_of_runs(session: Session | None) -> Iterator[_NewestTexts]:
    """Yield the texts of users and the host in a run and its parent runs."""
    while session is not None:
        record = record_of(session)
        texts = record.derive(_NewestTexts)
        # the user of a sub-agent is its parent agent
        texts.read(record.log, ("system",) if session.parent is not None else ("system", "user"))
        yield texts
        session = session.parent


class _NewestTexts:
    """
    The texts of certain roles among the newest events of a run; each event is read once.

    Attributes:
        newest: The texts, newest first.
    """

    def __init__(self) -> None:
        self._version = 0
        self._texts: list[tuple[int, str]] = []
        self._spoken: SpokenTexts | None = None
        self._ranged: list[str] | None = None
        self.newest: list[str] = []

    def read(self, log: EventLog, roles: tuple[str, ...]) -> None:
        """Read the new events; *roles* must be the same in every call for a run."""
        if self._version == log.version:
            return
        stored = min(_MAX_MESSAGES, len(log))
        events = log.newest(min(stored, log.version - self._version))
        new = [
            (version, event.text)
            for version, event in enumerate(events, log.version - len(events) + 1)
            if isinstance(event, MessageText) and event.role in roles
        ]
        dropped = log.version - stored
        if new or (self._texts and self._texts[0][0] <= dropped):
            self._texts = [*(one for one in self._texts if one[0] > dropped), *new]
            self.newest = [text for _, text in reversed(self._texts)]
            self._spoken = self._ranged = None
        self._version = log.version

    @property
    def spoken(self) -> SpokenTexts:
        """The texts, prepared for the lookup of dictated values."""
        spoken = self._spoken
        if spoken is None:
            spoken = self._spoken = SpokenTexts(self.newest)
        return spoken

    @property
    def ranged(self) -> list[str]:
        """The normalised texts in which two numbers may be the ends of a range."""
        ranged = self._ranged
        if ranged is None:
            texts = (normal(text[:_MAX_TEXT_LENGTH]) for text in self.newest)
            ranged = self._ranged = [text for text in texts if _RANGE.search(text)]
        return ranged


def abbreviated_name(argument: Argument, session: Session) -> bool:
    """Return whether a person wrote the name with some of its words abbreviated."""
    return is_abbreviated(argument.text, texts_of_people(session))


# Bounded: an id of at most 48 characters and a number of at most 18 digits.
_HEADED = re.compile(r"(.{1,48}?)(?<!\d)(0*)(\d{2,18})")
_PREFIX = re.compile(r"([a-z]{2,16})[-_#:/ ]?")
_INITIAL = re.compile(r"([a-z])[-_#:/ ]")
_ABBREVIATIONS = {"tx": "transaction", "txn": "transaction", "trx": "transaction", "pkg": "package"}
_PART_WORDS = frozenset("ending end last digit final beginning begin starting start".split())
"""Labels of a part of a number: "the card ending in 4242"."""
_MIN_DIGITS = 3
"""Fewest digits of a number without a label; shorter ones are counts."""


def numbered_id(argument: Argument, session: Session) -> bool:
    """
    Return whether a user wrote the number of an identifier, and its prefix is justified.

    The prefix is justified if it abbreviates the user's label of the number or a word of the
    parameter's name, or is the first letter of both, or if the schema's examples or other
    identifiers of the run have it before a number of as many digits: after ``B-0412``, a user
    calls the next one "0409". A number that the user did not label needs the last reason and at
    least three digits; in languages whose nouns are not parsed, the first reason is enough for
    such a number.
    """
    match = _HEADED.fullmatch(normal(argument.text).strip())
    number = match and _number_as_written(match, session)
    if not (match and number):
        return False
    mentions = mentions_of(session)
    labels = mentions.labels(number)
    has_other_label = mentions.is_labelled_otherwise(number, argument.entity_words)
    # "The card ending in 4242" has only a part of a number.
    if has_other_label or not labels.isdisjoint(_PART_WORDS):
        return False
    prefix = _PREFIX.fullmatch(match[1])
    fits = any(word in argument.entity_words or _shortens(prefix, word) for word in labels)
    # Initials of the labels need no known prefix: `BA117` for "British Airways 117".
    if prefix and _is_initials(prefix[1], labels):
        return True
    if _is_initial(match[1], labels & argument.entity_words):
        return True
    if not fits and len(number) < _MIN_DIGITS:
        return False
    words = {word for name in labels | argument.entity_words for word in split_words(name)}
    if (fits or not mentions.in_english) and any(_shortens(prefix, w) for w in words):
        return True
    other_ids = (*argument.examples, *mentions.find_similar(argument.text))
    return any(_has_same_head(match, text, whole=not prefix) for text in other_ids)


def _number_as_written(match: re.Match[str], session: Session) -> str:
    """Return the number as the user wrote it, with or without leading zeros; empty if absent."""
    chunks = mentions_of(session).user_chunks
    return next((n for n in (match[2] + match[3], match[3]) if n in chunks), "")


def _shortens(prefix: re.Match[str] | None, word: str) -> bool:
    return prefix is not None and _is_short_for(prefix[1], word)


def _is_initials(prefix: str, labels: frozenset[str]) -> bool:
    """Return whether a prefix has the initials of the number's labels: ``BA117``."""
    return len(prefix) > 1 and sorted(prefix) == sorted(word[0] for word in labels)


def _is_initial(prefix: str, labels: frozenset[str]) -> bool:
    """Return whether a prefix is the first letter of a label: ``A-90017`` of an appointment."""
    initial = _INITIAL.fullmatch(prefix)
    return initial is not None and initial[1] in {label[0] for label in labels}


def _is_short_for(prefix: str, word: str) -> bool:
    return abbreviates(prefix, word) or _ABBREVIATIONS.get(prefix) == word


def _has_same_head(match: re.Match[str], text: str, *, whole: bool) -> bool:
    """Return whether *text* has the same prefix as *match*, and if *whole*, as many digits."""
    other = _HEADED.fullmatch(normal(text).strip())
    if other is None or other[1].rstrip("-_#:/ ") != match[1].rstrip("-_#:/ "):
        return False
    return not whole or len(other[2] + other[3]) == len(match[2] + match[3])


# Only under these names, as any word of eight capitals looks like a BIC.
_NAMES = (("bic",), ("swift",))
_BIC = re.compile(r"(?<!\w)[A-Z]{4}([A-Z]{2})[A-Z0-9]{2}(?:[A-Z0-9]{3})?(?!\w)")
_IBAN = re.compile(
    r"(?<!\w)[A-Z]{2}\d\d(?:[A-Z0-9]{11,30}|(?: [A-Z0-9]{4}){2,7}(?: [A-Z0-9]{1,3})?)(?!\w)"
)
_MAX_TEXTS = 5_000
"""Texts of a run that are searched; the patterns read each of them in full."""


def bank_code(argument: Argument, session: Session) -> bool:
    """Return whether a BIC has the country of an IBAN in the run, and the run has no BIC."""
    bic = _BIC.fullmatch(argument.text.strip())
    if bic is None or name_words(name_of(argument.path))[-1:] not in _NAMES:
        return False
    has_iban = False
    texts = chain.from_iterable(texts_of(entry.event) for entry in session.entries())
    for text, _ in zip(texts, range(_MAX_TEXTS), strict=False):
        # If the run has a BIC, this other one is invented.
        if any(is_country_code(match[1]) for match in _BIC.finditer(text)):
            return False
        ibans = (match[0].replace(" ", "").casefold() for match in _IBAN.finditer(text))
        # `is_iban` verifies the checksum, as the pattern also matches part numbers.
        has_iban = has_iban or any(
            iban[:2] == bic[1].casefold() and is_iban(iban) for iban in ibans
        )
    return has_iban


_OBJECT = re.compile(r"(?:s3|gs|gcs)://([^/\s]{1,63})/(\S{1,256})")
_ISSUE = re.compile(r"([\w.-]{1,64}/[\w.-]{1,64})[#!](\d{1,9})")
_REPOSITORY = re.compile(r"(?<![\w./-])[\w.-]{1,64}/[\w-](?:[\w.-]{0,63}[\w-])?")
_MAX_CHARACTERS = 256 * 1024
"""Characters of the user's messages that are searched, the newest first."""
_OF = r"(?:of|in|on|from|at|for|out of)"
_THE = r"(?:the |our |my |your |its )?"
_Q = "[\"'`\u2018\u2019\u201c\u201d]?"
_ENDS = r"(?![\w/-]|\.\w)"
_BEGINS = r"(?<![\w./-])"
_KEY = r"(?:key|object|file|path)(?: is| named| called)?:? "
_BUCKET = r"bucket(?: is| named| called)?:? "
_NUMBERED = (
    r"(?:issue|pull request|pull|pr|merge request|mr|ticket|discussion|bug)"
    r"(?: number| no\.?)? ?[#!]?"
)


def joined_reference(argument: Argument, session: Session) -> bool:
    """
    Return whether a user wrote both parts of a reference in one phrase.

    Examples are ``s3://logs/a.gz`` for "a.gz from the bucket logs" and ``octo/hello#17`` for
    "issue 17 of octo/hello"; "issue 17" is enough if the users' texts have only one repository.
    """
    text = normal(argument.text).strip()
    if "/" not in text:
        return False
    if match := _OBJECT.fullmatch(text):
        pairs = _object_patterns(*map(re.escape, match.groups()))
        return any(
            re.search(pair, user_text) for user_text in _user_texts(session) for pair in pairs
        )
    if match := _ISSUE.fullmatch(text):
        texts = [*_user_texts(session)]
        pairs = _issue_patterns(*map(re.escape, match.groups()))
        if any(re.search(pair, user_text) for user_text in texts for pair in pairs):
            return True
        repositories = {
            repository
            for user_text in texts
            for repository in _REPOSITORY.findall(user_text)
            if not _is_date(repository)
        }
        number = rf"\b{_NUMBERED}{match[2]}(?!\w|\.\d)"
        return repositories == {match[1]} and any(
            re.search(number, user_text) for user_text in texts
        )
    return False


def _object_patterns(bucket: str, key: str) -> Iterator[str]:
    """Yield patterns of phrases for an object of a bucket."""
    bucket, key = f"{_Q}{bucket}{_Q}{_ENDS}", f"{_Q}{key}{_Q}{_ENDS}"
    store = rf"{_THE}(?:s3 |gcs )?"
    yield rf"{_BEGINS}{key} {_OF} {store}{_BUCKET}{bucket}"
    yield rf"{_BEGINS}{key} {_OF} {store}{bucket} bucket\b"
    yield rf"\b{_KEY}{key}[,;]?(?: and| of| in)? {store}{_BUCKET}{bucket}"
    # "from bucket a and key x of bucket b": the key belongs to what follows it
    yield rf"\b{_BUCKET}{bucket}[,;]?(?: and| with)? {_THE}{_KEY}{key}(?! {_OF}\b)"


def _issue_patterns(repository: str, number: str) -> Iterator[str]:
    """Yield patterns of phrases for an issue of a repository."""
    repository, number = f"{_Q}{repository}{_Q}{_ENDS}", rf"{number}(?!\w|\.\d)"
    kind = r"(?:repo(?:sitory)? |project )?"
    yield rf"\b{_NUMBERED}{number} {_OF} {_THE}{kind}{repository}"
    yield rf"(?<!\w)[#!]{number} {_OF} {_THE}{kind}{repository}"
    yield rf"{_BEGINS}{repository}(?:['\u2019]s)?[,:]? {_NUMBERED}{number}(?! {_OF}\b)"


def _is_date(text: str) -> bool:
    """Return whether a word with a slash has no letters, as in ``12/05``."""
    return not any(map(str.isalpha, text))


def _user_texts(session: Session) -> Iterator[str]:
    """Yield the normalised texts of users and the host in this run and its parent runs."""
    remaining, run = _MAX_CHARACTERS, session
    while True:
        for entry in reversed([*run.entries()]):
            event = entry.event
            if remaining > 0 and isinstance(event, MessageText) and event.role != "assistant":
                yield normal(event.text[:remaining])
                remaining -= len(event.text)
        if run.parent is None:
            return
        run = run.parent


_FOLDER = re.compile(r"\b(?:temp|tmp|temporary)[ -](?:dir|directory|folder)\b", re.IGNORECASE)
_OTHER_FOLDER = re.compile(r"[\w.~:$%][\\/]te?mp\b", re.IGNORECASE)
_MAX_TEXT_LENGTH = 64 * 1024  # a task with a pasted file; folders are named before that


def temporary_folder(argument: Argument, session: Session) -> bool:
    """Return whether ``/tmp`` stands for "temp dir" in a run that has no other such folder."""
    if argument.text.strip().rstrip("/") != "/tmp":
        return False
    texts = [
        entry.event.text[:_MAX_TEXT_LENGTH]
        for entry in session.entries()
        if isinstance(entry.event, MessageText) and entry.event.role != "assistant"
    ]
    return any(map(_FOLDER.search, texts)) and not any(map(_OTHER_FOLDER.search, texts))
