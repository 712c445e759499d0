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

    package init(app: String, process: Int64, state: String, visible: Bool) {
        self.app = app
        self.process = process
        self.state = state
        self.visible = visible
    }

    package init(json: JSONValue) throws(RPCError) {
        app = try json.string("app")
        process = Int64(try json.int("process"))
        state = try json.string("state")
        visible = try json.bool("visible")
    }

    package var json: JSONValue {
        ["app": .string(app), "process": .int(process), "state": .string(state), "visible": .bool(visible)]
    }
}
