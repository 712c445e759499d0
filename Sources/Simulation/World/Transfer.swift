package import Model

/// The way to the network that the device has.
package enum Reachability: UInt8, Sendable, Codable, CaseIterable {
    case none, cellular, wifi

    package var name: String { "\(self)" }
}

/// Bytes on their way. What has arrived stays, whatever happens to the network.
package struct Transfer: Hashable, Sendable, Codable {
    package enum State: Hashable, Sendable, Codable {
        /// The app does not run, or asked for it.
        case paused
        /// There is no network.
        case stalled
        /// For the radio, and for the other side's first byte.
        case waiting(until: Instant)
        case moving
    }

    package let id: TrafficID
    package let consumer: Consumer
    package let direction: Direction
    package let bytes: Int64
    package internal(set) var moved: Int64 = 0
    package internal(set) var state = State.paused

    /// Where the present way of sharing the line began, and how far it was then.
    var base: Int64 = 0
    /// Since when the radio is open for it, and how far it was then.
    var opened = Instant.zero
    var movedBefore: Int64 = 0

    init(id: TrafficID, consumer: Consumer, direction: Direction, bytes: Int64) {
        self.id = id
        self.consumer = consumer
        self.direction = direction
        self.bytes = max(0, bytes)
    }

    var isOpen: Bool {
        switch state {
        case .paused, .stalled: false
        case .waiting, .moving: true
        }
    }
}

/// What a way to the network carries.
package struct Link: Hashable, Sendable, Codable {
    package var sentBytesPerSecond: Int64
    package var receivedBytesPerSecond: Int64
    /// Until the first byte moves, once the radio is ready.
    package var latency: Span

    package init(sentBytesPerSecond: Int64, receivedBytesPerSecond: Int64, latency: Span) {
        self.sentBytesPerSecond = sentBytesPerSecond
        self.receivedBytesPerSecond = receivedBytesPerSecond
        self.latency = latency
    }

    func bytesPerSecond(_ direction: Direction) -> Int64 {
        switch direction {
        case .up: sentBytesPerSecond
        case .down: receivedBytesPerSecond
        }
    }

    // Orders of magnitude of the years in which the radio models were measured; a scenario sets its own.
    package static let threeG = Link(
        sentBytesPerSecond: 40_000, receivedBytesPerSecond: 125_000, latency: .milliseconds(120))
    package static let lte = Link(
        sentBytesPerSecond: 700_000, receivedBytesPerSecond: 1_600_000, latency: .milliseconds(70))
    package static let wifi = Link(
        sentBytesPerSecond: 2_000_000, receivedBytesPerSecond: 2_500_000, latency: .milliseconds(20))
}
