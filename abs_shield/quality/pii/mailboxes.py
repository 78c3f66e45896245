"""Exclusion of e-mail addresses that are not a person's: role mailboxes and logins."""

from __future__ import annotations

import re

_ROLES = frozenset(
    "abuse accounting accounts accountspayable admin administrator admissions alerts api ap ar "
    "billing booking bookings career careers claims community compliance concierge contact "
    "contactus customercare customers customerservice customersupport dataprotection delivery demo "
    "dev developers devops donations donotreply dpo editor engineering enquiries enquiry events "
    "facilities feedback finance frontdesk gdpr git hello help helpdesk hi hiring hostmaster hr "
    "info information inquiries inquiry invest investors invoice invoices invoicing ir it jobs "
    "legal list loans mail mailbox mailerdaemon marketing media members membership news newsletter "
    "noreply notification notifications office offices operations ops order orders partner "
    "partners partnerships payments payroll postmaster pr press privacy procurement "
    "purchasing quotes reception recruiting recruitment refunds registrar renewals reply "
    "reservation reservations returns root sales secretary security service services shipping shop "
    "staff store studio subscriptions success suggestions support team tech technical tender test "
    "tickets training travel trust unsubscribe updates user vendors warranty webmaster welcome "
    "buchhaltung bewerbung datenschutz empfang kontakt rechnung rechnungen vertrieb zentrale "
    "accueil commercial contacto soporte ventas ufficio".split()
)
"""Role mailboxes (RFC 2142 and similar)."""
_PLACES = frozenset(
    "africa amer americas apac asia at au be berlin br ca ch cn de desk department dept dk emea en "
    "es eu europe fi fr gb global group hk hq ie in int intl international it jp kr latam line "
    "london me mx na nl no nordics north nyc nz online paris pl pt se sg south team the tokyo uk "
    "us usa web west world east our my your".split()
)
"""Words next to the role in a mailbox, as in `sales.emea@`."""
_RESERVED = re.compile(
    r"(?:^|\.)(?:example(?:\.(?:com|org|net))?|test|invalid|localhost)$", re.IGNORECASE
)
"""Reserved domains (RFC 2606 and 6761)."""
_REMOTE = re.compile(r":(?:[\w.~-]*/[\w~./-]|[\w./~-]{1,80}\.git\b)")
"""The path of a Git or SSH remote after its host, as in `git@host:team/project`."""
_LOGIN = 100  # farther back, `://` belongs to another address
"""Maximum length of a user name and a password in a server address."""
_NO_LOGIN = re.compile(r"[\s/?#@<>\"']")
_LOCAL = re.compile(r"[^\W\d_]+")


def is_personal(address: str) -> bool:
    """
    Return whether an address is not a role mailbox, and its domain is not reserved.

    >>> is_personal("jo@mail.org"), is_personal("sales.emea@acme.com"), is_personal("jo@a.example")
    (True, False, False)
    """
    local, _, domain = address.partition("@")
    if _RESERVED.search(domain):
        return False
    words = _LOCAL.findall(local.partition("+")[0].casefold())  # without a tag: `info+web@`
    if "".join(words) in _ROLES:
        return False
    return _ROLES.isdisjoint(words) or not _ROLES.union(_PLACES).issuperset(words)


def is_address(text: str, start: int, end: int) -> bool:
    """Return whether a match is not a login (`postgres://app:secret@db.internal`) or a remote."""
    scheme = text.rfind("://", max(0, start - _LOGIN), start)
    if scheme >= 0 and _NO_LOGIN.search(text, scheme + 3, start) is None:
        return False
    return _REMOTE.match(text, end) is None
