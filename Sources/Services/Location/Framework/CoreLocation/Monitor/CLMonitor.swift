/// Watches conditions, such as whether the device is in a circle, and keeps what became of them.
///
/// Conditions and their last events are kept in a file of the app's Application Support folder, so that they outlive
/// the process. The service wakes or launches the app for them; events wait until the app makes the monitor of the same
/// name again and iterates over its `events`. From Apple's *CLMonitor*.
public actor CLMonitor {
    /// What it is called.
    public nonisolated let name: String
    private let core: MonitorCore

    /// The monitor of this name, with the conditions that it had.
    public init(_ name: String) async {
        self.name = name
        core = LocationHome.current.monitor(name)
    }

    /// What it watches, by name.
    public var identifiers: [String] { core.identifiers }

    /// Watches a condition, instead of one with the same identifier. The first event says how it is now.
    public func add(_ condition: any CLCondition, identifier: String) {
        core.add(condition, identifier, .unknown)
    }

    /// Watches a condition, instead of one with the same identifier.
    ///
    /// - Parameter state: as the app takes it to be: there is an event when it is otherwise.
    public func add(_ condition: any CLCondition, identifier: String, assuming state: Event.State) {
        core.add(condition, identifier, state)
    }

    /// Does not watch it any longer.
    public func remove(_ identifier: String) { core.remove(identifier) }

    /// What became of a condition; `nil`: none is called that.
    public func record(for identifier: String) -> Record? { core.record(identifier) }

    /// What happens, as long as something iterates over it. Each event is told at least once, also if it happened
    /// before: of each condition the last one.
    public var events: Events { Events(core: core) }
}

extension CLMonitor {
    /// A circle on the ellipsoid; satisfied while the device is in it.
    public struct CircularGeographicCondition: CLCondition, Sendable {
        /// Where its middle is.
        public let center: CLLocationCoordinate2D
        /// Metres from the middle to the edge.
        public let radius: CLLocationDistance

        /// Makes it.
        public init(center: CLLocationCoordinate2D, radius: CLLocationDistance) {
            (self.center, self.radius) = (center, radius)
        }

        private enum CodingKeys: String, CodingKey { case latitude, longitude, radius }

        /// Reads it.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            center = CLLocationCoordinate2D(
                latitude: try container.decode(Double.self, forKey: .latitude),
                longitude: try container.decode(Double.self, forKey: .longitude))
            radius = try container.decode(Double.self, forKey: .radius)
        }

        /// Writes it.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(center.latitude, forKey: .latitude)
            try container.encode(center.longitude, forKey: .longitude)
            try container.encode(radius, forKey: .radius)
        }
    }

    /// Near a beacon. This system has no way to hear beacons: its event says that it is not watched.
    public struct BeaconIdentityCondition: CLCondition, Sendable {
        /// All of them have it.
        public let uuid: UUID
        /// Their group; `nil`: any.
        public let major: CLBeaconMajorValue?
        /// Which one of the group; `nil`: any.
        public let minor: CLBeaconMinorValue?

        /// Any of a UUID.
        public init(uuid: UUID) { (self.uuid, major, minor) = (uuid, nil, nil) }
        /// Any of a group.
        public init(uuid: UUID, major: CLBeaconMajorValue) { (self.uuid, self.major, minor) = (uuid, major, nil) }
        /// One of a group.
        public init(uuid: UUID, major: CLBeaconMajorValue, minor: CLBeaconMinorValue) {
            (self.uuid, self.major, self.minor) = (uuid, major, minor)
        }
    }

    /// What became of a condition.
    public struct Event: Sendable {
        /// How a condition is.
        public enum State: UInt, Sendable, Codable, Hashable {
            /// Not known.
            case unknown
            /// It holds.
            case satisfied
            /// It does not.
            case unsatisfied
            /// It is not watched: the event says why.
            case unmonitored
        }

        /// Of which condition.
        public let identifier: String
        /// How it is.
        public let state: State
        /// Since when.
        public let date: Date
        /// What satisfies a condition that leaves something open. Circles leave nothing open.
        public let refinement: (any CLCondition)?
        let reason: Reason?

        /// Why a condition is not watched.
        enum Reason: String, Codable, Sendable { case denied, deniedGlobally, unsupported, tooMany, notKept }

        /// The user does not let the app know.
        public var authorizationDenied: Bool { reason == .denied }
        /// There is no location service.
        public var authorizationDeniedGlobally: Bool { reason == .deniedGlobally }
        /// The user may not allow it. That does not occur on this system.
        public var authorizationRestricted: Bool { false }
        /// The user is being asked. Monitors do not ask.
        public var authorizationRequestInProgress: Bool { false }
        /// The app may know the location only roughly. The service monitors regions all the same.
        public var accuracyLimited: Bool { false }
        /// No condition like this is watched here.
        public var conditionUnsupported: Bool { reason == .unsupported }
        /// The app has as many conditions and regions as it may have, or the service refuses this one.
        public var conditionLimitExceeded: Bool { reason == .tooMany }
        /// The app may know while it is in use, and it is not. The service does not say that.
        public var insufficientlyInUse: Bool { false }
        /// The file of the monitor cannot be written: the condition does not outlive the process.
        public var persistenceUnavailable: Bool { reason == .notKept }
        /// The app has to hold a `CLServiceSession`. Not here.
        public var serviceSessionRequired: Bool { false }
    }

    /// A condition, and what last became of it.
    public struct Record: Sendable {
        /// What is watched.
        public let condition: any CLCondition
        /// What last became of it.
        public let lastEvent: Event
    }

    /// What happens to the conditions of a monitor.
    public struct Events: AsyncSequence, Sendable {
        /// What it consists of.
        public typealias Element = Event

        let core: MonitorCore

        /// Begins.
        public func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(core: core, base: core.events().makeAsyncIterator())
        }

        /// Iterates over events.
        public struct AsyncIterator: AsyncIteratorProtocol {
            /// What it consists of.
            public typealias Element = Event

            /// Kept, since events are held while the app has no monitor of this name.
            let core: MonitorCore
            var base: AsyncStream<Event>.Iterator

            /// The next one; `nil` when the task is cancelled. Nothing is thrown here.
            public mutating func next() async throws -> Event? {
                guard let event = await base.next(isolation: #isolation) else { return nil }
                core.told(event)
                return event
            }
        }
    }
}

/// What a `CLMonitor` watches.
public protocol CLCondition: Codable, Sendable {}
