internal import ArgumentParser
internal import Crypto
internal import Foundation
internal import LinuxSystem
internal import Model
internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import PushLink
internal import Synchronization
internal import Wire

/// Simulated devices: each has a key of its own, a TLS connection, and a token; each acknowledges what it gets, and
/// connects again as the agent does.
///
/// Answers each line of its standard input: `status` with numbers, `close` by closing all connections for good. Ends
/// with its standard input.
struct Devices: AsyncParsableCommand {
    @OptionGroup var server: ServerOption
    @Option var count = 1000
    @Option(help: "From which the keys are made: the same devices every time.")
    var seed = 1
    @Option var topic = "com.example.bench"
    @Option(help: "Where the device tokens are written to, one a line.")
    var tokens: String
    @Option(help: "Handshakes that are under way together, at the start.")
    var together = 64
    @Option(help: "Addresses that they connect from, 127.0.0.2 and so on: each has ports for some 25,000.")
    var addresses = 1
    @Flag(help: "Acknowledge nothing.")
    var mute = false

    func run() async throws {
        CurrentProcess.raiseDescriptorLimit()
        let group = MultiThreadedEventLoopGroup(numberOfThreads: server.threads)
        let fleet = try Fleet(self, group)
        let found = try await fleet.openAll()
        try (found.joined(separator: "\n") + "\n").write(toFile: tokens, atomically: true, encoding: .utf8)
        Output.write(fleet.status)
        let input = Thread.readLines()
        for await line in input {
            if line == "close" { await fleet.closeAll() }
            Output.write(fleet.status)
        }
    }
}

extension Thread {
    /// The lines of the standard input, read by a thread of their own.
    fileprivate static func readLines() -> AsyncStream<String> {
        AsyncStream { continuation in
            Thread.detachNewThread {
                while let line = readLine() { continuation.yield(line) }
                continuation.finish()
            }
        }
    }
}

/// Whose turn it is.
private final class Turns: Sendable {
    private let next = Atomic(0)

    func take() -> Int { next.add(1, ordering: .relaxed).oldValue }
}

/// The devices together.
final class Fleet: Sendable {
    struct Counts {
        var open = 0
        var pushes = 0
        var lost = 0
        var failed = 0
        /// Welcomes in each second since the last question.
        var seconds: [Int] = []
        var asked = Ticks.now
        /// When the last of them was welcomed, in seconds after the last question.
        var last = 0.0
    }

    let context: NIOSSLContext
    let address: SocketAddress
    let name: String
    let topic: String
    let isMute: Bool
    private let devices: [SimulatedDevice]
    private let together: Int
    private let counts = Mutex(Counts())

    init(_ options: Devices, _ group: MultiThreadedEventLoopGroup) throws {
        context = try options.server.context([LinkRules.applicationProtocol])
        address = try options.server.address
        name = options.server.name
        topic = options.topic
        isMute = options.mute
        together = options.together
        let loops = group.loops
        devices = try (0..<options.count).map { number in
            // Of this machine itself, so that they need not be configured.
            let source =
                try options.addresses == 1
                ? nil : SocketAddress(ipAddress: "127.0.0.\(2 + number % options.addresses)", port: 0)
            return SimulatedDevice(
                loops[number % loops.count], seed: UInt64(options.seed) << 32 | UInt64(number), source: source)
        }
    }

    /// Connects and registers all of them.
    func openAll() async throws -> [String] {
        let turns = Turns()
        return try await withThrowingTaskGroup(of: [(Int, String)].self) { group in
            for _ in 0..<together {
                group.addTask {
                    var found: [(Int, String)] = []
                    while true {
                        let number = turns.take()
                        guard number < self.devices.count else { return found }
                        found.append((number, try await self.devices[number].open(self)))
                    }
                }
            }
            var tokens: [String] = Array(repeating: "", count: devices.count)
            for try await found in group { for (number, token) in found { tokens[number] = token } }
            return tokens
        }
    }

    func closeAll() async {
        for device in devices { await device.close() }
    }

    func welcomed() {
        counts.withLock { counts in
            counts.open += 1
            let after = Double(Ticks.now - counts.asked) / 1e9
            counts.last = after
            let second = min(Int(after), 3600)
            if counts.seconds.count <= second {
                counts.seconds += Array(repeating: 0, count: second + 1 - counts.seconds.count)
            }
            counts.seconds[second] += 1
        }
    }

    func received() { counts.withLock { $0.pushes += 1 } }

    func ended(wasOpen: Bool) {
        counts.withLock { counts in
            if wasOpen {
                counts.open -= 1
                counts.lost += 1
            } else {
                counts.failed += 1
            }
        }
    }

    var status: JSONObject {
        counts.withLock { counts in
            defer {
                counts.seconds = []
                counts.asked = Ticks.now
                counts.failed = 0
                counts.lost = 0
            }
            return [
                "open": .int(Int64(counts.open)), "pushes": .int(Int64(counts.pushes)),
                "lost": .int(Int64(counts.lost)), "failed": .int(Int64(counts.failed)), "last": .double(counts.last),
                "seconds": .array(counts.seconds.map { .int(Int64($0)) }),
            ]
        }
    }
}
