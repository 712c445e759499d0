#!/usr/bin/env python3
"""Reads a trace in the Trace Event format and compares it with Greenroom's log: reader.py TRACE LOG APPS.

It knows the format from its public description and nothing of Greenroom but what the log says. LOG is what
`greenroom log --json` printed before the trace was exported, APPS what `greenroom apps --json` printed: programs without
callbacks change some states without an entry. Prints what differs; the last line counts what was compared.
"""

import datetime
import json
import os
import sys

CALLBACKS = {
    "willFinishLaunching", "didFinishLaunching", "didBecomeActive", "willResignActive", "didEnterBackground",
    "willEnterForeground", "willTerminate", "openedURL", "didReceiveMemoryWarning"}
# The state that begins with an entry, and ends the one before.
STATES = {
    "didBecomeActive": "active", "willResignActive": "inactive", "didEnterBackground": "background",
    "willEnterForeground": "inactive", "suspended": "suspended", "resumed": "background", "terminated": None}
EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)


def microseconds(iso):
    """Whole microseconds since 1970 of a time in the log."""
    moment = datetime.datetime.strptime(iso, "%Y-%m-%dT%H:%M:%S.%f%z")
    return (moment - EPOCH) // datetime.timedelta(microseconds=1)


def validate(trace):
    """Where the trace breaks the format's schema."""
    import jsonschema
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "trace-event.schema.json")) as file:
        schema = json.load(file)
    validator = jsonschema.Draft7Validator(schema)
    validator.check_schema(schema)
    return [f"{list(error.absolute_path)}: {error.message}" for error in validator.iter_errors(trace)][:20]


class Trace:
    """Processes with their threads, spans, instants and counters; times in microseconds since 1970."""

    def __init__(self, trace):
        self.begin = microseconds(trace["otherData"]["begin"])
        self.processes, self.threads, self.faults = {}, {}, []
        self.spans, self.instants, self.counters = {}, [], []
        for event in trace["traceEvents"]:
            if event["ph"] == "M" and event["name"] == "process_name":
                self.processes[event["pid"]] = event["args"]["name"]
            elif event["ph"] == "M" and event["name"] == "thread_name":
                self.threads[event["pid"], event["tid"]] = event["args"]["name"]
        for event in trace["traceEvents"]:
            if event["ph"] == "M":
                continue
            if event["pid"] not in self.processes:
                self.faults.append(f"nobody names the process of {event}")
            at = self.begin + event["ts"]
            if event["ph"] == "X":
                thread = event["pid"], event["tid"]
                if thread not in self.threads:
                    self.faults.append(f"nobody names the thread of {event}")
                self.spans.setdefault(thread, []).append((at, at + event["dur"], event))
            elif event["ph"] == "i":
                self.instants.append((at, event))
            elif event["ph"] == "C":
                self.counters.append((at, event))
        for thread, spans in self.spans.items():
            self.nest(thread, spans)

    def nest(self, thread, spans):
        """Spans of one thread have to lie in one another or apart."""
        open_spans = []
        for begin, end, event in sorted(spans, key=lambda span: (span[0], -span[1])):
            while open_spans and open_spans[-1] <= begin:
                open_spans.pop()
            if open_spans and end > open_spans[-1]:
                self.faults.append(f"in {self.threads.get(thread)} spans overlap at {event}")
            open_spans.append(end)

    def app(self, pid):
        """`Name (identifier)`, or the identifier alone; nothing for the device."""
        name = self.processes[pid]
        if name == "Device":
            return None
        return name.rpartition("(")[2][:-1] if name.endswith(")") else name

    def of(self, category):
        """Spans of a category, by app."""
        found = {}
        for (pid, _), spans in self.spans.items():
            for begin, end, event in spans:
                if event.get("cat") == category:
                    found.setdefault(self.app(pid), []).append((begin, end, event))
        return {app: sorted(spans, key=lambda span: span[:2]) for app, spans in found.items()}


def compare_entries(trace, log):
    """Every entry of the log is in the trace at its time, and no other."""
    faults, told = [], {}

    def tell(event, *what):
        if event["args"]["seq"] in told:
            faults.append(f"entry {event['args']['seq']} is there twice")
        told[event["args"]["seq"]] = what

    for at, event in trace.instants:
        if event["cat"] == "log":
            tell(event, at, event["name"], trace.app(event["pid"]), None)
    for app, spans in trace.of("callback").items():
        for begin, end, event in spans:
            tell(event, end, event["name"], app, end - begin)
    for entry in log:
        wanted = (microseconds(entry["at"]), entry["event"], entry["app"])
        found = told.pop(entry["seq"], None)
        if found is None or found[:3] != wanted:
            faults.append(f"entry {entry['seq']}: the log has {wanted}, the trace {found}")
        elif entry["event"] in CALLBACKS and entry["took"] is not None:
            took = round(entry["took"] * 1e6)
            if found[3] is None or abs(found[3] - took) > 1:
                faults.append(f"entry {entry['seq']}: {entry['event']} took {took} µs, in the trace {found[3]}")
    last = log[-1]["seq"] if log else 0
    return faults + [f"the log knows no entry {seq}: {found}" for seq, found in told.items() if seq <= last]


def compare_states(trace, log, plain):
    """What the log says of states is what the trace shows, and at the same microsecond."""
    faults, compared = [], 0
    last = microseconds(log[-1]["at"]) if log else 0
    states = trace.of("state")
    expected = {}
    for entry in log:
        if entry["app"] and entry["event"] in STATES:
            # Of several at one moment the last one counts.
            expected.setdefault(entry["app"], {})[microseconds(entry["at"])] = STATES[entry["event"]]
    for app, moments in expected.items():
        spans = states.get(app, [])
        for at, state in moments.items():
            compared += 1
            shown = [event["name"] for begin, end, event in spans if begin <= at < end]
            begins = [event["name"] for begin, _, event in spans if begin == at]
            if state is None:
                right = not shown and any(end == at for _, end, _ in spans)
            elif state in ("suspended", "active") or app not in plain:
                # Who is launched where nobody sees it is in the background before it is told so.
                launches = [event["name"] for begin, end, event in spans if begin <= at < end and begin not in moments]
                right = state in begins or state == "background" and state in launches
            else:
                right = True
            if not right:
                faults.append(f"{app} is {state} from {at} in the log, in the trace {shown or 'nothing'}")
    # And the other way round: what changes has an entry, but for launches, which begin before theirs.
    for app, spans in states.items():
        moments = expected.get(app, {})
        for number, (begin, _, event) in enumerate(spans):
            before = spans[number - 1][1] if number else None
            is_launch = before is None or before < begin or moments.get(before, "") is None
            if app not in plain and not is_launch and begin <= last and moments.get(begin) != event["name"]:
                faults.append(f"{app} is {event['name']} from {begin} in the trace, and the log knows nothing of it")
    return faults, compared


def main():
    with open(sys.argv[1]) as file:
        raw = json.load(file)
    with open(sys.argv[2]) as file:
        log = [json.loads(line) for line in file if line.strip()]
    faults = validate(raw)
    trace = Trace(raw)
    with open(sys.argv[3]) as file:
        plain = {app["app"] for app in json.load(file) if app["kind"] == "plain"}
    faults += trace.faults + compare_entries(trace, log)
    more, compared = compare_states(trace, log, plain)
    faults += more
    for fault in faults:
        print(fault)
    print(json.dumps({
        "faults": len(faults), "entries": len(log), "states": compared, "apps": len(trace.processes) - 1,
        "counters": len(trace.counters), "spans": sum(map(len, trace.spans.values())),
        "assertions": sum(map(len, trace.of("assertion").values()))}))
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
