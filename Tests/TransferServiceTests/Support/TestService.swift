import Foundation
import LinuxSystem
import ServiceTesting
import Testing
import TransferWire
import Wire

/// The real program in a folder of its own.
final class TestService {
    let home: String
    let container: String
    private(set) var process: PidFD
    var arguments: [String] = []
    private let isSystem: Bool
    private let idleExit: String
    private let listener: Descriptor?

    init(isSystem: Bool = false, idleExit: String = "600") throws {
        let base = "/tmp/greenroom-transfers-\(CurrentProcess.pid)-\(Clock.boot())"
        home = base + "/home"
        container = base + "/container"
        self.isSystem = isSystem
        self.idleExit = idleExit
        try FileSystem.makeDirectory(home)
        try FileSystem.makeDirectory(container)
        // Whatever network the machine of the test has, the service sees a wire.
        try FileSystem.makeDirectory(base + "/proc/net")
        try FileSystem.replace(
            base + "/proc/net/route",
            with: Array("Iface\tDest\nwire0\t00000000\t00000000\t3\t0\t0\t0\t00000000\n".utf8))
        listener = isSystem ? try UnixSocket.listen(at: base + "/service", mode: 0o600) : nil
        process = try Self.start(home: home, base: base, isSystem: isSystem, idleExit: idleExit, arguments)
        try waitUntilServed()
    }

    deinit {
        try? process.send(9)
        _ = process.waitUntilDead(milliseconds: 5000)
        _ = process.reap()
        try? FileSystem.removeTree(base)
    }

    var base: String { String(home.dropLast("/home".count)) }

    private static func start(home: String, base: String, isSystem: Bool, idleExit: String, _ others: [String]) throws
        -> PidFD
    {
        let program = Place.products + "/greenroom-transferd"
        var spawn = Spawn(
            path: program,
            arguments: [program, "--home", home, "--idle-exit", idleExit] + (isSystem ? ["--system"] : []) + others,
            environment: CurrentProcess.allEnvironment + [
                "\(ServiceEnvironment.name)=transfers", "\(ServiceEnvironment.socket)=\(base)/service",
                "\(ServiceEnvironment.folder)=\(home)",
                "SWIFT_BACKTRACE=enable=no", "GREENROOM_TRANSFERS_PROC=\(base)/proc",
                "GREENROOM_TRANSFERS_SYS=\(base)/sys",
            ])
        let null = try Descriptor.open("/dev/null", .readWrite)
        let log = try Descriptor.open(base + "/log", .append, create: 0o600)
        spawn.descriptors = [(null, 0), (log, 1), (log, 2)]
        return try spawn.start()
    }

    /// Nothing of the program can be watched before it listens; its death can.
    private func waitUntilServed() throws {
        for _ in 0..<2000 {
            if (try? TestPeer(home + "/control")) != nil { return }
            if process.waitUntilDead(milliseconds: 10) { break }
        }
        Issue.record("the service did not start: \(log)")
    }

    var log: String { String(decoding: FileSystem.read(base + "/log") ?? [], as: UTF8.self) }

    /// Ends it as a crash would, and starts it again.
    func killAndRestart() throws { try dieAndRestart(of: 9) }

    func dieAndRestart(of signal: CInt) throws {
        try process.send(signal)
        #expect(process.waitUntilDead(milliseconds: 5000))
        _ = process.reap()
        process = try Self.start(home: home, base: base, isSystem: isSystem, idleExit: idleExit, arguments)
        try waitUntilServed()
    }

    // MARK: Connections

    func control() throws -> TestPeer {
        let peer = try TestPeer(home + "/control")
        try peer.ask("hello", TransferHello.control(.tool).json)
        return peer
    }

    /// The system that started it.
    func daemon(
        apps: [ServiceAppState] = [], _ conditions: ServiceConditions? = ServiceConditions(network: .wired)
    ) throws -> TestDaemon {
        try TestDaemon(#require(listener), apps: apps, conditions)
    }

    func client(_ app: String = "org.example.app") throws -> TestClient {
        let peer = try TestPeer(home + "/client")
        try peer.ask("hello", TransferHello.client(name: "test/1", app: app, container: container).json)
        return TestClient(peer)
    }
}

/// An app's side, with one session.
final class TestClient {
    let peer: TestPeer
    let session = "s"

    init(_ peer: TestPeer) { self.peer = peer }

    @discardableResult
    func open(_ settings: TransferSettings = TransferSettings()) throws -> TransferOpened {
        try TransferOpened(json: peer.ask("open", TransferOpen(session: session, configuration: settings).json))
    }

    func download(
        _ url: String, task: Int64 = 1, method: String = "GET", headers: [WireHeader] = [], timeout: Double? = nil,
        cachePolicy: Int64 = 0, earliestBegin: Double? = nil
    ) throws {
        let request = TransferRequestInfo(
            url: url, method: method, headers: headers, timeout: timeout, cachePolicy: cachePolicy)
        let create = TransferCreate(
            session: session, task: task, kind: .download, request: request, earliestBegin: earliestBegin)
        try peer.ask("create", create.json)
        try resume(task)
    }

    func upload(_ url: String, file: Descriptor, task: Int64 = 1, method: String = "PUT") throws {
        let request = TransferRequestInfo(url: url, method: method)
        try peer.ask(
            "create", TransferCreate(session: session, task: task, kind: .upload, request: request).json, [file])
        try resume(task)
    }

    func resume(_ task: Int64) throws {
        try peer.ask("resume", TransferTaskParameters(session: session, task: task).json)
    }

    /// What a task came to.
    struct Outcome {
        var file: [UInt8]?
        var path: String?
        var completion: TransferCompletion
        var status: Int64? { completion.response?.status }
    }

    /// Answers events until the task is over.
    func outcome(_ task: Int64 = 1, within seconds: Double = 30) throws -> Outcome {
        var file: [UInt8]?
        var path: String?
        while true {
            let event = try peer.event(within: seconds)
            switch event.info.kind {
            case .finished(let place, _):
                path = place
                // As a delegate does it: before it returns.
                file = FileSystem.read(place)
                try peer.answer(event)
            case .completed(let completion):
                try peer.answer(event)
                guard event.info.task == task else { continue }
                return Outcome(file: file, path: path, completion: completion)
            default: try peer.answer(event)
            }
        }
    }
}
