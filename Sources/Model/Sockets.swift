/// What a device does with the sockets of suspended apps (R8, R13), and with those that are woken by them (X5).
package struct SocketRules: Hashable, Sendable, Codable {
    /// How long connections of a suspended app stand; then they are closed. `nil`: for ever.
    package var connectionLimit: Span? = .seconds(600)
    /// How long an app of the background mode `listen` goes on when nobody is connected any more and it does nothing.
    package var grace = Span.seconds(1)
    /// So much processor time within the grace is work.
    package var work = Span.milliseconds(50)
    /// A peer that has closed its side, and heard nothing for so long, is no longer served.
    package var forgottenAfter = Span.seconds(30)
    /// An app that leaves somebody waiting for so many times the grace does not answer: it is not woken any more.
    package var patience: UInt8 = 5

    package init() {}

    init(connectionLimit: Span) { self.connectionLimit = connectionLimit }
}

extension SocketRules {
    /// Apps for iOS expect that their sockets may be gone when they return. A server seldom waits longer for one.
    static let iOS = SocketRules(connectionLimit: .seconds(60))
}

/// A socket at which an app waits for others to connect, as it is found when the app has been frozen.
package struct Listener: Hashable, Sendable, Codable {
    /// For people: “port 8080”, or the path of a socket file.
    package var name: String
    /// Connections through it that stand.
    package var peers: Int32

    package init(name: String, peers: Int32) {
        self.name = name
        self.peers = peers
    }

    package var sentence: String { "\(name) (\(peers == 1 ? "1 peer" : "\(peers) peers") connected)" }
}

/// What an app of the background mode `listen` is seen to do with its sockets while it runs.
package struct SocketUse: Hashable, Sendable, Codable {
    /// Connections to others that stand.
    package var connections: Int32
    /// Peers that it has yet to accept.
    package var waiting: Int32
    /// Processor time since the look before.
    package var work: Span

    package init(connections: Int32, waiting: Int32, work: Span) {
        self.connections = connections
        self.waiting = waiting
        self.work = work
    }
}
