/// Names a service for the life of a system: its place in the order in which services were declared.
package struct ServiceIndex: Hashable, Comparable, Sendable, Codable {
    package let rawValue: UInt32
    package init(_ rawValue: UInt32) { self.rawValue = rawValue }
    package static func < (a: ServiceIndex, b: ServiceIndex) -> Bool { a.rawValue < b.rawValue }
}

/// What a user-facing service may do to apps, as it says itself before it does anything (`docs/SERVICES.md`). The
/// policy knows services by what is in here, and none by name.
package struct ServiceDeclaration: Hashable, Sendable, Codable {
    /// What it may hold for an app: a claim that the app may run in the background.
    package struct Hold: Hashable, Sendable, Codable {
        package var name: String
        /// What the app does meanwhile, for people: “it plays audio”.
        package var sentence: String
        /// What the app's own traffic is charged to while this is held; `nil`: to nothing in particular.
        package var activity: Purpose?
        /// How much of the machine the app has meanwhile: `foreground` if the user notices the app by it.
        package var priority: AppPriority
        /// The longest that one may be held; `nil`: as long as the service likes.
        package var limit: Span?

        package init(
            name: String, sentence: String, activity: Purpose? = nil, priority: AppPriority = .background,
            limit: Span? = nil
        ) {
            self.name = name
            self.sentence = sentence
            self.activity = activity
            self.priority = priority
            self.limit = limit
        }
    }

    /// What it may wake an app for.
    package struct Window: Hashable, Sendable, Codable {
        package var name: String
        /// What the app does meanwhile, for people: “the end of a walk”.
        package var sentence: String
        /// How long the app has, where no profile says so.
        package var time: Span
        package var callback: WindowCallback

        package init(name: String, sentence: String, time: Span, callback: WindowCallback = .serviceEvents) {
            self.name = name
            self.sentence = sentence
            self.time = time
            self.callback = callback
        }

        package init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            name = try container.decode(String.self, forKey: .name)
            sentence = try container.decode(String.self, forKey: .sentence)
            time = try container.decode(Span.self, forKey: .time)
            // Earlier versions knew one.
            callback = try container.decodeIfPresent(WindowCallback.self, forKey: .callback) ?? .serviceEvents
        }
    }

    package var name: String
    package var holds: [Hold]
    package var windows: [Window]
    /// The key of `UIBackgroundModes` that an app needs to be held in the background (L11); none: every app may be.
    package var mode: BackgroundModes
    /// Of use on screen without the key.
    package var worksInForeground: Bool
    /// Apps with the key are launched into the background when the device boots.
    package var launchesAtBoot: Bool
    /// Apps with the key are launched again when they end, unless the user ended them.
    package var relaunches: Bool

    package init(
        name: String, holds: [Hold] = [], windows: [Window] = [], mode: BackgroundModes = [],
        worksInForeground: Bool = true, launchesAtBoot: Bool = false, relaunches: Bool = false
    ) {
        self.name = name
        self.holds = holds
        self.windows = windows
        self.mode = mode
        self.worksInForeground = worksInForeground
        self.launchesAtBoot = launchesAtBoot
        self.relaunches = relaunches
    }

    /// How many a system may have, and of what each may declare; and how long its texts may be, in bytes.
    package static let (mostServices, mostKinds, longestName, longestText) = (64, 32, 64, 256)
}

extension ServiceDeclaration {
    /// What an app is woken for by one of its windows.
    package func wake(_ window: Window, payload: String) -> WindowKind {
        switch window.callback {
        case .serviceEvents, .serviceEventsAtLaunch, .locationEventsAtLaunch, .localOpening, .remoteOpening, .opening:
            .service(
                ServiceWake(
                    service: name, window: window.name, payload: payload, sentence: window.sentence, time: window.time))
        case .sessionEvents: .sessionEvents(session: payload, authentication: false)
        case .sessionChallenge: .sessionEvents(session: payload, authentication: true)
        }
    }

    /// Its window of which this is an opening.
    package func window(of kind: WindowKind) -> Window? {
        switch kind {
        case .service(let wake): wake.service == name ? windows.first { $0.name == wake.window } : nil
        case .sessionEvents(_, let authentication):
            windows.first { $0.callback == (authentication ? .sessionChallenge : .sessionEvents) }
        case .fetch, .refresh, .processing: nil
        }
    }
}

/// A service's part in an assertion.
package struct ServiceClaim: Hashable, Sendable, Codable {
    package var service: ServiceIndex
    /// Its place among the holds that the service declared.
    package var hold: UInt8
    /// What the app does meanwhile, for people.
    package var sentence: String
    /// As the hold declares them.
    package var activity: Purpose?
    package var priority: AppPriority

    package init(
        service: ServiceIndex, hold: UInt8, sentence: String, activity: Purpose? = nil,
        priority: AppPriority = .background
    ) {
        self.service = service
        self.hold = hold
        self.sentence = sentence
        self.activity = activity
        self.priority = priority
    }
}

// MARK: Checkpoints of earlier versions

// They say whether the user notices the app by a hold, instead of its priority, and know no activities or launches.
extension ServiceDeclaration.Hold {
    private enum EarlierKeys: String, CodingKey { case isPerceived }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = try container.decode(String.self, forKey: .name)
        sentence = try container.decode(String.self, forKey: .sentence)
        activity = try container.decodeIfPresent(Purpose.self, forKey: .activity)
        priority =
            try container.decodeIfPresent(AppPriority.self, forKey: .priority)
            ?? decoder.container(keyedBy: EarlierKeys.self).priority(.isPerceived)
        limit = try container.decodeIfPresent(Span.self, forKey: .limit)
    }
}

extension ServiceClaim {
    private enum EarlierKeys: String, CodingKey { case isPerceived }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        service = try container.decode(ServiceIndex.self, forKey: .service)
        hold = try container.decode(UInt8.self, forKey: .hold)
        sentence = try container.decode(String.self, forKey: .sentence)
        activity = try container.decodeIfPresent(Purpose.self, forKey: .activity)
        priority =
            try container.decodeIfPresent(AppPriority.self, forKey: .priority)
            ?? decoder.container(keyedBy: EarlierKeys.self).priority(.isPerceived)
    }
}

extension KeyedDecodingContainer {
    fileprivate func priority(_ isPerceived: Key) throws -> AppPriority {
        try decodeIfPresent(Bool.self, forKey: isPerceived) == true ? .foreground : .background
    }
}

extension ServiceDeclaration {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = try container.decode(String.self, forKey: .name)
        holds = try container.decode([Hold].self, forKey: .holds)
        windows = try container.decode([Window].self, forKey: .windows)
        mode = try container.decode(BackgroundModes.self, forKey: .mode)
        worksInForeground = try container.decode(Bool.self, forKey: .worksInForeground)
        launchesAtBoot = try container.decodeIfPresent(Bool.self, forKey: .launchesAtBoot) ?? false
        relaunches = try container.decodeIfPresent(Bool.self, forKey: .relaunches) ?? false
    }
}

/// What a service wakes an app for.
package struct ServiceWake: Hashable, Sendable, Codable {
    /// The name of the service, which its app knows it by.
    package var service: String
    package var window: String
    /// What the service has to say to the app.
    package var payload: String
    /// What the app does meanwhile, for people.
    package var sentence: String
    package var time: Span

    package init(service: String, window: String, payload: String, sentence: String, time: Span) {
        self.service = service
        self.window = window
        self.payload = payload
        self.sentence = sentence
        self.time = time
    }

    /// Bytes of a payload.
    package static let longestPayload = 8192
}

/// Why a service may not do something.
package enum ServiceRefusal: Error, Hashable, Sendable {
    case unknownService
    case undeclared(kind: String)
    /// The app never connected to it.
    case unknownApp
    /// The process that it speaks of is gone.
    case processGone
    case missingMode(key: String, isForeground: Bool)
    case notHeld(kind: String)
    case notWoken(WakeObstacle)
    /// The screen takes no app now.
    case notOpened(because: String)

    package var sentence: String {
        switch self {
        case .unknownService: "no such service is declared"
        case .undeclared(let kind): "the service did not declare \(kind): add it to its declaration"
        case .unknownApp: "the app has not connected to this service: it may speak only of those that have"
        case .processGone: "the process that this is about has ended, or is being ended"
        case .missingMode(let key, let isForeground):
            isForeground
                ? "add \(key) to UIBackgroundModes in Info.plist to use this service"
                : "add \(key) to UIBackgroundModes in Info.plist to use this service in the background"
        case .notHeld(let kind): "the service does not hold \(kind) for this app"
        case .notWoken(let obstacle): "the app is not woken: \(obstacle.sentence)"
        case .notOpened(let because): "the app is not opened: \(because)"
        }
    }
}
