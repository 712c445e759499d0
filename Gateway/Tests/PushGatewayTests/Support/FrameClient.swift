import NIOCore
import NIOHPACK
import NIOSSL
import Synchronization
import Testing

/// A frame of HTTP/2, as its bytes are.
struct RawFrame: Sendable {
    enum Kind: UInt8, Sendable {
        case data, headers, priority, reset, settings, pushPromise, ping, goAway, windowUpdate, continuation
        case unknown = 0xBE
    }

    static let endStream: UInt8 = 1
    static let ack: UInt8 = 1
    static let endHeaders: UInt8 = 4
    static let padded: UInt8 = 8

    var kind: Kind
    var flags: UInt8 = 0
    var stream: Int = 0
    var payload: [UInt8] = []
    /// Of HEADERS.
    var fields = HPACKHeaders()

    var bytes: [UInt8] {
        [UInt8(payload.count >> 16 & 255), UInt8(payload.count >> 8 & 255), UInt8(payload.count & 255)]
            + [kind.rawValue, flags] + Self.word(stream) + payload
    }

    /// The first four bytes.
    var word: Int { payload.prefix(4).reduce(0) { $0 << 8 | Int($1) } }

    static func word(_ value: Int) -> [UInt8] {
        [UInt8(value >> 24 & 255), UInt8(value >> 16 & 255), UInt8(value >> 8 & 255), UInt8(value & 255)]
    }
}

/// A client that does whatever it likes: what it sends are bytes, and what comes back is only taken apart.
final class FrameClient: Sendable {
    static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    let raw: RawClient
    let frames = Inbox<RawFrame>("a frame")
    private let reading: Mutex<Task<Void, Never>?> = Mutex(nil)
    private let greeting = Mutex<[UInt8]>([])

    /// What the gateway's SETTINGS hold, which the client has agreed to.
    var settings: [UInt8] { greeting.withLock { $0 } }

    private init(_ raw: RawClient) { self.raw = raw }

    /// - Parameter isPolite: begins as HTTP/2 does.
    static func connect(to gateway: TestGateway, isPolite: Bool = true) async throws -> FrameClient {
        let context = try ProviderClient.tls(gateway, ProviderClient.Options())
        let client = FrameClient(try await RawClient.connect(gateway.providerPort, tls: context))
        if isPolite { client.send(preface + RawFrame(kind: .settings).bytes) }
        let (raw, frames) = (client.raw, client.frames)
        client.reading.withLock {
            $0 = Task {
                var parser = Parser()
                while let bytes = try? await raw.bytes.next(within: 600) { parser.read(bytes) { frames.put($0) } }
                frames.end()
            }
        }
        guard isPolite else { return client }
        let settings = try await client.frame(.settings)
        client.greeting.withLock { $0 = settings.payload }
        client.send(RawFrame(kind: .settings, flags: RawFrame.ack))
        return client
    }

    func send(_ bytes: [UInt8]) { raw.send(bytes) }
    func send(_ frame: RawFrame) { raw.send(frame.bytes) }

    /// Fields that no other block of headers changes or is changed by.
    static func block(_ fields: [(String, String)]) throws -> [UInt8] {
        var encoder = HPACKEncoder(allocator: ByteBufferAllocator())
        var headers = HPACKHeaders()
        for (name, value) in fields { headers.add(name: name, value: value, indexing: .nonIndexable) }
        var buffer = ByteBuffer()
        try encoder.encode(headers: headers, to: &buffer)
        return Array(buffer.readableBytesView)
    }

    /// A request without a provider's fields.
    func fields(_ path: String) -> [(String, String)] {
        [(":method", "POST"), (":scheme", "https"), (":path", path), (":authority", "localhost")]
    }

    func headers(_ fields: [(String, String)], on stream: Int, end: Bool = false) throws {
        let flags = RawFrame.endHeaders | (end ? RawFrame.endStream : 0)
        send(RawFrame(kind: .headers, flags: flags, stream: stream, payload: try Self.block(fields)))
    }

    func data(_ bytes: [UInt8], on stream: Int, end: Bool = true, padding: UInt8? = nil) {
        var frame = RawFrame(kind: .data, flags: end ? RawFrame.endStream : 0, stream: stream, payload: bytes)
        if let padding {
            frame.flags |= RawFrame.padded
            frame.payload = [padding] + bytes + [UInt8](repeating: 0, count: Int(padding))
        }
        send(frame)
    }

    func frame(_ kind: RawFrame.Kind, within seconds: Double = 30) async throws -> RawFrame {
        try await frames.next(within: seconds) { $0.kind == kind && ($0.kind != .settings || $0.flags == 0) }
    }

    func answer(to stream: Int) async throws -> Answer {
        var answer = Answer()
        answer.headers = try await frames.next { $0.kind == .headers && $0.stream == stream }.fields
        guard answer.status != 200 else { return answer }
        answer.body = try await frames.next { $0.kind == .data && $0.stream == stream }.payload
        return answer
    }

    /// The error code and the text of the GOAWAY.
    func goAway(within seconds: Double = 30) async throws -> (last: Int, code: Int, text: String) {
        let payload = try await frame(.goAway, within: seconds).payload
        let words = payload.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        return (
            Int(words >> 32), Int(words & 0xFFFF_FFFF), String(decoding: payload.dropFirst(8), as: UTF8.self)
        )
    }

    func closed(within seconds: Double = 30) async throws { try await frames.untilEnd(within: seconds) }
    func close() { raw.close() }
}

private struct Parser {
    private var buffer: [UInt8] = []
    private var decoder = HPACKDecoder(allocator: ByteBufferAllocator())

    mutating func read(_ bytes: [UInt8], _ body: (RawFrame) -> Void) {
        buffer += bytes
        while buffer.count >= 9 {
            let length = Int(buffer[0]) << 16 | Int(buffer[1]) << 8 | Int(buffer[2])
            guard buffer.count >= 9 + length else { return }
            var frame = RawFrame(kind: RawFrame.Kind(rawValue: buffer[3]) ?? .unknown, flags: buffer[4])
            frame.stream = buffer[5..<9].reduce(0) { $0 << 8 | Int($1) } & 0x7FFF_FFFF
            frame.payload = Array(buffer[9..<9 + length])
            buffer.removeFirst(9 + length)
            if frame.kind == .headers {
                var block = ByteBuffer(bytes: frame.payload)
                do {
                    frame.fields = try decoder.decodeHeaders(from: &block)
                } catch {
                    Issue.record("the gateway's header block cannot be read: \(error)")
                }
            }
            body(frame)
        }
    }
}
