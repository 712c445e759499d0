internal import LocationClient
internal import Synchronization

/// Says that the app goes on with live updates in the background, while it holds the session.
///
/// The app needs `location` among its `UIBackgroundModes`; otherwise nothing goes on, and a line on the standard error
/// says so. From Apple's *CLBackgroundActivitySession*.
public final class CLBackgroundActivitySession: Sendable {
    /// What is in the way.
    public struct Diagnostic: Hashable, Sendable {
        /// The user does not let the app know.
        public let authorizationDenied: Bool
        /// There is no location service.
        public let authorizationDeniedGlobally: Bool
        /// The user may not allow it. That does not occur on this system.
        public let authorizationRestricted: Bool
        /// The user is being asked.
        public let authorizationRequestInProgress: Bool
        /// The app may know while it is in use, and it is not. The service does not say that.
        public let insufficientlyInUse: Bool
        /// The app has to hold a `CLServiceSession`. Not here.
        public let serviceSessionRequired: Bool
    }

    /// What is in the way now, and each time that it changes.
    public struct Diagnostics: AsyncSequence, Sendable {
        /// What it consists of.
        public typealias Element = Diagnostic

        let make: @Sendable () -> AsyncStream<Diagnostic>

        /// Begins.
        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(base: make().makeAsyncIterator()) }

        /// Iterates.
        public struct AsyncIterator: AsyncIteratorProtocol {
            /// What it consists of.
            public typealias Element = Diagnostic

            var base: AsyncStream<Diagnostic>.Iterator

            /// The next one; `nil` when the session has ended. Nothing is thrown here.
            public mutating func next() async throws -> Diagnostic? { await base.next(isolation: #isolation) }
        }
    }

    private let home: LocationHome
    private let number: Int64
    private let streams = Mutex<[@Sendable () -> Void]>([])

    /// Begins.
    public init() {
        home = .current
        number = home.client.makeNumber()
        if !home.hasBackgroundMode {
            home.surroundings.complain(
                "CLBackgroundActivitySession: updates stop in the background: add location to UIBackgroundModes in the"
                    + " app's property list")
        }
        home.session(number, isOpen: true)
    }

    deinit { invalidate() }

    /// What is in the way.
    public var diagnostics: Diagnostics {
        Diagnostics { [self] in
            let (stream, diagnosis) = Diagnosis.stream(home) { [weak home] standing in
                Diagnostic(
                    authorizationDenied: standing.status == .denied,
                    authorizationDeniedGlobally: home?.client.absence != nil, authorizationRestricted: false,
                    authorizationRequestInProgress: standing.status == .notDetermined, insufficientlyInUse: false,
                    serviceSessionRequired: false)
            }
            streams.withLock { $0.append(diagnosis.finish) }
            return stream
        }
    }

    /// Ends it.
    public func invalidate() {
        let streams = streams.withLock { streams in
            defer { streams = [] }
            return streams
        }
        for finish in streams { finish() }
        home.session(number, isOpen: false)
    }
}
