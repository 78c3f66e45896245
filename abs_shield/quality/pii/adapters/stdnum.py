"""The table of recognisers with validators and further countries of `python-stdnum`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from importlib import import_module

from abs_shield.quality.pii import RECOGNISERS
from abs_shield.quality.pii.pii_detector import TableDetector
from abs_shield.quality.pii.recogniser import Recogniser, form, phrases

MODULES = {
    "AT.Sozialversicherungsnummer": "at.vnr",
    "AU.TFN": "au.tfn",
    "BE.NationalNumber": "be.nn",
    "BR.CNPJ": "br.cnpj",
    "BR.CPF": "br.cpf",
    "CA.SIN": "ca.sin",
    "CH.AHV": "ch.ssn",
    "CN.ResidentID": "cn.ric",
    "DE.SteuerID": "de.idnr",
    "ES.DNI": "es.dni",
    "ES.NIE": "es.nie",
    "FI.HETU": "fi.hetu",
    "FR.NIR": "fr.nir",
    "GB.NHSNumber": "gb.nhs",
    "GB.UTR": "gb.utr",
    "IBAN": "iban",
    "IE.PPSNumber": "ie.pps",
    "IN.Aadhaar": "in_.aadhaar",
    "IN.PAN": "in_.pan",
    "IT.CodiceFiscale": "it.codicefiscale",
    "JP.MyNumber": "jp.in_",
    "MX.CURP": "mx.curp",
    "NL.BSN": "nl.bsn",
    "NO.Fodselsnummer": "no.fodselsnummer",
    "PL.PESEL": "pl.pesel",
    "SE.Personnummer": "se.personnummer",
    "TR.TCKN": "tr.tckimlik",
    "US.RoutingNumber": "us.rtn",
    "US.SSN": "us.ssn",
}
"""Key of a row to the module that validates it."""
_MORE = (
    ("BG", "EGN", "bg.egn", r"\d{10}", "egn, егн"),
    ("CL", "RUT", "cl.rut", r"\d{1,2}\.?\d{3}\.?\d{3}-[0-9K]", "rut, run, rol unico"),
    ("CZ", "RodneCislo", "cz.rc", r"\d{6}/?\d{3,4}", "rodne cislo, rc"),
    ("EC", "Cedula", "ec.ci", r"\d{10}", "cedula, cedula de identidad"),
    ("EE", "Isikukood", "ee.ik", r"\d{11}", "isikukood, personal code"),
    ("GR", "AMKA", "gr.amka", r"\d{11}", "amka, αμκα"),
    ("HR", "OIB", "hr.oib", r"\d{11}", "oib"),
    ("IL", "TeudatZehut", "il.idnr", r"\d{8,9}", "teudat zehut, israeli id"),
    ("IS", "Kennitala", "is_.kennitala", r"\d{6}-?\d{4}", "kennitala"),
    ("LT", "AsmensKodas", "lt.asmens", r"\d{11}", "asmens kodas"),
    ("MY", "MyKad", "my.nric", r"\d{6}-\d{2}-\d{4}", "mykad, nric, kad pengenalan"),
    ("RO", "CNP", "ro.cnp", r"\d{13}", "cnp, cod numeric personal"),
    ("SI", "EMSO", "si.emso", r"\d{13}", "emso"),
    ("SK", "RodneCislo", "sk.rc", r"\d{6}/?\d{3,4}", "rodne cislo, rc"),
    ("TH", "ThaiID", "th.pin", r"\d(?:-?\d{4}){2}\d-?\d{2}-?\d|\d{13}", "thai id, บัตรประชาชน"),
    ("ZA", "SouthAfricanID", "za.idnr", r"\d{13}", "id number, south african id, identity number"),
)
"""Jurisdiction, name, module, pattern and context words of further identifiers."""


def stdnum_recognisers() -> tuple[Recogniser, ...]:
    """
    Return the table with the validators of `python-stdnum`, and its further identifiers.

    A row with a validator keeps it in addition, because it also checks the form, such as issuers
    of cards.

    Raises:
        ImportError: `python-stdnum` is not installed.
    """
    validators = {key: _validator(module) for key, module in MODULES.items()}
    return (*(_checked(row, validators) for row in RECOGNISERS), *map(_further, _MORE))


def stdnum_detector(jurisdictions: Collection[str] | None = None) -> TableDetector:
    """
    Return the detector of these recognisers.

    Args:
        jurisdictions: ISO 3166 codes of the countries whose identifiers are detected; None for
            all.

    Raises:
        ImportError: `python-stdnum` is not installed.
    """
    return TableDetector(
        recognisers=stdnum_recognisers(), jurisdictions=jurisdictions, name="stdnum"
    )


def _checked(row: Recogniser, validators: Mapping[str, Callable[[str], bool]]) -> Recogniser:
    other = validators.get(row.key)
    if other is None:
        return row

    def both(written: str) -> bool:
        return row.accepts(written) and other(written)

    return replace(row, validator=both, compact=False)


def _further(declared: tuple[str, str, str, str, str]) -> Recogniser:
    jurisdiction, name, module, body, words = declared
    return Recogniser(
        name=name,
        pattern=form(body),
        validator=_validator(module),
        compact=False,
        context=phrases(words),
        jurisdiction=jurisdiction,
        # as rows here without a distinctive form: digits count only with a context word
        strength=0.3,
    )


def _validator(module: str) -> Callable[[str], bool]:
    valid: Callable[[str], bool] = import_module(f"stdnum.{module}").is_valid

    def is_valid(written: str) -> bool:
        try:
            return bool(valid(written))
        except LookupError:
            # `cn.ric` raises this for some places of birth missing in its list
            return True

    return is_valid
