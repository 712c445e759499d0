/// Where the device is, or why that is not known, as `liveUpdates(_:)` tells it.
///
/// From Apple's *CLLocationUpdate*.
public struct CLLocationUpdate: Sendable {
    struct Flags: Hashable, Sendable {
        var isDenied = false
        var isDeniedGlobally = false
        var isLimited = false
        var isUnavailable = false
        var isAsking = false
    }

    let flags: Flags

    init(_ location: CLLocation?, isStationary: Bool = false, _ flags: Flags = Flags()) {
        (self.location, self.isStationary, self.flags) = (location, isStationary, flags)
    }

    /// Where it is; `nil`: the rest says why not.
    public let location: CLLocation?
    /// Nothing moves: there are no further updates until something does.
    public let isStationary: Bool
    /// Nothing moves: there are no further updates until something does.
    public var stationary: Bool { isStationary }
    /// The user does not let the app know.
    public var authorizationDenied: Bool { flags.isDenied }
    /// There is no location service.
    public var authorizationDeniedGlobally: Bool { flags.isDeniedGlobally }
    /// The user may not allow it. That does not occur on this system.
    public var authorizationRestricted: Bool { false }
    /// The app may know the location only roughly.
    public var accuracyLimited: Bool { flags.isLimited }
    /// The app may know while it is in use, and it is not. The service does not say that.
    public var insufficientlyInUse: Bool { false }
    /// There is no location now; there may be one later.
    public var locationUnavailable: Bool { flags.isUnavailable }
    /// The user is being asked.
    public var authorizationRequestInProgress: Bool { flags.isAsking }
    /// The app has to hold a `CLServiceSession`. Not here: updates ask the user by themselves.
    public var serviceSessionRequired: Bool { false }

    /// What the device moves with.
    public enum LiveConfiguration: Hashable, Sendable {
        /// Anything.
        case `default`
        /// A car on roads.
        case automotiveNavigation
        /// A ship, a train or another vehicle.
        case otherNavigation
        /// Feet or a bicycle.
        case fitness
        /// An aircraft.
        case airborne
    }

    /// Updates, as long as something iterates over them. Asks the user if that has not happened yet.
    ///
    /// They go on in the background while the app holds a `CLBackgroundActivitySession`, or may always know the
    /// location, if it has `location` among its `UIBackgroundModes`.
    public static func liveUpdates(_ configuration: LiveConfiguration = .default) -> Updates {
        Updates(home: .current, configuration: configuration)
    }

    /// The sequence that `liveUpdates(_:)` makes. A reader that is slow misses the oldest ones.
    public struct Updates: AsyncSequence, Sendable {
        /// What it consists of.
        public typealias Element = CLLocationUpdate

        let home: LocationHome
        let configuration: LiveConfiguration

        /// Begins.
        public func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(base: LiveUpdates.begin(home, configuration).makeAsyncIterator())
        }

        /// Iterates over updates; they end with it.
        public struct AsyncIterator: AsyncIteratorProtocol {
            /// What it consists of.
            public typealias Element = CLLocationUpdate

            var base: AsyncStream<CLLocationUpdate>.Iterator

            /// The next one; `nil` when the task is cancelled. Nothing is thrown here.
            public mutating func next() async throws -> CLLocationUpdate? { await base.next(isolation: #isolation) }
        }
    }
}
