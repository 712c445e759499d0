/// What the network and the power are like, for services that declared that they want to know.
package struct ServiceConditions: WireRecord, Hashable {
    package enum Network: String, Sendable, CaseIterable { case none, wifi, cellular, wired }

    package enum Call: String, Sendable, CaseIterable { case none, ringing, connected }

    package var network: Network
    package var metered: Bool
    /// The user wants to save data.
    package var constrained: Bool
    package var externalPower: Bool
    /// From 0 to 1; absent where there is none.
    package var battery: Double?
    /// What is sent now costs little more: somebody else has woken the radio.
    package var radioWarm: Bool
    /// The user sees an app; what can wait gives way to what it does.
    package var appOnScreen: Bool
    /// The user saves power, or the system does because the battery is low.
    package var lowPower: Bool
    /// The screen is locked, or off.
    package var locked: Bool
    /// On the telephone.
    package var call: Call
    /// An app keeps the screen on: the machine is not to dim it, and not to sleep by itself.
    package var screenHeld: Bool

    package init(
        network: Network, metered: Bool = false, constrained: Bool = false, externalPower: Bool = true,
        battery: Double? = nil, radioWarm: Bool = false, appOnScreen: Bool = false, lowPower: Bool = false,
        locked: Bool = false, call: Call = .none, screenHeld: Bool = false
    ) {
        self.network = network
        self.metered = metered
        self.constrained = constrained
        self.externalPower = externalPower
        self.battery = battery
        self.radioWarm = radioWarm
        self.appOnScreen = appOnScreen
        self.lowPower = lowPower
        self.locked = locked
        self.call = call
        self.screenHeld = screenHeld
    }

    package init(json: JSONValue) throws(RPCError) {
        network = try json.word("network")
        metered = try json.bool("metered", default: false)
        constrained = try json.bool("constrained", default: false)
        externalPower = try json.bool("externalPower", default: true)
        battery = try json.optionalNumber("battery")
        radioWarm = try json.bool("radioWarm", default: false)
        appOnScreen = try json.bool("appOnScreen", default: false)
        lowPower = try json.bool("lowPower", default: false)
        locked = try json.bool("locked", default: false)
        call = try json.optionalWord("call") ?? .none
        screenHeld = try json.bool("screenHeld", default: false)
    }

    package var json: JSONValue {
        [
            "network": .string(network.rawValue),
            "metered": .bool(metered),
            "constrained": .bool(constrained),
            "externalPower": .bool(externalPower),
            "battery": JSONValue(battery),
            "radioWarm": .bool(radioWarm),
            "appOnScreen": .bool(appOnScreen),
            "lowPower": .bool(lowPower),
            "locked": .bool(locked),
            "call": .string(call.rawValue),
            "screenHeld": .bool(screenHeld),
        ]
    }
}

/// The parameters of the notification `traffic`: what a service moved over the network.
package struct ServiceTraffic: WireRecord, Hashable {
    /// Whom it was for; absent where it was for no app.
    package var app: String?
    package var purpose: String
    /// Bytes.
    package var sent: Int64
    package var received: Int64
    /// Seconds since 1970.
    package var from: Double
    package var to: Double

    package init(app: String?, purpose: String, sent: Int64, received: Int64, from: Double, to: Double) {
        self.app = app
        self.purpose = purpose
        self.sent = sent
        self.received = received
        self.from = from
        self.to = to
    }

    package init(json: JSONValue) throws(RPCError) {
        app = try json.optionalString("app")
        purpose = try json.string("purpose")
        sent = try json.integer("sent")
        received = try json.integer("received")
        from = try json.number("from")
        to = try json.number("to")
    }

    package var json: JSONValue {
        [
            "app": JSONValue(app),
            "purpose": .string(purpose),
            "sent": .int(sent),
            "received": .int(received),
            "from": .double(from),
            "to": .double(to),
        ]
    }
}
