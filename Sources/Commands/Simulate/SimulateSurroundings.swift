internal import ArgumentParser
internal import Wire

/// What somebody pretends of the device until it is `real` again.
protocol SurroundingsVerb: Verb {
    /// The event and what it says; throws where the words make no sense together.
    func parameters() throws(CommandFailure) -> JSONObject
}

extension SurroundingsVerb {
    package func perform(in context: CommandContext) throws(CommandFailure) {
        _ = try context.client().request(.simulate, try parameters())
    }
}

struct SimulateNetwork: SurroundingsVerb {
    static let configuration = CommandConfiguration(
        commandName: "network", abstract: "The device has this network, or none.",
        discussion: "Apps that run are told half a second later, others when they run again.")

    enum Network: String, ExpressibleByArgument, CaseIterable {
        case off, wifi, cellular, wired, real
    }

    @Argument(help: "off, wifi, cellular, wired, or real: what the machine has.") var network: Network

    func parameters() -> JSONObject {
        if network == .real { return ["event": "network", "real": true] }
        return ["event": "network", "value": .string(network == .off ? "none" : network.rawValue)]
    }
}

struct SimulateBattery: SurroundingsVerb {
    static let configuration = CommandConfiguration(
        commandName: "battery", abstract: "The battery has so many percent.")

    enum State: String, ExpressibleByArgument, CaseIterable {
        case unplugged, charging, full, unknown
    }

    @Argument(help: "From 0 to 100, or real: what the machine has.") var level: String
    @Option(help: "unplugged, charging, full or unknown.") var state = State.unplugged

    func parameters() throws(CommandFailure) -> JSONObject {
        if level == "real" { return ["event": "battery", "real": true] }
        guard let percent = Int64(level), (0...100).contains(percent) else {
            throw CommandFailure.misuse("a battery has 0 to 100 percent, or is real; not \(level)")
        }
        return ["event": "battery", "level": .int(percent), "state": .string(state.rawValue)]
    }
}

struct SimulateLocale: SurroundingsVerb {
    static let configuration = CommandConfiguration(
        commandName: "locale", abstract: "The user has another language and region.")

    @Argument(help: "An identifier such as de_DE, or real: what the machine has.") var locale: String

    func parameters() -> JSONObject {
        locale == "real" ? ["event": "locale", "real": true] : ["event": "locale", "value": .string(locale)]
    }
}

struct SimulateTimeZone: SurroundingsVerb {
    static let configuration = CommandConfiguration(commandName: "timezone", abstract: "The device is elsewhere.")

    @Argument(help: "A zone such as Asia/Tokyo, or real: the machine's.") var zone: String

    func parameters() -> JSONObject {
        zone == "real" ? ["event": "timezone", "real": true] : ["event": "timezone", "value": .string(zone)]
    }
}

struct SimulateScreen: SurroundingsVerb {
    static let configuration = CommandConfiguration(
        commandName: "screen", abstract: "The screen is brighter or darker, or another one is connected.")

    @Option(help: "From 0 to 100.") var brightness: Int?
    @Option(help: "How many are connected, besides the device's own.") var external: Int?
    @Flag(help: "What the machine has.") var real = false

    func parameters() throws(CommandFailure) -> JSONObject {
        if real { return ["event": "screen", "real": true] }
        guard brightness != nil || external != nil else {
            throw CommandFailure.misuse("say what changes: --brightness, --external, or --real")
        }
        var parameters: JSONObject = ["event": "screen"]
        if let brightness { parameters["brightness"] = .int(Int64(brightness)) }
        if let external { parameters["external"] = .int(Int64(external)) }
        return parameters
    }
}

struct SimulateLowPower: SurroundingsVerb {
    static let configuration = CommandConfiguration(
        commandName: "low-power", abstract: "The user switches low-power mode on or off.",
        discussion: "While it is on, nothing is begun in the background, and apps are told to save power.")

    enum Mode: String, ExpressibleByArgument, CaseIterable {
        case on, off, real
    }

    @Argument(help: "on, off, or real: what the machine and its battery say.") var mode: Mode

    func parameters() -> JSONObject {
        mode == .real ? ["event": "low-power", "real": true] : ["event": "low-power", "value": .bool(mode == .on)]
    }
}

struct SimulateThermal: SurroundingsVerb {
    static let configuration = CommandConfiguration(
        commandName: "thermal", abstract: "The device is warm, or has cooled down.",
        discussion: "From serious on, nothing is begun in the background.")

    enum State: String, ExpressibleByArgument, CaseIterable {
        case nominal, fair, serious, critical, real
    }

    @Argument(help: "nominal, fair, serious, critical, or real: what the machine's sensors say.") var state: State

    func parameters() -> JSONObject {
        state == .real ? ["event": "thermal", "real": true] : ["event": "thermal", "value": .string(state.rawValue)]
    }
}

struct SimulateOrientation: SurroundingsVerb {
    static let configuration = CommandConfiguration(
        commandName: "orientation", abstract: "The user turns the device.")

    enum Orientation: String, ExpressibleByArgument, CaseIterable {
        case portrait
        case portraitUpsideDown = "portrait-upside-down"
        case landscapeLeft = "landscape-left"
        case landscapeRight = "landscape-right"
        case faceUp = "face-up"
        case faceDown = "face-down"
        case unknown, real
    }

    @Argument(help: "How it is held; real is unknown, since no sensor of the machine is read yet.")
    var orientation: Orientation

    func parameters() -> JSONObject {
        if orientation == .real { return ["event": "orientation", "real": true] }
        return ["event": "orientation", "value": .string(orientation.rawValue)]
    }
}

struct SimulateScreenshot: SurroundingsVerb {
    static let configuration = CommandConfiguration(
        commandName: "screenshot", abstract: "The user takes a picture of the screen.",
        discussion: "The apps that are on it hear that it was taken. No picture is made.")

    func parameters() -> JSONObject { ["event": "screenshot"] }
}

struct SimulateSettings: Verb {
    static let configuration = CommandConfiguration(
        commandName: "settings", abstract: "The user changes a setting of an app, outside of the app.",
        discussion: "The app finds it in UserDefaults.standard; it is told when it runs.")

    @Argument(help: "The app.") var app: String
    @Argument(help: "The setting's name.") var key: String
    @Argument(help: "true, false, a number or a text; nothing: the app's own default.") var value: String?

    package func perform(in context: CommandContext) throws(CommandFailure) {
        var parameters: JSONObject = ["event": "settings", "key": .string(key)]
        if let value { parameters["value"] = .string(value) }
        _ = try context.client().request(.simulate, app: app, parameters)
    }
}
