"""Numbers of patients, prescriptions, passports and driving licences; most need a context word."""

from __future__ import annotations

import re

from abs_shield.quality.pii.checksums import digits_of, weighted
from abs_shield.quality.pii.recogniser import NO_DATE, Recogniser, capitals, form, phrases

_RECORD_WORDS = phrases(
    "mrn, medical record, medical record number, medical record no, medical record id, "
    "health record, health record number, patient id, patient number, patient no, chart number, "
    "hospital number, patientennummer, patienten id, fallnummer, numero de dossier medical, "
    "dossier medical, historia clinica, cartella clinica, patientnummer, journalnummer, "
    "prontuario, uhid, 病历号, 診察券番号, カルテ番号, 진료기록번호, 환자번호"
)
_PRESCRIPTION_WORDS = phrases(
    "rx, rx number, rx no, prescription, prescription number, prescription no, prescription id, "
    "rezept, rezeptnummer, ordonnance, numero d ordonnance, receta, numero de receta, ricetta, "
    "receptnummer, recept, recepta, receita, 処方箋, 处方, 처방전"
)


def _has_digits(number: str) -> bool:
    return sum(map(str.isdigit, number)) >= 4  # fewer are a ward or a year


def _is_dea(number: str) -> bool:
    digits = digits_of(number[2:])
    return (sum(digits[0:6:2]) + 2 * sum(digits[1:6:2])) % 10 == digits[6]


HEALTH_ROWS = (
    Recogniser(
        name="MedicalRecordNumber",
        pattern=capitals(
            NO_DATE + r"(?:(?:[A-Z]{1,4}-?)?\d{4,12}(?:-\d{1,4})?[A-Z]?|\d{2,3}(?:-\d{2,3}){2})"
        ),
        validator=_has_digits,
        context=_RECORD_WORDS,
        strength=0.15,
        reach=30,
    ),
    Recogniser(
        name="PrescriptionNumber",
        pattern=capitals(r"(?:[A-Z]{1,4}-?)?\d{6,12}(?:-\d{1,6})?[A-Z]?"),
        validator=_has_digits,
        context=_PRESCRIPTION_WORDS,
        strength=0.15,
        reach=25,
    ),
    Recogniser(
        name="DEANumber",
        pattern=form(r"[A-HJ-NPR-UX][A-Z9]\d{7}"),
        validator=_is_dea,
        context=phrases("dea, dea number, dea no, prescriber"),
        jurisdiction="US",
        strength=0.3,
    ),
    Recogniser(
        name="MedicareNumber",
        pattern=form(
            r"[1-9][AC-HJKMNP-RT-Y][0-9AC-HJKMNP-RT-Y]\d(-?)[AC-HJKMNP-RT-Y][0-9AC-HJKMNP-RT-Y]\d"
            r"\1[AC-HJKMNP-RT-Y]{2}\d{2}"
        ),
        context=phrases("medicare, mbi, medicare beneficiary, beneficiary identifier"),
        jurisdiction="US",
        strength=0.45,
    ),
)


_PASSPORT_WORDS = phrases(
    "passport, passport number, passport no, passport nr, passports, reisepass, "
    "reisepassnummer, passnummer, passeport, numero de passeport, pasaporte, "
    "numero de pasaporte, passaporto, numero di passaporto, paspoort, paspoortnummer, paszport, "
    "paszportu, numer paszportu, pass nr, passaporte, numero do passaporte, passnummer, passi, "
    "passin numero, pas, 旅券, パスポート, 여권, 护照, 護照"
)
_LICENCE_WORDS = phrases(
    "driver s license, drivers license, driver license, driver s licence, drivers licence, "
    "driver licence, driving licence, driving license, license number, licence number, dl, "
    "dl number, dl no, fuhrerschein, fuhrerscheinnummer, fuhrerausweis, permis de conduire, "
    "numero de permis, permis, permiso de conducir, carnet de conducir, licencia de conducir, "
    "patente di guida, patente, rijbewijs, rijbewijsnummer, prawo jazdy, prawa jazdy, korkort, "
    "korkortsnummer, carteira de motorista, carteira de habilitacao, cnh, forerkort, ajokortti, "
    "運転免許, 免許証, 운전면허, 驾驶证"
)
_DAY = re.compile(r"(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])")


def _is_long(number: str) -> bool:
    """Return whether a licence without a specific pattern has enough digits and is not a date."""
    digits = sum(map(str.isdigit, number))
    # shorter codes are flights and seats; eight digits may be a day
    return digits >= 4 and 6 <= len(number) <= 18 and _DAY.fullmatch(number) is None


def _is_passport(number: str) -> bool:
    digits = sum(map(str.isdigit, number))
    return digits >= 3 and _DAY.fullmatch(number) is None


def _is_machine_readable(line: str) -> bool:
    """Verify the check digits of a passport's second line (ICAO 9303); fillers are left out."""
    # number, birth and expiry, each with its check digit (ICAO 9303)
    checked = ((line[:9], line[9]), (line[13:19], line[19]), (line[21:27], line[27]))
    return all(
        weighted(digits_of(part), (7, 3, 1) * 3) % 10 == int(check) for part, check in checked
    )


TRAVEL_ROWS = (
    Recogniser(
        name="PassportNumber",
        pattern=capitals(
            r"[A-Z]{0,3}\d{6,9}[A-Z]?|[A-Z]{1,2} \d{6,8}|[CFGHJK][CFGHJKLMNPRTVWXYZ0-9]{8}\d?"
            r"|\d{2}[A-Z]{2}\d{5}|[A-Z]{2}[A-Z0-9]{6}\d"
        ),
        validator=_is_passport,
        context=_PASSPORT_WORDS,
        strength=0.15,
        reach=40,
    ),
    Recogniser(
        name="PassportNumber",
        pattern=capitals(r"[A-Z0-9]{9}\d[A-Z]{3}\d{7}[MFX]\d{7}[A-Z0-9]{0,14}"),
        validator=_is_machine_readable,
        context=_PASSPORT_WORDS,
        strength=0.8,
    ),
    Recogniser(
        name="DriverLicenseNumber",
        pattern=capitals(r"[A-Z]{5}\d{6}[A-Z]{2}[A-Z0-9]{3}"),
        context=_LICENCE_WORDS,
        jurisdiction="GB",
        strength=0.4,
    ),
    Recogniser(
        name="DriverLicenseNumber",
        pattern=capitals(
            NO_DATE + r"(?:[A-Z]{0,3}[ -]?\d{2,14}(?:[ -]\d{2,9}){0,5}[A-Z]{0,2}|[A-Z0-9]{6,18})"
        ),
        validator=_is_long,
        context=_LICENCE_WORDS,
        strength=0.15,
        reach=30,
    ),
)
