/// A record of the control protocol: every key is always there, `null` where a value is absent.
package protocol WireRecord: Hashable, Sendable {
    init(json: JSONValue) throws(RPCError)
    var json: JSONValue { get }
}

extension WireRecord {
    /// Records of an answer that is an array.
    package static func list(json: JSONValue) throws(RPCError) -> [Self] {
        guard case .array(let elements) = json else {
            throw RPCError(.invalidParams, "an array is expected, not \(json.kindName)")
        }
        var records: [Self] = []
        for element in elements { records.append(try Self(json: element)) }
        return records
    }

    package static func json(of records: [Self]) -> JSONValue { .array(records.map(\.json)) }
}

/// An app in `apps` (`docs/PROTOCOL.md`, 3.1).
package struct AppInfo: WireRecord {
    /// Bytes; `nil` when nothing is known, for example because no process is there.
    package struct Memory: WireRecord {
        package var dirty: Int?
        package var purgeable: Int?
        package var clean: Int?

        package init(dirty: Int? = nil, purgeable: Int? = nil, clean: Int? = nil) {
            self.dirty = dirty
            self.purgeable = purgeable
            self.clean = clean
        }

        package init(json: JSONValue) throws(RPCError) {
            dirty = try json.optionalInt("dirty")
            purgeable = try json.optionalInt("purgeable")
            clean = try json.optionalInt("clean")
        }

        package var json: JSONValue {
            ["dirty": JSONValue(dirty), "purgeable": JSONValue(purgeable), "clean": JSONValue(clean)]
        }
    }

    package struct Assertion: WireRecord {
        package var id: Int
        package var kind: String
        package var name: String
        package var reason: String
        package var since: String
        package var expires: String?

        package init(id: Int, kind: String, name: String, reason: String, since: String, expires: String?) {
            self.id = id
            self.kind = kind
            self.name = name
            self.reason = reason
            self.since = since
            self.expires = expires
        }

        package init(json: JSONValue) throws(RPCError) {
            id = try json.int("id")
            kind = try json.string("kind")
            name = try json.string("name")
            reason = try json.string("reason")
            since = try json.string("since")
            expires = try json.optionalString("expires")
        }

        package var json: JSONValue {
            [
                "id": .int(Int64(id)), "kind": .string(kind), "name": .string(name), "reason": .string(reason),
                "since": .string(since), "expires": JSONValue(expires),
            ]
        }
    }

    /// One of its scenes.
    package struct Scene: WireRecord {
        package var scene: Int
        /// `unattached`, `background`, `inactive` or `active`.
        package var state: String
        package var role: String?

        package init(scene: Int, state: String, role: String?) {
            self.scene = scene
            self.state = state
            self.role = role
        }

        package init(json: JSONValue) throws(RPCError) {
            scene = try json.int("scene")
            state = try json.string("state")
            role = try json.optionalString("role")
        }

        package var json: JSONValue {
            ["scene": .int(Int64(scene)), "state": .string(state), "role": JSONValue(role)]
        }
    }

    package var app: String
    package var name: String
    package var state: String
    package var pid: Int?
    package var pids: [Int]
    package var since: String?
    package var visible: Bool
    package var role: String?
    /// `nil`: it has none. The one that was shown last is at the end.
    package var scenes: [Scene]?
    package var assertions: [Assertion]
    /// What everybody is to see of it, such as `records`.
    package var marks: [String]
    package var memory: Memory
    /// `application` or `plain`.
    package var kind: String
    package var exempt: Bool
    package var front: Bool

    package init(
        app: String, name: String, state: String, pid: Int? = nil, pids: [Int] = [], since: String? = nil,
        visible: Bool = false, role: String? = nil, assertions: [Assertion] = [], marks: [String] = [],
        memory: Memory = Memory(), kind: String, exempt: Bool = false, front: Bool = false
    ) {
        self.app = app
        self.name = name
        self.state = state
        self.pid = pid
        self.pids = pids
        self.since = since
        self.visible = visible
        self.role = role
        self.assertions = assertions
        self.marks = marks
        self.memory = memory
        self.kind = kind
        self.exempt = exempt
        self.front = front
    }

    package init(json: JSONValue) throws(RPCError) {
        app = try json.string("app")
        name = try json.string("name")
        state = try json.string("state")
        pid = try json.optionalInt("pid")
        pids = try json.array("pids").compactMap(\.int)
        since = try json.optionalString("since")
        visible = try json.bool("visible")
        role = try json.optionalString("role")
        if let list = json["scenes"], list != .null { scenes = try Scene.list(json: list) }
        assertions = try Assertion.list(json: .array(json.array("assertions")))
        marks = try json.strings("marks")
        memory = try Memory(json: json.object("memory"))
        kind = try json.string("kind")
        exempt = try json.bool("exempt")
        front = try json.bool("front")
    }

    package var json: JSONValue {
        var json: JSONObject = [
            "app": .string(app), "name": .string(name), "state": .string(state), "pid": JSONValue(pid),
            "pids": .array(pids.map { .int(Int64($0)) }), "since": JSONValue(since), "visible": .bool(visible),
            "role": JSONValue(role), "assertions": Assertion.json(of: assertions),
            "marks": .array(marks.map(JSONValue.string)), "memory": memory.json,
            "kind": .string(kind), "exempt": .bool(exempt), "front": .bool(front),
        ]
        if let scenes { json["scenes"] = Scene.json(of: scenes) }
        return .object(json)
    }
}

/// The answer to `status`.
package struct StatusInfo: WireRecord {
    package var version: String
    package var protocolVersion: Int
    package var pid: Int
    package var profile: String
    package var locked: Bool
    package var asleep: Bool
    /// The app in front; `nil` for the home screen.
    package var front: String?
    package var switcher: Bool
    /// What covers the front app: `call`, `sms`, `alert`, …
    package var interruptions: [String]
    package struct Marked: WireRecord {
        package var app: String
        package var marks: [String]

        package init(app: String, marks: [String]) {
            self.app = app
            self.marks = marks
        }

        package init(json: JSONValue) throws(RPCError) {
            app = try json.string("app")
            marks = try json.strings("marks")
        }

        package var json: JSONValue { ["app": .string(app), "marks": .array(marks.map(JSONValue.string))] }
    }

    /// Apps of which everybody is to see something, such as that they record.
    package var marked: [Marked]
    /// Apps that a daemon which has just started has yet to look at; `nil`: it knows of all.
    package var adopting: Int?
    /// Whether protected files can be read: `available`, `ending` or `unavailable`.
    package var protectedData: String
    /// The app that keeps the screen on; `nil`: it may go dark.
    package var keepsScreenOn: String?

    package init(
        version: String, protocolVersion: Int, pid: Int, profile: String, locked: Bool, asleep: Bool, front: String?,
        switcher: Bool, interruptions: [String], marked: [Marked] = [], adopting: Int? = nil,
        protectedData: String = "available", keepsScreenOn: String? = nil
    ) {
        self.version = version
        self.protocolVersion = protocolVersion
        self.pid = pid
        self.profile = profile
        self.locked = locked
        self.asleep = asleep
        self.front = front
        self.switcher = switcher
        self.interruptions = interruptions
        self.marked = marked
        self.adopting = adopting
        self.protectedData = protectedData
        self.keepsScreenOn = keepsScreenOn
    }

    package init(json: JSONValue) throws(RPCError) {
        version = try json.string("version")
        protocolVersion = try json.int("protocol")
        pid = try json.int("pid")
        profile = try json.string("profile")
        locked = try json.bool("locked")
        asleep = try json.bool("asleep")
        front = try json.optionalString("front")
        switcher = try json.bool("switcher")
        interruptions = try json.array("interruptions").compactMap(\.string)
        marked = try json.records("marked")
        adopting = try json.optionalInt("adopting")
        protectedData = try json.optionalString("protectedData") ?? "available"
        keepsScreenOn = try json.optionalString("keepsScreenOn")
    }

    package var json: JSONValue {
        [
            "version": .string(version), "protocol": .int(Int64(protocolVersion)), "pid": .int(Int64(pid)),
            "profile": .string(profile), "locked": .bool(locked), "asleep": .bool(asleep), "front": JSONValue(front),
            "switcher": .bool(switcher), "interruptions": .array(interruptions.map(JSONValue.string)),
            "marked": .array(marked.map(\.json)), "adopting": JSONValue(adopting),
            "protectedData": .string(protectedData), "keepsScreenOn": JSONValue(keepsScreenOn),
        ]
    }
}
