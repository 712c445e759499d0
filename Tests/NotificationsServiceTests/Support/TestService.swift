import Foundation
import GRDB
import LinuxSystem
import NotificationsService
import NotificationsWire
import ServiceTesting
import TestBus
import Testing
import Wire

/// The real program in a folder of its own, with the test in the daemon's place.
final class TestService {
    static let app = "org.example.app"

    let base = "/tmp/greenroom-pushd-\(CurrentProcess.pid)-\(Clock.boot())"
    var folder: String { base + "/folder" }
    private(set) var process: PidFD
    private(set) var daemon: TestDaemon
    private let listener: Descriptor
    private let arguments: [String]
    private let environment: [String]
    private var states: [ServiceAppState] = []
    private let network: ServiceConditions.Network

    init(
        _ arguments: [String] = ["--idle-exit", "600", "--first-retry", "0.1"],
        network: ServiceConditions.Network = .wifi, on bus: TestBus? = nil
    )
        throws
    {
        try FileSystem.makeDirectory(base + "/folder")
        try FileSystem.makeDirectory(base + "/etc")
        self.arguments = arguments
        self.network = network
        environment = bus.map { $0.environment.map { "\($0.key)=\($0.value)" } } ?? []
        listener = try UnixSocket.listen(at: base + "/service", mode: 0o600)
        process = try Self.start(base, arguments, environment)
        daemon = try TestDaemon(listener, ServiceConditions(network: network))
    }

    deinit {
        try? process.send(9)
        _ = process.waitUntilDead(milliseconds: 5000)
        _ = process.reap()
        try? FileSystem.removeTree(base)
    }

    private static func start(_ base: String, _ arguments: [String], _ environment: [String]) throws -> PidFD {
        let program = Place.products + "/greenroom-pushd"
        let inherited = CurrentProcess.allEnvironment.filter {
            // Nobody's desktop is to show what tests make up.
            !$0.hasPrefix("DBUS_SESSION_BUS_ADDRESS=") && !$0.hasPrefix("XDG_RUNTIME_DIR=")
        }
        var spawn = Spawn(
            path: program, arguments: [program] + arguments,
            environment: inherited + [
                "\(ServiceEnvironment.name)=notifications", "\(ServiceEnvironment.socket)=\(base)/service",
                "\(ServiceEnvironment.folder)=\(base)/folder", "GREENROOM_ETC=\(base)/etc",
                "SWIFT_BACKTRACE=enable=no",
            ] + environment)
        let null = try Descriptor.open("/dev/null", .readWrite)
        let log = try Descriptor.open(base + "/log", .append, create: 0o600)
        spawn.descriptors = [(null, 0), (log, 1), (log, 2)]
        return try spawn.start()
    }

    var log: String { String(decoding: FileSystem.read(base + "/log") ?? [], as: UTF8.self) }

    /// Ends it as a crash would, and starts it again after `meanwhile`.
    func killAndRestart(_ meanwhile: () throws -> Void = {}) throws {
        try process.send(9)
        #expect(process.waitUntilDead(milliseconds: 5000))
        _ = process.reap()
        try meanwhile()
        process = try Self.start(base, arguments, environment)
        daemon = try TestDaemon(listener, apps: states, ServiceConditions(network: network))
    }

    /// The daemon dies, and another one is there after `meanwhile`.
    func loseDaemon(_ meanwhile: () throws -> Void = {}) throws {
        daemon.peer.close()
        try meanwhile()
        daemon = try TestDaemon(listener, apps: states, ServiceConditions(network: network))
    }

    /// What the app is from now on; the service knows when this returns.
    func state(_ state: String, of app: String = TestService.app, awaitsCall: Bool = false) throws {
        states.removeAll { $0.app == app }
        states.append(
            ServiceAppState(
                app: app, process: 1, state: state, visible: state == "active", awaitsCall: awaitsCall))
        try daemon.tell(app, state, awaitsCall: awaitsCall)
        try daemon.peer.ask("stop", ["app": .string(app)])
    }

    func client(
        _ app: String = TestService.app, running: [Int64] = [], modes: [String] = ["remote-notification"],
        helper: String? = nil, icon: String? = nil
    ) throws -> TestPeer {
        let extensions = helper.map { ["com.apple.usernotifications.service": $0] } ?? [:]
        let socket = try daemon.attach(
            app, base, user: Int64(CurrentProcess.uid), modes: modes, bundle: base, icon: icon, extensions: extensions)
        let peer = try TestPeer(socket)
        try peer.ask("hello", NotificationHello.client(running: running).json)
        return peer
    }

    /// One that may show everything.
    func allowedClient(_ app: String = TestService.app, helper: String? = nil) throws -> TestPeer {
        let peer = try client(app, helper: helper)
        let answer = try peer.ask("authorize", NotificationAuthorize(options: [.alert, .sound, .badge]).json)
        #expect(try NotificationGranted(json: answer).granted)
        return peer
    }

    func tool() throws -> TestPeer {
        let peer = try TestPeer(folder + "/control")
        try peer.ask("hello", NotificationHello.control(.tool).json)
        return peer
    }

    func status() throws -> NotificationStatus { try NotificationStatus(json: tool().ask("status")) }

    func list() throws -> [NotificationEntry] { try NotificationList(json: tool().ask("list")).notifications }

    /// Waits until the list is so.
    @discardableResult
    func list(within seconds: Double = 20, until isSo: ([NotificationEntry]) -> Bool) throws -> [NotificationEntry] {
        let end = Clock.monotonic() + Int64(seconds * 1e9)
        while true {
            let list = try list()
            if isSo(list) { return list }
            guard Clock.monotonic() < end else { throw TestPeer.Silence(waitedFor: "\(list.map(\.json))") }
            // What changes it may be a daemon on a bus, which says nothing here.
            _ = process.waitUntilDead(milliseconds: 10)
        }
    }

    /// What of it is in memory and in no file.
    func anonymousBytes() throws -> Int {
        let text = FileSystem.read("/proc/\(process.pid)/smaps_rollup") ?? []
        let line = String(decoding: text, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("Anonymous:") }
        let words = try #require(line).split(separator: " ")
        return try #require(Int(words[1])) * 1024
    }

    /// Waits until it is stored of so many that they are on the screen.
    func awaitOnScreen(_ count: Int, within seconds: Double = 20) throws {
        let database = try DatabaseQueue(path: folder + "/notifications.sqlite")
        let end = Clock.monotonic() + Int64(seconds * 1e9)
        while true {
            let stored = try database.read { try Data.fetchAll($0, sql: "SELECT value FROM displayed") }
            let records = stored.compactMap { try? JSONDecoder().decode(ScreenRecord.self, from: $0) }
            if records.count == count, records.allSatisfy(\.isHeard) { return }
            guard Clock.monotonic() < end else { throw TestPeer.Silence(waitedFor: "\(records)") }
            _ = process.waitUntilDead(milliseconds: 10)
        }
    }

    /// Waits until the log has that text.
    func logged(_ text: String, within seconds: Double = 20) throws {
        let end = Clock.monotonic() + Int64(seconds * 1e9)
        while !log.contains(text) {
            guard Clock.monotonic() < end else { throw TestPeer.Silence(waitedFor: "“\(text)” in its log: \(log)") }
            _ = process.waitUntilDead(milliseconds: 10)
        }
    }

    /// Waits until what the service says of the link is so.
    @discardableResult
    func link(within seconds: Double = 20, _ isSo: (NotificationLinkStatus) -> Bool) throws -> NotificationLinkStatus {
        let tool = try tool()
        let end = Clock.monotonic() + Int64(seconds * 1e9)
        while true {
            let status = try NotificationStatus(json: tool.ask("status")).link
            if isSo(status) { return status }
            guard Clock.monotonic() < end else { throw TestPeer.Silence(waitedFor: "\(status.json)") }
            // The gateway's double has nothing to say meanwhile; the service's end would be its own.
            _ = process.waitUntilDead(milliseconds: 10)
        }
    }
}

extension NotificationAuthorize {
    static let everything = NotificationAuthorize(options: [.alert, .sound, .badge])
}

extension TestPeer {
    /// The next request of the service of that name; it is not answered yet.
    func told(_ name: NotificationClientMessage, within seconds: Double = 20) throws -> (id: RPCID, params: JSONValue) {
        let message = try take(name.rawValue, within: seconds) { message in
            if case .request(_, name.rawValue, _) = message { true } else { false }
        }
        guard case .request(let id, _, let params) = message else { throw Closed() }
        return (id, params)
    }

    func answer(_ id: RPCID, _ result: JSONValue = [:]) throws { try send(.response(id: id, result: result)) }

    /// Asks for a notification.
    @discardableResult
    func add(
        _ identifier: String, title: String = "Title", category: String = "", _ trigger: NotificationTriggerInfo? = nil
    ) throws -> NotificationAdded {
        let content = NotificationContentInfo(title: title, category: category)
        let request = NotificationRequestInfo(identifier: identifier, content: content, trigger: trigger)
        return try NotificationAdded(json: ask("add", NotificationRequestParameters(request: request).json))
    }
}
