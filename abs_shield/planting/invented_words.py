"""Invented names, placeholders and tools for planted faults, and the verbs of tool names."""

from __future__ import annotations

import re
import unicodedata

from abs_shield.text.identifier_words import name_words

NAMES = {
    "LATIN": (
        "Quillon", "Ottoline", "Wrenna", "Zebediah", "Anneliese", "Leopold", "Rosalind", "Evander",
        "Cornelius", "Tabitha", "Isaura", "Thaddeus", "Ludmila", "Bastian", "Odalys", "Percival",
    ),
    "CJK": ("欧阳澜", "慕容栖", "钟离岫", "司徒珩", "上官沅", "诸葛霁"),
    "CYRILLIC": ("Ярополк", "Мстислава", "Любомир", "Евпраксия", "Святозар"),
    "HIRAGANA": ("みずえ", "ときわ", "かえで"),
    "KATAKANA": ("ヴァレンティン", "ロザリンド", "オットリーネ"),
    "HANGUL": ("남궁하람", "선우다온", "제갈이든"),
    "ARABIC": ("قتيبة", "زمردة", "ورقاء"),
    "GREEK": ("Θρασύβουλος", "Πολυξένη", "Αγησίλαος"),
    "HEBREW": ("אלחנן", "יוכבד", "זרובבל"),
    "DEVANAGARI": ("मृगांक", "वसुंधरा", "चित्रांगद"),
}  # fmt: skip
"""Names by the first word of the Unicode name of their letters."""
PLACEHOLDERS = (
    "<{name}>", "{{{name}}}", "your_{name}_here", "insert_value_here", "<your_id>", "sample_id",
    "UNKNOWN_ID", "TBD", "xxxxxx", "[ID]",
)  # fmt: skip
"""Texts that models write for unknown values; ``{name}`` is the parameter's name."""
TOOLS = (
    "run_sql_query", "open_terminal", "override_limit", "transfer_funds_now", "export_all_users",
    "purge_records", "approve_request", "issue_refund", "apply_discount", "verify_identity",
)  # fmt: skip
ARGUMENTS = ("bypass_confirmation", "force_override", "skip_validation_checks")
OPTIONS = ("ultra_deluxe", "quasi_standard", "super_priority")


def script_of(text: str) -> str:
    """
    Return the script of the first letter, as Unicode names it; empty without letters.

    >>> script_of("Ярополк"), script_of("上海"), script_of("12")
    ('CYRILLIC', 'CJK', '')
    """
    letter = next((letter for letter in text if letter.isalpha()), "")
    return unicodedata.name(letter, "").split(" ")[0] if letter else ""


_LAST = re.compile(r"[./:]|__")  # a namespace stands before the last mark
READING = frozenset("get list search find read show view check query fetch lookup retrieve".split())
CREATING = frozenset("create register make sign insert generate new open reset enroll run".split())
UPDATING = frozenset("update set change modify edit adjust configure rename reschedule".split())
REMOVING = frozenset("delete remove cancel terminate destroy erase revoke".split())
_MAKING = frozenset("create add new insert upload schedule post save".split())
# what is booked can be cancelled, but not deleted or removed
_BOOKING = _MAKING | frozenset("book reserve order place buy".split())
UNDONE_BY = {
    "delete": _MAKING | UPDATING,
    "remove": _MAKING | frozenset("invite assign attach share".split()),
    "cancel": _BOOKING | UPDATING,
    "unsubscribe": frozenset({"subscribe"}),
    "disable": frozenset({"enable"}),
    "enable": frozenset({"disable"}),
    "deactivate": frozenset({"activate"}),
    "activate": frozenset({"deactivate"}),
    "unfollow": frozenset({"follow"}),
    "unlike": frozenset({"like"}),
    "unlock": frozenset({"lock"}),
    "lock": frozenset({"unlock"}),
    "revoke": frozenset({"grant"}),
    "unassign": frozenset({"assign"}),
    "detach": frozenset({"attach"}),
    "unpin": frozenset({"pin"}),
}
"""The verbs that each verb undoes."""
_NOUNS = frozenset("order book post place list query show set share check view find".split())
"""Verbs that are as often nouns."""
_VERBS = (
    READING | CREATING | UPDATING | REMOVING | _BOOKING | UNDONE_BY.keys()
    | frozenset().union(*UNDONE_BY.values())
)  # fmt: skip


def verb_of(tool: str) -> str:
    """
    Return the verb in a tool's name, or an empty text.

    The first verb counts, except words that are as often nouns.

    >>> verb_of("calendar.delete_event"), verb_of("CRM_updateContact"), verb_of("weather")
    ('delete', 'update', '')
    >>> verb_of("order_cancel"), verb_of("order_pizza")
    ('cancel', 'order')
    """
    # the first verb, unless it may be a noun: `order_cancel` cancels
    verbs = [word for word in _words(tool) if word in _VERBS]
    return next((verb for verb in verbs if verb not in _NOUNS), verbs[0] if verbs else "")


def nouns_of(tool: str) -> frozenset[str]:
    """
    Return the other words of a tool's name.

    >>> sorted(nouns_of("calendar.delete_event")), sorted(nouns_of("update_order"))
    (['event'], ['order'])
    """
    return frozenset(_words(tool)) - {verb_of(tool)}


def _words(tool: str) -> tuple[str, ...]:
    return name_words(_LAST.split(tool)[-1])
