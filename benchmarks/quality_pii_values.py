"""Personal data that `faker` makes up, and the sentences around it."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, NamedTuple

LANGUAGES = {
    "en_US": "en", "en_GB": "en", "en_IN": "en", "en_AU": "en", "en_CA": "en", "de_DE": "de",
    "de_CH": "de", "fr_FR": "fr", "es_ES": "es", "it_IT": "it", "nl_NL": "nl", "pl_PL": "pl",
    "sv_SE": "sv", "pt_BR": "pt", "ja_JP": "ja", "ko_KR": "ko", "zh_CN": "zh",
}  # fmt: skip
"""Locales of `faker`, and the language of their sentences."""
SENTENCES = {
    "en": (
        "Her {label} is {value}.",
        "I found the {label} {value} in the customer's file.",
        "Summary of the request:\n- {label}: {value}\n- status: open",
        "Please change the {label} on record to {value} before Friday.",
        "{value} is the {label} that the client confirmed.",
        "The form lists one {label} ({value}), which we verified in 2024.",
    ),
    "de": (
        "Die {label} lautet {value}.",
        "{label}: {value}",
        "Im Vertrag steht als {label} {value}, bitte prüfen.",
        "Wir haben {value} als {label} gespeichert.",
    ),
    "fr": (
        "Son {label} est {value}.",
        "{label} : {value}",
        "Le dossier indique {label} {value}, à vérifier.",
        "Nous avons noté {value} comme {label}.",
    ),
    "es": (
        "Su {label} es {value}.",
        "{label}: {value}",
        "En el contrato figura {label} {value}, por favor revíselo.",
        "Hemos guardado {value} como {label}.",
    ),
    "it": (
        "Il suo {label} è {value}.",
        "{label}: {value}",
        "Nel contratto risulta {label} {value}, da verificare.",
        "Abbiamo registrato {value} come {label}.",
    ),
    "nl": (
        "Haar {label} is {value}.",
        "{label}: {value}",
        "In het dossier staat {label} {value}, graag controleren.",
        "Wij hebben {value} als {label} opgeslagen.",
    ),
    "pl": (
        "Jej {label} to {value}.",
        "{label}: {value}",
        "W umowie podano {label} {value}, proszę sprawdzić.",
    ),
    "sv": (
        "Hennes {label} är {value}.",
        "{label}: {value}",
        "I avtalet står {label} {value}, kontrollera gärna.",
    ),
    "pt": (
        "O {label} dela é {value}.",
        "{label}: {value}",
        "No contrato consta {label} {value}, favor conferir.",
    ),
    "ja": (
        "{label}は{value}です。",
        "{label}：{value}",
        "お客様の{label}（{value}）を確認しました。",
    ),
    "ko": (
        "{label}는 {value}입니다.",
        "{label}: {value}",
        "고객의 {label}({value})를 확인했습니다.",
    ),
    "zh": ("客户的{label}是{value}。", "{label}：{value}", "我们已登记{label}（{value}）。"),
}
MEMBERS = ('{{"id": 7, "{key}": "{value}", "status": "active"}}', "{key}={value}")
"""Forms of records, whose keys are English."""
BESIDE = (
    "",
    "",
    "Order #W2378156 from May 14, 2024 came to $1,299.00 and ships in 3 parcels. ",
    "Ticket 88213045 was opened at 09:41; see step 2 of the procedure. ",
    "Flight HAT123 departs at 16:00:00, gate 22, booking ZFA04Y. ",
)
"""What stands before a sentence: numbers that are nobody's."""
SHORT = {
    "PhoneNumber": ("mobile", "tel.", "cell phone"),
    "CreditCardNumber": ("Visa card", "card no."),
    "BankAccountNumber": ("bank account no.", "bank account", "checking account"),
    "PassportNumber": ("passport", "passport no."),
    "DriverLicenseNumber": ("driving licence", "driver license", "DL number"),
    "MedicalRecordNumber": ("MRN", "patient ID"),
    "PrescriptionNumber": ("Rx number", "Rx #"),
    "SSN": ("SSN", "Social Security no."),
    "NINO": ("NI number", "NINO"),
    "NHSNumber": ("NHS no.",),
    "SIN": ("SIN",),
    "TFN": ("TFN",),
    "Aadhaar": ("Aadhaar",),
    "EIN": ("EIN", "federal tax ID"),
    "RoutingNumber": ("ABA routing no.",),
}
"""Other words for it in English."""
LABELS = {
    "EmailAddress": {"en": "email address", "de": "E-Mail", "fr": "courriel", "es": "correo",
        "it": "indirizzo email", "nl": "e-mailadres", "pl": "adres e-mail", "sv": "e-postadress",
        "pt": "e-mail", "ja": "メールアドレス", "ko": "이메일", "zh": "邮箱"},
    "PhoneNumber": {"en": "phone number", "de": "Telefonnummer", "fr": "numéro de téléphone",
        "es": "teléfono", "it": "telefono", "nl": "telefoonnummer", "pl": "numer telefonu",
        "sv": "telefonnummer", "pt": "telefone", "ja": "電話番号", "ko": "전화번호",
        "zh": "手机号"},
    "CreditCardNumber": {"en": "credit card number", "de": "Kreditkarte", "fr": "carte bancaire",
        "es": "tarjeta de crédito", "it": "carta di credito", "nl": "creditcard",
        "pl": "numer karty", "sv": "kortnummer", "pt": "cartão de crédito",
        "ja": "クレジットカード番号", "ko": "신용카드 번호", "zh": "信用卡号"},
    "IBAN": {"": "IBAN"},
    "BankAccountNumber": {"en": "bank account number", "de": "Kontonummer",
        "fr": "numéro de compte", "es": "número de cuenta", "it": "conto corrente",
        "nl": "rekeningnummer", "pl": "numer konta", "sv": "kontonummer",
        "pt": "número da conta", "ja": "口座番号", "ko": "계좌번호", "zh": "银行账号"},
    "PassportNumber": {"en": "passport number", "de": "Reisepassnummer",
        "fr": "numéro de passeport", "es": "pasaporte", "it": "passaporto",
        "nl": "paspoortnummer", "pl": "numer paszportu", "sv": "passnummer",
        "pt": "número do passaporte", "ja": "パスポート番号", "ko": "여권번호", "zh": "护照号码"},
    "DriverLicenseNumber": {"en": "driver's license number"},
    "MedicalRecordNumber": {"en": "medical record number"},
    "PrescriptionNumber": {"en": "prescription number"},
    "SSN": {"en": "social security number"},
    "ITIN": {"en": "ITIN"},
    "EIN": {"en": "employer identification number"},
    "RoutingNumber": {"en": "routing number"},
    "NINO": {"en": "National Insurance number"},
    "NHSNumber": {"en": "NHS number"},
    "SIN": {"en": "social insurance number"},
    "Aadhaar": {"en": "Aadhaar number"},
    "PAN": {"en": "PAN"},
    "TFN": {"en": "tax file number"},
    "MedicareNumber": {"en": "Medicare number"},
    "SteuerID": {"de": "Steuer-ID"},
    "Rentenversicherungsnummer": {"de": "Rentenversicherungsnummer"},
    "AHV": {"de": "AHV-Nummer"},
    "NIR": {"fr": "numéro de sécurité sociale"},
    "DNI": {"es": "DNI"},
    "NIE": {"es": "NIE"},
    "CodiceFiscale": {"it": "codice fiscale"},
    "BSN": {"nl": "burgerservicenummer"},
    "PESEL": {"pl": "numer PESEL"},
    "Personnummer": {"sv": "personnummer"},
    "CPF": {"pt": "CPF"},
    "CNPJ": {"pt": "CNPJ"},
    "MyNumber": {"ja": "マイナンバー"},
    "RRN": {"ko": "주민등록번호"},
    "ResidentID": {"zh": "身份证号"},
}  # fmt: skip
"""What people call it, by language; `` where all languages call it alike."""


class Value(NamedTuple):
    """A value of a locale, and a check that does not come from this package; None where none is."""

    name: str
    locale: str
    make: Callable[[Any], str]
    check: str = ""


def _each(name: str, method: str, check: str = "") -> list[Value]:
    return [
        Value(name, locale, lambda fake, method=method: getattr(fake, method)(), check)
        for locale in LANGUAGES
    ]


def _checked(body: str, module: str) -> Callable[[Any], str]:
    """Return a maker of numbers that `python-stdnum` accepts, by trying last characters."""
    valid = import_module(f"stdnum.{module}").is_valid

    def make(fake: Any) -> str:
        for _ in range(20_000):
            if valid(number := fake.numerify(body)):
                return str(number)
        raise ValueError(f"no number of {module}")

    return make


def _nino(fake: Any) -> str:
    """Return a number whose prefix is in use; those of `faker` all begin with ZZ, which is not."""
    return fake.bothify("?? ## ## ## ", letters="ABCEHJKLMPRSTWXY") + fake.random_element("ABCD")


VALUES = (
    *_each("EmailAddress", "company_email"),
    *_each("EmailAddress", "ascii_free_email"),
    *_each("PhoneNumber", "phone_number"),
    *_each("CreditCardNumber", "credit_card_number"),
    *_each("IBAN", "iban", "iban"),
    *_each("BankAccountNumber", "bban"),
    *_each("PassportNumber", "passport_number"),
    Value("SSN", "en_US", lambda fake: fake.ssn(), "us.ssn"),
    Value("SSN", "en_US", lambda fake: fake.ssn().replace("-", ""), "us.ssn"),
    Value("ITIN", "en_US", lambda fake: fake.itin(), "us.itin"),
    Value("EIN", "en_US", lambda fake: fake.ein(), "us.ein"),
    Value("RoutingNumber", "en_US", lambda fake: fake.aba()),
    Value("NINO", "en_GB", _nino),
    Value("NINO", "en_GB", lambda fake: _nino(fake).replace(" ", "")),
    Value("NHSNumber", "en_GB", _checked("%## ### ####", "gb.nhs"), "gb.nhs"),
    Value("NHSNumber", "en_GB", _checked("%#########", "gb.nhs"), "gb.nhs"),
    Value("SIN", "en_CA", lambda fake: fake.ssn(), "ca.sin"),
    Value("Aadhaar", "en_IN", lambda fake: fake.aadhaar_id(), "in_.aadhaar"),
    Value("Aadhaar", "en_IN", _checked("%### #### ####", "in_.aadhaar"), "in_.aadhaar"),
    Value("PAN", "en_IN", lambda fake: fake.bothify("???P?####?").upper(), "in_.pan"),
    Value("TFN", "en_AU", _checked("%## ### ###", "au.tfn"), "au.tfn"),
    Value("SteuerID", "de_DE", _checked("%##########", "de.idnr"), "de.idnr"),
    Value("Rentenversicherungsnummer", "de_DE", lambda fake: fake.rvnr()),
    Value("AHV", "de_CH", lambda fake: fake.ssn(), "ch.ssn"),
    Value("NIR", "fr_FR", lambda fake: fake.ssn(), "fr.nir"),
    Value("DNI", "es_ES", lambda fake: fake.nif(), "es.dni"),
    Value("NIE", "es_ES", lambda fake: fake.nie(), "es.nie"),
    Value("CodiceFiscale", "it_IT", lambda fake: fake.ssn(), "it.codicefiscale"),
    Value("BSN", "nl_NL", lambda fake: fake.ssn(), "nl.bsn"),
    Value("PESEL", "pl_PL", lambda fake: fake.pesel(), "pl.pesel"),
    Value("Personnummer", "sv_SE", lambda fake: fake.ssn(), "se.personnummer"),
    Value("CPF", "pt_BR", lambda fake: fake.cpf(), "br.cpf"),
    Value("CPF", "pt_BR", lambda fake: fake.ssn(), "br.cpf"),
    Value("CNPJ", "pt_BR", lambda fake: fake.cnpj(), "br.cnpj"),
    Value("MyNumber", "ja_JP", _checked("############", "jp.in_"), "jp.in_"),
    Value("RRN", "ko_KR", lambda fake: fake.ssn()),
    Value("ResidentID", "zh_CN", lambda fake: fake.ssn()),
    Value("DriverLicenseNumber", "en_US", lambda fake: fake.bothify("?###-####-####").upper()),
    Value("DriverLicenseNumber", "en_US", lambda fake: fake.bothify("?#######").upper()),
    Value("DriverLicenseNumber", "en_US", lambda fake: fake.numerify("%########")),
    Value("MedicalRecordNumber", "en_US", lambda fake: fake.numerify("%#######")),
    Value("MedicalRecordNumber", "en_US", lambda fake: fake.numerify("MRN-%######")),
    Value("PrescriptionNumber", "en_US", lambda fake: fake.numerify("%######")),
    Value("PrescriptionNumber", "en_US", lambda fake: fake.numerify("RX%#######")),
)
CHECKSUMMED = frozenset(
    "CreditCardNumber IBAN RoutingNumber NHSNumber SIN Aadhaar TFN SteuerID "
    "Rentenversicherungsnummer AHV NIR DNI NIE CodiceFiscale BSN PESEL Personnummer CPF CNPJ "
    "MyNumber ResidentID".split()
)


class Sample(NamedTuple):
    """A text with one value."""

    name: str
    locale: str
    text: str
    start: int
    end: int


def samples(*, seed: int, each: int) -> tuple[list[Sample], dict[str, int]]:
    """
    Return texts with one value each, and how many values were left out, by type.

    Left out is what `python-stdnum` refuses, such as British IBANs of 21 characters, and Korean
    numbers with a day of zero.

    Args:
        seed: Of `faker` and of the choice of sentences.
        each: Values of each type and locale.
    """
    samples_list: list[Sample] = []
    left_out: dict[str, int] = {}
    for number, value in enumerate(VALUES):
        draw = random.Random(f"{seed}-{number}")
        for text in _values(value, seed=seed + number, each=each, left_out=left_out):
            samples_list.append(_embedded(value, text, draw))
    return samples_list, left_out


def _values(value: Value, *, seed: int, each: int, left_out: dict[str, int]) -> Iterator[str]:
    from faker import Faker

    fake = Faker(value.locale)
    fake.seed_instance(seed)
    valid = import_module(f"stdnum.{value.check}").is_valid if value.check else None
    for _ in range(each):
        text = value.make(fake)
        refused = valid is not None and not valid(text)
        if refused or (value.name == "RRN" and _is_no_date(text)):
            left_out[value.name] = left_out.get(value.name, 0) + 1
        else:
            yield text


def _is_no_date(text: str) -> bool:
    """Return whether a Korean number has a day or a month of zero, as `faker` makes some."""
    return text[2:4] == "00" or text[4:6] == "00"


def _embedded(value: Value, text: str, draw: random.Random) -> Sample:
    language = LANGUAGES[value.locale]
    labels = LABELS[value.name]
    label = labels.get(language) or labels.get("") or labels["en"]
    english = labels.get("en") or labels.get("")
    if language == "en":
        label = draw.choice((label, *SHORT.get(value.name, ())))
    forms = SENTENCES[language] + (MEMBERS if english else ())
    form = draw.choice(forms)
    key = (english or "").replace("'s", "").replace("-", "_").replace(" ", "_").lower()
    before, _, after = form.partition("{value}")
    start = draw.choice(BESIDE) + before.format(label=label, key=key)
    return Sample(
        value.name,
        value.locale,
        start + text + after.format(label=label, key=key),
        len(start),
        len(start) + len(text),
    )
