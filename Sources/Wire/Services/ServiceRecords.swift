/// One line of the answer to `services`: what is declared, whether it runs, and what it holds.
package struct ServiceInfo: WireRecord {
    package struct Hold: WireRecord, Hashable {
        package var app: String
        package var hold: String
        /// In the service's own words.
        package var because: String
        /// It counts: the app may run in the background for it.
        package var counts: Bool

        package init(app: String, hold: String, because: String, counts: Bool) {
            self.app = app
            self.hold = hold
            self.because = because
            self.counts = counts
        }

        package init(json: JSONValue) throws(RPCError) {
            app = try json.string("app")
            hold = try json.string("hold")
            because = try json.string("because")
            counts = try json.bool("counts")
        }

        package var json: JSONValue {
            ["app": .string(app), "hold": .string(hold), "because": .string(because), "counts": .bool(counts)]
        }
    }

    package var service: String
    /// `running`, `starting`, `away` (it died and has yet to be there again) or `idle`.
    package var state: String
    package var pid: Int?
    package var program: String
    /// The key of `UIBackgroundModes` that it guards.
    package var mode: String?
    package var holds: [Hold]
    /// Why it cannot be used, if it cannot.
    package var trouble: String?

    package init(
        service: String, state: String, pid: Int?, program: String, mode: String?, holds: [Hold], trouble: String?
    ) {
        self.service = service
        self.state = state
        self.pid = pid
        self.program = program
        self.mode = mode
        self.holds = holds
        self.trouble = trouble
    }

    package init(json: JSONValue) throws(RPCError) {
        service = try json.string("service")
        state = try json.string("state")
        pid = try json.optionalInt("pid")
        program = try json.string("program")
        mode = try json.optionalString("mode")
        holds = try json.array("holds").map { value throws(RPCError) in try Hold(json: value) }
        trouble = try json.optionalString("trouble")
    }

    package var json: JSONValue {
        [
            "service": .string(service), "state": .string(state), "pid": JSONValue(pid),
            "program": .string(program), "mode": JSONValue(mode), "holds": .array(holds.map(\.json)),
            "trouble": JSONValue(trouble),
        ]
    }
}

/// What a service is told of an app that has connected to it.
package struct ServiceAppState: WireRecord, Hashable {
    package var app: String
    /// The number of its process.
    package var process: Int64
    package var state: String
    package var visible: Bool
    /// It was woken for what this service has to say, and has yet to be called.
    package var awaitsCall: Bool

    package init(app: String, process: Int64, state: String, visible: Bool, awaitsCall: Bool) {
        self.app = app
        self.process = process
        self.state = state
        self.visible = visible
        self.awaitsCall = awaitsCall
    }

    package init(json: JSONValue) throws(RPCError) {
        app = try json.string("app")
        process = Int64(try json.int("process"))
        state = try json.string("state")
        visible = try json.bool("visible")
        awaitsCall = try json.bool("awaitsCall", default: false)
    }

    package var json: JSONValue {
        [
            "app": .string(app), "process": .int(process), "state": .string(state), "visible": .bool(visible),
            "awaitsCall": .bool(awaitsCall),
        ]
    }
}

/// The parameters of `attach`. The app's socket is the message's descriptor.
package struct ServiceAttach: WireRecord, Hashable {
    package var app: String
    /// The number of its process.
    package var process: Int64
    /// What people call it.
    package var name: String
    /// The folder of its program.
    package var bundle: String
    /// Its picture: relative to the bundle, or a name.
    package var icon: String?
    /// Its `UIBackgroundModes`.
    package var modes: [String]
    package var container: String
    /// Programs of the bundle that a service may run, by their extension points: relative to the bundle.
    package var extensions: [String: String]
    package var user: Int64
    package var group: Int64

    package init(
        app: String, process: Int64, name: String = "", bundle: String = "", icon: String? = nil,
        modes: [String] = [], container: String,
        extensions: [String: String] = [:], user: Int64, group: Int64
    ) {
        self.app = app
        self.process = process
        self.name = name
        self.bundle = bundle
        self.icon = icon
        self.modes = modes
        self.container = container
        self.extensions = extensions
        self.user = user
        self.group = group
    }

    package init(json: JSONValue) throws(RPCError) {
        app = try json.string("app")
        process = try json.integer("process")
        name = try json.optionalString("name") ?? ""
        bundle = try json.optionalString("bundle") ?? ""
        icon = try json.optionalString("icon")
        modes = json["modes"] == nil ? [] : try json.array("modes").compactMap(\.string)
        container = try json.string("container")
        // A daemon of before says nothing of them.
        extensions = [:]
        for member in json["extensions"]?.object?.members ?? [] { extensions[member.key] = member.value.string }
        user = try json.integer("user")
        group = try json.integer("group")
    }

    private var programs: JSONObject {
        extensions.sorted { $0.key < $1.key }.reduce(into: [:]) { $0[$1.key] = .string($1.value) }
    }

    package var json: JSONValue {
        [
            "app": .string(app), "process": .int(process), "name": .string(name), "bundle": .string(bundle),
            "icon": JSONValue(icon), "modes": .array(modes.map(JSONValue.string)), "container": .string(container),
            "extensions": .object(programs), "user": .int(user), "group": .int(group),
        ]
    }
}

/// What `hello` and `apps` answer a service.
package struct ServiceGreeting: WireRecord, Hashable {
    /// With the longest identifiers they are no more than what may wait for a peer.
    package static let most = 1000

    package var apps: [ServiceAppState]
    /// There are others: `apps` with the last of these tells of them.
    package var more: Bool
    /// In the answer to `hello`, to one that declared that it wants to know.
    package var conditions: ServiceConditions?
    /// The name of the device's profile; in the answer to `hello`.
    package var profile: String?

    package init(apps: [ServiceAppState], more: Bool = false, conditions: ServiceConditions? = nil) {
        self.apps = apps
        self.more = more
        self.conditions = conditions
    }

    package init(json: JSONValue) throws(RPCError) {
        apps = try ServiceAppState.list(json: .array(json.array("apps")))
        more = try json.bool("more", default: false)
        conditions = try json.optionalObject("conditions").map { json throws(RPCError) in
            try ServiceConditions(json: json)
        }
        profile = try json.optionalString("profile")
    }

    package var json: JSONValue {
        var object: JSONObject = ["apps": .array(apps.map(\.json))]
        if more { object["more"] = true }
        if let conditions { object["conditions"] = conditions.json }
        if let profile { object["profile"] = .string(profile) }
        return .object(object)
    }
}
