"""Names of months in many languages, in the forms that dates use."""

from __future__ import annotations

from collections import defaultdict
from functools import lru_cache

from abs_shield.text.normal_form import chunks, normal, remove_accents

ENGLISH = (
    "january february march april may june july august september october november december"
).split()
"""The names of the months in English."""
_PATTERN = "|".join(f"{name[:3]}(?:{name[3:]})?" if name[3:] else name for name in ENGLISH)
ENGLISH_MONTH = f"(?:{'|'.join(ENGLISH)})"
"""A pattern of the English names of months, in lower case."""
ENGLISH_OR_SHORT = rf"(?:{_PATTERN}|sept)"
"""A pattern that also matches the first three letters, and ``sept``."""
_NAMES = f"""
{" ".join(ENGLISH)}
januar februar märz april mai juni juli august september oktober november dezember
jänner feber märz april mai juni juli august september oktober november dezember
janvier février mars avril mai juin juillet août septembre octobre novembre décembre
enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro
gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre
gener febrer març abril maig juny juliol agost setembre octubre novembre desembre
januari februari maart april mei juni juli augustus september oktober november december
januari februari mars april maj juni juli augusti september oktober november december
januar februar marts april maj juni juli august september oktober november december
januar februar mars april mai juni juli august september oktober november desember
styczeń luty marzec kwiecień maj czerwiec lipiec sierpień wrzesień październik listopad grudzień
stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia
leden únor březen duben květen červen červenec srpen září říjen listopad prosinec
ledna února března dubna května června července srpna září října listopadu prosince
január február marec apríl máj jún júl august september október november december
januára februára marca apríla mája júna júla augusta septembra októbra novembra decembra
január február március április május június július augusztus szeptember október november december
ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie noiembrie decembrie
ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık
januari februari maret april mei juni juli agustus september oktober november desember
январь февраль март апрель май июнь июль август сентябрь октябрь ноябрь декабрь
января февраля марта апреля мая июня июля августа сентября октября ноября декабря
січень лютий березень квітень травень червень липень серпень вересень жовтень листопад грудень
січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня
януари февруари март април май юни юли август септември октомври ноември декември
ιανουάριος φεβρουάριος μάρτιος απρίλιος μάιος ιούνιος ιούλιος αύγουστος σεπτέμβριος οκτώβριος
νοέμβριος δεκέμβριος
ιανουαρίου φεβρουαρίου μαρτίου απριλίου μαΐου ιουνίου ιουλίου αυγούστου σεπτεμβρίου οκτωβρίου
νοεμβρίου δεκεμβρίου
يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر
جانفي فيفري مارس أفريل ماي جوان جويلية أوت سبتمبر أكتوبر نوفمبر ديسمبر
كانون_الثاني شباط آذار نيسان أيار حزيران تموز آب أيلول تشرين_الأول تشرين_الثاني كانون_الأول
ינואר פברואר מרץ אפריל מאי יוני יולי אוגוסט ספטמבר אוקטובר נובמבר דצמבר
בינואר בפברואר במרץ באפריל במאי ביוני ביולי באוגוסט בספטמבר באוקטובר בנובמבר בדצמבר
जनवरी फ़रवरी मार्च अप्रैल मई जून जुलाई अगस्त सितंबर अक्टूबर नवंबर दिसंबर
जनवरी फरवरी मार्च अप्रैल मई जून जुलाई अगस्त सितम्बर अक्तूबर नवम्बर दिसम्बर
มกราคม กุมภาพันธ์ มีนาคม เมษายน พฤษภาคม มิถุนายน กรกฎาคม สิงหาคม กันยายน ตุลาคม พฤศจิกายน ธันวาคม
"""
_WHOLE = """
tammikuu helmikuu maaliskuu huhtikuu toukokuu kesäkuu heinäkuu elokuu syyskuu lokakuu marraskuu
joulukuu
tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesäkuuta heinäkuuta elokuuta syyskuuta
lokakuuta marraskuuta joulukuuta
tammikuun helmikuun maaliskuun huhtikuun toukokuun kesäkuun heinäkuun elokuun syyskuun lokakuun
marraskuun joulukuun
"""
"""Names that are never abbreviated: ``mar`` does not mean ``marraskuu``."""
_UNNAMED = ("tháng {}", "{} 月", "{} 월")
"""Languages that number the months."""
_SHORTEST = 3
"""Letters of the shortest abbreviation, ``dec`` and ``déc``."""
_MONTHS = 12  # each row of the tables has as many names

Name = tuple[str, ...]
"""The chunks of a month's name, in normal form."""


@lru_cache(maxsize=_MONTHS)
def month_names(month: int) -> tuple[Name, ...]:
    """
    Return the names of a month, counted from 1: whole, inflected and abbreviated.

    A name of different months in different languages is omitted.

    >>> ("maja",) in month_names(5), ("dic",) in month_names(12), ("mar",) in month_names(11)
    (True, True, False)
    """
    return tuple(name for name, months in _table().items() if months == {month})


@lru_cache(maxsize=1)
def whole_names() -> dict[str, int]:
    """
    Return the unabbreviated one-word names of months, with their numbers.

    >>> whole_names()["lipca"], whole_names()["décembre"], "set" in whole_names()
    (7, 12, False)
    """
    months: dict[str, set[int]] = defaultdict(set)
    for names in (_NAMES, _WHOLE):
        for place, name in enumerate(names.split()):
            for form in _forms(name, cut=False) if "_" not in name else ():
                months["".join(form)].add(place % _MONTHS + 1)
    return {name: month for name, (month, *others) in months.items() if not others}


@lru_cache(maxsize=1)
def _table() -> dict[Name, set[int]]:
    table: dict[Name, set[int]] = defaultdict(set)
    for names, cut in ((_NAMES, True), (_WHOLE, False)):
        for place, name in enumerate(names.split()):
            for form in _forms(name.replace("_", " "), cut=cut):
                table[form].add(place % _MONTHS + 1)
    for pattern in _UNNAMED:
        for month in range(1, _MONTHS + 1):
            table[tuple(pattern.format(month).split())].add(month)
    return table


def _forms(name: str, *, cut: bool) -> set[Name]:
    """Return a name whole, without accents, and, in cased alphabets, abbreviated."""
    full = normal(name)
    spellings = {full, remove_accents(full)}
    # In scripts without capitals, the first letters are not an abbreviation.
    if cut and name.lower() != name.upper():
        spellings |= {form[:size] for form in (*spellings,) for size in (_SHORTEST, _SHORTEST + 1)}
    return {tuple(chunks(form)) for form in spellings}
