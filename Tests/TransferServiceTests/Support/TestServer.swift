import Foundation
import LinuxSystem
import ServiceTesting
import Synchronization
import Testing

/// A server of `Fixtures/servers`; it ends with this object.
final class TestServer: Sendable {
    let port: Int
    let scheme: String
    private let process: PidFD
    private let line: Descriptor

    init(_ script: String, _ arguments: [String] = [], scheme: String = "http") throws {
        (process, line) = try Self.start(script, arguments)
        self.scheme = scheme
        var text: [UInt8] = []
        while !text.contains(UInt8(ascii: "\n")) {
            guard case .bytes = try line.read(into: &text, upTo: 64) else { break }
        }
        port = try #require(Int(String(decoding: text, as: UTF8.self).filter(\.isNumber)), "\(script) did not start")
    }

    /// The other end is the server's alone: who reads hears of its death.
    private static func start(_ script: String, _ arguments: [String]) throws -> (PidFD, Descriptor) {
        let python = "/usr/bin/python3"
        var spawn = Spawn(
            path: python, arguments: [python, "\(Place.servers)/\(script)"] + arguments,
            environment: ["PATH=/usr/bin:/bin"])
        let (ours, theirs) = try UnixSocket.pair()
        let errors = try Descriptor.open("/dev/null", .write)
        spawn.descriptors = [(theirs, 0), (theirs, 1), (errors, 2)]
        return (try spawn.start(), ours)
    }

    deinit {
        try? process.send(9)
        _ = process.waitUntilDead(milliseconds: 5000)
        _ = process.reap()
    }

    /// What a request of the log looked like.
    struct Request: Decodable {
        var method: String
        var path: String
        var headers: [String: String]
        var status: Int?
        var sent: Int?
        var received: Int?
        var at: Double?
    }

    struct Upload: Decodable {
        var size: Int
        var sha256: String
    }

    private struct Log: Decodable {
        var requests: [Request]
        var uploads: [String: Upload]?
    }

    /// A name of this machine that leads to itself, and of which only that says so; `nil` where there is none.
    static let ownName: String? = {
        let hostname = FileSystem.read("/proc/sys/kernel/hostname") ?? []
        let name = String(decoding: hostname.filter { $0 > 0x20 }, as: UTF8.self)
        let found = (try? Command.run("/usr/bin/getent", ["ahostsv4", name])).map {
            String(decoding: $0, as: UTF8.self)
        }
        return found?.hasPrefix("127.") == true && name != "localhost" ? name : nil
    }()

    /// The plain server of all tests; each has a key of its own in it.
    static let shared = Result { try TestServer("misbehaving.py") }

    func url(_ path: String, _ query: String, key: String) -> String {
        "\(scheme)://127.0.0.1:\(port)\(path)?\(query)&key=\(key)"
    }

    private func log(_ key: String) throws -> Log {
        let output = try Command.run(
            "/usr/bin/curl", ["-sSk", "\(scheme)://127.0.0.1:\(port)/log?key=\(key)"])
        return try JSONDecoder().decode(Log.self, from: Data(output))
    }

    func requests(_ key: String) throws -> [Request] { try log(key).requests }
    func upload(_ key: String) throws -> Upload? { try log(key).uploads?[key] }
}

/// What the servers send: the same bytes for the same seed, as Python's generator makes them.
enum Content {
    static func digest(seed: Int, size: Int) throws -> String {
        let script =
            "import random,hashlib;print(hashlib.sha256(random.Random(\(seed)).randbytes(\(size))).hexdigest())"
        let output = try Command.run("/usr/bin/python3", ["-c", script])
        return String(decoding: output, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    static func digest(of bytes: [UInt8]) throws -> String {
        let path = "/tmp/greenroom-content-\(CurrentProcess.pid)-\(Clock.boot())"
        try FileSystem.replace(path, with: bytes)
        defer { FileSystem.remove(path) }
        let output = try Command.run("/usr/bin/sha256sum", [path])
        return String(String(decoding: output, as: UTF8.self).prefix(64))
    }
}
