/// A log entry (`docs/PROTOCOL.md`, 3.3).
package struct LogEntry: WireRecord {
    package var seq: Int
    package var at: String
    /// `nil` for what concerns the device.
    package var app: String?
    package var event: String
    package var reason: String?
    /// The `seq` of the entry that led to this one; `nil` once that is pruned.
    package var cause: Int?
    /// Seconds.
    package var took: Double?

    package init(
        seq: Int, at: String, app: String?, event: String, reason: String?, cause: Int? = nil, took: Double? = nil
    ) {
        self.seq = seq
        self.at = at
        self.app = app
        self.event = event
        self.reason = reason
        self.cause = cause
        self.took = took
    }

    package init(json: JSONValue) throws(RPCError) {
        seq = try json.int("seq")
        at = try json.string("at")
        app = try json.optionalString("app")
        event = try json.string("event")
        reason = try json.optionalString("reason")
        cause = try json.optionalInt("cause")
        took = try json.optionalNumber("took")
    }

    package var json: JSONValue {
        [
            "seq": .int(Int64(seq)), "at": .string(at), "app": JSONValue(app), "event": .string(event),
            "reason": JSONValue(reason), "cause": JSONValue(cause), "took": JSONValue(took),
        ]
    }
}

/// The answer to `why`: from the present state back to the first cause.
package struct WhyAnswer: WireRecord {
    package struct Step: WireRecord {
        package var seq: Int
        package var at: String
        package var event: String
        package var reason: String?

        package init(seq: Int, at: String, event: String, reason: String?) {
            self.seq = seq
            self.at = at
            self.event = event
            self.reason = reason
        }

        package init(json: JSONValue) throws(RPCError) {
            seq = try json.int("seq")
            at = try json.string("at")
            event = try json.string("event")
            reason = try json.optionalString("reason")
        }

        package var json: JSONValue {
            ["seq": .int(Int64(seq)), "at": .string(at), "event": .string(event), "reason": JSONValue(reason)]
        }
    }

    /// What it would be woken for, and is not yet.
    package struct Wish: WireRecord {
        /// For people, for example “a background fetch”.
        package var what: String
        /// The condition that is missing; `nil`: none, it begins when it is looked at.
        package var missing: String?
        /// When that is looked at next: at a time, or with a change that is named.
        package var next: String?
        package var changesWith: String?

        package init(what: String, missing: String?, next: String?, changesWith: String?) {
            self.what = what
            self.missing = missing
            self.next = next
            self.changesWith = changesWith
        }

        package init(json: JSONValue) throws(RPCError) {
            what = try json.string("what")
            missing = try json.optionalString("missing")
            next = try json.optionalString("next")
            changesWith = try json.optionalString("changesWith")
        }

        package var json: JSONValue {
            [
                "what": .string(what), "missing": JSONValue(missing), "next": JSONValue(next),
                "changesWith": JSONValue(changesWith),
            ]
        }
    }

    package var app: String
    /// For people; a daemon of before did not say it.
    package var name: String?
    package var state: String
    package var because: [Step]
    package var waits: [Wish]

    package init(app: String, name: String? = nil, state: String, because: [Step], waits: [Wish] = []) {
        self.app = app
        self.name = name
        self.state = state
        self.because = because
        self.waits = waits
    }

    package init(json: JSONValue) throws(RPCError) {
        app = try json.string("app")
        name = try json.optionalString("name")
        state = try json.string("state")
        because = try Step.list(json: .array(json.array("because")))
        // A daemon of before said nothing of it.
        waits = json["waits"] == nil ? [] : try Wish.list(json: .array(json.array("waits")))
    }

    package var json: JSONValue {
        [
            "app": .string(app), "name": JSONValue(name), "state": .string(state), "because": Step.json(of: because),
            "waits": Wish.json(of: waits),
        ]
    }
}

/// A report in `reports`; the whole one comes from `report`.
package struct ReportSummary: WireRecord {
    package var id: String
    package var app: String
    package var at: String
    package var namespace: String
    package var code: Int
    package var reason: String

    package init(id: String, app: String, at: String, namespace: String, code: Int, reason: String) {
        self.id = id
        self.app = app
        self.at = at
        self.namespace = namespace
        self.code = code
        self.reason = reason
    }

    package init(json: JSONValue) throws(RPCError) {
        id = try json.string("id")
        app = try json.string("app")
        at = try json.string("at")
        namespace = try json.string("namespace")
        code = try json.int("code")
        reason = try json.string("reason")
    }

    package var json: JSONValue {
        [
            "id": .string(id), "app": .string(app), "at": .string(at), "namespace": .string(namespace),
            "code": .int(Int64(code)), "reason": .string(reason),
        ]
    }
}

/// A mechanism in `doctor`.
package struct DoctorFinding: WireRecord {
    package enum Status: String, Sendable, CaseIterable {
        case ok, replaced, missing
    }

    package var mechanism: String
    package var status: Status
    package var detail: String
    /// What is used in its place.
    package var instead: String?
    /// What that costs the user.
    package var cost: String?

    package init(mechanism: String, status: Status, detail: String, instead: String? = nil, cost: String? = nil) {
        self.mechanism = mechanism
        self.status = status
        self.detail = detail
        self.instead = instead
        self.cost = cost
    }

    package init(json: JSONValue) throws(RPCError) {
        mechanism = try json.string("mechanism")
        status = try json.word("status")
        detail = try json.string("detail")
        instead = try json.optionalString("instead")
        cost = try json.optionalString("cost")
    }

    package var json: JSONValue {
        [
            "mechanism": .string(mechanism), "status": .string(status.rawValue), "detail": .string(detail),
            "instead": JSONValue(instead), "cost": JSONValue(cost),
        ]
    }
}
