internal import Dispatch
internal import LocationClient
internal import LocationWire
internal import Synchronization

/// Hears how what an app may know changes.
struct Diagnosis: Sendable {
    let number: Int64
    let tell: @Sendable (Standing) -> Void
    let finish: @Sendable () -> Void

    /// What it is now, and each time that it changes.
    static func stream<Value: Sendable>(
        _ home: LocationHome, _ make: @escaping @Sendable (Standing) -> Value
    ) -> (stream: AsyncStream<Value>, diagnosis: Diagnosis) {
        let (stream, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: .bufferingNewest(16))
        let number = home.client.makeNumber()
        let diagnosis = Diagnosis(
            number: number, tell: { continuation.yield(make($0)) }, finish: { continuation.finish() })
        continuation.onTermination = { [weak home] _ in home?.removeDiagnosis(number) }
        home.client.whenKnown { [weak home] in
            DispatchQueue.main.async {
                guard let home else { return }
                diagnosis.tell(home.standing)
                home.add(diagnosis)
            }
        }
        return (stream, diagnosis)
    }
}

/// Says that the app needs the location for what it does, while it holds the session: the user is asked if necessary.
///
/// From Apple's *CLServiceSession*.
public final class CLServiceSession: Sendable {
    /// What it needs.
    public enum AuthorizationRequirement: Int, Hashable, Sendable {
        /// What the user has allowed anyway.
        case none
        /// The location while the app is in use.
        case whenInUse
        /// The location at any time.
        case always
    }

    /// What is in the way of what a session needs.
    public struct Diagnostic: Hashable, Sendable {
        /// The user does not let the app know.
        public let authorizationDenied: Bool
        /// There is no location service.
        public let authorizationDeniedGlobally: Bool
        /// The user may not allow it. That does not occur on this system.
        public let authorizationRestricted: Bool
        /// The user is being asked.
        public let authorizationRequestInProgress: Bool
        /// It needs the location at any time, and the user does not allow that.
        public let alwaysAuthorizationDenied: Bool
        /// It needs the exact location, and the user does not allow that.
        public let fullAccuracyDenied: Bool
        /// The app may know while it is in use, and it is not. The service does not say that.
        public let insufficientlyInUse: Bool
        /// The app has to hold a session. It does.
        public let serviceSessionRequired: Bool

        init(_ standing: Standing, _ requirement: AuthorizationRequirement, isExact: Bool, isGlobal: Bool) {
            authorizationDenied = standing.status == .denied
            authorizationDeniedGlobally = isGlobal
            authorizationRestricted = false
            authorizationRequestInProgress = standing.status == .notDetermined && requirement != .none
            alwaysAuthorizationDenied =
                requirement == .always && standing.status != .authorizedAlways && standing.status != .notDetermined
            fullAccuracyDenied = isExact && standing.accuracy == .reducedAccuracy
            (insufficientlyInUse, serviceSessionRequired) = (false, false)
        }
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
    private let requirement: AuthorizationRequirement
    private let isExact: Bool
    private let streams = Mutex<[@Sendable () -> Void]>([])

    /// Begins, and asks the user if necessary.
    public convenience init(authorization: AuthorizationRequirement) { self.init(authorization, isExact: false) }

    /// Begins, and asks the user if necessary, also for the exact location.
    ///
    /// - Parameter fullAccuracyPurposeKey: of `NSLocationTemporaryUsageDescriptionDictionary` in the property list.
    public convenience init(authorization: AuthorizationRequirement, fullAccuracyPurposeKey: String) {
        self.init(authorization, isExact: true)
    }

    private init(_ requirement: AuthorizationRequirement, isExact: Bool) {
        (home, self.requirement, self.isExact) = (.current, requirement, isExact)
        let home = home
        let askMore: @Sendable () -> Void = { if isExact { home.requestFullAccuracy { _ in } } }
        switch requirement {
        case .none: askMore()
        case .whenInUse: home.authorize(.whenInUse, then: askMore)
        case .always: home.authorize(.always, then: askMore)
        }
    }

    deinit { invalidate() }

    /// What is in the way.
    public var diagnostics: Diagnostics {
        Diagnostics { [self] in
            let (home, requirement, isExact) = (home, requirement, isExact)
            let (stream, diagnosis) = Diagnosis.stream(home) { [weak home] standing in
                Diagnostic(standing, requirement, isExact: isExact, isGlobal: home?.client.absence != nil)
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
    }
}
