internal import ArgumentParser
internal import Glibc
internal import LinuxSystem
internal import Logging
internal import PushCore
internal import ServiceLifecycle
internal import UnixSignals
internal import Wire

/// The program `greenroom-pushgate`.
package enum PushGatewayProgram {
    package static func run() async { await PushGatewayCommand.main() }
}

struct PushGatewayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "greenroom-pushgate",
        abstract: "A push gateway: providers send to it as they send to APNs, devices connect to it.",
        subcommands: [Initialize.self, Serve.self, Key.self, ProviderCertificate.self])
}

struct HomeOption: ParsableArguments {
    @Option(help: "The gateway's folder, with its keys and its messages.")
    var home: String

    var folder: GatewayHome { GatewayHome(home) }
}

struct Initialize: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Make the keys and certificates of a gateway, and print what a provider needs.")

    @OptionGroup var home: HomeOption
    @Option(
        name: .customLong("name"), parsing: .singleValue,
        help: "A host name or address by which the gateway is reached; may be repeated.")
    var names: [String] = []
    @Option(help: "Where providers connect, as HOST:PORT.")
    var listen: ListenAddress?
    @Option(help: "Where devices connect, as HOST:PORT.")
    var link: ListenAddress?
    @Option(help: "The team of the first key: ten capital letters and digits.")
    var team: String?
    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
        let instructions = try GatewayInitialization(home.folder).run(
            names: names, listen: listen, link: link, team: team)
        print(json ? "\(instructions.json)" : instructions.text)
    }
}

struct Key: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make another key for a provider. A gateway that runs takes it when it is started again.")

    @OptionGroup var home: HomeOption
    @Option(help: "The team that it belongs to: ten capital letters and digits.")
    var team: String?
    @Option(name: .customLong("app"), parsing: .singleValue, help: "An app that it may send to; may be repeated.")
    var apps: [String] = []
    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
        let initialization = GatewayInitialization(home.folder)
        let instructions = try initialization.keyInstructions(try initialization.addKey(team: team, apps: apps))
        print(json ? "\(instructions.json)" : instructions.text)
    }
}

struct ProviderCertificate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "certificate",
        abstract: "Make a certificate with which a provider authenticates itself instead of a token.")

    @OptionGroup var home: HomeOption
    @Option(help: "The app that it may send to.")
    var app: String
    @Option(name: .customLong("topic"), parsing: .singleValue, help: "A topic that it may send to; may be repeated.")
    var topics: [String] = []
    @Flag(help: "For a gateway whose environment is development.")
    var development = false

    func run() throws {
        print(
            try GatewayInitialization(home.folder).addCertificate(
                app: app, topics: topics, isDevelopment: development))
    }
}

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Serve until the gateway is told to end (SIGTERM).")

    @OptionGroup var home: HomeOption
    @Option(help: "Where providers connect, as HOST:PORT.")
    var listen: ListenAddress?
    @Option(help: "Where devices connect, as HOST:PORT.")
    var link: ListenAddress?
    @Option(help: "Where /metrics and /healthz are, as HOST:PORT.")
    var metrics: ListenAddress?
    @Option(help: "Servers of NATS, as nats://HOST:PORT with commas between: the store that this gateway shares.")
    var nats: String?
    @Option(help: "Event loops; as many as there are processors, unless it is said.")
    var threads: Int?
    @Option(name: .customLong("log-level"), help: "trace, debug, info, notice, warning or error.")
    var level = "info"

    func run() async throws {
        let folder = home.folder
        var settings = try GatewaySettings(json: folder.json(folder.settings))
        if let listen { settings.listen = listen }
        if let link { settings.link = link }
        if let metrics { settings.metrics = metrics }
        if let nats {
            var fleet = settings.fleet ?? FleetSettings(servers: [])
            fleet.servers = nats.split(separator: ",").map(String.init)
            try fleet.check()
            settings.fleet = fleet
        }
        guard let level = Logger.Level(rawValue: level) else {
            throw ValidationError("--log-level is one of trace, debug, info, notice, warning and error")
        }
        LoggingSystem.bootstrap(StreamLogHandler.standardError)
        var logger = Logger(label: "greenroom-pushgate")
        logger.logLevel = level
        // Every device is an open file.
        CurrentProcess.raiseDescriptorLimit()
        let service = PushGatewayService(
            home: folder, settings: settings, logger: logger, threads: max(1, threads ?? CoreCount.present)
        ) { addresses in
            // For a program that started this one and let the system choose the ports.
            print(addresses.json)
            fflush(nil)
        }
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [
                    .init(
                        service: service, successTerminationBehavior: .gracefullyShutdownGroup,
                        failureTerminationBehavior: .cancelGroup)
                ],
                gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
        try await group.run()
    }
}

private enum CoreCount {
    static var present: Int { sysconf(Int32(_SC_NPROCESSORS_ONLN)) }
}

extension ListenAddress: ExpressibleByArgument {
    init?(argument: String) { self.init(argument) }
}
