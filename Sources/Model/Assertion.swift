/// A service's claim that an app may run in the background. Nothing else keeps one running (`DESIGN.md`, 1).
package enum AssertionKind: UInt8, Sendable, Codable, CaseIterable {
    /// The user exempted the app from being frozen. Earlier versions had two other kinds, 0 and 1.
    case exemption = 2
    /// A graphical program that knows nothing of Greenroom.
    case graphical
    /// The app finishes what it had begun (S1).
    case task
    /// It answers others: one is connected to an app that serves others (X5), or has called it over a message bus.
    case listen
    /// It was woken, and says when it is done (S9, S10).
    case fetch, sessionEvents, refresh, processing
    /// A service that is a program of its own says so.
    case service

    package var name: String {
        switch self {
        case .exemption: "exemption"
        case .graphical: "graphical"
        case .task: "task"
        case .listen: "listen"
        case .fetch: "fetch"
        case .sessionEvents: "transferEvents"
        case .refresh: "refresh"
        case .processing: "processing"
        case .service: "service"
        }
    }
}

package struct Assertion: Hashable, Sendable, Codable {
    package let id: AssertionID
    package let kind: AssertionKind
    package let name: String
    package let since: Instant
    /// When it is dropped at the latest; `nil`: as long as the service holds it.
    package var expires: Instant?
    /// Of a service that is a program of its own.
    package var claim: ServiceClaim?

    package init(
        id: AssertionID, kind: AssertionKind, name: String, since: Instant, expires: Instant?,
        claim: ServiceClaim? = nil
    ) {
        self.id = id
        self.kind = kind
        self.name = name
        self.since = since
        self.expires = expires
        self.claim = claim
    }

    /// What the app's traffic is charged to while it holds this; `nil`: to nothing in particular.
    package var activity: Purpose? { claim?.activity ?? kind.purpose }

    /// Why the app may run, for people.
    package var reason: String {
        claim?.sentence ?? (kind == .task ? "it finishes the background task “\(name)”" : kind.reason)
    }
}

extension AssertionKind {
    /// Where it comes from.
    package enum Source: Sendable { case itself, task, peers, window, service }

    package var source: Source {
        switch self {
        case .exemption, .graphical: .itself
        case .task: .task
        case .listen: .peers
        case .fetch, .sessionEvents, .refresh, .processing: .window
        case .service: .service
        }
    }

    /// The user notices the app by it, by ear or in a window that nobody else knows of. A service says so itself.
    package var isPerceived: Bool {
        switch self {
        case .graphical: true
        case .exemption, .task, .listen, .fetch, .sessionEvents, .refresh, .processing, .service: false
        }
    }

    /// What an app moves over the network while this lets it run; `nil`: anything.
    package var purpose: Purpose? {
        switch self {
        case .sessionEvents: .transfer
        case .exemption, .graphical, .task, .listen, .fetch, .refresh, .processing, .service: nil
        }
    }

    /// Why it lets an app run, for people.
    package var reason: String {
        switch self {
        case .exemption: "the user exempted it from suspension"
        case .graphical:
            "it is a graphical program that knows nothing of Greenroom; freezing it could hang others "
                + "(X-Greenroom-Freeze=true in its .desktop file allows it)"
        case .task: "it finishes a background task"
        case .listen: "it answers other processes"
        case .fetch: "it fetches what is new, and has yet to call its completion handler"
        case .sessionEvents:
            "it handles the events of a background URL session, and has yet to call its completion handler"
        case .refresh: "it refreshes its content in a task of BGTaskScheduler"
        case .processing: "it works in a processing task of BGTaskScheduler"
        case .service: "a service needs it"
        }
    }
}
