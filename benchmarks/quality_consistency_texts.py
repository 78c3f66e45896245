"""Generated texts that contradict themselves, each with a twin that does not: ten kinds."""

from __future__ import annotations

import datetime
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

_TEAMS = "sales support design finance legal research logistics marketing training".split()
_PLACES = "Europe Asia Africa Canada Brazil India Norway Chile Japan Spain".split()
_PEOPLE = "Anna Ben Cara Dan Eva Finn Greta Hugo Iris Jonas".split()
_FILLERS = (
    "The figures were checked by the team.",
    "More detail follows in the next section.",
    "This matters for the coming months.",
    "The board has seen a draft of this note.",
    "Everything else stays as it was.",
    "",
)
_WEEK = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
_NUMBERS = "zero one two three four five six seven eight nine ten".split()


@dataclass(frozen=True, slots=True)
class Twins:
    """
    Two texts in the same words.

    Attributes:
        kind: The kind of contradiction.
        wrong: The text that contradicts itself.
        right: The one that does not.
    """

    kind: str
    wrong: str
    right: str


Pair = tuple[str, str]


def twins(count: int, seed: int) -> Iterator[Twins]:
    """Yield *count* pairs of each kind."""
    for kind, write in KINDS.items():
        random_ = random.Random(f"{seed}/{kind}")
        for _ in range(count):
            wrong, right = write(random_)
            first, last = random_.choice(_FILLERS), random_.choice(_FILLERS)
            yield Twins(kind, _around(first, wrong, last), _around(first, right, last))


def _around(first: str, text: str, last: str) -> str:
    end = "\n" if "\n" in text else " "
    return f"{first} {text}{end}{last}".strip()


def _off(random_: random.Random, value: int) -> int:
    """Return a value that is 8 to 40 % away, and at least 2."""
    shift = max(2, round(abs(value) * random_.uniform(0.08, 0.4)))
    return value + shift if value <= shift or random_.random() < 0.5 else value - shift


def _parts(random_: random.Random) -> Pair:
    a, b, c = (random_.randint(5, 60) for _ in range(3))
    x, y, z = random_.sample(_TEAMS, 3)
    p, q, r = random_.sample(_PLACES, 3)
    total = a + b + c
    forms: list[Callable[[int], str]] = [
        lambda n: f"We hired {n} people: {a} in {x}, {b} in {y} and {c} in {z}.",
        lambda n: f"Revenue was ${a}M in {p}, ${b}M in {q} and ${c}M in {r}, a total of ${n}M.",
        lambda n: f"The fleet has {a} vans, {b} trucks and {c} cars, {n} vehicles in total.",
        lambda n: (
            f"Rent is ${a * 100:,}, food ${b * 100:,} and travel ${c * 100:,}. "
            f"In total, that is ${n * 100:,}."
        ),
        lambda n: (
            f"The budget of {n * 1000:,} euros is split into {a * 1000:,} euros for {x}, "
            f"{b * 1000:,} euros for {y} and {c * 1000:,} euros for {z}."
        ),
        lambda n: f"A total of {n} pupils ({a} girls and {b + c} boys) took part.",
        lambda n: f"{p} sent {a} delegates, {q} sent {b}, and {r} sent {c}, for a total of {n}.",
        lambda n: (
            f"The {x} team has {a} members and the {y} team has {b}. "
            f"Together they have {n - c} members."
        ),
        lambda n: (
            f"Our costs add up as follows: ${a}k for {x}, ${b}k for {y}, and ${c}k for {z}, "
            f"totaling ${n}k."
        ),
    ]
    write = random_.choice(forms)
    return write(_off(random_, total)), write(total)


def _growth(random_: random.Random) -> Pair:
    prior = random_.randint(20, 400) * 10
    rate = random_.choice((5, 8, 10, 12, 15, 20, 25, 30, 40))
    up = random_.random() < 0.6
    factor = 1 + rate / 100 if up else 1 - rate / 100
    current = round(prior * factor)
    noun = random_.choice(("revenue", "spending", "turnover", "output", "income"))
    rose, rise = ("rose", "increase") if up else ("fell", "decrease")
    grew = "grew" if up else "shrank"
    year = random_.randint(2010, 2023)
    forms: list[Callable[[int], str]] = [
        lambda n: (
            f"Our Q2 {noun} was ${current:,}. This represents a {rate}% year-over-year {rise}."
            f" Last year's Q2 {noun} was ${n:,}."
        ),
        lambda n: f"{noun.title()} {rose} {rate}% from ${n:,} to ${current:,}.",
        lambda n: f"{noun.title()} {grew} by {rate}% to {current:,} from {n:,} a year earlier.",
        lambda n: f"The site's {noun} went from {n:,} to {current:,}, a {rate}% {rise}.",
        lambda n: (
            f"{noun.title()} was ${n:,} in {year} and ${current:,} in {year + 1}, "
            f"{'an' if up else 'a'} {rise} of {rate}%."
        ),
        lambda n: (
            f"{noun.title()} came to ${current:,}, {'up' if up else 'down'} {rate}% from "
            f"${n:,} in the previous year."
        ),
        lambda n: (
            f"Last year our {noun} was ${n:,}. This year our {noun} is ${current:,}. "
            f"That is a {rate}% {rise}."
        ),
        lambda n: f"Visitors {rose} from {n:,} to {current:,} ({'up' if up else 'down'} {rate}%).",
    ]
    write = random_.choice(forms)
    return write(_off(random_, prior)), write(prior)


def _shares(random_: random.Random) -> Pair:
    whole = random_.randint(4, 40) * 20
    rate = random_.randint(2, 18) * 5
    part = whole * rate // 100
    wrong = rate + random_.choice((-10, 10, 15)) if rate > 12 else rate + 15
    noun = random_.choice(("employees", "respondents", "pupils", "members", "households"))
    rest = 100 - rate
    a = random_.randint(1, rest - 1) if rest > 1 else 1
    x, y, z = random_.sample(_PLACES, 3)
    forms: list[Callable[[int], str]] = [
        lambda r: f"{part} of the {whole} {noun} ({r}%) agreed.",
        lambda r: f"Of the {whole} {noun}, {part} ({r}%) answered.",
        lambda r: f"{part} out of {whole} {noun} took part, which is {r}%.",
        lambda r: f"{r}% of the {whole} {noun}, or {part}, live nearby.",
        lambda r: f"Some {noun} moved: {part} of {whole}, that is {r}%.",
        lambda r: (
            f"{a}% of the {noun} chose {x}, {rest - a}% chose {y}, and the remaining {r}% "
            f"chose {z}."
        ),
        lambda r: f"The portfolio is made up of {a}% shares, {rest - a}% bonds and {r}% cash.",
        lambda r: f"We spent ${part:,} of the ${whole:,} budget ({r}%).",
        lambda r: f"{part} {noun}, {r}% of the {whole} in the survey, were satisfied.",
    ]
    write = random_.choice(forms)
    return write(min(wrong, 100) if wrong <= 100 else rate - 15), write(rate)


def _day(date: datetime.date) -> str:
    return f"{date:%B} {date.day}"


_DURATION_FORMS = (
    "The {thing} runs from {first} to {last}, {end_year}, lasting {days} days.",
    "The {days}-day {thing} takes place from {first} to {last}.",
    "She led the institute from {since} to {until}, a period of {years} years.",
    "The {thing} is open from {opens}:00 to {closes}:30, a total of {hours}.5 hours.",
    "The {thing} starts on {weekday}, {first}, {year}.",
    "The project began in {since} and ended in {until}, so it took {years} years.",
    "The {thing} starts on {first}, {year} and ends on {last}, {end_year}, {days} days in all.",
    "{days} days after {first}, {year}, on {last}, {end_year}, the {thing} closed.",
    "The railway was in use from {since} until {until}, or {years} years.",
)


def _durations(random_: random.Random) -> Pair:
    first = datetime.date(
        random_.randint(2015, 2025), random_.randint(1, 9), random_.randint(1, 27)
    )
    days = random_.randint(4, 40)
    last = first + datetime.timedelta(days=days)
    since, years = random_.randint(1950, 2000), random_.randint(4, 18)
    opens, hours = random_.randint(8, 11), random_.randint(2, 6)
    thing = random_.choice(("exhibition", "trial", "course", "festival", "sale"))
    weekday = _WEEK[first.weekday()]
    other = random_.choice([name for name in _WEEK if name != weekday])
    wrong_days = (
        days + random_.choice((4, 7, 10)) if days < 12 else days - random_.choice((4, 6, 8))
    )
    wrong_years = years + random_.choice((3, 4, 6))
    wrong = {"weekday": other, "days": wrong_days, "years": wrong_years, "hours": hours + 2}
    right = {
        "thing": thing, "first": _day(first), "year": first.year, "last": _day(last),
        "end_year": last.year, "since": since, "until": since + years, "opens": opens,
        "closes": opens + hours, "weekday": weekday, "days": days, "years": years, "hours": hours,
    }  # fmt: skip
    form = random_.choice(_DURATION_FORMS)
    return form.format_map(right | wrong), form.format_map(right)


def _ages(random_: random.Random) -> Pair:
    born = random_.randint(1900, 1970)
    age = random_.randint(20, 80)
    at = born + age
    wrong = age + random_.choice((-7, -4, 3, 5, 9))
    name = random_.choice(_PEOPLE)
    forms: list[Callable[[int], str]] = [
        lambda n: f"{name} was born in {born}. In {at}, {name} was {n} years old and she retired.",
        lambda n: f"{name} was born in {born} and died in {at} at the age of {n}.",
        lambda n: f"Born in {born}, {name} moved to Oslo in {at}, aged {n}.",
        lambda n: f"{name} ({born}\u2013{at}) was a painter. She died aged {n}.",
        lambda n: f"{name} was born on 5 May {born}. He died on 10 June {at}, aged {n}.",
        lambda n: f"{name}, born in {born}, opened a school in {at} when she was {n} years old.",
        lambda n: f"{name} (born {born}) turned {n} in {at}.",
        lambda n: f"He was born in {born} in a small town. He won the prize in {at} at age {n}.",
    ]
    write = random_.choice(forms)
    return write(wrong), write(age)


def _orders(random_: random.Random) -> Pair:
    a, b, c = random_.sample(_PEOPLE, 3)
    x, y, z = (f"Plan {letter}" for letter in random_.sample("ABCDEF", 3))
    more = random_.choice(("taller", "older", "faster", "stronger"))
    low, high = random_.randint(10, 40), random_.randint(50, 90)
    forms: list[Callable[[bool], str]] = [
        lambda ok: f"{a} is {more} than {b}. {b} is {more} than {c}. "
        + (f"{a} is {more} than {c}." if ok else f"{c} is {more} than {a}."),
        lambda ok: f"{x} is more expensive than {y}, and {y} is more expensive than {z}. "
        + (f"{x} is more expensive than {z}." if ok else f"{z} is more expensive than {x}."),
        lambda ok: f"{x} is cheaper than {y}. {'As expected' if ok else 'By comparison'}, the list "
        f"is short. {y} is cheaper than {z}, and "
        f"{x if ok else z} is cheaper than {z if ok else x}.",
        lambda ok: f"{x} (${low if ok else high}) is cheaper than {y} (${high if ok else low}).",
        lambda ok: f"{a} came second and {b} came fourth. "
        + (f"{a} finished ahead of {b}." if ok else f"{b} finished ahead of {a}."),
        lambda ok: "The northern lake is deeper than the southern lake. "
        + ("The southern lake is shallower than the northern lake." if ok
           else "The southern lake is deeper than the northern lake."),
        lambda ok: f"{a} is {more} than {b}, while {b} is {more} than {c}; "
        + (f"{a} is {more} than {c}." if ok else f"{c} is {more} than {a}."),
        lambda ok: f"{a} is older than {b}. " + (f"{b} is younger than {a}." if ok
           else f"{a} is younger than {b}."),
    ]  # fmt: skip
    write = random_.choice(forms)
    return write(False), write(True)


def _repeats(random_: random.Random) -> Pair:
    value = random_.randint(20, 900)
    wrong = _off(random_, value)
    thing = random_.choice(("project", "clinic", "library", "museum", "workshop"))
    filler = random_.choice(("It opened in spring.", "Many people know it.", "It is well run."))
    forms: list[Callable[[int], str]] = [
        lambda n: (
            f"The {thing}'s budget is ${value},000. {filler} The budget of the {thing} is ${n},000."
        ),
        lambda n: f"The annual fee is ${value}. {filler} The annual fee is ${n}.",
        lambda n: f"The {thing} has {value} employees. {filler} The {thing} has {n} employees.",
        lambda n: (
            f"The total cost is {value},000 euros. {filler} The total cost of {n},000 euros "
            f"is covered."
        ),
        lambda n: (
            f"The {thing}'s floor area is {value} square metres. {filler} "
            f"The {thing}'s floor area is {n} square metres."
        ),
        lambda n: (
            f"The delivery fee was ${value}. {filler} As the delivery fee was ${n}, we agreed."
        ),
        lambda n: (
            f"Our annual budget is ${value},000. {filler} We think that our annual budget is "
            f"${n},000 and fits the plan."
        ),
        lambda n: f"The success rate was {value / 10}%. {filler} The success rate was {n / 10}%.",
    ]
    write = random_.choice(forms)
    return write(wrong), write(value)


def _differences(random_: random.Random) -> Pair:
    low = random_.randint(20, 200)
    gap = random_.randint(5, 19)
    high = low + gap
    wrong = gap + random_.choice((3, 4, -3)) if gap > 8 else gap + 4
    a, b = random_.sample(_PEOPLE, 2)
    forms: list[Callable[[int], str]] = [
        lambda n: f"{a} scored {high} and {b} scored {low}, a difference of {n} points.",
        lambda n: f"The fare rose by ${n} from ${low} to ${high}.",
        lambda n: f"The price fell from ${high} to ${low}, a drop of ${n}.",
        lambda n: f"{a} spent ${low} of the ${high} budget, leaving ${n}.",
        lambda n: f"{a} has {high} stamps, {n} more than {b}, who has {low}.",
        lambda n: f"Of the {high} tickets, {low} were sold, leaving {n} unsold.",
        lambda n: f"The temperature increased from {low} to {high} degrees, up {n} degrees.",
        lambda n: (
            f"The rate rose from {low / 10}% to {high / 10}%, an increase of {n / 10} "
            f"percentage points."
        ),
        lambda n: f"{a} earned ${high} while {b} earned ${low}, a gap of ${n}.",
        lambda n: f"The difference between {a}'s {high} points and {b}'s {low} points is {n}.",
    ]
    write = random_.choice(forms)
    return write(wrong), write(gap)


def _ratios(random_: random.Random) -> Pair:
    small = random_.randint(10, 300)
    word, times = random_.choice((("doubled", 2), ("tripled", 3), ("quadrupled", 4)))
    as_word = {2: "twice", 3: "three times", 4: "four times"}[times]
    large = small * times
    wrong = round(large * random_.choice((0.6, 0.75, 1.3, 1.5)))
    count, price = random_.randint(3, 20), random_.randint(5, 90)
    forms: list[Callable[[bool], str]] = [
        lambda ok: f"Sales {word} from {small} to {large if ok else wrong} units.",
        lambda ok: (
            f"The new tower is {large if ok else wrong} metres high, {as_word} the height of "
            f"the old one at {small} metres."
        ),
        lambda ok: (
            f"The club grew from {small} to {large if ok else wrong} members, a "
            f"{'two' if times == 2 else 'three' if times == 3 else 'four'}fold increase."
        ),
        lambda ok: (
            f"The premium plan costs ${large if ok else wrong}, {as_word} the ${small} of the "
            f"basic plan."
        ),
        lambda ok: (
            f"We bought {count} chairs at ${price} each, for a total of "
            f"${count * price if ok else round(count * price * 1.2) + 3}."
        ),
        lambda ok: (
            f"{count} tickets at ${price} each cost "
            f"${count * price if ok else round(count * price * 0.8) - 3}."
        ),
        lambda ok: f"Output {word} to {large if ok else wrong} tonnes from {small} tonnes.",
        lambda ok: (
            f"The stadium holds {large if ok else wrong} people, which is {as_word} as many "
            f"as the hall with {small} seats."
        ),
    ]
    write = random_.choice(forms)
    return write(False), write(True)


def _counts(random_: random.Random) -> Pair:
    n = random_.randint(3, 6)
    items = random_.sample(_TEAMS, n)
    wrong = _NUMBERS[n + random_.choice((-1, 1)) if n > 3 else n + 1]
    right = _NUMBERS[n]
    bullets = "\n".join(f"- {item.title()}" for item in items)
    numbered = "\n".join(f"{k}. Improve {item}" for k, item in enumerate(items, 1))
    joined = f"{', '.join(items[:-1])} and {items[-1]}"
    comma = f"{', '.join(items[:-1])}, and {items[-1]}"
    ordinals = ("First", "Second", "Third", "Fourth", "Fifth", "Sixth")
    reasons = " ".join(
        f"{word}, it helps {item}." for word, item in zip(ordinals, items, strict=False)
    )
    few = _NUMBERS[n - 1]
    forms: list[Callable[[bool], str]] = [
        lambda ok: f"There are {right if ok else wrong} options: {joined}.",
        lambda ok: f"We looked at {right if ok else wrong} areas: {comma}.",
        lambda ok: f"The plan has {right if ok else wrong} parts:\n\n{bullets}\n",
        lambda ok: f"Here are {right if ok else wrong} steps to take:\n{numbered}\n",
        lambda ok: (
            f"The following {right if ok else wrong} departments report to the board: {comma}."
        ),
        lambda ok: f"There are {right if ok else few} reasons. {reasons}",
        lambda ok: f"The report covers {right if ok else wrong} key topics: {'; '.join(items)}.",
    ]
    write = random_.choice(forms)
    return write(False), write(True)


KINDS: dict[str, Callable[[random.Random], Pair]] = {
    "parts": _parts, "growth": _growth, "shares": _shares, "durations": _durations, "ages": _ages,
    "orders": _orders, "repeats": _repeats, "differences": _differences, "ratios": _ratios,
    "counts": _counts,
}  # fmt: skip
"""How the texts of each kind are written."""
