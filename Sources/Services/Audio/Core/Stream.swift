package import AudioModel
package import Model
package import ServiceCore

/// One stream of a party: what was said of it, what the sound server sees, and how far it is up or down.
package struct Stream: Hashable, Sendable {
    package enum Phase: Hashable, Sendable {
        /// It may not sound; its node, if there is one, has no way out. Valid transitions are to: up.
        case down
        /// It sounds if the app gives it something. Valid transitions are to: fading, lowering, down.
        case up
        /// It gets softer. Valid transitions are to: lowering, up, down.
        case fading(until: Instant)
        /// The sound server takes its way out. Valid transitions are to: down.
        case lowering(OrderID)
    }

    /// What a look at what it really plays has shown.
    package enum Sound: Hashable, Sendable {
        /// Nobody has looked since then: it counts as if it were heard.
        case unknown(since: Instant)
        case audible(Instant)
        /// Nothing was to be heard in every look since then.
        case silent(since: Instant)
        /// It was silent for longer than counts, and does not count until it is begun anew or seen.
        case dismissed
    }

    package let key: StreamKey
    package let direction: AudioDirection
    /// The app, or the program on its own, wants it to run.
    package var wish: Bool
    package internal(set) var node: NodeID?
    package internal(set) var runs = false
    package internal(set) var phase = Phase.down
    package internal(set) var sound: Sound
    /// The volume that the sound server was given.
    package internal(set) var gain: Float = 1
    /// A service before this one may have given it another one.
    var isGainKnown = false
    /// It is to run out of sight, and has given nothing since then.
    var standsSince: Instant?
    /// The device that it was moved to; `nil`: where everything goes.
    var device: UInt64?
    /// A look at what it plays is under way, or is due then.
    var isLooking = false
    var lookAt: Instant?

    init(_ key: StreamKey, _ direction: AudioDirection, wish: Bool, at now: Instant) {
        self.key = key
        self.direction = direction
        self.wish = wish
        sound = .unknown(since: now)
    }

    /// It is used, whether or not its app said so.
    package var isInUse: Bool { wish || (runs && phase != .down) }

    package var isUp: Bool { phase == .up }

    /// A way out is there, or is being taken.
    package var isRaised: Bool {
        switch phase {
        case .down: false
        case .up, .fading, .lowering: true
        }
    }
}
