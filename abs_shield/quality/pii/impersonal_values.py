"""Exclusion of values that are no person's: businesses, role mailboxes, banks, test numbers."""

from __future__ import annotations

import re

_BUSINESS = re.compile(
    r"(?<![^\W_])(?:hotels?|motel|hostel|resort|guesthouse|restaurants?|caf[e\u00e9]|bistro|pizzeria"
    r"|bakery|diner|front[ _-]desk|reception|concierge|offices?|stores?|shops?|branch|showroom"
    r"|clinics?|hospital|pharmacy|dealership|salon|spa|gym|museum|theat(?:er|re)"
    r"|cinema|library|airport|airline|embassy|consulate|police"
    r"|town[ _-]hall|(?:call|contact|service|support|help)[ _-](?:cent(?:er|re)|desk|line)"
    r"|hot[ -]?line|help[ -]?line|helpdesk"
    r"|support[ _-](?:team|number|phone)|(?:customer|client|guest)[ _-](?:service|support|care"
    r"|relations)s?|sales[ _-](?:line|team|desk)|toll[ _-]?free|free[ _-]?phone|switchboard"
    r"|headquarters|main[ _-](?:line|number)|box[ _-]office"
    r"|(?:company|business)(?:['\u2019]s)?[ _-](?:phone|number|line|telephone|hotline)"
    r"|h\u00f4tel|h\u00f4pital|accueil|service client|rezeption|empfang|praxis|filiale"
    r"|kundenservice|kundendienst|zentrale|krankenhaus|restaurante|recepci\u00f3n|tienda|cl\u00ednica"
    r"|farmacia|atenci\u00f3n al cliente|ristorante|albergo|negozio|ospedale|receptie"
    r"|winkel)(?![^\W_])"
    r"|\u9152\u5e97|\u9910\u9986|\u9910\u5385|\u996d\u5e97|\u5bbe\u9986|\u666f\u70b9"
    r"|\u533b\u9662|\u8bca\u6240|\u5ba2\u670d|\u70ed\u7ebf|\u524d\u53f0"
    r"|\u30db\u30c6\u30eb|\u30ec\u30b9\u30c8\u30e9\u30f3|\u75c5\u9662|\ud638\ud154",
    re.IGNORECASE,
)
"""Businesses and services with a public telephone number."""
_PHONE_OWNER = re.compile(
    r"(?<![^\W_])(?:her|hers|his|him|he|she|my|mine|guests?|customers?|clients?|patients?|tenants?"
    r"|visitors?|passengers?|employees?|colleagues?|managers?|owners?|drivers?|nurses?|members?"
    r"|students?|users?|applicants?|candidates?|callers?|mr|mrs|ms|mobile|cell|cellphone|handy"
    r"|natel|whatsapp|private|personal|home)(?![^\W_])|\b(?:for|by|from|with) (?-i:[A-Z][a-z])",
    re.IGNORECASE,
)
"""Words after which a number is a person's all the same: `the hotel's guest`."""
_HIS_OFFICE = re.compile(r"(?:\b(?:her|his|my)|['\u2019]s) (?:[a-z]+ )?$", re.IGNORECASE)
_BEHIND_PHONE = re.compile(
    r"[\s,()\u2013\u2014-]{1,3}(?:(?:is|reaches|rings|to reach|for|at) )?(?:(?:the|our|its) )?"
    r"(?:[a-z]+['\u2019]s )?"
)
_STOP = re.compile(r"[.!?]\s|\n\s*\n|\}")
"""The end of a sentence, of a paragraph and of a record."""
# in characters: a sentence before the number, and a name right after it
_BUSINESS_BEFORE, _BUSINESS_BEHIND = 120, 40


def is_personal_phone(text: str, start: int, end: int) -> bool:
    """Return whether a number is not introduced as that of a business."""
    begin = max(0, start - _BUSINESS_BEFORE)
    for stop in _STOP.finditer(text, begin, start):
        begin = stop.end()
    for word in _BUSINESS.finditer(text, begin, start):
        # 20 characters: a possessive, and at most one word before "office"
        if _HIS_OFFICE.search(text, max(0, word.start() - 20), word.start()) and (
            word[0].casefold().startswith("office")
        ):
            continue
        if _PHONE_OWNER.search(text, word.end(), start) is None:
            return False
    behind = _BEHIND_PHONE.match(text, end)
    if behind is None or _PHONE_OWNER.search(text, begin, start):
        return True
    return _BUSINESS.match(text, behind.end(), behind.end() + _BUSINESS_BEHIND) is None


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


_OWNER = re.compile(
    r"(?<![^\W_])(?:bank(?:['\u2019]?s)?|bank of|branch|building society|credit union|chase"
    r"|citi(?:bank)?|wells fargo|hsbc|barclays|lloyds|natwest|santander|halifax|nationwide"
    r"|commerzbank|sparkasse"
    r"|deutsche bank|jpmorgan|capital one|monzo|starling"
    r"|company(?:['\u2019]?s)?|corporation|firm(?:['\u2019]s)?|supplier(?:['\u2019]s)?"
    r"|vendor(?:['\u2019]s)?|charity|foundation|subsidiary|employer(?:['\u2019]s)|publisher"
    r"|w-?9|inc|llc|ltd|gmbh|plc|corp|s\.?a\.?|ltda|n\.a"
    r"|empresa|companhia|sociedade|fornecedor|swift(?: code)?|bic|for wires|our|nossa?)(?![^\W_])"
    r"|\bcnpj d[aoe]s? (?-i:[A-Z])",
    re.IGNORECASE,
)
"""Names of banks, and words for companies; a bank's number is given with its SWIFT code."""
_ACCOUNT_OWNER = re.compile(
    r"(?<![^\W_])(?:her|his|my|your|their|customer['\u2019]?s?|client['\u2019]?s?|patient['\u2019]?s?"
    r"|employee['\u2019]?s?|mr|mrs|ms|ssn|social security)(?![^\W_])",
    re.IGNORECASE,
)
_ACCOUNT = re.compile(
    r"(?<![^\W_])(?:account|acct|a/c|iban|konto|compte|cuenta|conta)(?![^\W_])[^.\n\d]{0,30}\d{6}"
    r"|\b\d{2}-\d{2}-\d{2}\s+\d{8}\b",
    re.IGNORECASE,
)
"""Words for an account, with which a bank's number identifies its owner."""
_SORT_CODE = re.compile(r"\d\d-\d\d-\d\d")
_ACCOUNT_BEFORE, _ACCOUNT_BEHIND = (
    120,
    60,
)  # in characters: the sentence before the number, and a clause after it


def is_personal_account(text: str, start: int, end: int) -> bool:
    """Return whether a number is not introduced as that of a bank or a company."""
    begin = max(0, start - _ACCOUNT_BEFORE)
    for stop in _STOP.finditer(text, begin, start):
        begin = stop.end()
    stop_behind = _STOP.search(text, end, end + _ACCOUNT_BEHIND)
    finish = stop_behind.start() if stop_behind else end + _ACCOUNT_BEHIND
    if _ACCOUNT.search(text, begin, finish) or _ACCOUNT_OWNER.search(text, begin, start):
        return True
    return _OWNER.search(text, begin, finish) is None


def is_no_sort_code(text: str, start: int, end: int) -> bool:
    """Return whether a number is not a sort code, which identifies a branch."""
    return _SORT_CODE.fullmatch(text, start, end) is None


_TEST_CARDS = frozenset(
    "4242424242424242 4000056655665556 4111111111111111 4012888888881881 4000000000000002 "
    "4000000000003220 4000002500003155 4000000000009995 4000002760003184 4222222222222 "
    "4012000033330026 4917610000000000 4988438843884305 4003830171874018 4444333322221111 "
    "4462030000000000 4000020000000000 5555555555554444 5105105105105100 5200828282828210 "
    "2223003122003222 2223000048400011 5454545454545454 5425233430109903 5500000000000004 "
    "5555341244441115 378282246310005 371449635398431 378734493671000 370000000000002 "
    "374245455400126 6011111111111117 6011000990139424 6011000000000004 6011981111111113 "
    "3056930009020004 30569309025904 38520000023237 36227206271667 36006666333344 "
    "3566002020360505 3530111333300000 3566111111111113 6200000000000005 6759649826438453 "
    "6304000000000000 5019717010103742 6555900000604105".split()
)
"""Test numbers published by payment providers."""
_TEST = re.compile(
    r"(?<![^\W_])(?:test(?:s|ing)?|sandbox|dummy|fake|demo|mock"
    r"|(?:example|sample)[ _-](?:[a-z]+[ _-])?(?:cards?|numbers?))(?![^\W_])",
    re.IGNORECASE,
)
_TEST_BEFORE, _TEST_BEHIND = 80, 40  # characters: the clause before, and some words after
_IN_CODE = re.compile(
    r"(?:[=(,]\s*|\breturn\s+)[\"'`]\Z|\b(?:assert\w*|expect|const|let|var|def|is_?valid\w*|luhn\w*"
    r"|validate\w*)\b[^\n]*\Z",
    re.IGNORECASE,
)
"""Text before a literal in program code."""
_TEST_SSNS = frozenset("123456789 078051120 219099999 457555462".split())
"""Numbers from advertisements and examples."""
_FORM = re.compile(
    r"(?<![^\W_])(?:such as|like|e\.? ?g\b|for (?:example|instance)|examples?|formats?|formatted"
    r"|form|pattern|regex|placeholder|sample|dummy|test|mask(?:ed|s)?|matches|looks)(?![^\W_])",
    re.IGNORECASE,
)


def is_real(text: str, start: int, end: int) -> bool:
    """Return whether a card number is not a provider's test number in a test or in code."""
    if "".join(filter(str.isdigit, text[start:end])) not in _TEST_CARDS:
        return True
    if _TEST.search(text, max(0, start - _TEST_BEFORE), end + _TEST_BEHIND):
        return False
    line = text.rfind("\n", max(0, start - _TEST_BEFORE), start) + 1
    return _IN_CODE.search(text[max(line, start - _TEST_BEFORE) : start]) is None


def is_real_ssn(text: str, start: int, end: int) -> bool:
    """Return whether a social security number is not a published example."""
    if "".join(filter(str.isdigit, text[start:end])) not in _TEST_SSNS:
        return True
    return _FORM.search(text, max(0, start - _TEST_BEFORE), end + _TEST_BEHIND) is None
