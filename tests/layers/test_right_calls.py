"""Correct runs of five domains have no finding, and one wrong call in each is reported."""

from __future__ import annotations

from typing import Any

import pytest

from abs_shield import CallBlocked, Shield, Tool, ToolCall, shield

Step = tuple[Any, ...]
"""``("user", text)``, ``("agent", text)``, or a tool's name, its arguments and its result."""

DESCRIBED = {
    "from": "City where the shipment starts",
    "to": "City where the shipment ends",
    "labels": "Path of the file with the printed labels",
    "report": "Path to the folder where the report is saved",
    "scan": "URL or path to the scan to be read",
    "mode": "Either 'sea' or 'air'",
}

VETERINARY: list[Step] = [
    (
        "user",
        "Hi, this is Dr. Ana Brandt. Rex, chip 276098102345678, was here with his owner "
        "Tomas Eder last week. Please book the next check with veterinarian Lindqvist.",
    ),
    (
        "find_pet",
        {"chip_number": "276098102345678"},
        {
            "pet_id": "pet-4417",
            "name": "Rex",
            "owner": {"owner_id": "own-310", "name": "Tomas Eder"},
        },
    ),
    (
        "list_slots",
        {"veterinarian": "Lindqvist", "species": "dog"},
        [{"slot_id": "vs-88", "date": "2026-03-04"}, {"slot_id": "vs-89", "date": "2026-03-05"}],
    ),
    ("agent", "Shall I take Wednesday at the Harbour Clinic?"),
    ("user", "Yes, that works. And prescribe him something for his ears, Otomax for ten days."),
    (
        "book_check",
        {"pet_id": "pet-4417", "slot_id": "vs-88", "place_of_visit": "Harbour Clinic"},
        {"visit_id": "vis-9001", "status": "booked"},
    ),
    ("prescribe", {"visit_id": "vis-9001", "drug": "Otomax", "days": 10, "dose": "0.5ml"}, "ok"),
    ("compare_weights", {"pet_a": "pet-4417", "breed": "Border Collie"}, {"mean_kg": 17.5}),
    ("create_record", {"title": "Ear infection", "pet_id": "pet-4417", "record_id": "TBD"}, "ok"),
    ("user", "The password of own-310 does not work any more, please reset it."),
    ("reset_password", {"owner_id": "own-310"}, {"token": "rt-55810"}),
]
CUSTOMS: list[Step] = [
    (
        "user",
        "Clear container MSKU 705 331-4 from Rotterdam to Genoa, please; the bill of lading "
        "is BL-220918 and my broker token is brk_7Q2Lx9. The manifest is in manifests/may_22.csv.",
    ),
    (
        "get_container",
        {"container_number": "MSKU7053314", "broker_token": "brk_7Q2Lx9"},
        {"container_id": 88120, "country_of_origin": "Vietnam", "seal": "SL-99120"},
    ),
    ("quote_freight", {"from": "Rotterdam", "to": "Genova", "mode": "sea"}, {"quote_id": "q-1"}),
    (
        "read_manifest",
        {"scan": "manifests/may_22.csv"},
        [
            {"line": 1, "hs_code": "6403.91", "exporter_id": "exp-12"},
            {"line": 2, "hs_code": "6404"},
        ],
    ),
    (
        "declare_goods",
        {
            "container_id": 88120,
            "hs_code": "6403.91",
            "port_of_entry": "Genoa",
            "country_of_origin": "Vietnam",
            "value_of_goods": 41250.5,
        },
        {"declaration_id": "D/22/0071"},
    ),
    ("print_labels", {"declaration_id": "D/22/0071", "report": "out/labels"}, "printed"),
    ("user", "Thanks. Charge account 4471-0098, the fee is on it."),
    ("charge_fee", {"account": "4471-0098", "declaration_number": "D/22/0071"}, "charged"),
]
SCHOOL: list[Step] = [
    ("user", "Move 7B's chemistry from room 204 to a lab, and tell their teacher, Mr. Okafor."),
    (
        "find_class",
        {"class_code": "7B", "subject": "chemistry"},
        {"course_id": "chem-7b-26", "room": "204", "teacher": {"name": "Ngozi Okafor", "id": 51}},
    ),
    ("list_rooms", {"type": "lab"}, [{"room_id": "L-3", "seats": 24}, {"room_id": "L-4"}]),
    ("compare_rooms", {"room_a": "L-3", "room_b": "L-4"}, "L-3 is larger"),
    ("move_course", {"course_id": "chem-7b-26", "room_id": "L-3", "day": "Tuesday"}, "moved"),
    ("send_note", {"to": "Mr. Okafor", "text": "Chemistry is in L-3 from Tuesday on."}, "sent"),
    ("user", "Also make an account for the new pupil, Lena Hartl, with username lhartl26."),
    (
        "create_account",
        {"username": "lhartl26", "name": "Lena Hartl", "password": "Abcd-2219"},
        {"account_id": 7741},
    ),
    ("create_account", {"username": "lhartl.parent", "name": "Parent of Lena Hartl"}, "ok"),
    ("user", "Who wrote Effi Briest? The class reads it next, get us 24 copies."),
    (
        "find_book",
        {"book": "Effi Briest", "written_by": "Theodor Fontane"},
        {"isbn": "9783150069615"},
    ),
    ("order_copies", {"isbn": "9783150069615", "number_of_copies": 24}, "ordered"),
]
WINERY: list[Step] = [
    ("user", "How much of the 2019 Blaufraenkisch is in tank T-07? We want to bottle lot L19-BF2."),
    ("get_tank", {"tank_id": "T-07"}, {"tank_id": "T-07", "lot": "L19-BF2", "litres": 1840}),
    (
        "plan_bottling",
        {
            "lot_code": "L19-BF2",
            "bottles": 2400,
            "grape": "Blaufraenkisch",
            "cork": "natural",
            "label_color": "#7B1E3A",
        },
        {"run_id": "run-51", "line": "B2"},
    ),
    ("user", "Ship thirty cases to Vinothek Moser in Vienna and invoice office@moser-wein.at."),
    (
        "find_customer",
        {"company_name": "Vinothek Moser", "city": "Wien"},
        {"customer_id": "cu_118", "email": "office@moser-wein.at", "vat_id": "ATU68120934"},
    ),
    (
        "create_shipment",
        {"customer_id": "cu_118", "cases": 30, "city_of_delivery": "Vienna", "lot_code": "L19-BF2"},
        {"shipment_id": "sh-2207", "tracking_code": "AT19 2207 33"},
    ),
    ("send_invoice", {"email": "office@moser-wein.at", "shipment_id": "sh-2207"}, "sent"),
    ("upload_photo", {"file": "label.png", "title": "Label", "content": "iVBORw0KGgo="}, "ok"),
    ("add_tasting", {"lot_code": "L19-BF2", "model": "vinoscan-7000x", "rating": 91}, "ok"),
    ("transfer_wine", {"from_tank": "T-07", "to_tank": "T-07", "litres": 0}, "nothing to do"),
]
LABORATORY: list[Step] = [
    ("user", "Patient Maria Sokolova, MRN 00448812: run ferritin on sample S-26-10482 please. "
     "The order is signed by physician Adeyemi."),
    ("get_sample", {"sample_id": "S-26-10482"},
     {"sample_id": "S-26-10482", "mrn": "448812", "tube": "gold", "analyser": "cobas-8000"}),
    ("run_assay", {"sample_id": "S-26-10482", "assay": "ferritin", "loinc": "2276-4",
     "analyser": "cobas-8000"}, {"result_id": 991204, "value": 14, "unit": "ug/L"}),
    ("list_results", {"sort_by": "sample_id", "group_by": "analyser", "page": 1}, []),
    ("report_result", {"result_id": 991204, "mrn": "00448812", "physician": "Adeyemi",
     "comment": "low"}, {"report_id": "rep-77"}),
    ("export_report", {"report_id": "rep-77", "path": "reports/rep-77.pdf"}, "written"),
    ("user", "Repeat it on the next tube, and page the nurse on ward 4B."),
    ("run_assay", {"sample_id": "S-26-10482", "assay": "ferritin", "repeat_of": 991204},
     {"result_id": 991205}),
    ("page_nurse", {"ward": "4B", "message": "Second tube, please."}, "paged"),
]  # fmt: skip
DOMAINS = {
    "veterinary practice": VETERINARY,
    "shipping and customs": CUSTOMS,
    "school timetables": SCHOOL,
    "winery": WINERY,
    "hospital laboratory": LABORATORY,
}
WRONG: list[tuple[str, Step, str]] = [
    ("veterinary practice", ("book_check", {"pet_id": "pet-4471"}), "unseen"),
    ("shipping and customs", ("charge_fee", {"account": "brk_7Q2Lx9"}), "other_kind"),
    ("shipping and customs", ("read_manifest", {"scan": "manifests/may_23.csv"}), "unseen"),
    ("shipping and customs", ("quote_freight", {"from": "Anneliese", "to": "Genoa"}), "unseen"),
    ("school timetables", ("create_account", {"username": "TBD"}), "placeholder"),
    ("school timetables", ("move_course", {"course_id": "chem-7c-26"}), "unseen"),
    ("winery", ("send_invoice", {"email": "sales@moser-wein.at"}), "unseen"),
    ("winery", ("create_shipment", {"city_of_delivery": "Leopold"}), "unseen"),
    ("hospital laboratory", ("run_assay", {"sample_id": "S-26-10428"}), "unseen"),
    ("hospital laboratory", ("report_result", {"physician": "Rosalind"}), "unseen"),
]
TYPES = {int: "integer", float: "number", str: "string"}


def tools_of(steps: list[Step]) -> list[Tool]:
    """Return the tools of the calls; each parameter has the type of its value."""
    properties: dict[str, dict[str, Any]] = {}
    for name, *call in steps:
        if len(call) == 2:
            schema = properties.setdefault(name, {})
            for key, value in call[0].items():
                described = {"description": DESCRIBED[key]} if key in DESCRIBED else {}
                schema[key] = {"type": TYPES[type(value)], **described}
    return [
        Tool(name=name, parameters={"type": "object", "properties": known})
        for name, known in properties.items()
    ]


def flags(steps: list[Step], last: Step = ()) -> list[str]:
    """Return the findings of a run, or only those of its *last* call if one is given."""
    guard = Shield(shield.configure(tools=tools_of([*steps, (*last, "")])), hooks=None)
    report = []
    with guard.session() as session:
        for first, *rest in steps:
            if first in ("user", "agent"):
                (session.user if first == "user" else session.assistant)(rest[0])
                continue
            arguments, result = rest
            call = ToolCall(first, arguments)
            for finding in guard.check_call(call).findings:
                report.append(f"{first} {finding.code} {finding.where}: {finding.detail}")
            with guard.guard(call) as running:
                running.value = result
        if last:
            return [report.code for report in guard.check_call(ToolCall(*last)).findings]
    return report


@pytest.mark.parametrize("domain", DOMAINS)
def test_correct_run_has_no_finding(domain: str):
    """A correct run of a domain without rules of its own has no finding."""
    assert [] == flags(DOMAINS[domain])


@pytest.mark.parametrize(("domain", "call", "code"), WRONG)
def test_wrong_call_after_a_correct_run_is_reported(domain: str, call: Step, code: str):
    """An unmentioned value, or a value of another kind, is reported after a correct run."""
    assert [code] == flags(DOMAINS[domain], call)


KNOWN_BY_HEART: list[Step] = [
    ("hash_file", {"algorithm": "SHA-256"}),
    ("read_metric", {"metric_key": "cpu_p95", "metric": "EC2-CPU-P95"}),
    ("make_app", {"framework_name": "FastAPI", "library_name": "Ruby on Rails"}),
    ("record_test", {"covid": "negative", "hybrid": "remote", "grid": "hexagonal"}),
    ("open_url", {"url": "https://en.wikipedia.org/wiki/Rome"}),
    ("save_results", {"run_id": "run-9917"}),
    ("log_payment", {"event_id": "evt-9917"}),
    ("price", {"coin_name": "Dogecoin", "token_name": "USD Coin", "stock_name": "Nvidia"}),
]
WRITTEN: list[Step] = [
    ("report_damage", {"location": "Under the sink in the kitchen on the second floor"}),
    ("order_shoes", {"product": "Light running shoes for long distances on hard roads"}),
    ("add_task", {"item": "Ask the landlord\nCall a plumber"}),
]


@pytest.mark.parametrize("call", KNOWN_BY_HEART + WRITTEN)
def test_common_knowledge_needs_no_mention(call: Step):
    """Interface words, tickers, package names and texts of the agent need no mention."""
    assert [] == flags([("user", "Please do for me what is needed here, as you think best.")], call)


@pytest.mark.parametrize(
    ("kind", "name", "value", "expected"),
    [
        ("date-time", "account", "2026-07-01T10:00:00Z", []),
        ("duration", "event_id", "P3Y6M4DT12H30M5S", []),
        ("uuid", "category", "0f8fad5b-d9cb-469f-a165-70867728950e", ["unseen"]),
    ],
)
def test_schema_format_overrides_the_parameter_name(
    kind: str, name: str, value: str, expected: list[str]
):
    """The `format` of a schema decides how a value is judged, whatever the parameter's name."""
    schema = {"type": "object", "properties": {name: {"type": "string", "format": kind}}}
    guard = Shield(shield.configure(tools=[Tool(name="put", parameters=schema)]), hooks=None)
    with guard.session() as session:
        session.user("Please do for me what is needed here, as you think best.")
        findings = guard.check_call(ToolCall("put", {name: value})).findings

    assert expected == [each.code for each in findings]


def test_customer_name_needs_a_mention():
    """A customer's name must be mentioned in the run."""
    user_text = ("user", "Please do for me what is needed here, as you think best.")

    assert ["unseen"] == flags([user_text], ("call_back", {"customer_name": "Dora Ostrom"}))


FILES = [{"path": "src/conf/loader.py", "content": "x"}, {"path": "scripts/run.sh", "content": ""}]


def codes_of_files(name: str, *, destructive: bool = False, **arguments: Any) -> list[str]:
    """Return the codes of the findings on a call with files, and on one that reads a new file."""
    declared = [
        Tool(name=name, parameters={"properties": {key: {} for key in arguments}}),
        Tool(name="update_file", parameters={"properties": {"path": {}}}),
    ]
    declared[0] = declared[0].model_copy(update={"destructive": destructive})
    firewall = Shield(shield.configure(tools=declared, layers=["phantom_target"]), hooks=None)
    with firewall.session() as session:
        session.user("Mend src/conf/loader.py, and add a script that runs it.")
        for call in (
            ToolCall(name, arguments),
            ToolCall("update_file", {"path": FILES[1]["path"]}),
        ):
            with firewall.guard(call) as guard:
                guard.value = "ok"
        return [finding.code for one in session.decisions for finding in one.findings]


@pytest.mark.parametrize("name", ["push_files", "commit", "create_commit", "deploy_site"])
def test_a_file_that_is_sent_with_its_content_may_be_new(name: str):
    """A call that sends a file's content may create the file, which later calls may name."""
    assert [] == codes_of_files(name, files=FILES)


@pytest.mark.parametrize(
    ("name", "files"),
    [
        ("push_files", [{"path": "scripts/run.sh", "mode": "755"}]),
        ("update_files", FILES),
        ("read_files", FILES),
        ("delete_files", FILES),
    ],
)
def test_a_file_without_content_or_of_a_change_must_exist(name: str, files: list[Any]):
    """A file without its content, and one that a call changes, is unseen."""
    assert "unseen" in codes_of_files(name, files=files)


def test_a_destructive_call_needs_files_that_were_mentioned():
    """A call that cannot be undone does not overwrite a file that the run did not mention."""
    assert [] == codes_of_files("push_files", files=FILES)
    with pytest.raises(CallBlocked, match="unseen"):
        codes_of_files("push_files", destructive=True, files=FILES)


def test_a_commit_may_be_the_head_of_the_next_call():
    """A hash that a result returned as `sha` may be passed as `expected_head`."""
    schema = {"properties": {"expected_head": {}, "sha": {}}}
    tool = Tool(name="merge_pull", parameters=schema)
    firewall = Shield(shield.configure(tools=[tool]), hooks=None)
    with firewall.session() as session:
        session.user("Merge it.")
        session.tool_result("list", [{"head": "fix/one"}, {"sha": "9f3c1e7ab2d0"}])
        call = ToolCall("merge_pull", {"expected_head": "9f3c1e7ab2d0"})

        assert () == firewall.check_call(call).findings
