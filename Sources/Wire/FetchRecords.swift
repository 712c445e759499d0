/// An app in `fetch` (`docs/PROTOCOL.md`, 3.6).
package struct FetchInfo: WireRecord {
    /// A time in which it is likely to be opened.
    package struct Opening: WireRecord {
        package var from: String
        package var to: String
        /// From 0 to 1.
        package var chance: Double

        package init(from: String, to: String, chance: Double) {
            self.from = from
            self.to = to
            self.chance = chance
        }

        package init(json: JSONValue) throws(RPCError) {
            from = try json.string("from")
            to = try json.string("to")
            chance = try json.optionalNumber("chance") ?? 0
        }

        package var json: JSONValue { ["from": .string(from), "to": .string(to), "chance": .double(chance)] }
    }

    /// A fetch of the past.
    package struct Decision: WireRecord {
        package var began: String
        package var ended: String?
        /// `newData`, `noData` or `failed`; `nil` while it is under way.
        package var result: String?
        /// The openings within an hour that were expected.
        package var expected: Double
        /// `hit`, `wasted`, `noData`, `failed` or `pending`.
        package var verdict: String
        /// Of a hit: so many seconds later the user opened it.
        package var openedAfter: Double?
        package var joules: Double?
        /// Bytes that were counted; `nil`: none were looked for.
        package var sent: Int64?
        package var received: Int64?

        package init(
            began: String, ended: String?, result: String?, expected: Double, verdict: String, openedAfter: Double?,
            joules: Double?, sent: Int64? = nil, received: Int64? = nil
        ) {
            self.began = began
            self.ended = ended
            self.result = result
            self.expected = expected
            self.verdict = verdict
            self.openedAfter = openedAfter
            self.joules = joules
            self.sent = sent
            self.received = received
        }

        package init(json: JSONValue) throws(RPCError) {
            began = try json.string("began")
            ended = try json.optionalString("ended")
            result = try json.optionalString("result")
            expected = try json.optionalNumber("expected") ?? 0
            verdict = try json.string("verdict")
            openedAfter = try json.optionalNumber("openedAfter")
            joules = try json.optionalNumber("joules")
            sent = try json.optionalInt("sent").map { Int64($0) }
            received = try json.optionalInt("received").map { Int64($0) }
        }

        package var json: JSONValue {
            [
                "began": .string(began), "ended": JSONValue(ended), "result": JSONValue(result),
                "expected": .double(expected), "verdict": .string(verdict), "openedAfter": JSONValue(openedAfter),
                "joules": JSONValue(joules), "sent": JSONValue(sent.map { Int($0) }),
                "received": JSONValue(received.map { Int($0) }),
            ]
        }
    }

    /// A request to `BGTaskScheduler` that waits.
    package struct Task: WireRecord {
        package var identifier: String
        /// `refresh` or `processing`.
        package var kind: String
        package var earliest: String?
        package var missing: String?
        package var next: String?
        package var changesWith: String?

        package init(
            identifier: String, kind: String, earliest: String?, missing: String?, next: String?, changesWith: String?
        ) {
            self.identifier = identifier
            self.kind = kind
            self.earliest = earliest
            self.missing = missing
            self.next = next
            self.changesWith = changesWith
        }

        package init(json: JSONValue) throws(RPCError) {
            identifier = try json.string("identifier")
            kind = try json.string("kind")
            earliest = try json.optionalString("earliest")
            missing = try json.optionalString("missing")
            next = try json.optionalString("next")
            changesWith = try json.optionalString("changesWith")
        }

        package var json: JSONValue {
            [
                "identifier": .string(identifier), "kind": .string(kind), "earliest": JSONValue(earliest),
                "missing": JSONValue(missing), "next": JSONValue(next), "changesWith": JSONValue(changesWith),
            ]
        }
    }

    package var app: String
    package var name: String
    /// The least seconds between two fetches; `nil`: it never asked, or no longer wants any.
    package var interval: Double?
    /// The user lets it refresh in the background.
    package var isAllowed: Bool
    /// When it is expected to be worth it.
    package var wanted: String?
    /// Why then, or not now.
    package var reason: String?
    /// What keeps it from being fetched now; `nil`: nothing.
    package var missing: String?
    package var next: String?
    package var changesWith: String?
    package var expected: [Opening]
    /// The newest last.
    package var decisions: [Decision]
    package var tasks: [Task]

    package init(app: String, name: String, interval: Double?, isAllowed: Bool) {
        self.app = app
        self.name = name
        self.interval = interval
        self.isAllowed = isAllowed
        (expected, decisions, tasks) = ([], [], [])
    }

    package init(json: JSONValue) throws(RPCError) {
        app = try json.string("app")
        name = try json.string("name")
        interval = try json.optionalNumber("interval")
        isAllowed = try json.bool("allowed")
        wanted = try json.optionalString("wanted")
        reason = try json.optionalString("reason")
        missing = try json.optionalString("missing")
        next = try json.optionalString("next")
        changesWith = try json.optionalString("changesWith")
        expected = try Opening.list(json: .array(json.array("expected")))
        decisions = try Decision.list(json: .array(json.array("decisions")))
        tasks = try Task.list(json: .array(json.array("tasks")))
    }

    package var json: JSONValue {
        [
            "app": .string(app), "name": .string(name), "interval": JSONValue(interval), "allowed": .bool(isAllowed),
            "wanted": JSONValue(wanted), "reason": JSONValue(reason), "missing": JSONValue(missing),
            "next": JSONValue(next), "changesWith": JSONValue(changesWith), "expected": Opening.json(of: expected),
            "decisions": Decision.json(of: decisions), "tasks": Task.json(of: tasks),
        ]
    }
}
