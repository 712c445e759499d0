/// The parameters of `attach`. The app's socket is the message's descriptor.
package struct TransferAttach: WireRecord {
    package var app: String
    package var container: String
    package var user: Int64
    package var group: Int64

    package init(app: String, container: String, user: Int64, group: Int64) {
        self.app = app
        self.container = container
        self.user = user
        self.group = group
    }

    package init(json: JSONValue) throws(RPCError) {
        app = try json.string("app")
        container = try json.string("container")
        user = try json.integer("user")
        group = try json.integer("group")
    }

    package var json: JSONValue {
        [
            "app": .string(app),
            "container": .string(container),
            "user": .int(user),
            "group": .int(group),
        ]
    }
}

/// The parameters of the notification `app`.
package struct TransferAppState: WireRecord {
    package var app: String
    package var state: TransferAppPresence

    package init(app: String, state: TransferAppPresence) {
        self.app = app
        self.state = state
    }

    package init(json: JSONValue) throws(RPCError) {
        app = try json.string("app")
        state = try json.word("state")
    }

    package var json: JSONValue {
        [
            "app": .string(app),
            "state": .string(state.rawValue),
        ]
    }
}

/// The parameters of the request `apps`: what `app` says, of many at once.
package struct TransferAppStates: WireRecord {
    /// With the longest identifiers they are no more than what may wait for a peer.
    package static let most = 1000

    package var apps: [TransferAppState]

    package init(apps: [TransferAppState]) { self.apps = apps }

    package init(json: JSONValue) throws(RPCError) {
        apps = try TransferAppState.list(json: .array(json.array("apps")))
    }

    package var json: JSONValue { ["apps": .array(apps.map(\.json))] }
}

/// The parameters of `forget` and `userEnded`.
package struct TransferAppParameters: WireRecord {
    package var app: String

    package init(app: String) {
        self.app = app
    }

    package init(json: JSONValue) throws(RPCError) {
        app = try json.string("app")
    }

    package var json: JSONValue {
        [
            "app": .string(app)
        ]
    }
}

/// The parameters of the notification `conditions`, and of `simulate`.
package struct TransferConditionsInfo: WireRecord {
    package var network: TransferNetwork
    package var metered: Bool
    package var constrained: Bool
    package var externalPower: Bool
    /// From 0 to 1; absent where there is none.
    package var battery: Double?
    package var radioWarm: Bool

    package init(
        network: TransferNetwork, metered: Bool = false, constrained: Bool = false, externalPower: Bool = true,
        battery: Double? = nil, radioWarm: Bool = false
    ) {
        self.network = network
        self.metered = metered
        self.constrained = constrained
        self.externalPower = externalPower
        self.battery = battery
        self.radioWarm = radioWarm
    }

    package init(json: JSONValue) throws(RPCError) {
        network = try json.word("network")
        metered = try json.bool("metered", default: false)
        constrained = try json.bool("constrained", default: false)
        externalPower = try json.bool("externalPower", default: true)
        battery = try json.optionalNumber("battery")
        radioWarm = try json.bool("radioWarm", default: false)
    }

    package var json: JSONValue {
        [
            "network": .string(network.rawValue),
            "metered": .bool(metered),
            "constrained": .bool(constrained),
            "externalPower": .bool(externalPower),
            "battery": JSONValue(battery),
            "radioWarm": .bool(radioWarm),
        ]
    }
}

/// The parameters of the request `sessionEvents`.
package struct TransferSessionEvents: WireRecord {
    package var app: String
    package var session: String
    package var reason: TransferWakeReason
    package var number: Int64

    package init(app: String, session: String, reason: TransferWakeReason, number: Int64) {
        self.app = app
        self.session = session
        self.reason = reason
        self.number = number
    }

    package init(json: JSONValue) throws(RPCError) {
        app = try json.string("app")
        session = try json.string("session")
        reason = try json.word("reason")
        number = try json.integer("number")
    }

    package var json: JSONValue {
        [
            "app": .string(app),
            "session": .string(session),
            "reason": .string(reason.rawValue),
            "number": .int(number),
        ]
    }
}

/// The parameters of the notification `traffic`.
package struct TransferTraffic: WireRecord {
    package var app: String
    package var session: String
    package var sent: Int64
    package var received: Int64
    package var from: Double
    package var to: Double

    package init(app: String, session: String, sent: Int64, received: Int64, from: Double, to: Double) {
        self.app = app
        self.session = session
        self.sent = sent
        self.received = received
        self.from = from
        self.to = to
    }

    package init(json: JSONValue) throws(RPCError) {
        app = try json.string("app")
        session = try json.string("session")
        sent = try json.integer("sent")
        received = try json.integer("received")
        from = try json.number("from")
        to = try json.number("to")
    }

    package var json: JSONValue {
        [
            "app": .string(app),
            "session": .string(session),
            "sent": .int(sent),
            "received": .int(received),
            "from": .double(from),
            "to": .double(to),
        ]
    }
}

/// The parameters of the notification `waiting`.
package struct TransfersWaiting: WireRecord {
    package var count: Int64
    /// Seconds since 1970.
    package var until: Double?

    package init(count: Int64, until: Double? = nil) {
        self.count = count
        self.until = until
    }

    package init(json: JSONValue) throws(RPCError) {
        count = try json.integer("count")
        until = try json.optionalNumber("until")
    }

    package var json: JSONValue {
        [
            "count": .int(count),
            "until": JSONValue(until),
        ]
    }
}
