"""Microsoft Presidio: recognisers of identifiers, and with a model, of names and places."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from typing import Any

from abs_shield.quality.pii.pii_entity import Pii, mask

NAMES = {
    "ABA_ROUTING_NUMBER": "RoutingNumber",
    "AU_MEDICARE": "MedicareNumber",
    "AU_TFN": "TFN",
    "CA_SIN": "SIN",
    "CREDIT_CARD": "CreditCardNumber",
    "DE_FUEHRERSCHEIN": "DriverLicenseNumber",
    "DE_HEALTH_INSURANCE": "Krankenversichertennummer",
    "DE_ID_CARD": "Personalausweis",
    "DE_PASSPORT": "PassportNumber",
    "DE_SOCIAL_SECURITY": "Rentenversicherungsnummer",
    "DE_TAX_ID": "SteuerID",
    "EMAIL_ADDRESS": "EmailAddress",
    "ES_NIE": "NIE",
    "ES_NIF": "DNI",
    "ES_PASSPORT": "PassportNumber",
    "FI_PERSONAL_IDENTITY_CODE": "HETU",
    "IBAN_CODE": "IBAN",
    "IN_AADHAAR": "Aadhaar",
    "IN_PAN": "PAN",
    "IN_PASSPORT": "PassportNumber",
    "IT_DRIVER_LICENSE": "DriverLicenseNumber",
    "IT_FISCAL_CODE": "CodiceFiscale",
    "IT_PASSPORT": "PassportNumber",
    "KR_DRIVER_LICENSE": "DriverLicenseNumber",
    "KR_PASSPORT": "PassportNumber",
    "KR_RRN": "RRN",
    "LOCATION": "Location",
    "MEDICAL_LICENSE": "DEANumber",
    "PERSON": "Person",
    "PHONE_NUMBER": "PhoneNumber",
    "PL_PESEL": "PESEL",
    "SE_PERSONNUMMER": "Personnummer",
    "SG_NRIC_FIN": "NRIC",
    "TH_TNIN": "ThaiID",
    "TR_NATIONAL_ID": "TCKN",
    "UK_DRIVING_LICENCE": "DriverLicenseNumber",
    "UK_NHS": "NHSNumber",
    "UK_NINO": "NINO",
    "UK_PASSPORT": "PassportNumber",
    "US_BANK_NUMBER": "BankAccountNumber",
    "US_DRIVER_LICENSE": "DriverLicenseNumber",
    "US_ITIN": "ITIN",
    "US_MBI": "MedicareNumber",
    "US_NPI": "NPI",
    "US_PASSPORT": "PassportNumber",
    "US_PRESCRIPTION_NUMBER": "PrescriptionNumber",
    "US_SSN": "SSN",
}
"""Presidio's entities that are personal data to their names here; others are ignored."""
LEAST = 0.4
"""Minimum Presidio score of an entity: that of a weak pattern with a context word."""
_NEED_MODEL = ("Person", "Location")
_LEMMAS = "abs_shield_lemmas"
_LONGEST_PART = 100_000
"""Maximum number of characters analysed together; spaCy rejects a million."""


class PresidioDetector:
    """
    Presidio as a `PiiDetector`.

    Without an engine it uses Presidio's recognisers of identifiers of all countries with a blank
    tokenizer; no model is downloaded. With an installed spaCy model of the language, it also finds
    names and places.
    """

    name = "presidio"

    def __init__(self, engine: Any = None, *, language: str = "en", least: float = LEAST) -> None:
        """
        Create a detector.

        Args:
            engine: An `AnalyzerEngine`; None creates one.
            language: The language of the texts.
            least: Minimum Presidio score of an entity, in [0, 1].

        Raises:
            ImportError: `presidio-analyzer` is not installed.
        """
        self._engine = _engine(language) if engine is None else engine
        self._language = language
        self._least = least

    def detect(self, text: str) -> tuple[Pii, ...]:
        """Return the personal data in a text."""
        return tuple(
            Pii(
                name=NAMES[entities.entity_type],
                start=start + entities.start,
                end=start + entities.end,
                masked=mask(part[entities.start : entities.end]),
                confidence=entities.score,
                recogniser=f"{self.name}.{entities.entity_type}",
            )
            for start, part in _parts(text)
            for entities in self._engine.analyze(
                part, language=self._language, score_threshold=self._least
            )
            if entities.entity_type in NAMES
        )

    def gaps(self) -> Mapping[str, str]:
        """Return the kinds of data that need a language model, or are never found."""
        entities = self._engine.get_supported_entities(self._language)
        supported = {NAMES.get(entity) for entity in entities}
        reason = "not detected: no language model is installed"
        gaps = {name: reason for name in _NEED_MODEL if name not in supported}
        return {**gaps, "Biometric": "never detected"}


def _parts(text: str) -> Iterator[tuple[int, str]]:
    """Yield parts of a text that end at a blank, with their offsets."""
    start = 0
    while len(text) - start > _LONGEST_PART:
        end = text.rfind(" ", start, start + _LONGEST_PART) + 1 or start + _LONGEST_PART
        yield start, text[start:end]
        start = end
    yield start, text[start:]


def _set_lemmas(document: Any) -> Any:
    """Set each word as its own lemma, because Presidio searches context words in lemmas."""
    for token in document:
        token.lemma_ = token.lower_
    return document


def _engine(language: str) -> Any:
    import spacy
    from presidio_analyzer import AnalyzerEngine, RecognizerRegistry
    from presidio_analyzer.nlp_engine import SpacyNlpEngine
    from presidio_analyzer.predefined_recognizers import SpacyRecognizer

    spacy.Language.component(_LEMMAS, func=_set_lemmas)
    models = sorted(spacy.util.get_installed_models())  # the same one on every machine
    model = next((one for one in models if one.startswith(f"{language}_")), None)
    registry = RecognizerRegistry(supported_languages=[language])
    for recogniser in _recognisers(language):
        registry.add_recognizer(recogniser)
    if model is not None:
        registry.add_recognizer(SpacyRecognizer(supported_language=language))

    class Tokens(SpacyNlpEngine):  # type: ignore[misc]
        """The words of a text, without a model."""

        def load(self) -> None:
            tokens = spacy.blank(language)
            tokens.add_pipe(_LEMMAS)
            self.nlp = {language: tokens}

    nlp = (
        Tokens()
        if model is None
        else SpacyNlpEngine(models=[{"lang_code": language, "model_name": model}])
    )
    return AnalyzerEngine(registry=registry, nlp_engine=nlp, supported_languages=[language])


def _recognisers(language: str) -> Iterator[Any]:
    """Yield Presidio's recognisers of the entities in `NAMES`; many are off by default."""
    from presidio_analyzer import PatternRecognizer, predefined_recognizers

    class Email(predefined_recognizers.EmailRecognizer):  # type: ignore[misc]
        """Presidio's recogniser without its validation, which downloads the public suffix list."""

        def validate_result(self, pattern_text: str) -> None:
            return None

    yield Email(supported_language=language)
    yield predefined_recognizers.PhoneRecognizer(supported_language=language)
    classes: list[Any] = [
        one
        for one in vars(predefined_recognizers).values()
        if inspect.isclass(one) and issubclass(one, PatternRecognizer)
    ]
    for one in classes:
        if one is not PatternRecognizer and one is not predefined_recognizers.EmailRecognizer:
            recogniser = one(supported_language=language)
            if NAMES.keys() & set(recogniser.supported_entities):
                yield recogniser
