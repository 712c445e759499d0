/// The answer of `energy`: what the network and positioning have taken, and for whom, in joules.
package struct EnergyInfo: WireRecord {
    /// What one app, or the system, spent on one service by one part of the device.
    package struct Share: Hashable, Sendable {
        /// `nil`: the system itself.
        package var app: String?
        /// `use`, `transfer`, `streaming`, `browsing`, `keepAlive`, `push`, `fetch` or `location`.
        package var service: String
        /// `cellular`, `wifi` or `gps`.
        package var part: String
        package var joules: Double

        package init(app: String?, service: String, part: String, joules: Double) {
            self.app = app
            self.service = service
            self.part = part
            self.joules = joules
        }
    }

    /// Bytes that an app moved over its own sockets for one service, over whatever network.
    package struct Traffic: WireRecord {
        /// `nil`: apps that are gone.
        package var app: String?
        /// As in a share.
        package var service: String
        package var sent: Int64
        package var received: Int64

        package init(app: String?, service: String, sent: Int64, received: Int64) {
            self.app = app
            self.service = service
            self.sent = sent
            self.received = received
        }

        package init(json: JSONValue) throws(RPCError) {
            app = try json.optionalString("app")
            service = try json.string("service")
            sent = Int64(try json.int("sent"))
            received = Int64(try json.int("received"))
        }

        package var json: JSONValue {
            [
                "app": JSONValue(app), "service": .string(service), "sent": .int(sent), "received": .int(received),
            ]
        }
    }

    /// The model of the radio in use, as `lte`; `nil`: no network.
    package var radio: String?
    /// `idle`, `promoting`, `high` or `tail`.
    package var state: String
    /// Seconds until it sleeps if nothing more flows.
    package var awakeFor: Double
    /// How often the cellular radio was woken.
    package var wakeups: Int
    /// Over radios.
    package var sent: Int64
    package var received: Int64
    /// All shares together.
    package var joules: Double
    package var shares: [Share]
    package var traffic: [Traffic]
    /// How the bytes of apps' own sockets are counted: `kernel` or `connections`; `nil`: no app ran yet.
    package var counting: String?

    package init(
        radio: String?, state: String, awakeFor: Double, wakeups: Int, sent: Int64, received: Int64, joules: Double,
        shares: [Share], traffic: [Traffic] = [], counting: String? = nil
    ) {
        self.radio = radio
        self.state = state
        self.awakeFor = awakeFor
        self.wakeups = wakeups
        self.sent = sent
        self.received = received
        self.joules = joules
        self.shares = shares
        self.traffic = traffic
        self.counting = counting
    }

    package init(json: JSONValue) throws(RPCError) {
        radio = try json.optionalString("radio")
        state = try json.string("state")
        awakeFor = try json.number("awakeFor")
        wakeups = try json.int("wakeups")
        sent = Int64(try json.int("sent"))
        received = Int64(try json.int("received"))
        joules = try json.number("joules")
        guard case .array(let list) = json["shares"] ?? .null else {
            throw .invalidParameter("shares", "shares must be a list")
        }
        shares = []
        for one in list {
            shares.append(
                Share(
                    app: try one.optionalString("app"), service: try one.string("service"),
                    part: try one.string("part"), joules: try one.number("joules")))
        }
        traffic = try json["traffic"].map { list throws(RPCError) in try Traffic.list(json: list) } ?? []
        counting = try json.optionalString("counting")
    }

    package var json: JSONValue {
        [
            "radio": JSONValue(radio), "state": .string(state), "awakeFor": .double(awakeFor),
            "wakeups": .int(Int64(wakeups)), "sent": .int(sent), "received": .int(received),
            "joules": .double(joules),
            "shares": .array(
                shares.map {
                    [
                        "app": JSONValue($0.app), "service": .string($0.service), "part": .string($0.part),
                        "joules": .double($0.joules),
                    ]
                }), "traffic": Traffic.json(of: traffic), "counting": JSONValue(counting),
        ]
    }
}
