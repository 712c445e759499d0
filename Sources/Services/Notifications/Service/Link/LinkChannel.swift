internal import Dispatch
internal import LinuxSystem
internal import OpenSSL
internal import PushLink
internal import Synchronization
internal import SystemPackage

/// One TLS connection to a gateway: records in, records out.
///
/// Nothing more is read before what was read is handled, so a gateway that floods has to wait, and what is kept of it
/// is one piece and the beginning of a line.
final class LinkChannel: Sendable {
    enum News: Sendable {
        /// - Parameter isLocal: what is sent stays on the machine.
        case connected(isLocal: Bool)
        /// The next ones come after `readOn`.
        case records([GatewayRecord])
        /// Nothing follows.
        case ended(String)
    }

    struct Counts: Sendable {
        var sent: Int64 = 0
        var received: Int64 = 0
        /// When the first and the last of them came or went, by the wall clock; `nil`: nothing did.
        var time: ClosedRange<Int64>?
    }

    /// Seconds for a connection to come about, and for TLS.
    private static let patience = 20.0

    private struct State {
        var isClosed = false
        var hasEnded = false
        var counts = Counts()
    }

    private let state = Mutex(State())
    private let connection = Mutex<LinkConnection?>(nil)
    /// Everything happens here, waiting for a name and for a connection as well.
    private let queue = DispatchQueue(label: "greenroom.push.link")
    private let onNews: @Sendable (News) -> Void

    /// - Parameter onNews: called on a queue of the channel's own, in order.
    init(_ onNews: @escaping @Sendable (News) -> Void) { self.onNews = onNews }

    func connect(to target: LinkTarget) { queue.async { [self] in open(target) } }

    private func open(_ target: LinkTarget) {
        do {
            let context = try Self.context(target)
            let addresses = TCPSocket.addresses(of: target.host, port: target.port)
            let (socket, address) = try TCPSocket.connect(to: addresses, within: Self.patience)
            let isMade = connection.withLock { connection in
                connection = LinkConnection(socket, to: target.host, context, isLocal: address.isLoopback)
                return connection != nil
            }
            guard isMade else {
                tell(.ended("TLS failed: “\(target.host)” cannot be in a certificate"))
                return
            }
        } catch let error as TLSContext.Failure {
            tell(.ended("the gateway's certificates cannot be read: \(error)"))
            return
        } catch let error as TCPSocket.Failure {
            tell(.ended(Self.sentence(error, target)))
            return
        } catch {
            tell(.ended("\(error)"))
            return
        }
        watch()
        queue.asyncAfter(deadline: .now() + Self.patience) { [weak self] in
            self?.act { $0.isSecure ? [] : $0.end("the gateway does not answer") }
        }
        // Whoever gave it up before it was there has not closed it.
        guard !state.withLock({ $0.isClosed }) else { return act { $0.end("") } }
        act { $0.advance() }
    }

    private func watch() {
        connection.withLock { connection in
            connection?.watch(queue) { [weak self] in
                self?.act { $0.readable() }
            } onWritable: { [weak self] in
                self?.act { $0.flush() }
            }
        }
    }

    /// On the queue: does something with the connection, counts what went over the network, and tells what came of it.
    private func act(_ body: (inout LinkConnection) -> [News]) {
        let (news, moved) = connection.withLock { connection -> ([News], Counts) in
            guard var open = connection else { return ([], Counts()) }
            let news = body(&open)
            let moved = open.takeCounts()
            connection = open.isOpen ? open : nil
            return (news, moved)
        }
        count(moved)
        news.forEach(tell)
    }

    /// Why there can be no connection to it; `nil`: there may be one.
    static func trouble(with target: LinkTarget) -> String? {
        do throws(TLSContext.Failure) {
            _ = try context(target)
            return nil
        } catch {
            return "the file holds no certificates in PEM"
        }
    }

    private static func context(_ target: LinkTarget) throws(TLSContext.Failure) -> TLSContext {
        try TLSContext(roots: target.roots, applicationProtocol: LinkRules.applicationProtocol)
    }

    // MARK: Out

    /// A gateway that does not read is left.
    func send(_ record: AgentRecord) { queue.async { [self] in act { $0.send(record.line) } } }

    /// What was told is handled.
    func readOn() { queue.async { [self] in act { $0.readOn() } } }

    /// Nothing is told any more.
    func close() {
        state.withLock { ($0.isClosed, $0.hasEnded) = (true, true) }
        queue.async { [self] in act { $0.end("") } }
    }

    // MARK: In

    private func tell(_ news: News) {
        let isWanted = state.withLock { state in
            defer { if case .ended = news { state.hasEnded = true } }
            return !state.hasEnded
        }
        if isWanted { onNews(news) }
    }

    private func count(_ counts: Counts) {
        guard counts.sent + counts.received > 0 else { return }
        let now = Clock.wall()
        state.withLock { state in
            state.counts.sent += counts.sent
            state.counts.received += counts.received
            // The wall clock may be set back.
            let first = min(now, state.counts.time?.lowerBound ?? now)
            state.counts.time = first...now
        }
    }

    /// Bytes of TLS since the last look.
    func takeCounts() -> Counts {
        state.withLock { state in
            defer { state.counts = Counts() }
            return state.counts
        }
    }

    private static func sentence(_ failure: TCPSocket.Failure, _ target: LinkTarget) -> String {
        switch failure {
        case .unknownName: "\(target.host) port \(target.port) cannot be reached: its name leads nowhere"
        case .unreachable(let error): "\(target.host) port \(target.port) cannot be reached: \(error.errno)"
        case .timedOut: "the gateway does not answer"
        }
    }
}
