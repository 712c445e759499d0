internal import ArgumentParser
internal import LinuxSystem
internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import Wire

/// Publishes to an MQTT broker with QoS 1, as fast as it acknowledges: what a provider does, in another protocol.
struct Publish: AsyncParsableCommand {
    @OptionGroup var server: ServerOption
    @Option var connections = 4
    @Option(help: "Messages that wait for their acknowledgement on each connection.")
    var window = 100
    @Option var seconds = 10.0
    @Option(help: "Subscribers that there are.")
    var count = 1000
    @Option var size = 256

    func run() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: server.threads)
        let loops = group.loops
        var clients: [BrokerClient] = []
        for number in 0..<connections {
            let client = BrokerClient("publisher-\(number)", isClean: true, loops[number % loops.count])
            client.window = window
            client.next = number
            client.stride = connections
            client.topics = count
            client.payload = ByteBuffer(repeating: UInt8(ascii: "x"), count: size)
            try await client.connect(server)
            clients.append(client)
        }
        let began = Ticks.now
        for client in clients { client.begin() }
        // So long it is measured.
        try await Task.sleep(for: .seconds(seconds))
        var answered = 0
        var latencies = Latencies()
        for client in clients {
            let (count, times) = try await client.end()
            answered += count
            latencies.add(times)
        }
        let took = Double(Ticks.now - began) / 1e9
        var output: JSONObject = [
            "seconds": .double(took), "answered": .int(Int64(answered)), "perSecond": .double(Double(answered) / took),
        ]
        output.merge(latencies.json)
        Output.write(output)
        try await group.shutdownGracefully()
    }
}

/// Subscribers whose sessions stay when they go, each with a topic of its own.
struct Subscribe: AsyncParsableCommand {
    @OptionGroup var server: ServerOption
    @Option var count = 1000
    @Flag(help: "Stay connected until the standard input ends, and acknowledge what comes.")
    var stay = false

    func run() async throws {
        CurrentProcess.raiseDescriptorLimit()
        let group = MultiThreadedEventLoopGroup(numberOfThreads: server.threads)
        let loops = group.loops
        var clients: [BrokerClient] = []
        for number in 0..<count {
            let client = BrokerClient("device-\(number)", isClean: false, loops[number % loops.count])
            client.subscription = BrokerClient.topic(number)
            try await client.connect(server)
            if stay { clients.append(client) } else { try await client.close() }
        }
        Output.write(["subscribed": .int(Int64(count))])
        while readLine() != nil {}
        withExtendedLifetime(clients) {}
    }
}

/// MQTT 3.1.1, as much of it as a measurement needs.
///
/// Unchecked: touched on its event loop only, once it is connected.
final class BrokerClient: ChannelInboundHandler, @unchecked Sendable {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let identifier: String
    private let isClean: Bool
    private let loop: any EventLoop
    var subscription: String?
    var window = 0
    var next = 0
    var stride = 1
    var topics = 1
    var payload = ByteBuffer()

    private var context: ChannelHandlerContext?
    private var input = ByteBuffer()
    private var ready: EventLoopPromise<Void>?
    private var isRunning = false
    private var packet: UInt16 = 0
    private var began: [UInt16: UInt64] = [:]
    private var answered = 0
    private var latencies = Latencies()
    private var whenDone: EventLoopPromise<(Int, Latencies)>?

    init(_ identifier: String, isClean: Bool, _ loop: any EventLoop) {
        self.identifier = identifier
        self.isClean = isClean
        self.loop = loop
    }

    static func topic(_ number: Int) -> String { "push/device-\(number)/com.example.bench" }

    // MARK: From other threads

    func connect(_ server: ServerOption) async throws {
        let context = try server.context([])
        let name = server.name
        let promise = loop.makePromise(of: Void.self)
        ready = promise
        ClientBootstrap(group: loop)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers(
                        try NIOSSLClientHandler(context: context, serverHostname: name), self)
                }
            }
            .connect(to: try server.address)
            .whenFailure { promise.fail($0) }
        try await promise.futureResult.get()
    }

    func begin() {
        loop.execute {
            self.isRunning = true
            self.fill()
        }
    }

    func end() async throws -> (Int, Latencies) {
        let promise = loop.makePromise(of: (Int, Latencies).self)
        loop.execute {
            self.isRunning = false
            self.whenDone = promise
            self.doneIfIdle()
        }
        return try await promise.futureResult.get()
    }

    func close() async throws {
        try await loop.flatSubmit {
            guard let context = self.context else { return self.loop.makeSucceededVoidFuture() }
            // DISCONNECT.
            context.writeAndFlush(self.wrapOutboundOut(ByteBuffer(bytes: [0xE0, 0])), promise: nil)
            return context.channel.closeFuture
        }.get()
    }

    // MARK: On the event loop

    func channelActive(context: ChannelHandlerContext) {
        self.context = context
        var body = ByteBuffer()
        write("MQTT", to: &body)
        body.writeBytes([4, isClean ? 2 : 0, 0, 0])
        write(identifier, to: &body)
        send(0x10, body)
        context.flush()
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.context = nil
        ready?.fail(ChannelError.eof)
        ready = nil
        whenDone?.fail(ChannelError.eof)
        whenDone = nil
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        input.writeBuffer(&bytes)
        while let (kind, body) = nextPacket() { hear(kind, body) }
        input.discardReadBytes()
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        fill()
        context.flush()
    }

    private func nextPacket() -> (UInt8, ByteBuffer)? {
        var peek = input
        guard let kind = peek.readInteger(as: UInt8.self) else { return nil }
        var (length, shift) = (0, 0)
        while true {
            guard let byte = peek.readInteger(as: UInt8.self) else { return nil }
            length |= Int(byte & 0x7F) << shift
            shift += 7
            if byte & 0x80 == 0 { break }
        }
        guard let body = peek.readSlice(length: length) else { return nil }
        input = peek
        return (kind, body)
    }

    private func hear(_ kind: UInt8, _ packet: ByteBuffer) {
        var body = packet
        switch kind >> 4 {
        // CONNACK, and SUBACK.
        case 2: if subscription == nil { succeed() } else { subscribe() }
        case 9: succeed()
        // PUBLISH with QoS 1.
        case 3:
            let length = Int(body.readInteger(as: UInt16.self) ?? 0)
            body.moveReaderIndex(forwardBy: length)
            guard kind & 0x06 == 0x02, let number = body.readInteger(as: UInt16.self) else { return }
            send(0x40, ByteBuffer(integer: number))
        // PUBACK.
        case 4:
            guard let number = body.readInteger(as: UInt16.self), let began = began.removeValue(forKey: number) else {
                return
            }
            answered += 1
            latencies.add(Ticks.now - began)
            doneIfIdle()
        default: break
        }
    }

    private func succeed() {
        ready?.succeed()
        ready = nil
    }

    private func subscribe() {
        guard let subscription else { return }
        var body = ByteBuffer(integer: UInt16(1))
        write(subscription, to: &body)
        body.writeInteger(UInt8(1))
        send(0x82, body)
        context?.flush()
    }

    private func fill() {
        guard isRunning else { return }
        while began.count < window {
            packet = packet == .max ? 1 : packet + 1
            guard began[packet] == nil else { continue }
            began[packet] = Ticks.now
            var body = ByteBuffer()
            write(Self.topic(next % topics), to: &body)
            body.writeInteger(packet)
            body.writeImmutableBuffer(payload)
            send(0x32, body)
            next += stride
        }
        context?.flush()
    }

    private func doneIfIdle() {
        guard began.isEmpty else { return }
        whenDone?.succeed((answered, latencies))
        whenDone = nil
    }

    private func write(_ text: String, to buffer: inout ByteBuffer) {
        buffer.writeInteger(UInt16(text.utf8.count))
        buffer.writeString(text)
    }

    private func send(_ kind: UInt8, _ body: ByteBuffer) {
        guard let context else { return }
        var buffer = ByteBuffer(integer: kind)
        var length = body.readableBytes
        repeat {
            buffer.writeInteger(UInt8(length & 0x7F) | (length > 0x7F ? 0x80 : 0))
            length >>= 7
        } while length > 0
        buffer.writeImmutableBuffer(body)
        context.write(wrapOutboundOut(buffer), promise: nil)
    }
}
