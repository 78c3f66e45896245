"""Policies with one mistake each, and policies without any."""

from __future__ import annotations

from textwrap import dedent

HEAD = """
from datetime import date

from abs_shield import Policy, Suppression, Target, Tool, inverse, rule, shield

TEXT = {"type": "string"}
NUMBER = {"type": "number"}
ORDER = {"type": "string", "pattern": "^W-[0-9]{4}$"}
CURRENCY = {"enum": ["EUR", "USD"]}


def tool(name, **properties):
    required = [*properties]
    return Tool(
        name=name,
        parameters={"type": "object", "properties": properties, "required": required},
    )


REFUND = tool("refund", order_id=ORDER, amount=NUMBER, currency=CURRENCY)
CREATE = tool("create_order", order_id=ORDER, email=TEXT)
CANCEL = tool("cancel_order", order_id=ORDER)
FIND = tool("find_order", email=TEXT)
TOOLS = [REFUND, CREATE, CANCEL, FIND]
STATE = ["impossible_state"]
"""
"""The beginning of every module: the tools of a shop."""


def module(source: str) -> str:
    """Return the text of a module of the shop."""
    return HEAD + dedent(source)


# the problem with a code is expected at the line with `#! code`

_TWO_RULES = '''
@rule(tool="refund")
def first(amount: float) -> bool:
    """{0}"""
    return {1}


@rule(tool="refund")
def second(amount: float) -> bool:  #! {4}
    """{2}"""
    return {3}


policy = shield.configure(tools=TOOLS, rules=[first, second], layers=STATE)
'''
_ONE_RULE = '''
@rule(tool="{0}")
def checked({1}):  #! {4}
    """{2}"""
    return {3}


policy = shield.configure(tools=TOOLS, rules=[checked], layers=STATE)
'''
_POLICY = """
policy = shield.configure(  #! {1}
    tools=TOOLS, {0}
)
"""
_SUPPRESSED = """
policy = shield.configure(
    tools=TOOLS,
    suppress=[
        Suppression({0}, reason="known"),  #! {1}
    ],
)
"""


def _line_of_decorator(source: str) -> str:
    """Move the comment from a function to its decorator, which is the line that Python reports."""
    lines = source.split("\n")
    for n, line in enumerate(lines):
        if line.startswith("def ") and "#!" in line:
            lines[n], mark = line.split("  #!")
            lines[n - 1] += f"  #!{mark}"
    return "\n".join(lines)


def _one_rule(*words: str) -> str:
    return _line_of_decorator(_ONE_RULE.format(*words))


def _two_rules(*words: str) -> str:
    return _line_of_decorator(_TWO_RULES.format(*words))


MISTAKES: dict[str, str] = {
    # names
    "a rule of a tool that does not exist": _one_rule(
        "refnud", "amount", "A refund is at most 500.", "amount <= 500", "unknown_tool"
    ),
    "an inverse of a tool that does not exist": """
        PAIR = inverse("create_order", "cancel_oder", same="order_id")  #! unknown_tool
        policy = shield.configure(tools=TOOLS, inverses=[PAIR])
    """,
    "a suppression of a tool that does not exist": _SUPPRESSED.format(
        'check="phantom_target", tool="refnud"', "unknown_tool"
    ),
    "a mode of a tool that does not exist": _POLICY.format(
        'modes={("refnud", "phantom_target"): "audit"}', "unknown_tool"
    ),
    "a mode of a layer that does not exist": _POLICY.format(
        'modes={"phantom_targt": "audit"}', "not_declared"
    ),
    "a field that does not exist": _POLICY.format("treshold=0.5", "not_declared"),
    "a layer that does not exist": _POLICY.format('layers=["phantom_taget"]', "not_declared"),
    "a tool to read first that does not exist": """
        CLOSE = Tool(name="close_order", reads_first=("find_ordr",))  #! unknown_tool
        policy = shield.configure(tools=[CLOSE, FIND], layers=["uninformed_write"])
    """,
    # parameters
    "a rule of a parameter that does not exist": _one_rule(
        "refund", "amuont", "A refund is at most 500.", "amuont <= 500", "unknown_parameter"
    ),
    "a mark of a parameter that does not exist": """
        LEND = Tool(  #! unknown_parameter
            name="lend", parameters={"properties": {"order_id": TEXT}}, soft=["oder_id"]
        )
        policy = shield.configure(tools=[LEND], layers=["phantom_target"])
    """,
    "an inverse of a parameter that does not exist": """
        PAIR = inverse("create_order", "cancel_order", same="oder_id")  #! unknown_parameter
        policy = shield.configure(tools=TOOLS, inverses=[PAIR], layers=["self_contradiction"])
    """,
    # schemas
    "a schema of an unknown type": """
        LEND = Tool(  #! invalid_schema
            name="lend", parameters={"properties": {"n": {"type": "intger"}}}
        )
        policy = shield.configure(tools=[LEND], layers=["parameter_mismatch"])
    """,
    "bounds that no number fits": """
        FEW = {"type": "integer", "minimum": 5, "maximum": 3}
        LEND = Tool(  #! unsatisfiable_schema
            name="lend", parameters={"type": "object", "properties": {"n": FEW}}
        )
        policy = shield.configure(tools=[LEND], layers=["parameter_mismatch"])
    """,
    # rules one by one
    "a rule that the schema has already": _one_rule(
        "refund",
        "currency",
        "A currency of ours.",
        'currency in ("EUR", "USD")',
        "rule_rejects_nothing",
    ),
    "a rule that rejects everything": _one_rule(
        "refund",
        "currency",
        "A currency in small letters.",
        'currency in ("eur", "usd")',
        "rule_rejects_everything",
    ),
    "a rule that raises": _one_rule(
        "find_order",
        "email",
        "An address of a company.",
        'email.split("@")[1] != "x.org"',
        "rule_raises",
    ),
    "a rule that answers with a number": _one_rule(
        "refund", "amount", "A refund has a fee.", "amount % 500", "rule_answers_wrongly"
    ),
    # layers, pairs, lists, modes
    "an inverse whose ids never meet": """
        TICKET = tool("cancel_ticket", order_id={"type": "string", "pattern": "^T-[0-9]+$"})
        PAIR = inverse("create_order", "cancel_ticket", same="order_id")  #! inverse_never_meets
        policy = shield.configure(
            tools=[CREATE, TICKET], inverses=[PAIR], layers=["self_contradiction"]
        )
    """,
    "a layer without anything to check": """
        policy = shield.configure(  #! idle_layer
            tools=[FIND], layers=["impossible_state"]
        )
    """,
    "a rule that no layer judges": _one_rule(
        "refund", "amount", "A refund is at most 500.", "amount <= 500", "not_judged"
    ).replace("layers=STATE", 'layers=["phantom_target"]'),
    "an allowed value that no call can have": """
        LEND = tool("lend", order_id=ORDER)
        policy = shield.configure(  #! allow_matches_nothing
            tools=[LEND], allow=["X-1234"], layers=["phantom_target"]
        )
    """,
    "an allowed value that is allowed already": """
        policy = shield.configure(  #! allow_is_covered
            tools=TOOLS, allow=["W-*", "W-7001"], layers=["phantom_target"]
        )
    """,
    "a mode that changes nothing": _POLICY.format('modes={"refund": "strict"}', "idle_mode"),
    "a suppression that has ended": _SUPPRESSED.format(
        'check="phantom_target", until="2024-01-31"', "expired_suppression"
    ),
    "a suppression of a layer that does not run": _SUPPRESSED.format(
        'check="call_loop"', "idle_suppression"
    ),
}
"""25 simple mistakes."""

HARDER: dict[str, str] = {
    "a suppression of a parameter that does not exist": _SUPPRESSED.format(
        'check="phantom_target", tool="refund", where="/arguments/order_nr"', "idle_suppression"
    ),
    "a suppression of a code that does not exist": _SUPPRESSED.format(
        'check="parameter_mismatch", tool="refund", code="wrong_typ"', "idle_suppression"
    ),
    "a suppression of a place where the layer finds nothing": _SUPPRESSED.format(
        'check="phantom_target", tool="refund", where="/name"', "idle_suppression"
    ),
    "a suppression in the shadow of a wider one": """
        policy = shield.configure(
            tools=TOOLS,
            suppress=[
                Suppression(check="phantom_target", tool="refund", reason="known"),
                Suppression(  #! covered_suppression
                    check="phantom_target", tool="refund", where="/arguments/order_id",
                    until="2090-01-01", reason="known as well"
                ),
            ],
        )
    """,
    "two rules that leave no call": _two_rules(
        "A refund is at most 100.", "amount <= 100",
        "A refund is at least 200.", "amount >= 200",
        "rules_exclude_each_other",
    ),
    "a threshold that mutes a layer": """
        policy = shield.configure(  #! muted_layer
            tools=TOOLS, threshold=0.5, layers=["self_contradiction"]
        )
    """,
    "a rule the wrong way round": _one_rule(
        "refund", "amount", "A refund is at most 500.", "amount > 500",
        "rule_contradicts_sentence",
    ),
    "a rule within another one": _two_rules(
        "A refund is at most 500.", "amount <= 500",
        "A refund is at most 1,000.", "amount <= 1000",
        "rule_is_covered",
    ),
}  # fmt: skip
"""8 mistakes in declarations that are sensible by themselves, but not in this policy."""

FURTHER: dict[str, str] = {
    "a threshold of zero": """
        policy = shield.configure(  #! muted_layer
            tools=TOOLS, threshold=0, layers=["call_loop"]
        )
    """,
    "a suppression of a member that does not exist": """
        LINE = {"type": "object", "properties": {"count": NUMBER}}
        ORDER = tool("order", lines={"type": "array", "items": LINE})
        policy = shield.configure(
            tools=[ORDER],
            layers=["parameter_mismatch"],
            suppress=[
                Suppression(  #! idle_suppression
                    check="parameter_mismatch", tool="order", code="wrong_type",
                    where="/arguments/lines/*/cuont", reason="known",
                ),
            ],
        )
    """,
    "a suppression of a parameter that no tool has": _SUPPRESSED.format(
        'check="phantom_target", where="/arguments/oder_id"', "idle_suppression"
    ),
    "one rule twice": _two_rules(
        "A refund is at most 500.",
        "amount <= 500",
        "No refund is over 500.",
        "not amount > 500",
        "rule_is_covered",
    ),
    "a sum below zero": _one_rule(
        "refund", "amount", "A refund is above zero.", "amount < 0", "rule_contradicts_sentence"
    ),
    "a refusal the wrong way round": _one_rule(
        "refund",
        "amount",
        "Refunds over 500 are refused.",
        "amount > 500",
        "rule_contradicts_sentence",
    ),
    "a refusal without a verb": _one_rule(
        "refund", "amount", "No refund above 500 EUR.", "amount > 500", "rule_contradicts_sentence"
    ),
    "a range the wrong way round": _one_rule(
        "refund",
        "amount",
        "An amount is between 1 and 500.",
        "not 1 <= amount <= 500",
        "rule_contradicts_sentence",
    ),
    "never more, the wrong way round": _one_rule(
        "refund",
        "amount",
        "Never more than 500 in one payment.",
        "amount >= 500",
        "rule_contradicts_sentence",
    ),
    "a length the wrong way round": _one_rule(
        "find_order",
        "email",
        "An email has at most 140 characters.",
        "len(email) > 140",
        "rule_contradicts_sentence",
    ),
    "an order the wrong way round": """
        DAY = {"type": "string", "format": "date"}
        TRIP = tool("book", start=DAY, end=DAY)


        @rule(tool="book")  #! rule_contradicts_sentence
        def trip(start: str, end: str) -> bool:
            '''A trip starts before it ends.'''
            return end < start


        policy = shield.configure(tools=[TRIP], rules=[trip], layers=STATE)
    """,
    "a listed word the wrong way round": """
        PAY = tool("pay", amount=NUMBER, currency=TEXT)


        @rule(tool="pay")  #! rule_contradicts_sentence
        def known_currency(currency: str) -> bool:
            '''The currency is EUR or USD.'''
            return currency not in ("EUR", "USD")


        policy = shield.configure(tools=[PAY], rules=[known_currency], layers=STATE)
    """,
    "words that exclude each other": """
        PAY = tool("pay", amount=NUMBER, currency=TEXT)


        @rule(tool="pay")
        def in_europe(currency: str) -> bool:
            '''Payments in Europe.'''
            return currency == "EUR"


        @rule(tool="pay")  #! rules_exclude_each_other
        def overseas(currency: str) -> bool:
            '''Payments overseas.'''
            return currency in ("USD", "CAD")


        policy = shield.configure(tools=[PAY], rules=[in_europe, overseas], layers=STATE)
    """,
    "orders that exclude each other": """
        DAY = {"type": "string", "format": "date"}
        TRIP = tool("book", start=DAY, end=DAY)


        @rule(tool="book")
        def forwards(start: str, end: str) -> bool:
            '''Time goes on.'''
            return start < end


        @rule(tool="book")  #! rules_exclude_each_other
        def backwards(start: str, end: str) -> bool:
            '''Time goes back.'''
            return end < start


        policy = shield.configure(tools=[TRIP], rules=[forwards, backwards], layers=STATE)
    """,
    "cents instead of euros": """
        CENTS = {"type": "integer", "minimum": 1000, "maximum": 100000}
        PAY = tool("pay", cents=CENTS)


        @rule(tool="pay")  #! rule_rejects_everything
        def small(cents: int) -> bool:
            '''A payment has a limit.'''
            return cents <= 500


        policy = shield.configure(tools=[PAY], rules=[small], layers=STATE)
    """,
}
"""Further mistakes of these kinds."""

_IMPORTS = """
import re
from datetime import date
from decimal import Decimal

from abs_shield import Policy, Suppression, Target, Tool, inverse, rule, shield
from abs_shield.policy.packs import dates, money

TEXT = {"type": "string"}
NUMBER = {"type": "number"}
WHOLE = {"type": "integer"}
DAY = {"type": "string", "format": "date"}


def tool(name, **properties):
    required = [*properties]
    return Tool(
        name=name,
        parameters={"type": "object", "properties": properties, "required": required},
    )
"""

CORRECT: dict[str, str] = {
    "a bank": '''
        TRANSFER = tool("transfer", iban=TEXT, amount=NUMBER, currency=TEXT)
        RULES = [
            money.above_zero(tool="transfer"),
            money.at_most(10_000, tool="transfer"),
            money.at_most_decimals(tool="transfer"),
            money.known_currency({"EUR", "CHF"}, tool="transfer"),
            money.in_all_at_most(25_000, tool="transfer"),
        ]


        @rule(tool="transfer")
        def francs_are_round(amount: float, currency: str) -> bool:
            """Francs have steps of 0.05."""
            return currency != "CHF" or Decimal(str(amount)) % Decimal("0.05") == 0


        policy = shield.configure(tools=[TRANSFER], rules=[*RULES, francs_are_round])
    ''',
    "an airline": '''
        BOOK = tool("book_flight", user_id=TEXT, passengers=WHOLE, bags=WHOLE, out=DAY, back=DAY)
        CANCEL = tool("cancel_flight", flight_id=TEXT)
        PAIR = inverse("book_flight", "cancel_flight",
                       same={"book_flight": "user_id", "cancel_flight": "flight_id"})


        @rule(tool="book_flight")
        def few_passengers(passengers: int) -> bool:
            """A booking has 1 to 5 passengers."""
            return 1 <= passengers <= 5


        @rule(tool="book_flight")
        def bags_per_head(passengers: int, bags: int) -> bool:
            """At most 3 bags for each passenger."""
            return 0 <= bags <= 3 * passengers


        @rule(tool="book_flight")
        def back_after_out(out: str, back: str) -> bool:
            """The way back is not before the way out."""
            return back >= out


        policy = shield.configure(tools=[BOOK, CANCEL], inverses=[PAIR],
                                  rules=[few_passengers, bags_per_head, back_after_out])
    ''',
    "a clinic": '''
        PRESCRIBE = tool("prescribe", patient_id=TEXT, drug=TEXT, dose_mg=NUMBER)
        LOOK = tool("get_patient", patient_id=TEXT)


        @rule(tool="prescribe")
        def patient_was_read(patient_id: str, session) -> bool:
            """The patient's record was read before."""
            return session.did("get_patient", patient_id=patient_id)


        @rule(tool="prescribe")
        def dose_is_positive(dose_mg: float) -> bool:
            """A dose is above 0."""
            return dose_mg > 0


        @rule(tool="prescribe")
        def strong_drugs(drug: str, dose_mg: float) -> bool:
            """Digoxin is given in doses of at most 0.25 mg."""
            return drug.lower() != "digoxin" or dose_mg <= 0.25


        policy = shield.configure(tools=[PRESCRIBE, LOOK],
                                  rules=[patient_was_read, dose_is_positive, strong_drugs])
    ''',
    "a library": '''
        LEND = tool("lend_book", copy_id=TEXT, reader_id=TEXT, days=WHOLE)
        BACK = tool("return_book", copy_id=TEXT)


        @rule(tool="lend_book")
        def at_most_four_weeks(days: int) -> bool:
            """A book is lent for 28 days or less."""
            return days <= 28


        @rule(tool="lend_book")
        def at_least_a_day(days: int) -> bool:
            """A book is lent for at least 1 day."""
            return days >= 1


        policy = shield.configure(
            tools=[LEND, BACK], rules=[at_most_four_weeks, at_least_a_day],
            inverses=[inverse("lend_book", "return_book", same="copy_id")],
            allow=["C-*", "desk-1"],
        )
    ''',
    "a warehouse": '''
        LINE = {"type": "object", "properties": {"sku": TEXT, "count": WHOLE}}
        SHIP = tool("ship_order", order_id=TEXT, lines={"type": "array", "items": LINE})


        @rule(tool="ship_order")
        def not_too_many(lines: list) -> bool:
            """At most 500 pieces in all."""
            return sum(line.get("count", 0) for line in lines) <= 500


        policy = shield.configure(
            tools=[SHIP], rules=[not_too_many],
            suppress=[
                Suppression(check="parameter_mismatch", tool="ship_order", code="wrong_type",
                            where="/arguments/lines/*/count", reason="texts with digits"),
                Suppression(check="phantom_target", tool="ship_order", code="unseen",
                            where="/arguments/lines/*/sku", reason="the catalogue is known"),
                Suppression(check="phantom_target", tool="ship_order", code="placeholder",
                            reason="tests", until="2090-01-01"),
                Suppression(check="parameter_mismatch", tool="ship_order",
                            code="unknown_argument", where="/arguments/note", reason="old"),
                Suppression(check="phantom_target", tool="ship_order",
                            where="/arguments/note", reason="old"),
            ],
        )
    ''',
    "operations": '''
        SCALE = tool("scale_service", service_name=TEXT, replicas=WHOLE, environment=TEXT)
        DELETE = Tool(name="delete_service", destructive=True, parameters={
            "type": "object", "properties": {"service_name": TEXT, "force": {"type": "boolean"}}})


        @rule(tool="scale_service")
        def some_replicas(replicas: int) -> bool:
            """A service has 1 to 20 replicas."""
            return 0 < replicas < 21


        @rule(tool="scale_service")
        def production_has_two(replicas: int, environment: str) -> bool:
            """Production never has less than 2 replicas."""
            return environment != "production" or replicas >= 2


        @rule(tool="*")
        def no_force(call) -> bool:
            """Nothing is forced."""
            return not call.arguments.get("force")


        policy = shield.configure(tools=[SCALE, DELETE],
                                  rules=[some_replicas, production_has_two, no_force],
                                  modes={("scale_service", "phantom_target"): "audit"})
    ''',
    "mail": '''
        MAIL = {"type": "string", "format": "email"}
        SEND = tool("send_email", recipients={"type": "array", "items": MAIL}, subject=TEXT)


        @rule(tool="send_email")
        def few_recipients(recipients: list) -> bool:
            """A mail has at most 10 recipients."""
            return len(recipients) <= 10


        @rule(tool="send_email")
        def inside_the_house(recipients: list) -> bool:
            """Recipients are at corp.example."""
            return all(each.endswith("@corp.example") for each in recipients)


        @rule(tool="send_email")
        def one_line(subject: str) -> bool:
            """A subject has no line break."""
            return "\\n" not in subject


        policy = shield.configure(tools=[SEND], rules=[few_recipients, inside_the_house, one_line])
    ''',
    "a hotel": """
        BOOK = tool("book_room", guest_id=TEXT, check_in=DAY, check_out=DAY, rate=NUMBER)
        RULES = [
            dates.after(tool="book_room", start="check_in", end="check_out"),
            dates.span_at_most(28, tool="book_room", start="check_in", end="check_out"),
            money.at_most(900, tool="book_room", parameter="rate", what="A night"),
        ]
        policy = shield.configure(tools=[BOOK], rules=RULES)
    """,
    "a school": '''
        GRADE = tool("set_grade", pupil_id=TEXT, points={"type": "integer", "minimum": 0,
                     "maximum": 100}, grade={"enum": ["A", "B", "C", "D"]})


        @rule(tool="set_grade")
        def best_grade(points: int, grade: str) -> bool:
            """An A needs 90 points."""
            return grade != "A" or points >= 90


        @rule(tool="set_grade")
        def worst_grade(points: int, grade: str) -> bool:
            """A D is given below 50 points alone."""
            return grade != "D" or points < 50


        policy = shield.configure(tools=[GRADE], rules=[best_grade, worst_grade])
    ''',
    "a smart home": '''
        HEAT = tool("set_temperature", room=TEXT, celsius=NUMBER)
        LOCK = tool("lock_door", door_id=TEXT)
        UNLOCK = tool("unlock_door", door_id=TEXT)


        @rule(tool="set_temperature")
        def not_too_cold(celsius: float) -> bool:
            """No room is below 5 degrees."""
            return celsius >= 5


        @rule(tool="set_temperature")
        def not_too_hot(celsius: float) -> bool:
            """No room is over 26 degrees."""
            return celsius <= 26


        @rule(tool="set_temperature")
        def nursery(room: str, celsius: float) -> bool:
            """The nursery has 19 to 23 degrees."""
            return room != "nursery" or 19 <= celsius <= 23


        policy = shield.configure(tools=[HEAT, LOCK, UNLOCK], threshold=0.75,
                                  rules=[not_too_cold, not_too_hot, nursery])
    ''',
    "an insurance": '''
        CLAIM = tool("file_claim", policy_no=TEXT, damage=NUMBER, happened=DAY, reported=DAY)
        PAY = tool("pay_claim", claim_id=TEXT, amount=NUMBER)


        @rule(tool=["file_claim", "pay_claim"], takes={"total": "damage"})
        def damage_is_positive(total: float = 1.0) -> bool:
            """A damage is not negative."""
            return total >= 0


        @rule(tool="file_claim")
        def reported_after(happened: str, reported: str) -> bool:
            """It is reported no earlier than it happened."""
            return reported >= happened


        @rule(tool="pay_claim")
        def amount_in_range(amount: float) -> bool:
            """An amount is above 0 and at most 50,000."""
            return 0 < amount <= 50_000


        policy = shield.configure(tools=[CLAIM, PAY],
                                  rules=[reported_after, amount_in_range])
    ''',
    "files": '''
        WRITE = tool("write_file", path=TEXT, content=TEXT)
        READ = tool("read_file", path=TEXT)


        @rule(tool=["write_file", "read_file"])
        def no_parents(path: str) -> bool:
            """A path does not leave its folder."""
            return ".." not in path.split("/")


        @rule(tool="write_file")
        def only_notes(path: str) -> bool:
            """A path ends with .md or .txt."""
            return path.endswith((".md", ".txt"))


        policy = shield.configure(
            tools=[WRITE, READ], rules=[no_parents, only_notes],
        )
    ''',
    "payroll": '''
        RAISE = tool("raise_salary", employee_id=TEXT, percent=NUMBER, from_day=DAY)


        @rule(tool="raise_salary")
        def small_raise(percent: float) -> bool:
            """A raise is at most 10 %."""
            return percent <= 10


        @rule(tool="raise_salary")
        def is_a_raise(percent: float) -> bool:
            """A raise is more than nothing."""
            return percent > 0


        @rule(tool="raise_salary")
        def first_of_month(from_day: str) -> bool:
            """It begins on the first of a month."""
            return date.fromisoformat(from_day).day == 1


        policy = shield.configure(
            tools=[RAISE], rules=[small_raise, is_a_raise, first_of_month],
            layers=["phantom_target", "parameter_mismatch", "impossible_state",
                    "untrusted_target", "call_loop"],
            suppress=[
                Suppression(check="phantom_target", tool="raise_salary", reason="known",
                            until="2090-06-30"),
                Suppression(check="phantom_target", tool="raise_salary", code="unseen",
                            where="/arguments/employee_id", reason="for ever"),
                Suppression(check="call_loop", where="/name", code="repeated", reason="polling"),
                Suppression(check="schema_mismatch", where="/total", reason="known"),
            ],
        )
    ''',
    "telephones": '''
        CALL = tool("call_number", phone=TEXT, minutes=WHOLE)


        @rule(tool="call_number")
        def is_a_number(phone: str) -> bool:
            """A number is written with its country's code."""
            return re.fullmatch(r"\\+[1-9][0-9]{6,14}", phone) is not None


        @rule(tool="call_number")
        def no_premium(phone: str) -> bool:
            """Numbers that begin with +49900 are refused."""
            return not phone.startswith("+49900")


        @rule(tool="call_number")
        def within_an_hour(minutes: int) -> bool:
            """A call never exceeds 60 minutes."""
            return minutes <= 60


        @rule(tool="call_number")
        def in_quarters(minutes: int) -> bool:
            """Calls are planned in steps of 7 minutes."""
            return minutes % 7 == 0


        policy = shield.configure(tools=[CALL],
                                  rules=[is_a_number, no_premium, within_an_hour, in_quarters])
    ''',
    "a shop of two countries": '''
        REFUND = tool("refund", order_id=TEXT, amount=NUMBER, country={"enum": ["DE", "US"]})
        VOUCHER = tool("send_voucher", order_id=TEXT, amount=NUMBER)


        @rule(tool=["refund", "send_voucher"])
        def at_most_a_thousand(amount: float) -> bool:
            """An amount is at most 1,000."""
            return amount <= 1_000


        @rule(tool="send_voucher")
        def small_voucher(amount: float) -> bool:
            """A voucher is at most 50."""
            return amount <= 50


        @rule(tool="refund")
        def small_in_germany(amount: float, country: str) -> bool:
            """In Germany a refund is at most 200."""
            return country != "DE" or amount <= 200


        @rule(tool=["refund", "send_voucher"])
        def whole_cents(amount: float) -> bool:
            """An amount has no fraction of a cent."""
            return round(amount, 2) == amount


        policy = shield.configure(
            tools=[REFUND, VOUCHER],
            rules=[at_most_a_thousand, small_voucher, small_in_germany, whole_cents],
        )
    ''',
}
"""15 policies without a mistake."""


def correct(source: str) -> str:
    """Return the text of a module without a mistake."""
    return _IMPORTS + dedent(source)
