import Foundation
import LinuxSystem
import NIOCore
import NIOPosix
import Synchronization

/// Servers of NATS with JetStream, each with a folder of its own, on loopback.
final class NATSServers: Sendable {
    static let program = "/usr/sbin/nats-server"
    static var isThere: Bool { FileManager.default.isExecutableFile(atPath: program) }

    private struct Server: Sendable {
        var port: Int
        var clusterPort: Int
        var folder: String
        var process: PidFD?
    }

    private let folder: String
    private let servers: Mutex<[Server]>

    /// Starts so many; several are a cluster.
    init(_ count: Int) async throws {
        folder = "/tmp/greenroom-nats-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let ports = try await Self.freePorts(2 * count)
        let folder = folder
        servers = Mutex(
            (0..<count).map {
                Server(port: ports[2 * $0], clusterPort: ports[2 * $0 + 1], folder: "\(folder)/\($0)")
            })
        for index in 0..<count { try start(index) }
    }

    deinit {
        for index in 0..<count { kill(index) }
        try? FileManager.default.removeItem(atPath: folder)
    }

    var count: Int { servers.withLock { $0.count } }
    var urls: [String] { (0..<count).map(url) }
    func url(_ index: Int) -> String { "nats://127.0.0.1:\(servers.withLock { $0[index].port })" }

    func start(_ index: Int) throws {
        let servers = servers.withLock { $0 }
        let server = servers[index]
        var arguments = [
            Self.program, "-a", "127.0.0.1", "-p", "\(server.port)", "-js", "-sd", server.folder, "-n", "n\(index)",
            "-l", "\(server.folder).log",
        ]
        if servers.count > 1 {
            arguments += [
                "--cluster_name", "test", "--cluster", "nats://127.0.0.1:\(server.clusterPort)", "--routes",
                servers.map { "nats://127.0.0.1:\($0.clusterPort)" }.joined(separator: ","),
            ]
        }
        let spawn = Spawn(path: Self.program, arguments: arguments, environment: CurrentProcess.allEnvironment)
        let process = try spawn.start()
        self.servers.withLock { $0[index].process = process }
    }

    /// As by a power failure of the process: nothing is said to anyone.
    func kill(_ index: Int) { end(index, SIGKILL) }

    /// It stands still, with its connections open.
    func suspend(_ index: Int) { try? servers.withLock { $0[index].process }?.send(SIGSTOP) }
    func resume(_ index: Int) { try? servers.withLock { $0[index].process }?.send(SIGCONT) }

    private func end(_ index: Int, _ signal: CInt) {
        guard let process = servers.withLock({ $0[index].process }) else { return }
        try? process.send(signal)
        _ = process.waitUntilDead(milliseconds: 10_000)
        _ = process.reap()
        servers.withLock { $0[index].process = nil }
    }

    private static func freePorts(_ count: Int) async throws -> [Int] {
        var channels: [any Channel] = []
        for _ in 0..<count {
            channels.append(
                try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                    .bind(host: "127.0.0.1", port: 0).get())
        }
        let ports = channels.compactMap { $0.localAddress?.port }
        for channel in channels { try await channel.close().get() }
        return ports
    }
}

/// One server for all tests that only need one.
actor SharedServer {
    static let shared = SharedServer()

    private var starting: Task<String, any Error>?
    /// It ends with the process: `atexit` releases it.
    private static let servers = Mutex<NATSServers?>(nil)

    func url() async throws -> String {
        if let starting { return try await starting.value }
        let task = Task {
            let servers = try await NATSServers(1)
            Self.servers.withLock { $0 = servers }
            atexit { SharedServer.servers.withLock { $0 = nil } }
            return servers.url(0)
        }
        starting = task
        return try await task.value
    }
}
