internal import Model
package import Wire

// How the protocol tells a record (docs/PROTOCOL.md, 3.5).
extension TimelineRecord {
    /// `offset` is wall clock minus boot clock, as it was then.
    package func json(offset: Int64) -> JSONValue {
        var json: JSONObject = [
            "at": .string(WallTime(nanoseconds: at.nanoseconds &+ offset).iso8601), "clock": .int(at.nanoseconds),
        ]
        switch what {
        case .began(let beginning):
            json["kind"] = "began"
            json["how"] = .string(beginning.kind.name)
            json["boot"] = .string(beginning.boot)
            json["offset"] = .int(beginning.offset)
        case .clockSet(let offset):
            json["kind"] = "clock"
            json["offset"] = .int(offset)
        case .named(let app, let name):
            json["kind"] = "app"
            json["app"] = .string(app)
            json["name"] = .string(name)
        case .state(let app, let state):
            json["kind"] = "state"
            json["app"] = .string(app)
            json["state"] = .string(state.name)
        case .entry(let entry):
            json["kind"] = "entry"
            json["app"] = JSONValue(entry.app)
            json["seq"] = .int(Int64(clamping: entry.sequence))
            json["event"] = .string(entry.event)
            json["reason"] = .string(entry.reason)
            json["cause"] = JSONValue(entry.cause.map { Int(clamping: $0) })
            json["took"] = JSONValue(entry.took.map { Double($0.nanoseconds / 1000) / 1e6 })
        case .assertionBegan(let app, let held):
            json["kind"] = "assertion"
            json["app"] = .string(app)
            json["id"] = .int(Int64(clamping: held.id))
            json["assertion"] = .string(held.kind)
            json["name"] = .string(held.name)
            json["limit"] = JSONValue(held.expires.map { ($0 - at).seconds })
        case .assertionEnded(let app, let id):
            json["kind"] = "assertion-end"
            json["app"] = .string(app)
            json["id"] = .int(Int64(clamping: id))
        case .priority(let app, let priority):
            json["kind"] = "priority"
            json["app"] = .string(app)
            json["priority"] = .string(priority.name)
        case .processorUsed(let app, let used, let over):
            json["kind"] = "cpu"
            json["app"] = JSONValue(app)
            json["used"] = .double(used.seconds)
            json["over"] = .double(over.seconds)
        case .memory(let app, let footprint):
            json["kind"] = "memory"
            json["app"] = .string(app)
            json["dirty"] = .int(footprint.dirty)
            json["purgeable"] = .int(footprint.purgeable)
            json["clean"] = .int(footprint.clean)
        case .networkUsed, .diskUsed: addUse(to: &json)
        case .available(let bytes, let budget):
            json["kind"] = "available"
            json["bytes"] = .int(bytes)
            json["budget"] = .int(budget)
        case .report(let app, let report):
            json["kind"] = "report"
            json["app"] = .string(app)
            json["id"] = .string(report.id)
            json["namespace"] = .string(report.namespace)
            json["code"] = .int(report.code)
            json["reason"] = .string(report.reason)
        }
        return .object(json)
    }

    private func addUse(to json: inout JSONObject) {
        switch what {
        case .networkUsed(let app, let sent, let received, let over):
            json["kind"] = "network"
            json["app"] = .string(app)
            json["sent"] = .int(sent)
            json["received"] = .int(received)
            json["over"] = .double(over.seconds)
        case .diskUsed(let app, let read, let written, let over):
            json["kind"] = "disk"
            json["app"] = .string(app)
            json["read"] = .int(read)
            json["written"] = .int(written)
            json["over"] = .double(over.seconds)
        default: break
        }
    }

    /// `nil` for a kind that only a later version knows.
    package init?(json: JSONValue) throws(RPCError) {
        let at = Instant(nanoseconds: Int64(try json.int("clock")))
        guard let what = try Happening(json: json, at) else { return nil }
        self.init(at, what)
    }
}

extension Happening {
    fileprivate init?(json: JSONValue, _ at: Instant) throws(RPCError) {
        switch try json.string("kind") {
        case "began":
            let how = try json.string("how")
            guard let kind = Beginning.Kind.allCases.first(where: { $0.name == how }) else { return nil }
            self = .began(Beginning(kind, boot: try json.string("boot"), offset: Int64(try json.int("offset"))))
        case "clock": self = .clockSet(offset: Int64(try json.int("offset")))
        case "app": self = .named(app: try json.string("app"), name: try json.string("name"))
        case "state":
            let name = try json.string("state")
            guard let state = LifecycleState.allCases.first(where: { $0.name == name }) else { return nil }
            self = .state(app: try json.string("app"), state)
        case "entry": self = .entry(try TimelineEntry(json: json))
        case "assertion":
            let held = HeldAssertion(
                id: UInt64(clamping: try json.int("id")), kind: try json.string("assertion"),
                name: try json.string("name"),
                expires: try json.optionalNumber("limit").map { at + Span(rounding: $0) })
            self = .assertionBegan(app: try json.string("app"), held)
        case "assertion-end":
            self = .assertionEnded(app: try json.string("app"), id: UInt64(clamping: try json.int("id")))
        case "priority":
            let name = try json.string("priority")
            guard let priority = AppPriority.allCases.first(where: { $0.name == name }) else { return nil }
            self = .priority(app: try json.string("app"), priority)
        case "cpu":
            self = .processorUsed(
                app: try json.optionalString("app"), used: Span(rounding: try json.number("used")),
                over: Span(rounding: try json.number("over")))
        case "memory":
            let footprint = Footprint(
                dirty: Int64(try json.int("dirty")), purgeable: Int64(try json.int("purgeable")),
                clean: Int64(try json.int("clean")))
            self = .memory(app: try json.string("app"), footprint)
        case "network":
            self = .networkUsed(
                app: try json.string("app"), sent: Int64(try json.int("sent")),
                received: Int64(try json.int("received")), over: Span(rounding: try json.number("over")))
        case "disk":
            self = .diskUsed(
                app: try json.string("app"), read: Int64(try json.int("read")),
                written: Int64(try json.int("written")), over: Span(rounding: try json.number("over")))
        case "available":
            self = .available(bytes: Int64(try json.int("bytes")), budget: Int64(try json.int("budget")))
        case "report":
            let report = TimelineReport(
                id: try json.string("id"), namespace: try json.string("namespace"), code: Int64(try json.int("code")),
                reason: try json.string("reason"))
            self = .report(app: try json.string("app"), report)
        default: return nil
        }
    }
}

extension TimelineEntry {
    fileprivate init(json: JSONValue) throws(RPCError) {
        self.init(
            app: try json.optionalString("app"), sequence: UInt64(clamping: try json.int("seq")),
            event: try json.string("event"), reason: try json.optionalString("reason") ?? "",
            cause: try json.optionalInt("cause").map { UInt64(clamping: $0) },
            took: try json.optionalNumber("took").map { Span(rounding: $0) })
    }
}

extension JSONValue {
    fileprivate func number(_ name: String) throws(RPCError) -> Double {
        guard let number = try optionalNumber(name) else {
            throw .invalidParameter(name, "the parameter \(name) is missing")
        }
        return number
    }
}

extension Span {
    /// Nonsense from a broken peer becomes the nearest number that there is.
    fileprivate init(rounding seconds: Double) {
        self.init(nanoseconds: Int64(max(-1e17, min(1e17, seconds.isNaN ? 0 : seconds * 1e9)).rounded()))
    }
}
