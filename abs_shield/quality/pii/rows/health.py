"""Numbers of patients and of prescriptions."""

from __future__ import annotations

from abs_shield.quality.pii.checksums import digits_of
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


ROWS = (
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
