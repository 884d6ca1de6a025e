# SPDX-License-Identifier: Apache-2.0
"""Feeds pair_checker.py histories that must not pass: one good history, broken in one way each."""
import copy
import sys
import unittest

import pair_checker

WORK = ("seed", "close", "reserve", "refund", "prepare", "deliver", "charge")
CALLS = {"order_1": "o1", "order_2": "o2", "parcel_1": "p1", "parcel_2": "p2", "probe_1": "q"}
MESSAGES = {
    "catch_go": "go",
    "catch_done": "done",
    "catch_shipped": "shipped",
    "catch_pool": "pool",
}


class Builder:
    """One batch that nothing ever disturbed."""

    def __init__(self):
        self.history = {name: [] for name in
                        ("instances", "records", "effects", "settled", "taken")}
        self.history["started"] = ["n"]
        self.history["facts"] = {}
        self.clock = 1000000

    def fact(self, instance, fact, element="", activation=0, detail=""):
        rows = self.history["facts"].setdefault(instance, [])
        self.clock += 10
        rows.append({"fact": fact, "element": element, "activation": activation, "detail": detail,
                     "version": len(rows) + 1, "position": 1,
                     "at": f"1970-01-01T00:00:{self.clock / 1000000:09.6f}Z"})

    def effect(self, what, instance, element, activation):
        self.clock += 10
        self.history["effects"].append({
            "what": what, "at": self.clock, "instance": instance, "element": element,
            "key": f"{instance}nonce-{activation}-0", "result": f"{instance}.{element}"})

    def work(self, view, element, activation):
        instance = view["id"]
        self.fact(instance, "WORK_STARTED", element, activation, element)
        self.effect("begin", instance, element, activation)
        is_declined = element == "charge" and view["variables"]["mode"] == "declined"
        if is_declined:
            self.effect("error", instance, element, activation)
            self.fact(instance, "WORK_FAILED", element, activation, "DECLINED")
        else:
            self.effect("end", instance, element, activation)
            self.fact(instance, "WORK_COMPLETED", element, activation, element)
            view["variables"][f"{element}_result"] = f"{instance}.{element}"
        return is_declined

    def call(self, view, element, activation):
        child = CALLS.get(element, "y" + view["id"])
        self.fact(view["id"], "CHILD_CALLED", element, activation, child)
        is_probe = element == "probe_1"
        self.fact(view["id"], "CHILD_CANCELLED" if is_probe else "CHILD_ENDED", element, activation,
                  child)

    def node(self, view, element, activation):
        """Enters a node and leaves it again."""
        instance, variables = view["id"], view["variables"]
        is_cancelled = element in ("probe_1", "catch_never", "throw_declined")
        self.fact(instance, "NODE_ENTERED", element, activation)
        if element in WORK:
            is_cancelled = self.work(view, element, activation)
        elif element in CALLS or element == "pay":
            self.call(view, element, activation)
            is_cancelled = element == "probe_1" or variables.get("mode") == "declined"
        elif element in MESSAGES:
            message = MESSAGES[element]
            self.fact(instance, "MESSAGE_RECEIVED", element, activation, message)
            variables[f"{message}_token"] = f"{variables['k']}:{message}"
        elif element == "try":
            is_cancelled = variables["mode"] == "declined"
        self.fact(instance, "NODE_CANCELLED" if is_cancelled else "NODE_COMPLETED", element,
                  activation)
        if element in ("throw_shipped", "throw_pool", "throw_done"):
            self.fact(instance, "MESSAGE_SENT", element, activation, element)

    def instance(self, name, process, caller, variables, more=""):
        """Nodes in `more` are entered and do not complete."""
        view = {"id": name, "process": process, "variables": variables, "incidents": [],
                "waiting": [], "calls": [], "outbox": [], "caller": caller}
        shape = pair_checker.shape(view)
        how, status = pair_checker.ENDS.get(shape, pair_checker.COMPLETED)
        view["end"] = {"how": how, "element": "", "code": "DECLINED"}
        view["status"] = status
        self.fact(name, "INSTANCE_CREATED")
        for number, element in enumerate((pair_checker.PATHS[shape] + more).split()):
            self.node(view, element, number + 1)
        self.history["instances"].append(view)
        self.history["records"].append({"id": name, "status": 1 if status == "completed" else 2,
                                        "owner": None, "has_due": 0, "waits": 0})
        return view

    def activation(self, instance, element):
        return next(row["activation"] for row in self.history["facts"][instance]
                    if row["element"] == element)

    def build(self):
        batch = self.instance("n", "batch", None, {"n": "n"}, " probe_1")
        for number, mode, more in ((1, "ok", ""), (2, "declined", " pay")):
            order = self.instance(f"o{number}", "order", self.caller("n", f"order_{number}"),
                                  {"batch": "n", "k": f"n-{number}", "mode": mode}, more)
            parcel = self.instance(f"p{number}", "parcel", self.caller("n", f"parcel_{number}"),
                                   {"batch": "n", "k": f"n-{number}"})
            payment = self.instance(f"yo{number}", "payment", self.caller(f"o{number}", "pay"),
                                    {"k": f"n-{number}", "mode": mode},
                                    " charge try throw_declined" if mode == "declined" else "")
            if mode == "ok":
                order["variables"]["pay_k"] = payment["variables"]["k"]
                order["variables"]["pay_result"] = payment["variables"]["charge_result"]
            for view, name, result in ((order, "order", "reserve"), (parcel, "parcel", "deliver")):
                outputs = {"k": view["variables"]["k"],
                           "result": view["variables"][f"{result}_result"]}
                batch["variables"].update(
                    {f"{name}_{number}_{key}": value for key, value in outputs.items()})
        self.instance("q", "probe", self.caller("n", "probe_1"), {"k": "n"}, " catch_never")
        self.history["records"].append({"id": "stf:queue/go", "status": 1, "owner": None,
                                        "has_due": 0, "waits": 0})
        self.fact("p1", "INSTANCE_RECOVERED")
        self.history["taken"].append({"instance": "p1", "version": 3, "is_taken": True})
        return self.history

    def caller(self, instance, element):
        return {"instance": instance, "activation": self.activation(instance, element)}


# ---- Ways to break it -------------------------------------------------------------------------


def view_of(history, instance):
    return next(view for view in history["instances"] if view["id"] == instance)


def without_facts(instance, fact, element=None):
    def breaks(history):
        rows = history["facts"][instance]
        kept = [row for row in rows
                if row["fact"] != fact or (element is not None and row["element"] != element)]
        assert len(kept) < len(rows)
        history["facts"][instance] = kept
    return breaks


def fact_twice(instance, fact, element):
    def breaks(history):
        rows = history["facts"][instance]
        place = next(index for index, row in enumerate(rows)
                     if row["fact"] == fact and row["element"] == element)
        rows.insert(place, dict(rows[place]))
    return breaks


def dropped(history):
    row = next(row for row in history["facts"]["o1"] if row["fact"] == "MESSAGE_SENT")
    row["fact"] = "MESSAGE_DROPPED"


def other_view(instance, **changes):
    return lambda history: view_of(history, instance).update(changes)


def other_variable(instance, name, value):
    return lambda history: view_of(history, instance)["variables"].update({name: value})


def without_instance(instance):
    def breaks(history):
        history["instances"] = [view for view in history["instances"] if view["id"] != instance]
    return breaks


def other_record(instance, **changes):
    def breaks(history):
        next(record for record in history["records"] if record["id"] == instance).update(changes)
    return breaks


def effect_again(instance, element, *matters, is_started=True):
    """The work runs once more, right behind its first run; the facts say so, or do not."""
    def breaks(history):
        effects = history["effects"]
        mine = [effect for effect in effects
                if effect["instance"] == instance and effect["element"] == element]
        place = effects.index(mine[-1]) + 1
        for what in matters:
            effects.insert(place, {**mine[-1], "what": what})
            place += 1
        if is_started:
            fact_twice(instance, "WORK_STARTED", element)(history)
    return breaks


def without_effect(instance, element, what):
    def breaks(history):
        history["effects"] = [effect for effect in history["effects"] if (
            effect["instance"], effect["element"], effect["what"]) != (instance, element, what)]
    return breaks


def late_effect(history):
    effect = next(effect for effect in history["effects"] if effect["element"] == "prepare")
    effect["at"] = 50000000


def stray_effect(history):
    history["effects"].append({**history["effects"][0], "instance": "nobody"})


def swapped_pool(history):
    view_of(history, "p2")["variables"]["pool_token"] = "n-1:pool"


def not_taken(history):
    history["taken"][0]["is_taken"] = False


def settled_by_operator(history):
    """Good: the first run was unknown, the operator asked for another one, and all is told."""
    effect_again("p1", "deliver", "begin", is_started=False)(history)
    mine = [effect for effect in history["effects"]
            if effect["instance"] == "p1" and effect["element"] == "deliver"]
    history["effects"].remove(mine[1])  # the first run did not end
    history["effects"].append({**mine[1], "at": mine[-1]["at"]})
    rows = history["facts"]["p1"]
    place = next(index for index, row in enumerate(rows)
                 if row["fact"] == "WORK_COMPLETED" and row["element"] == "deliver")
    for fact in ("WORK_STARTED", "INCIDENT_RESOLVED", "INCIDENT_OPENED", "WORK_UNKNOWN"):
        rows.insert(place, {**rows[place], "fact": fact})
    history["settled"].append({"instance": "p1", "activation": rows[place]["activation"],
                               "how": "retry"})


def standing_at_unknown(history):
    """Good: an open incident of unknown outcome says why the whole batch has not ended."""
    view_of(history, "o2").update(end=None, status="incident", incidents=[{"kind": "unknown"}])
    view_of(history, "n").update(end=None, status="active", calls=[{"instance": "o2"}])
    for instance in ("n", "o2"):
        other_record(instance, status=4 if instance == "o2" else 0, waits=1)(history)
    without_facts("n", "CHILD_ENDED", "order_2")(history)


GOOD = (lambda history: None, settled_by_operator, standing_at_unknown)
BROKEN = (
    ("nothing_is_lost", "was started and is not there", without_instance("n")),
    ("nothing_is_lost", "has no history", lambda history: history["facts"].pop("q")),
    ("nothing_is_lost", "has not ended", other_view("o1", end=None, waiting=["catch_go"])),
    ("nothing_is_lost", "incident of kind poison", other_view("o1", incidents=[
        {"kind": "poison"}])),
    ("nothing_is_lost", "ended as cancelled", other_view("o1", end={"how": "cancelled"})),
    ("nothing_is_lost", "with status active", other_view("o1", status="active")),
    ("nothing_is_lost", "with another error", other_view("yo2", end={
        "how": "failed", "code": "OTHER"})),
    ("nodes_end_once", "ended 2 times", fact_twice("o1", "NODE_COMPLETED", "pause")),
    ("nodes_end_once", "entered 2 times", fact_twice("o1", "NODE_ENTERED", "pause")),
    ("nodes_end_once", "ended 0 times", without_facts("o1", "NODE_COMPLETED", "pause")),
    ("nodes_end_once", "took another path: paid", without_facts("o1", "NODE_COMPLETED", "paid")),
    ("work_is_settled", "WORK_STARTED after WORK_STARTED",
     fact_twice("p1", "WORK_STARTED", "deliver")),
    ("work_is_settled", "WORK_COMPLETED after WORK_COMPLETED",
     fact_twice("p1", "WORK_COMPLETED", "prepare")),
    ("effects_are_told", "which is not there", stray_effect),
    ("effects_are_told", "began 1 times and was started 0 times",
     without_facts("p1", "WORK_STARTED", "deliver")),
    ("effects_are_told", "was repeated silently", effect_again("p1", "deliver", "begin")),
    ("effects_are_told", "took effect 2 times", effect_again("p1", "deliver", "end")),
    ("effects_are_told", "began after it had completed", late_effect),
    ("outcomes_have", "WORK_COMPLETED without its effect", without_effect("p1", "deliver", "end")),
    ("outcomes_have", "WORK_FAILED without its effect", without_effect("yo2", "charge", "error")),
    ("outcomes_have", "that no run of it gave", other_variable("p1", "prepare_result", "other")),
    ("messages_arrive", "was dropped", dropped),
    ("messages_arrive", "was never sent", without_facts("o1", "MESSAGE_SENT", "throw_pool")),
    ("messages_arrive", "was received 2 times", fact_twice("o1", "MESSAGE_RECEIVED", "catch_go")),
    ("messages_arrive", "was received 0 times",
     without_facts("o1", "MESSAGE_RECEIVED", "catch_go")),
    ("messages_arrive", "do not agree", other_variable("o1", "go_token", None)),
    ("messages_arrive", "meant for somebody else", other_variable("o1", "go_token", "n-2:go")),
    ("messages_arrive", "was received by both", swapped_pool),
    ("messages_arrive", "sent ['n-1:pool', 'n-2:pool'], received ['n-2:pool']",
     other_variable("p1", "pool_token", None)),
    ("calls_have", "called q, which is not there", without_instance("q")),
    ("calls_have", "which has another caller", other_view("o1", caller={
        "instance": "n", "activation": 99})),
    ("calls_have", "has 2 results", fact_twice("n", "CHILD_ENDED", "order_1")),
    ("calls_have", "has 0 results", without_facts("n", "CHILD_ENDED", "order_1")),
    ("calls_have", "is not what was called gave", other_variable("n", "order_1_result", "other")),
    ("calls_have", "was called 0 times", without_facts("n", "CHILD_CALLED", "order_1")),
    ("calls_have", "was called 2 times", fact_twice("n", "CHILD_CALLED", "order_1")),
    ("calls_have", "is an orphan", other_view("o1", status="active")),
    ("records_can", "without owner, due time and wait", other_record("o1", status=0)),
    ("records_can", "still wants something", other_record("o1", owner="a/1")),
    ("records_can", "still keeps a message", other_record("stf:queue/go", status=0, has_due=1)),
    ("dead_work", "was not recovered", not_taken),
    ("dead_work", "was not recovered", without_facts("p1", "INSTANCE_RECOVERED")),
)


class CheckerTest(unittest.TestCase):
    def test_good_histories_pass(self):
        for change in GOOD:
            history = Builder().build()
            change(history)
            self.assertEqual(pair_checker.find_violations(history), [])

    def test_every_broken_history_is_named(self):
        good = Builder().build()
        for rule, text, breaks in BROKEN:
            with self.subTest(text):
                history = copy.deepcopy(good)
                breaks(history)
                found = pair_checker.find_violations(history)
                self.assertTrue(any(entry.startswith(rule) and text in entry for entry in found),
                                f"not found, but: {found}")

    def test_every_rule_is_broken_here(self):
        names = {rule.__name__ for rule in pair_checker.RULES}
        broken = {name for name in names for rule, _, _ in BROKEN if name.startswith(rule)}
        self.assertEqual(names, broken)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
