import Crypto
import NIOCore
import NIOPosix
import NIOSSL
import PushLink
import Testing

/// A device with its key, as the agent on one speaks.
struct LinkDevice: Sendable {
    let key = P256.Signing.PrivateKey()

    /// Connects and proves the key.
    func connect(_ gateway: TestGateway) async throws -> LinkClient {
        let client = try await LinkClient.connect(gateway)
        try await client.prove(key)
        return client
    }
}

/// A device's connection.
final class LinkClient: Sendable {
    struct Left: Error { let reason: String }

    let channel: any Channel
    let records: Inbox<GatewayRecord>

    private init(_ channel: any Channel, _ records: Inbox<GatewayRecord>) {
        self.channel = channel
        self.records = records
    }

    static func connect(_ gateway: TestGateway) async throws -> LinkClient {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .file(gateway.authority)
        configuration.applicationProtocols = [LinkRules.applicationProtocol]
        let context = try NIOSSLContext(configuration: configuration)
        let records = Inbox<GatewayRecord>("a record of the gateway")
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers(
                        NIOSSLClientHandler(context: context, serverHostname: "localhost"), RecordReader(records))
                }
            }
            .connect(host: "127.0.0.1", port: gateway.devicePort).get()
        return LinkClient(channel, records)
    }

    func send(_ record: AgentRecord) { send(record.line) }

    func send(_ bytes: [UInt8]) { channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil) }

    /// Says hello, and what comes back.
    func hello(_ key: P256.Signing.PrivateKey) async throws -> [UInt8] {
        send(.hello(key: Array(key.publicKey.x963Representation)))
        guard case .challenge(let nonce) = try await record() else { throw Left(reason: "no challenge") }
        return nonce
    }

    func signature(_ key: P256.Signing.PrivateKey, _ nonce: [UInt8], at name: String = "localhost") throws -> [UInt8] {
        Array(try key.signature(for: LinkRules.proof(nonce: nonce, gateway: name)).rawRepresentation)
    }

    @discardableResult
    func prove(_ key: P256.Signing.PrivateKey) async throws -> String {
        send(.prove(signature: try signature(key, try await hello(key))))
        guard case .welcome(let device, _, _) = try await record() else { throw Left(reason: "no welcome") }
        return device
    }

    /// The next record. A goodbye is an error unless it is waited for.
    func record(within seconds: Double = 30) async throws -> GatewayRecord {
        let record = try await records.next(within: seconds)
        if case .goaway(_, let reason) = record { throw Left(reason: reason) }
        return record
    }

    func register(_ topic: String = TestGateway.topic) async throws -> String {
        send(.register(topic: topic))
        while true {
            switch try await records.next(where: { $0.answers(topic) }) {
            case .token(_, let token): return token
            case .refused(_, let reason), .goaway(_, let reason): throw Left(reason: reason)
            default: continue
            }
        }
    }

    func unregister(_ topic: String = TestGateway.topic) async throws {
        send(.unregister(topic: topic))
        guard case .unregistered = try await records.next(where: { $0.answers(topic) }) else {
            throw Left(reason: "not unregistered")
        }
    }

    /// The next push.
    func push(within seconds: Double = 30) async throws -> LinkPush {
        let record = try await records.next(within: seconds) {
            switch $0 {
            case .push, .goaway: true
            default: false
            }
        }
        switch record {
        case .push(let push): return push
        case .goaway(_, let reason): throw Left(reason: reason)
        default: throw Left(reason: "no push")
        }
    }

    /// Everything that was said to the gateway before has been heard: it answers in order.
    func ping() async throws {
        send(.ping)
        try await records.next { $0 == .pong }
    }

    /// The reason and the pause with which the gateway sends the device away.
    func goodbye(within seconds: Double = 30) async throws -> (reason: String, after: Double) {
        while true {
            if case .goaway(let after, let reason) = try await records.next(within: seconds) { return (reason, after) }
        }
    }

    func closed(within seconds: Double = 30) async throws { try await records.untilEnd(within: seconds) }

    func close() async throws { try await channel.close().get() }

    func stopReading() async throws { try await channel.setOption(.autoRead, value: false).get() }
}

extension GatewayRecord {
    /// It is the answer to a registration of the topic, or there will be none.
    fileprivate func answers(_ topic: String) -> Bool {
        switch self {
        case .token(let other, _), .unregistered(let other), .refused(let other, _): other == topic
        case .goaway: true
        case .challenge, .welcome, .push, .pong: false
        }
    }
}

private final class RecordReader: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let records: Inbox<GatewayRecord>
    private var reader = LinkReader<GatewayRecord>()

    init(_ records: Inbox<GatewayRecord>) { self.records = records }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        reader.append(Array(unwrapInboundIn(data).readableBytesView))
        do throws(LinkError) {
            while let record = try reader.next() { records.put(record) }
        } catch {
            Issue.record("the gateway sent what is no record: \(error)")
            context.close(promise: nil)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    func channelInactive(context: ChannelHandlerContext) { records.end() }
}
