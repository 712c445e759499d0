internal import AsyncHTTPClient
internal import LinuxSystem
internal import NIOCore
internal import NIOPosix
internal import Synchronization
internal import TransferCore

/// Streams a file as a request's body: reads a piece, writes it, and reads the next when the connection took it.
final class BodyPump: Sendable {
    /// The file is not what it was when it was handed in.
    struct Changed: Error {}

    private static let piece = 256 << 10

    private let exchange: Exchange
    private let file: TransferFile
    private let start: Int64
    private let length: Int64
    private let writer: HTTPClient.Body.StreamWriter
    private let loop: any EventLoop
    private let done: EventLoopPromise<Void>

    init(
        _ exchange: Exchange, _ file: TransferFile, from start: Int64, length: Int64,
        _ writer: HTTPClient.Body.StreamWriter, on loop: any EventLoop
    ) {
        self.exchange = exchange
        self.file = file
        self.start = start
        self.length = length
        self.writer = writer
        self.loop = loop
        done = loop.makePromise(of: Void.self)
    }

    func run() -> EventLoopFuture<Void> {
        exchange.state.withLock { $0.sent = start }
        let opened = exchange.tools.workers.writers.runIfActive(eventLoop: loop) { [self] in
            let body = try exchange.tools.files.body(file)
            guard try body.identity().size == length else { throw Changed() }
            return body
        }
        opened.whenComplete { [self] result in
            switch result {
            case .success(let body): next(body, start)
            case .failure: giveUp()
            }
        }
        return done.futureResult
    }

    private func next(_ body: Descriptor, _ offset: Int64) {
        guard offset < length else {
            exchange.moved(sent: 0, isLast: true, on: loop)
            done.succeed()
            return
        }
        let most = Int(min(Int64(Self.piece), length - offset))
        let read = exchange.tools.workers.writers.runIfActive(eventLoop: loop) {
            var buffer = ByteBufferAllocator().buffer(capacity: most)
            let got = try unsafe buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: most) { space in
                try unsafe body.read(into: UnsafeMutableRawBufferPointer(rebasing: space.prefix(most)), at: offset)
            }
            guard got > 0 else { throw Changed() }
            return buffer
        }
        read.whenComplete { [self] result in
            switch result {
            case .failure: giveUp()
            case .success(let buffer):
                let count = buffer.readableBytes
                writer.write(.byteBuffer(buffer)).hop(to: loop).whenComplete { [self] written in
                    switch written {
                    case .failure(let error): done.fail(error)
                    case .success:
                        let rest = exchange.moved(sent: count, on: loop)
                        guard let rest else { return next(body, offset + Int64(count)) }
                        exchange.holdUp(rest).whenSuccess { [self] in next(body, offset + Int64(count)) }
                    }
                }
            }
        }
    }

    private func giveUp() {
        exchange.state.withLock { $0.failure = $0.failure ?? .bodyUnreadable }
        done.fail(Changed())
    }
}
