"""Check that the calls of a run explain the actions that its answer claims."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice

from abs_shield.answer.checks.action_calls import Call
from abs_shield.answer.checks.action_objects import contradicts_talk
from abs_shield.answer.checks.action_patterns import (
    FAILURE,
    MESSAGE,
    NOTICE,
    OLD,
    reporting_words,
    unconditional_words,
)
from abs_shield.answer.checks.action_recipients import Recipients, recipients_in
from abs_shield.answer.checks.claimed_actions import (
    REFUND,
    REFUNDING,
    ClaimedAction,
    claimed_actions,
)
from abs_shield.answer.checks.claimed_tools import unused_tools
from abs_shield.answer.checks.reported_actions import ReportedActions, is_short
from abs_shield.answer.checks.state_check import Flags, has_unread_state
from abs_shield.answer.claim_types import Claim, Opinions, from_conflicts
from abs_shield.answer.evidence.evidence_passages import Evidence, PassageSource
from abs_shield.answer.evidence.value_index import ValueIndex
from abs_shield.core import Unavailable
from abs_shield.text.identifier_words import name_words
from abs_shield.text.json_leaves import leaves, scalar_text
from abs_shield.text.safe_display import shown
from abs_shield.text.stem import stem
from abs_shield.text.values.figure import ID, SUMS
from abs_shield.text.values.figure_reader import figures
from abs_shield.text.values.number_values import id_key
from abs_shield.text.verbs import (
    EQUIVALENT_VERBS,
    VERB_EFFECTS,
    VerbEffect,
    infinitive,
)

_NOUNS = frozenset("credit debit bill dispute repair".split())
"""Nouns that may be the type of a record: ``type: credit``."""
# 60 characters: verb and message are in one clause
_BY_ITSELF = re.compile(
    r"\b(?:will|automatically|always)\b[^.\n]{0,60}\b(?:e-?mail|notification|message|sms)s?\b",
    re.IGNORECASE,
)
"""System instructions about messages that are sent without a call."""
_TOKEN = re.compile(r"[\w#@][\w./:#@+-]{0,62}[\w]|[\w#]")
# longer texts are data; a run has some 20 results of prose, and each is searched for actions
_LEAST_ID = 4  # digits of a number that may be an id
_LONGEST_ID, _LONGEST_RESULT, _MOST_RESULTS = 64, 5_000, 20
# each is compared with all calls, so that more would take quadratic time
_MOST_ACTIONS, _MOST_STRANGERS = 50, 20
# an id at more places, such as a customer's, is no name of one object
_MOST_PLACES = 8


def actions(
    claims: Sequence[Claim],
    evidence: Evidence,
    *,
    question: str | None = None,
    answer: str | None = None,
) -> Opinions:
    """Check that an executed call can have carried out each action that a claim reports."""
    if evidence.executed is None:
        # `evidence=` has no calls, and a recording may lack them
        return (Unavailable("the calls that ran are unknown"),) * len(claims)
    calls: Calls = evidence.derived(Calls)
    return tuple(
        from_conflicts((*_conflicts(claim.text, calls), *unused_tools(claim.text, evidence)))
        for claim in claims
    )


def _conflicts(text: str, calls: Calls) -> Iterator[str]:
    """Yield a text for each action: why no call can have done it; empty if one can."""
    claims = [*islice(claimed_actions(text), _MOST_ACTIONS)]
    ids = calls.ids_in(text) if claims else frozenset[str]()
    for claimed in claims:
        done = calls.explain(claimed, ids)
        if not done and ids and len(claims) > 1:
            # in "cancelled V-1 and booked V-2 instead", V-1 belongs to the other action
            others = (one for one in claims if one is not claimed and calls.explain(one, ids))
            rest = ids.difference(*(calls.ids_of(one) for one in others))
            done = rest != ids and calls.explain(claimed, rest)
        # the check of states reports the field with the other state
        done = done or (claimed.is_state and calls.has_other_state(text))
        quoted = shown(_without_aside(claimed.text))
        yield "" if done else f"{quoted}: no successful call performed it"


def _without_aside(text: str) -> str:
    """
    Return an action without its text between commas, to keep the quote in a conflict short.

    >>> _without_aside("I have, as Maria of 4 Elm Street wished, cancelled")
    'I have ... cancelled'
    """
    return re.sub(r",.{1,80},", " ...", text)


def _ids_of(text: str) -> frozenset[str]:
    return frozenset(id_key(one.text) for one in figures(text) if one.kind == ID and not one.soft)


class Calls:
    """The calls of some evidence that acted or failed to, and the verbs of its results."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        acted = [one for one in evidence.executed or () if not one.reads]
        self._succeeded = [Call(one, self._texts_of) for one in acted]
        self._failed = [Call(one) for one in evidence.failed if not one.reads]
        self._ids = frozenset[str]().union(
            *(call.ids for call in (*self._succeeded, *self._failed))
        )
        results = [one for one in evidence if one.source is PassageSource.TOOL_RESULT]
        words = {word for one in results for word in reporting_words(one.text.casefold())}
        self._names_refund = "refund" in words
        self._reported = {verb for verb in map(infinitive, words) if verb} | (words & _NOUNS)
        system = (one.text for one in evidence if one.source is PassageSource.SYSTEM)
        self._sends_by_itself = any(_BY_ITSELF.search(text) for text in system)

    def ids_in(self, text: str) -> frozenset[str]:
        """Return the ids in a text, and the numbers that a result has in a field for ids."""
        index: ValueIndex = self._evidence.derived(ValueIndex)
        numbers = (one for one in figures(text) if one.kind in SUMS and len(one.text) >= _LEAST_ID)
        known = (
            id_key(one.text)
            for one in numbers
            if one.text.isdigit() and any(not each.is_sum for each in index.find(one))
        )
        return _ids_of(text).union(known)

    def _texts_of(self, ids: Iterable[str]) -> Iterator[str]:
        """Yield the texts of the records with some ids."""
        index: ValueIndex = self._evidence.derived(ValueIndex)
        for one in ids:
            for place in index.ids.get(one, ())[:_MOST_PLACES]:
                yield index.records.text(place.piece, place.steps)

    def explain(self, claimed: ClaimedAction, ids: frozenset[str]) -> bool:
        """
        Return whether the calls or results explain a claimed action.

        Args:
            claimed: The action.
            ids: The ids in the claim.
        """
        # first, as the call's own result may report the action without its recipient
        if self._has_other_recipient(claimed):
            return False
        # a result may report what others did, and the passive leaves open who
        if claimed.is_passive and claimed.verb in self._reported:
            return True
        # the failed calls first: they are what an agent glosses over
        failed = [call for call in self._failed if _is_referred_to(call, claimed, ids)]
        if claimed.is_state and not failed:
            return not claimed.is_firm or self._has_record_or_call(claimed, ids)
        if claimed.is_talk and not failed:
            # talk counts as an action only in a run whose calls all read
            if self._succeeded:
                return not all(
                    contradicts_talk(claimed.around, one.words) for one in self._succeeded
                )
            return not (self._evidence.executed or self._failed)
        if not failed and self._is_reported(claimed, ids):
            return True
        candidates = self.candidates(claimed)
        # a system may notify the user by itself, after any action
        if claimed.verb == "send" and self._is_sent_anyway(claimed):
            candidates = self._succeeded
        if failed:
            candidates = [call for call in candidates if _is_referred_to(call, claimed)]
        if not candidates or any(_names_failed_value(call, candidates, claimed) for call in failed):
            return False
        return self._have_ids(ids, candidates, claimed.verb)

    def has_other_state(self, text: str) -> bool:
        """Return whether a field of a result contradicts a claim."""
        flags: Flags = self._evidence.derived(Flags)
        return flags.find_conflict(text) is not None

    def _has_record_or_call(self, claimed: ClaimedAction, ids: frozenset[str]) -> bool:
        """Return whether a call, a result or a message can explain a state."""
        verbs = EQUIVALENT_VERBS.get(claimed.verb, {claimed.verb})
        if not self._mentioned.isdisjoint(verbs) or self._all.has(claimed.verb):
            return True
        if has_unread_state(self._evidence):
            return True
        if claimed.verb == "refund" and self._names_refund:  # `refund: 40` of a cancelled order
            return True
        # any action may entail a message
        if claimed.verb == "send" and self._succeeded:
            return True
        candidates = self.candidates(claimed)
        return bool(candidates) and self._have_ids(ids, candidates, claimed.verb)

    @cached_property
    def _mentioned(self) -> frozenset[str]:
        """The verbs of actions that a message or a result mentions as done."""
        passages = (one for one in self._evidence if one.source is not PassageSource.SYSTEM)
        words = {word for one in passages for word in unconditional_words(one.text.casefold())}
        return frozenset(filter(None, map(infinitive, words)))

    def ids_of(self, claimed: ClaimedAction) -> frozenset[str]:
        """Return the ids in the arguments of the calls whose names allow the claimed action."""
        return frozenset[str]().union(*(call.ids for call in self.candidates(claimed)))

    def candidates(self, claimed: ClaimedAction) -> list[Call]:
        """Return the calls whose names allow the claimed action."""
        return [call for call in self._succeeded if call.can_be(claimed.verb, claimed.around)]

    def _is_reported(self, claimed: ClaimedAction, ids: frozenset[str]) -> bool:
        """
        Return whether results report it: of the run's own actions, or any if the subject is "we".
        """
        verbs = {*_reporting_verbs(claimed)}
        if any(self._own.has(verb, ids) for verb in verbs):
            return True
        if claimed.is_joint and any(self._all.has(verb, ids) for verb in verbs):
            return True
        if claimed.is_joint and self._is_in_prose(verbs, ids):
            return True
        # a changed booking implies a cancelled old one
        has_changed = any(call.changes for call in self._succeeded)
        is_removal = VERB_EFFECTS.get(claimed.verb) is VerbEffect.UNMAKE
        return has_changed and is_removal and OLD.search(claimed.around) is not None

    @cached_property
    def _all(self) -> ReportedActions:
        """The actions that results report."""
        results = (one for one in self._evidence if one.source is PassageSource.TOOL_RESULT)
        return ReportedActions(one.value for one in results if one.value is not None)

    @cached_property
    def _own(self) -> ReportedActions:
        """The actions in short results of the run's own actions."""
        own = (one.value for one in self._evidence.executed or () if not one.reads)
        return ReportedActions(value for value in own if is_short(value))

    @cached_property
    def _prose(self) -> list[tuple[frozenset[str], set[str]]]:
        """The ids of each prose result, and the verbs of the actions it reports."""
        results = [one for one in self._evidence if one.source is PassageSource.TOOL_RESULT]
        prose = [one for one in results if not isinstance(one.value, (dict, list))]
        texts = [one.text[:_LONGEST_RESULT] for one in prose[-_MOST_RESULTS:]]
        return [(_ids_of(text), {*_reported_verbs(text)}) for text in texts]

    def _is_in_prose(self, verbs: set[str], ids: frozenset[str]) -> bool:
        texts = (
            (own, reported) for own, reported in self._prose if not ids or not ids.isdisjoint(own)
        )
        return any(not verbs.isdisjoint(reported) for _, reported in texts)

    def _is_sent_anyway(self, claimed: ClaimedAction) -> bool:
        notice = claimed.is_passive and NOTICE.search(claimed.around) is not None
        return notice or self._sends_by_itself

    def _has_other_recipient(self, claimed: ClaimedAction) -> bool:
        """Return whether all calls of the claimed action are for other recipients than named."""
        named = recipients_in(
            claimed.verb, claimed.text, claimed.around, is_passive=claimed.is_passive
        )
        return bool(named) and self._recipients.differ(named, self.candidates(claimed))

    @cached_property
    def _recipients(self) -> Recipients:
        return Recipients(self._evidence)

    def _have_ids(self, ids: frozenset[str], candidates: Sequence[Call], verb: str) -> bool:
        """Return whether one of the calls is about the ids in the claim."""
        if not ids or not all(call.ids for call in candidates):
            return True
        if own_ids := self._ids & ids:
            return any(call.ids & own_ids for call in candidates)
        if VERB_EFFECTS.get(verb) is VerbEffect.MAKE and not all(
            call.returned for call in candidates
        ):
            return True  # an unrecorded result may contain the id of the created entity
        own = frozenset[str]().union(*(call.ids | call.returned_ids for call in candidates))
        strangers = [one for one in sorted(ids - own) if _is_code(one)]
        return not any(
            all(self._is_alike(one, call.ids) for call in candidates)
            for one in strangers[:_MOST_STRANGERS]
        )

    def _is_alike(self, one: str, ids: Iterable[str]) -> bool:
        """Return whether an id has the form of one of *ids* and may be of the same kind."""
        fields: _IdFields = self._evidence.derived(_IdFields)
        return any(_form(one) == _form(own) and fields.agree(one, own) for own in ids)


def _reported_verbs(text: str) -> Iterator[str]:
    """Yield the verbs of actions that a prose result reports; "are refunded" states a rule."""
    for one in claimed_actions(text):
        if one.is_passive and not one.text.casefold().startswith("are "):
            yield one.verb


def _reporting_verbs(claimed: ClaimedAction) -> Iterator[str]:
    """Yield the verbs with which a result may report an action: "we issued a refund"."""
    yield claimed.verb
    if claimed.verb in REFUNDING and REFUND.search(claimed.around):
        yield "refund"
    if claimed.verb == "send" and not MESSAGE.search(claimed.around):
        yield "ship"


def _is_referred_to(call: Call, claimed: ClaimedAction, ids: frozenset[str] = frozenset()) -> bool:
    """Return whether a claimed action refers to a call, by its verb or by its noun."""
    if ids and call.ids and ids.isdisjoint(call.ids):
        return False
    if call.is_related(claimed.verb) and not claimed.is_state:
        return True
    tokens = {word.casefold() for word in _TOKEN.findall(claimed.around)}
    # a word as in a name as well, which makes `sm` of "SMS"
    words = {stem(part) for word in tokens for part in (word, *name_words(word))}
    return bool(call.nouns) and call.nouns <= words and call.can_be(claimed.verb, claimed.around)


def _names_failed_value(failed: Call, candidates: Sequence[Call], claimed: ClaimedAction) -> bool:
    """Return whether a clause names a value that only a failed call had: n2 in "n1 and n2"."""
    same = [call for call in candidates if call.tool == failed.tool]
    # the sentence admits the failure, or nothing of the same tool succeeded
    if not same or not failed.is_related(claimed.verb) or FAILURE.search(claimed.around):
        return False
    words = {word.casefold() for word in _TOKEN.findall(claimed.around)}
    for field, values in failed.fields.items():
        others = [call.fields.get(field, set()) for call in same]
        # a field that some calls lack is no way to distinguish them
        if all(others) and (values - set().union(*others)) & words:
            return True
    return False


def _is_code(key: str) -> bool:
    """Return whether an id identifies a record: letters and digits, or a long number."""
    # an address has letters and digits as well, and is no code of a record
    has_digits = any(map(str.isdigit, key)) and "@" not in key
    return has_digits and (any(map(str.isalpha, key)) or len(key) >= _LEAST_ID)


def _form(key: str) -> str:
    # so that `W-12` and `W-99` are alike, and `B12` is another kind
    return "".join("9" if one.isdigit() else "a" if one.isalpha() else one for one in key)


class _IdFields:
    """The names of the fields in which results and calls have ids."""

    def __init__(self, evidence: Evidence) -> None:
        self._names: dict[str, set[str]] = defaultdict(set)
        values = [value for one in evidence for value in (one.value, one.arguments)]
        values += [one.arguments for one in (*(evidence.executed or ()), *evidence.failed)]
        for value in values:
            for path, leaf in leaves(value) if isinstance(value, (dict, list)) else ():
                text = scalar_text(leaf) or ""
                if len(text) <= _LONGEST_ID and _is_code(text):
                    field = next((step for step in reversed(path) if isinstance(step, str)), "")
                    self._names[id_key(text)].add(field)

    def agree(self, one: str, other: str) -> bool:
        """Return False if a field has one of the two ids but never the other."""
        mine, theirs = self._names.get(one), self._names.get(other)
        # an id that occurs in no field may be of either kind
        return not (mine and theirs) or not mine.isdisjoint(theirs)
