package import PushLink

/// What a gateway did that no gateway does. The connection ends with it.
package enum LinkFault: Error, Hashable, CustomStringConvertible {
    case outOfOrder(String)
    case wrongDevice
    /// A token, or the end of one, that was not asked for.
    case unasked(topic: String)
    case repeated(Int64)
    case unaskedPong

    package var description: String {
        switch self {
        case .outOfOrder(let record): "the gateway said \(record) at the wrong moment"
        case .wrongDevice: "the gateway takes this device for another one"
        case .unasked(let topic): "the gateway answered for \(topic), which was not asked for"
        case .repeated(let number): "the gateway sent message \(number) twice on one connection"
        case .unaskedPong: "the gateway answered a ping that was not sent"
        }
    }
}

/// The conversation on one connection, from hello on. It is a value: records in, what follows from them out.
package struct LinkSession: Sendable {
    /// Valid transitions are to the next one.
    package enum Phase: Hashable, Sendable {
        /// Hello is said; the challenge is awaited.
        case greeting
        /// The key is proven, and the welcome is awaited.
        case proving
        case open
    }

    package enum Outcome: Hashable, Sendable {
        case sign(nonce: [UInt8])
        case opened(keepAlive: Int, server: String)
        case token(topic: String, token: String)
        case unregistered(topic: String)
        case refused(topic: String, reason: String)
        case push(LinkPush)
        case pong
        case leave(after: Double, reason: String)
    }

    /// Messages that are not yet acknowledged, at which nothing more is read.
    package static let mostUnacknowledged = 32
    /// Numbers of messages that are remembered, to know a repetition.
    private static let mostRemembered = 1024

    package private(set) var phase = Phase.greeting
    private let device: String
    /// Topics whose token is awaited, and those whose end is.
    private var registering: Set<String> = []
    private var unregistering: Set<String> = []
    private var unacknowledged: Set<Int64> = []
    private var remembered: Set<Int64> = []
    /// Those that are remembered, the oldest at `next`.
    private var order: [Int64] = []
    private var next = 0
    private var pings = 0

    package init(device: String) { self.device = device }

    /// Nothing more is to be read for the time being.
    package var isFull: Bool { unacknowledged.count >= Self.mostUnacknowledged }

    package var isOpen: Bool { phase == .open }

    /// The end of a topic is said, and not yet heard of.
    package var awaitsEnd: Bool { !unregistering.isEmpty }

    // MARK: Said

    /// Whether it is to be said now: once a topic is enough.
    package mutating func register(_ topic: String) -> Bool { phase == .open && registering.insert(topic).inserted }

    package mutating func unregister(_ topic: String) -> Bool { phase == .open && unregistering.insert(topic).inserted }

    /// Whether that message came on this connection, so that the gateway waits for its end.
    package mutating func acknowledge(_ number: Int64) -> Bool { unacknowledged.remove(number) != nil }

    package mutating func ping() -> Bool {
        guard phase == .open else { return false }
        pings += 1
        return true
    }

    // MARK: Heard

    package mutating func hear(_ record: GatewayRecord) throws(LinkFault) -> Outcome {
        switch (record, phase) {
        case (.challenge(let nonce), .greeting):
            phase = .proving
            return .sign(nonce: nonce)
        case (.welcome(let device, let keepAlive, let server), .proving):
            guard device == self.device else { throw .wrongDevice }
            phase = .open
            return .opened(keepAlive: keepAlive, server: server)
        case (.token(let topic, let token), .open):
            guard registering.remove(topic) != nil else { throw .unasked(topic: topic) }
            return .token(topic: topic, token: token)
        case (.unregistered(let topic), .open):
            guard unregistering.remove(topic) != nil else { throw .unasked(topic: topic) }
            return .unregistered(topic: topic)
        case (.refused(let topic, let reason), .open):
            guard registering.remove(topic) != nil || unregistering.remove(topic) != nil else {
                throw .unasked(topic: topic)
            }
            return .refused(topic: topic, reason: reason)
        case (.push(let push), .open):
            guard remember(push.number) else { throw .repeated(push.number) }
            unacknowledged.insert(push.number)
            return .push(push)
        case (.pong, .open):
            guard pings > 0 else { throw .unaskedPong }
            pings -= 1
            return .pong
        case (.goaway(let after, let reason), _): return .leave(after: after, reason: reason)
        case (.challenge, _): throw .outOfOrder("challenge")
        case (.welcome, _): throw .outOfOrder("welcome")
        case (.token, _): throw .outOfOrder("token")
        case (.unregistered, _): throw .outOfOrder("unregistered")
        case (.refused, _): throw .outOfOrder("refused")
        case (.push, _): throw .outOfOrder("push")
        case (.pong, _): throw .outOfOrder("pong")
        }
    }

    /// Whether it is new here. At the welcome messages come by their priority, so a smaller number is no sign of
    /// anything.
    private mutating func remember(_ number: Int64) -> Bool {
        guard remembered.insert(number).inserted else { return false }
        if order.count < Self.mostRemembered {
            order.append(number)
        } else {
            remembered.remove(order[next])
            order[next] = number
            next = (next + 1) % Self.mostRemembered
        }
        return true
    }
}
