internal import ArgumentParser
internal import Crypto
internal import Foundation
internal import LinuxSystem
internal import NIOCore
internal import NIOHPACK
internal import NIOHTTP2
internal import NIOPosix
internal import NIOSSL
internal import Wire

/// A provider that sends as fast as it is answered, or at a rate.
struct Load: AsyncParsableCommand {
    @OptionGroup var server: ServerOption
    @Option var connections = 4
    @Option(help: "Requests that wait for their answers on each connection.")
    var streams = 100
    @Option(help: "For how long; until the standard input ends, unless it is said.")
    var seconds: Double?
    @Option(help: "Requests a second, answered or not; as many as are answered, unless it is said.")
    var rate: Double?
    @Option(help: "A file with a device token on each line.")
    var tokens: String?
    @Option var topic = "com.example.bench"
    @Option(help: "The .p8 file.")
    var key: String?
    @Option var keyID = "ABCDEFGHIJ"
    @Option var team = "ABCDEFGHIJ"
    @Option(help: "Bytes of the payload.")
    var size = 256

    func run() async throws {
        CurrentProcess.raiseDescriptorLimit()
        let group = MultiThreadedEventLoopGroup(numberOfThreads: server.threads)
        let requests = try LoadRequests(
            host: server.name, tokens: tokens.map(Self.lines) ?? [String(repeating: "0", count: 64)], topic: topic,
            authorization: key.map { try "bearer " + ProviderToken.make(file: $0, key: keyID, team: team) },
            size: size)
        let context = try server.context(["h2"])
        var senders: [LoadSender] = []
        let loops = group.loops
        for number in 0..<connections {
            senders.append(
                LoadSender(
                    loops[number % loops.count], number: number, of: connections, requests, streams: streams,
                    rate: rate.map { $0 / Double(connections) }, address: try server.address, context, server.name))
        }
        for sender in senders { try await sender.open() }
        let began = Ticks.now
        for sender in senders { sender.begin() }
        // So long it is measured, or until its input ends.
        if let seconds { try await Task.sleep(for: .seconds(seconds)) } else { while readLine() != nil {} }
        var sum = LoadMeter()
        // What is still under way counts with its answers, and their time too.
        for sender in senders { sum.add(try await sender.end()) }
        let took = Double(Ticks.now - began) / 1e9
        var output: JSONObject = ["seconds": .double(took), "perSecond": .double(Double(sum.answered) / took)]
        output.merge(sum.json)
        Output.write(output)
        try await group.shutdownGracefully()
    }

    static func lines(_ file: String) throws -> [String] {
        try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").map(String.init)
    }
}

/// What is sent: the same but for the token.
final class LoadRequests: Sendable {
    let body: ByteBuffer
    private let tokens: [String]
    private let common: HPACKHeaders
    private let host: String

    init(host: String, tokens: [String], topic: String, authorization: String?, size: Int) {
        self.host = host
        self.tokens = tokens
        var common = HPACKHeaders()
        if let authorization { common.add(name: "authorization", value: authorization) }
        common.add(name: "apns-topic", value: topic)
        common.add(name: "apns-push-type", value: "alert")
        common.add(name: "apns-priority", value: "10")
        self.common = common
        let start = #"{"aps":{"alert":{"title":"New episode","body":"About notifications"},"badge":3},"fill":""#
        let fill = String(repeating: "x", count: max(0, size - start.utf8.count - 2))
        body = ByteBuffer(string: start + fill + "\"}")
    }

    func headers(_ number: Int) -> HPACKHeaders {
        var headers = HPACKHeaders([
            (":method", "POST"), (":scheme", "https"), (":authority", host),
            (":path", "/3/device/" + tokens[number % tokens.count]),
        ])
        headers.add(contentsOf: common)
        return headers
    }
}

enum ProviderToken {
    /// A JSON Web Token with ES256, as APNs wants it.
    static func make(file: String, key: String, team: String) throws -> String {
        let signer = try P256.Signing.PrivateKey(pemRepresentation: String(contentsOfFile: file, encoding: .utf8))
        let now = Int(Double(Clock.wall()) / 1e9)
        let text = encode(#"{"alg":"ES256","kid":"\#(key)"}"#) + "." + encode(#"{"iss":"\#(team)","iat":\#(now)}"#)
        return text + "." + encode(try signer.signature(for: Data(text.utf8)).rawRepresentation)
    }

    private static func encode(_ text: String) -> String { encode(Data(text.utf8)) }

    private static func encode(_ data: Data) -> String {
        data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}

struct LoadMeter: Sendable {
    var statuses: [String: Int] = [:]
    /// The connection ended before the answer came.
    var lost = 0
    /// There was no connection to send on.
    var unsent = 0
    var connected = 0
    var failed = 0
    var latencies = Latencies()

    var answered: Int { statuses.values.reduce(0, +) }

    mutating func add(_ other: LoadMeter) {
        statuses.merge(other.statuses, uniquingKeysWith: +)
        lost += other.lost
        unsent += other.unsent
        connected += other.connected
        failed += other.failed
        latencies.add(other.latencies)
    }

    var json: JSONObject {
        var counts: JSONObject = [:]
        for (status, count) in statuses.sorted(by: { $0.key < $1.key }) { counts[status] = .int(Int64(count)) }
        var object: JSONObject = [
            "statuses": .object(counts), "lost": .int(Int64(lost)), "unsent": .int(Int64(unsent)),
            "connections": .int(Int64(connected)), "failedConnections": .int(Int64(failed)),
        ]
        object.merge(latencies.json)
        return object
    }
}
