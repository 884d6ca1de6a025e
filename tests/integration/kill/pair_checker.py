# SPDX-License-Identifier: Apache-2.0
"""Decides whether a history of pair.bpmn under kills is one that the engine may have.

A history is a dictionary of plain values:
  started    ids of the batches that a command said it had started
  instances  views, as `stepfast ps --json` prints them
  facts      instance id -> rows, as `stepfast facts --json` prints them
  records    rows of the store: id, status, owner, has_due, waits, among them the engine's own
  effects    what the handlers noted, in order: what (begin, end, error, fail), at (microseconds),
             instance, element, key, result
  settled    what the operator did with unknown work: instance, activation, how (retry, resolve)
  taken      what dead engines held: instance, version (when it was killed), is_taken
find_violations() names everything that must never happen; an empty list is a pass."""
import collections
import datetime

# Which nodes a completed instance has completed, by process and mode.
PATHS = {
    ("batch", None): "begun seed split order_1 order_2 parcel_1 parcel_2 enough join close closed",
    ("order", "ok"): "ordered reserve pause throw_shipped throw_pool catch_go catch_done pay paid",
    ("order", "declined"):
        "ordered reserve pause throw_shipped throw_pool catch_go catch_done refused refund"
        " refunded",
    ("parcel", None): "packed prepare catch_shipped deliver catch_pool throw_done",
    ("payment", "ok"): "asked trying charge charged try booked",
    ("payment", "declined"): "asked trying failed",
    ("probe", None): "probing",
}
# How it ends and with which status of its record.
ENDS = {
    ("payment", "declined"): ("failed", "terminated"),
    ("probe", None): ("cancelled", "terminated"),
}
COMPLETED = ("completed", "completed")
IDEMPOTENT = ("seed", "prepare", "refund")
# Variables that a call activity gets of the process that it calls.
OUTPUTS = {
    "order_1": (("order_1_k", "k"), ("order_1_result", "reserve_result")),
    "order_2": (("order_2_k", "k"), ("order_2_result", "reserve_result")),
    "parcel_1": (("parcel_1_k", "k"), ("parcel_1_result", "deliver_result")),
    "parcel_2": (("parcel_2_k", "k"), ("parcel_2_result", "deliver_result")),
    "pay": (("pay_k", "k"), ("pay_result", "charge_result")),
}
RECEIVES = {
    "order": (("catch_go", "go"), ("catch_done", "done")),
    "parcel": (("catch_shipped", "shipped"), ("catch_pool", "pool")),
}
THROWS = {"order": ("throw_shipped", "throw_pool"), "parcel": ("throw_done",)}
TERMINAL = ("completed", "terminated")


class History:
    """The history by the keys that the rules ask for."""

    def __init__(self, history):
        self.started = history["started"]
        self.instances = {view["id"]: view for view in history["instances"]}
        self.facts = history["facts"]
        self.records = history["records"]
        self.taken = history["taken"]
        self.effects = collections.defaultdict(list)
        self.stray = []
        for effect in history["effects"]:
            if effect["instance"] in self.instances:
                activation = int(effect["key"].split("-")[1])
                self.effects[effect["instance"], activation].append(effect)
            else:
                self.stray.append(effect)
        self.settled = collections.Counter(
            (entry["instance"], entry["activation"], entry["how"]) for entry in history["settled"])
        self.stopped = {self.root(view["id"]) for view in self.instances.values()
                        if is_honestly_stopped(view)}

    def root(self, instance):
        while self.instances.get(instance, {}).get("caller"):
            instance = self.instances[instance]["caller"]["instance"]
        return instance

    def rows(self, instance, *names):
        return [row for row in self.facts.get(instance, ()) if not names or row["fact"] in names]

    def of_activations(self, instance, *names):
        """Names of the facts of each (activation, element), in order."""
        found = collections.defaultdict(list)
        for row in self.rows(instance, *names):
            found[row["activation"], row["element"]].append(row)
        return found

    def find(self, process):
        return [view for view in self.instances.values() if view["process"] == process]


def is_honestly_stopped(view):
    return bool(view["incidents"]) and all(
        incident["kind"] == "unknown" for incident in view["incidents"])


def shape(view):
    return view["process"], view["variables"].get("mode")


def time_us(text):
    moment = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    return round(moment.timestamp() * 1000000)


# ---- The rules: each tells what is wrong ------------------------------------------------------


def nothing_is_lost(history):
    for instance in history.started:
        if instance not in history.instances:
            yield f"{instance} was started and is not there"
    for view in history.instances.values():
        name = f"{view['process']} {view['id']}"
        if not history.facts.get(view["id"]):
            yield f"{name} has no history"
        dishonest = [entry["kind"] for entry in view["incidents"] if entry["kind"] != "unknown"]
        if dishonest:
            yield f"{name} stands at an incident of kind {', '.join(dishonest)}"
        if view["end"] is None:
            is_waiting = view["incidents"] or view["waiting"] or view["calls"] or view["outbox"]
            if history.root(view["id"]) not in history.stopped or not is_waiting:
                yield f"{name} has not ended, and no unknown outcome says why"
            continue
        how, status = ENDS.get(shape(view), COMPLETED)
        if view["end"]["how"] != how or view["status"] != status:
            yield f"{name} ended as {view['end']['how']} with status {view['status']}"
        if how == "failed" and view["end"].get("code") != "DECLINED":
            yield f"{name} ended with another error"


def nodes_end_once(history):
    names = ("NODE_ENTERED", "NODE_COMPLETED", "NODE_CANCELLED")
    for instance, view in history.instances.items():
        for (activation, element), rows in history.of_activations(instance, *names).items():
            counts = collections.Counter(row["fact"] for row in rows)
            ends = counts["NODE_COMPLETED"] + counts["NODE_CANCELLED"]
            name = f"{element} ({activation}) of {view['process']} {instance}"
            if counts["NODE_ENTERED"] != 1:
                yield f"{name} was entered {counts['NODE_ENTERED']} times"
            if ends > 1 or (view["end"] is not None and ends == 0):
                yield f"{name} ended {ends} times"
        if view["end"] is not None:
            completed = collections.Counter(
                row["element"] for row in history.rows(instance, "NODE_COMPLETED"))
            path = collections.Counter(PATHS[shape(view)].split())
            if completed != path:
                wrong = sorted((completed - path) + (path - completed))
                yield f"{view['process']} {instance} took another path: {', '.join(wrong)}"


def work_is_settled_before_it_starts_again(history):
    names = ("WORK_STARTED", "WORK_COMPLETED", "WORK_FAILED", "WORK_UNKNOWN", "RETRY_SCHEDULED",
             "INCIDENT_RESOLVED", "INCIDENT_OPENED")
    for instance in history.instances:
        for (activation, element), rows in history.of_activations(instance, *names).items():
            state = "new"
            name = f"{element} ({activation}) of {instance}"
            for row in rows:
                fact = row["fact"]
                is_silent = fact == "WORK_STARTED" and element not in IDEMPOTENT and state not in (
                    "new", "RETRY_SCHEDULED", "INCIDENT_RESOLVED")
                if is_silent or (state == "WORK_COMPLETED" and fact != "INCIDENT_RESOLVED"):
                    yield f"{name}: {fact} after {state}"
                if not (state == "WORK_COMPLETED" and fact == "INCIDENT_RESOLVED"):
                    state = fact


def effects_are_told(history):
    for effect in history.stray:
        yield f"an effect of {effect['element']} in {effect['instance']}, which is not there"
    for (instance, activation), effects in history.effects.items():
        element = effects[0]["element"]
        name = f"{element} ({activation}) of {instance}"
        rows = [row for row in history.rows(instance) if row["activation"] == activation]
        counts = collections.Counter(row["fact"] for row in rows)
        begins = collections.defaultdict(list)
        for effect in effects:
            if effect["what"] == "begin":
                begins[effect["key"]].append(effect)
        count = sum(map(len, begins.values()))
        if count > counts["WORK_STARTED"]:
            yield f"{name} began {count} times and was started {counts['WORK_STARTED']} times"
        if element not in IDEMPOTENT:
            repeats = sum(len(group) - 1 for group in begins.values())
            if repeats > history.settled[instance, activation, "retry"]:
                yield f"{name} was repeated silently"
            outcomes = [effect for effect in effects if effect["what"] in ("end", "error")]
            if len(outcomes) > 1:
                yield f"{name} took effect {len(outcomes)} times"
        completed = [time_us(row["at"]) for row in rows if row["fact"] == "WORK_COMPLETED"]
        if completed and any(
                effect["at"] > completed[0] for effect in effects if effect["what"] == "begin"):
            yield f"{name} began after it had completed"


def outcomes_have_their_effect(history):
    wanted = {"WORK_COMPLETED": "end", "WORK_FAILED": None}
    for instance, view in history.instances.items():
        for (activation, element), rows in history.of_activations(instance, *wanted).items():
            name = f"{element} ({activation}) of {instance}"
            effects = history.effects[instance, activation]
            for row in rows:
                what = wanted[row["fact"]] or ("error" if row["detail"] == "DECLINED" else "fail")
                results = [effect["result"] for effect in effects if effect["what"] == what]
                if not results:
                    yield f"{name}: {row['fact']} without its effect"
                elif what == "end" and view["variables"].get(f"{element}_result") not in results:
                    yield f"{name} has a result that no run of it gave"


def messages_arrive_once(history):
    pools = collections.defaultdict(lambda: ([], []))
    for process, throws in THROWS.items():
        for view in history.find(process):
            for element in throws:
                rows = [row["fact"] for row in history.rows(view["id"])
                        if row["element"] == element]
                name = f"{element} of {view['id']}"
                if "MESSAGE_DROPPED" in rows or "SEND_DROPPED" in rows:
                    yield f"{name} was dropped, though it is kept for an hour"
                if view["status"] in TERMINAL and not {"MESSAGE_SENT", "MESSAGE_KEPT"} & set(rows):
                    yield f"{name} was never sent"
    for process, receives in RECEIVES.items():
        for view in history.find(process):
            variables = view["variables"]
            for element, message in receives:
                times = sum(row["element"] == element
                            for row in history.rows(view["id"], "MESSAGE_RECEIVED"))
                name = f"{message} of {process} {view['id']}"
                token = variables.get(f"{message}_token")
                if times > 1 or (view["end"] is not None and times == 0):
                    yield f"{name} was received {times} times"
                if (token is not None) != (times > 0):
                    yield f"{name}: the fact and the variable do not agree"
                if message != "pool" and token not in (None, f"{variables['k']}:{message}"):
                    yield f"{name} was meant for somebody else: {token}"
                if message == "pool" and token is not None:
                    pools[variables["batch"]][1].append(token)
    for view in history.find("order"):
        if view["status"] in TERMINAL:
            pools[view["variables"]["batch"]][0].append(f"{view['variables']['k']}:pool")
    for batch, (sent, received) in pools.items():
        twice = [token for token, times in collections.Counter(received).items() if times > 1]
        if twice:
            yield f"{', '.join(twice)} of batch {batch} was received by both"
        if batch not in history.stopped and sorted(sent) != sorted(received):
            yield f"batch {batch}: sent {sorted(sent)}, received {sorted(received)}"


def calls_have_one_result(history):
    callers = collections.Counter()
    for instance, view in history.instances.items():
        ended = collections.Counter(
            (row["activation"], row["detail"])
            for row in history.rows(instance, "CHILD_ENDED", "CHILD_CANCELLED"))
        for row in history.rows(instance, "CHILD_CALLED"):
            child = history.instances.get(row["detail"])
            name = f"{row['element']} of {view['process']} {instance}"
            callers[row["detail"]] += 1
            if child is None:
                if history.root(instance) not in history.stopped:
                    yield f"{name} called {row['detail']}, which is not there"
                continue
            if child["caller"] != {"instance": instance, "activation": row["activation"]}:
                yield f"{name} called {row['detail']}, which has another caller"
            times = ended[row["activation"], row["detail"]]
            if times > 1 or (times == 0 and child["status"] in TERMINAL):
                yield f"{name} has {times} results of {row['detail']}"
            for target, source in OUTPUTS.get(row["element"], ()):
                is_over = any(fact["fact"] == "NODE_COMPLETED" for fact in history.rows(instance)
                              if fact["activation"] == row["activation"])
                if is_over and view["variables"].get(target) != child["variables"].get(source):
                    yield f"{name}: {target} is not what was called gave"
    for instance, view in history.instances.items():
        if view["caller"] is None:
            continue
        caller = history.instances.get(view["caller"]["instance"])
        if callers[instance] != 1:
            yield f"{view['process']} {instance} was called {callers[instance]} times"
        if caller is None or (caller["status"] in TERMINAL and view["status"] not in TERMINAL):
            yield f"{view['process']} {instance} is an orphan"


def records_can_be_found(history):
    for record in history.records:
        is_over = record["status"] in (1, 2)
        if record["status"] == 0 and not (record["owner"] or record["has_due"] or record["waits"]):
            yield f"{record['id']} is active without owner, due time and wait"
        if is_over and (record["owner"] or record["has_due"]):
            yield f"{record['id']} has ended and still wants something"
        is_queue = record["id"].startswith("stf:")
        if is_queue and not is_over and not history.stopped:
            yield f"{record['id']} still keeps a message, and everybody has one"


def dead_work_is_taken_over(history):
    for entry in history.taken:
        recovered = any(row["version"] > entry["version"]
                        for row in history.rows(entry["instance"], "INSTANCE_RECOVERED"))
        if not entry["is_taken"] or not recovered:
            yield f"{entry['instance']} was held by a dead engine and was not recovered"


RULES = (
    nothing_is_lost,
    nodes_end_once,
    work_is_settled_before_it_starts_again,
    effects_are_told,
    outcomes_have_their_effect,
    messages_arrive_once,
    calls_have_one_result,
    records_can_be_found,
    dead_work_is_taken_over,
)


def find_violations(history):
    known = History(history)
    return [f"{rule.__name__}: {text}" for rule in RULES for text in rule(known)]
