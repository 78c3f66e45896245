"""Verbs of tools' names and of answers: their effects, past forms and related verbs."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from functools import lru_cache


class VerbEffect(StrEnum):
    """The effect of a verb on its noun; `ACT` for all other verbs."""

    READ = "read"
    MAKE = "make"
    UNMAKE = "unmake"
    CHANGE = "change"
    ACT = "act"

    @property
    def writes(self) -> bool:
        """Return whether the verb does more than read."""
        return self is not VerbEffect.READ


_WORDS: dict[VerbEffect, str] = {
    VerbEffect.ACT: (
        "pay submit export log record enqueue emit upsert reply forward notify execute "
        "run call order buy transfer purchase charge refund deposit apply process trigger place "
        "request file checkout"
    ),
    VerbEffect.READ: (
        "get list read find search fetch show view lookup look check query describe count "
        "calculate compute compare retrieve inspect verify validate preview estimate "
        "analyze analyse summarize summarise translate explain detect see scan track watch "
        "monitor test ping select filter tell ask think head download navigate visit goto browse "
        "scrape crawl scroll hover wait screenshot peek poll"
    ),
    VerbEffect.MAKE: (
        "create add append insert book invite register grant enable lock start resume open "
        "subscribe make new generate reserve hire follow like pin star attach mount connect join "
        "allow activate publish upload issue assign approve link save write draft build "
        "provision launch deploy install init initialize setup schedule enroll enrol admit mute "
        "block ban freeze hold unarchive restore reopen reinstate accept confirm "
        "arm borrow rent checkin send post tag label flag mark bookmark "
        "favorite watch associate touch mkdir"
    ),
    VerbEffect.UNMAKE: (
        "delete remove cancel revoke disable unlock stop suspend close unsubscribe return drop "
        "destroy erase purge terminate deactivate unpublish unassign reject unlink uninstall "
        "disconnect leave unfollow unlike unpin unstar detach unmount deny abort undo rollback "
        "release void decline expel fire discard clear trash unregister deregister "
        "unenroll unmute unblock unban unfreeze archive unshare decline demote disarm decommission "
        "dismiss pause kill untag unlabel unflag "
        "unmark unbookmark unfavorite unwatch withdraw halt dissociate rm rmdir truncate "
        "unset"
    ),
    VerbEffect.CHANGE: (
        "update modify exchange set change edit rename move replace adjust patch put alter "
        "reschedule extend increase decrease upgrade downgrade reset swap configure "
        "correct amend revise convert share promote"
    ),
}
# A verb in several rows, such as `watch`, has its last effect.
VERB_EFFECTS = {word: does for does, words in _WORDS.items() for word in words.split()}
"""The effect of each verb, in the infinitive."""
RARE_VERBS = frozenset(
    "renew discharge dispatch prescribe ship reroute onboard waive reimburse redeem redirect repay "
    "expedite escalate restart reboot dispute credit debit bill contact repair invest sell "
    "postpone roll authorize authorise compensate merge sign pair deliver initiate complete "
    "inform arrange fix adjust handle give take begin finalize finalise".split()
)
"""Action verbs that are rare in the names of tools."""
SPEECH_VERBS = frozenset(
    "accept note draft write generate make build mark show label flag detach like hold run clear "
    "follow look test watch access put set convert share leave define select filter attach pin tag "
    "bookmark allow abort give take begin handle adjust".split()
)
"""Verbs of thinking, reading or writing in the answer itself."""
_PAST = {
    "sent": "send", "made": "make", "bought": "buy", "paid": "pay", "put": "put", "set": "set",
    "built": "build", "drew": "draw", "withdrawn": "withdraw", "withdrew": "withdraw",
    "undone": "undo", "undid": "undo", "frozen": "freeze", "froze": "freeze", "lent": "lend",
    "reset": "reset", "held": "hold", "written": "write", "wrote": "write", "shut": "close",
    "rebooked": "book", "resent": "send", "emailed": "send", "mailed": "send", "messaged": "send",
    "texted": "send", "forwarded": "forward", "wired": "transfer", "refunded": "refund",
    "rescheduled": "reschedule", "cancelled": "cancel", "canceled": "cancel", "sold": "sell",
    "given": "give", "taken": "take", "begun": "begin", "run": "run",
}  # fmt: skip
"""Irregular past forms."""
_FAMILIES = (
    "refund reimburse repay credit compensate return cancel void dispute",
    "ship dispatch reship deliver forward send fulfil fulfill",
    "pay charge bill debit settle buy purchase order book reserve transfer deposit withdraw invest "
    "sell checkout",
    "book reserve order buy purchase schedule hire rent hold reschedule",
    "send email mail message notify text forward transmit dispatch deliver share reply contact "
    "inform",
    "cancel void abort revoke withdraw rescind terminate end delete remove erase purge destroy "
    "discard",
    "restart reboot start reset resume launch",
    "repair fix replace patch",
    "prescribe order",
    "merge close",
    "sign approve",
    "roll rollback revert undo restore",
)
VERB_FAMILIES: dict[str, frozenset[int]] = {
    verb: frozenset(n for n, row in enumerate(_FAMILIES) if verb in row.split())
    for verb in " ".join(_FAMILIES).split()
}
"""For each verb, the groups of verbs that may name the same action."""
_BLOCK = "disable deactivate suspend freeze block ban lock revoke hold"
_UNBLOCK = "enable activate grant unlock unblock unfreeze unban reinstate allow"
_EDIT = "write edit patch rewrite save"
_KIN = (
    (_BLOCK, f"{_BLOCK} remove stop close pause"),
    ("block", "cancel"),  # a blocked card
    ("stop close end", f"{_BLOCK} stop close end"),
    (_UNBLOCK, f"{_UNBLOCK} open resume restore add"),
    ("open", "unlock"),
    ("transfer wire deposit", "send transfer deposit"),
    ("transfer handover", "forward connect assign"),
    ("pay", "send"),
    ("deploy release publish launch", "deploy release publish launch roll ship deliver restart"),
    ("restore rollback revert", "restart"),
    ("set update change", "roll rollback revert restore"),
    (
        "assign reassign escalate delegate route",
        "forward send deliver transfer escalate assign notify contact inform",
    ),
    ("comment reply respond post announce", "notify reply message forward contact inform send"),
    ("respond answer rsvp", "reply accept decline reject confirm"),
    ("exchange swap replace replacement", "return send ship dispatch deliver refund order charge"),
    ("replacement", "cancel block lock freeze disable deactivate"),
    ("return", "create generate open send ship"),
    ("enroll enrol", "book reserve"),
    ("password", "send notify"),
    (_EDIT, f"{_EDIT} remove delete erase drop discard clear disable undo terminate end repair"),
)
"""Verbs in tools' names, and further verbs for the same action; not symmetric."""


def _kin() -> dict[str, frozenset[str]]:
    related: dict[str, set[str]] = {}
    for row, others in _KIN:
        for verb in row.split():
            related.setdefault(verb, set()).update(others.split())
    return {verb: frozenset(others) for verb, others in related.items()}


RELATED_VERBS = _kin()
"""For each word of a tool's name, the further verbs that may name its action."""
_SAME = (
    "refund reimburse repay credit",
    "pay charge bill debit settle",
    "ship dispatch",
    "email send notify",
    "book reserve",
    "cancel void abort",
    "transfer move",
    "approve accept grant",
    "reject decline deny",
)
EQUIVALENT_VERBS: dict[str, frozenset[str]] = {
    verb: frozenset(" ".join(row for row in _SAME if verb in row.split()).split())
    for verb in " ".join(_SAME).split()
}
"""For each verb, those that report the same state of a record."""
ACTION_NOUNS = {
    "cancellation": "cancel", "deletion": "delete", "removal": "remove", "approval": "approve",
    "registration": "register", "refund": "refund", "reimbursement": "reimburse",
    "compensation": "compensate", "dispute": "dispute", "restart": "restart", "reboot": "reboot",
    "renewal": "renew", "notification": "notify", "merge": "merge", "rollback": "rollback",
}  # fmt: skip
"""Nouns of actions: ``create_cancellation`` cancels."""
RESULT_NOUNS = {
    "payment": "pay", "invoice": "bill", "reservation": "reserve", "booking": "book",
    "appointment": "book", "shipment": "ship", "delivery": "deliver", "sms": "text",
    "trade": "sell", "signature": "sign", "subscription": "subscribe",
}  # fmt: skip
"""Nouns of an action's result: ``submit_payment`` pays, ``update_payment`` does not."""
SENDING_VERBS = frozenset(
    "send email mail message notify text forward transmit reply contact pay charge bill debit "
    "transfer deposit withdraw refund".split()
)
"""Verbs of calls that send or pay something without changing a record."""


def is_action(verb: str) -> bool:
    """
    Return whether a verb, in the infinitive, is an action rather than a read.

    >>> is_action("cancel"), is_action("waive"), is_action("check")
    (True, True, False)
    """
    return verb in RARE_VERBS or VERB_EFFECTS.get(verb, VerbEffect.READ).writes


def is_tool_verb(word: str) -> bool:
    """
    Return whether a word of a tool's name is an action verb, however rare in such names.

    >>> is_tool_verb("ship"), is_tool_verb("payroll")
    (True, False)
    """
    return is_action(word) or word in VERB_FAMILIES


@lru_cache(maxsize=4096)
def infinitive(word: str) -> str:
    """
    Return the action verb whose past form is *word*; empty if there is none.

    >>> infinitive("cancelled"), infinitive("modified"), infinitive("sent"), infinitive("found")
    ('cancel', 'modify', 'send', '')
    """
    forms = [_PAST[word]] if word in _PAST else []
    if word.endswith("ied"):
        forms.append(word[:-3] + "y")
    if word.endswith("ed"):
        forms += [word[:-1], word[:-2]]
        if len(word) > 4 and word[-3] == word[-4]:
            forms.append(word[:-3])  # the last letter is doubled, as in "planned"
    return next((form for form in forms if is_action(form)), "")


def infinitive_of_gerund(word: str) -> str:
    """
    Return the action verb whose gerund is *word*; empty if there is none.

    >>> infinitive_of_gerund("deleting"), infinitive_of_gerund("cancelling")
    ('delete', 'cancel')
    >>> infinitive_of_gerund("finding"), infinitive_of_gerund("string")
    ('', '')
    """
    base = word.removesuffix("ing")
    if len(base) < 3 or base == word:
        return ""
    forms = [base, f"{base}e"]
    if base[-1] == base[-2]:
        forms.append(base[:-1])  # the last letter is doubled, as in "planning"
    return next((form for form in forms if is_action(form)), "")


def past_forms() -> Iterator[str]:
    """Yield the past forms of action verbs, except verbs of speech."""
    yield from (word for word, verb in _PAST.items() if verb not in SPEECH_VERBS)
    for verb in (VERB_EFFECTS.keys() | RARE_VERBS) - SPEECH_VERBS:
        if is_action(verb):
            yield from _regular(verb)


def _regular(verb: str) -> Iterator[str]:
    if verb.endswith("e"):
        yield f"{verb}d"
    elif verb.endswith("y") and verb[-2] not in "aeiou":
        yield f"{verb[:-1]}ied"
    else:
        yield f"{verb}ed"
        yield f"{verb}{verb[-1]}ed"
