"""A sentence for each recogniser, with a value that is published as an example or made up."""

from __future__ import annotations

from typing import NamedTuple


class Case(NamedTuple):
    """
    One value of one recogniser.
    Attributes:
        key: Jurisdiction and name of the recogniser.
        sentence: A sentence with `{}` for the value.
        value: A valid value.
        broken: The value with a wrong check digit or form; empty if there is no check.
        alone: Whether the value is found without its sentence.
    """

    key: str
    sentence: str
    value: str
    broken: str = ""
    alone: bool = False

    @property
    def name(self) -> str:
        """Return what the value is."""
        return self.key.rpartition(".")[2]


CASES = (
    Case("EmailAddress", "Write to {} before noon.", "jo.doe+x@mail.org", "jo.doe@mail", True),
    Case("PhoneNumber", "Her mobile is {}.", "+49 30 1234567", "+49 30", True),
    Case("US.PhoneNumber", "Call {} tomorrow.", "(212) 736-5000", "", True),
    Case("US.PhoneNumber", "Her number: {}.", "212-736-5000", "212-136-5000", True),
    Case("CreditCardNumber", "Charged to {}.", "4111111111111111", "4111111111111112", True),
    Case("CreditCardNumber", "Paid by card {}.", "3782 822463 10005", "3782 822463 10006", True),
    Case("CreditCardNumber", "Her Diners card: {}.", "30569309025904", "30569309025905"),
    Case("IBAN", "Pay to {} today.", "DE89 3704 0044 0532 0130 00", "DE89370400440532013", True),
    Case("IBAN", "IBAN: {}", "GB29NWBK60161331926819", "GB28NWBK60161331926819", True),
    Case("US.RoutingNumber", "The routing number is {}.", "122105155", "122105156"),
    Case("GB.BankAccountNumber", "Sort code and no.: {}.", "20-00-00 55779911"),
    Case("BankAccountNumber", "Her bank account number is {}.", "0532013000", "0532"),
    Case("BankAccountNumber", "Kontonummer: {}", "648 489 890"),
    Case("US.SSN", "Social security number {} on file.", "219-44-0178", "000-44-0178", True),
    Case("US.SSN", "Her SSN: {}", "219440178", "666440178"),
    Case("US.ITIN", "The ITIN is {}.", "912-78-1234", "912-48-1234", True),
    Case("US.ITIN", "ITIN: {}", "912781234", "912481234"),
    Case("US.EIN", "Employer identification: {}.", "12-3456789"),
    Case("US.NPI", "NPI {}", "1234567893", "1234567890"),
    Case("CA.SIN", "The social insurance number is {}.", "130 692 544", "130 692 545"),
    Case("BR.CPF", "O CPF dela é {}.", "111.444.777-35", "111.444.777-36", True),
    Case("BR.CPF", "CPF: {}", "11144477735", "11144477736"),
    Case("BR.CNPJ", "CNPJ {}", "11.222.333/0001-81", "11.222.333/0001-82", True),
    Case("BR.CNPJ", "CNPJ: {}", "12ABC34501DE35", "12ABC34501DE36"),
    Case("MX.CURP", "La CURP es {}.", "NLPE580218MDFBFD62", "NLPE580218MDFBFD63", True),
    Case("GB.NINO", "National insurance number {}.", "AB 12 34 56 C", "ZZ 12 34 56 C", True),
    Case("GB.NINO", "NI number: {}", "AB123456C", "AB123456E", True),
    Case("GB.NHSNumber", "Her NHS number is {}.", "943 476 5919", "943 476 5918"),
    Case("GB.UTR", "Unique taxpayer reference: {}.", "1955839661", "2955839661"),
    Case("DE.SteuerID", "Ihre Steuer-ID lautet {}.", "36574261809", "36574261890"),
    Case("DE.SteuerID", "Steueridentifikationsnummer: {}", "36 574 261 809", "36 574 261 808"),
    Case("DE.Personalausweis", "Personalausweis Nr. {}.", "T220001293", "T220001294"),
    Case(
        "DE.Rentenversicherungsnummer", "Rentenversicherungsnummer {}.", "65 170839 J 003",
        "65 170839 J 004", True,
    ),
    Case("DE.Krankenversichertennummer", "Krankenkasse: {}.", "A123456780", "A123456781"),
    Case("FR.NIR", "Sécurité sociale : {}.", "2 55 08 14 168 025 38", "2 55 08 14 168 025 3", True),
    Case("FR.NIR", "NIR {}", "255081416802538", "255081416802539", True),
    Case("ES.DNI", "Su DNI es {}.", "12345678Z", "12345678A", True),
    Case("ES.NIE", "NIE: {}", "X1234567L", "X1234567M", True),
    Case("IT.CodiceFiscale", "Codice fiscale: {}", "RSSMRA85T10A562S", "RSSMRA85T10A562T", True),
    Case("NL.BSN", "Haar BSN is {}.", "111222333", "111222334"),
    Case("PL.PESEL", "Numer PESEL: {}.", "44051401359", "44051401358"),
    Case("SE.Personnummer", "Hennes personnummer är {}.", "811228-9874", "811228-9875", True),
    Case("SE.Personnummer", "Personnummer: {}", "198112289874", "198112289875"),
    Case("CH.AHV", "Die AHV-Nummer: {}.", "756.9217.0769.85", "756.9217.0769.86", True),
    Case("NO.Fodselsnummer", "Fødselsnummer: {}.", "15116713605", "15116713606"),
    Case("DK.CPR", "CPR-nummer: {}.", "150994-8427", "159994-8427"),
    Case("FI.HETU", "Henkilötunnus {}.", "131052-308T", "131052-308U", True),
    Case("BE.NationalNumber", "Rijksregisternummer {}", "85.07.30-033.28", "85.07.30-033.2", True),
    Case("BE.NationalNumber", "INSZ: {}", "85073003328", "85073003329"),
    Case("AT.Sozialversicherungsnummer", "SV-Nummer: {}.", "1237 010180", "1238 010180"),
    Case("PT.NIF", "Número de contribuinte: {}.", "186890800", "186890801"),
    Case("IE.PPSNumber", "PPS number {}.", "1234567FA", "1234567GA"),
    Case("TR.TCKN", "TC kimlik no: {}.", "86195718364", "86195718365"),
    Case("IN.Aadhaar", "Her card: {}.", "2341 2341 2346", "2341 2341 2347", True),
    Case("IN.Aadhaar", "Aadhaar: {}", "234123412346", "234123412347"),
    Case("IN.PAN", "PAN card {}.", "SOFTP9736B", "SOFXP9736B", True),
    Case("AU.TFN", "Tax file number: {}.", "123 456 782", "123 456 783"),
    Case("AU.MedicareNumber", "Medicare card {}.", "2123 45670 1", "2123 45671 1"),
    Case("US.MedicareNumber", "Medicare: {}.", "1EG4-TE5-MK73", "1EG4-TE5-MKO3"),
    Case("JP.MyNumber", "マイナンバーは{}です。", "1234 5678 9018", "1234 5678 9019"),
    Case("KR.RRN", "주민등록번호는 {}입니다.", "971126-1250666", "971326-1250666", True),
    Case("KR.RRN", "주민번호: {}", "9711261250666", "9711261250667"),
    Case("SG.NRIC", "NRIC: {}", "S1234567D", "S1234567E", True),
    Case("CN.ResidentID", "身份证号是{}。", "11010519491231002X", "110105194912310021", True),
    Case("PassportNumber", "Her passport number is {}.", "C01X00T47"),
    Case("PassportNumber", "Reisepass Nr. {}.", "178128657", "17812"),
    Case(
        "PassportNumber", "Second line: {}.", "L898902C36UTO7408122F1204159ZE184226B",
        "L898902C37UTO7408122F1204159ZE184226B", True,
    ),
    Case("GB.DriverLicenseNumber", "Driving licence: {}.", "MORGA657054SM9IJ"),
    Case("DriverLicenseNumber", "Her driver's license is {}.", "D123-4567-8901", "D12"),
    Case("MedicalRecordNumber", "MRN: {}", "00482913", "004"),
    Case("PrescriptionNumber", "Rx number {}.", "7712345", "771"),
    Case("US.DEANumber", "DEA number {}.", "BK1216717", "BK1216718"),
)  # fmt: skip
NATIONAL = (
    Case("GB.PhoneNumber", "Her mobile is {}.", "020 7946 0018"),
    Case("IN.PhoneNumber", "Phone: {}", "07489068288"),
    Case("AU.PhoneNumber", "Phone: {}", "7049 9962"),
    Case("DE.PhoneNumber", "Telefon: {}", "030 1234567"),
    Case("AT.PhoneNumber", "Telefonnummer {}", "01 5134567"),
    Case("CH.PhoneNumber", "Natel {}", "079 123 45 67"),
    Case("FR.PhoneNumber", "Téléphone : {}", "01 43 38 83 68"),
    Case("ES.PhoneNumber", "Su móvil es {}.", "612 345 678"),
    Case("IT.PhoneNumber", "Cellulare: {}", "333 123 4567"),
    Case("NL.PhoneNumber", "Bellen kan op {}.", "06 12345678"),
    Case("PL.PhoneNumber", "Numer telefonu: {}", "508 595 748"),
    Case("SE.PhoneNumber", "Mobilnummer {}.", "08-17 81 28"),
    Case("NO.PhoneNumber", "Tlf. {}", "22 12 34 56"),
    Case("DK.PhoneNumber", "Tlf. {}", "70 70 49 99"),
    Case("FI.PhoneNumber", "Puhelin: {}", "050 123 4567"),
    Case("BR.PhoneNumber", "O celular dela é {}.", "(11) 98765-4321"),
    Case("PT.PhoneNumber", "Telemóvel: {}", "912 283 038"),
    Case("JP.PhoneNumber", "電話番号は{}です。", "070-7049-9962"),
    Case("KR.PhoneNumber", "연락처: {}", "052-999-6228"),
    Case("CN.PhoneNumber", "手机号{}。", "18670704999"),
    Case("CA.PhoneNumber", "Cell: {}", "970.499.9622"),
)
"""Numbers without a country's code, which only numbering plans can tell from others."""
