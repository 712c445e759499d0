internal import ArgumentParser
internal import Crypto
internal import Foundation
internal import LinuxSystem
internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import Wire

/// The programs with which `Gateway/Benchmarks/push/bench` measures a gateway: they send, they receive, and one is the
/// least that a server can do.
struct PushBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "greenroom-bench-push", abstract: "What make bench-push measures a gateway with.",
        subcommands: [Load.self, Floor.self, Devices.self, Publish.self, Subscribe.self])

    static func start() async { await main() }
}

/// Where a client connects.
struct ServerOption: ParsableArguments {
    @Option var host = "127.0.0.1"
    @Option var port: Int
    @Option(help: "The authority to trust, a file.")
    var ca: String
    /// The name in the server's certificate.
    @Option var name = "localhost"
    @Option var threads = 1

    func context(_ protocols: [String]) throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .file(ca)
        configuration.applicationProtocols = protocols
        return try NIOSSLContext(configuration: configuration)
    }

    var address: SocketAddress { get throws { try SocketAddress(ipAddress: host, port: port) } }
}

/// Where the numbers of a run are printed: a line of JSON.
enum Output {
    static func write(_ object: JSONObject) {
        // Past the buffers of C, whose locks the reader of the standard input holds.
        FileHandle.standardOutput.write(Data((JSONValue.object(object).description + "\n").utf8))
    }
}

/// Times of which a few are of interest.
struct Latencies {
    private var seconds: [Float] = []

    mutating func add(_ nanoseconds: UInt64) { seconds.append(Float(nanoseconds) / 1e9) }

    mutating func add(_ other: Latencies) { seconds += other.seconds }

    /// Half, and all but the slowest hundredth, in milliseconds.
    var json: JSONObject {
        let sorted = seconds.sorted()
        func part(_ share: Double) -> JSONValue {
            sorted.isEmpty
                ? .null : .double(Double(sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]) * 1000)
        }
        return ["p50": part(0.5), "p99": part(0.99), "most": part(1)]
    }
}

extension JSONObject {
    mutating func merge(_ other: JSONObject) {
        for member in other.members { self[member.key] = member.value }
    }
}

enum Ticks {
    static var now: UInt64 { UInt64(Clock.boot()) }
}

extension MultiThreadedEventLoopGroup {
    var loops: [any EventLoop] { Array(makeIterator()) }
}
