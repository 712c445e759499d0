package import Model

/// Something that the timeline shows. Its ring on disk, the protocol and the pictures are all made of these.
package struct TimelineRecord: Hashable, Sendable {
    /// On the clock that counts from the machine's boot, which nobody sets.
    package var at: Instant
    package var what: Happening

    package init(_ at: Instant, _ what: Happening) {
        self.at = at
        self.what = what
    }
}

package enum Happening: Hashable, Sendable {
    /// A daemon or a file of the ring begins.
    case began(Beginning)
    /// Wall clock minus boot clock, in nanoseconds, from here on.
    case clockSet(offset: Int64)
    /// What people call an app, told before each of its launches.
    case named(app: String, name: String)
    case state(app: String, LifecycleState)
    case entry(TimelineEntry)
    case assertionBegan(app: String, HeldAssertion)
    case assertionEnded(app: String, id: UInt64)
    /// What it has of the machine from here on; before the first one and after an end, all that others have.
    case priority(app: String, AppPriority)
    /// In the time `over` before it, so much of a processor was used; by the daemon where there is no app. Where
    /// nothing is told, nothing was used.
    case processorUsed(app: String?, used: Span, over: Span)
    case memory(app: String, Footprint)
    /// In the time `over` before it, so many bytes were moved over the network. Where nothing is told, none were.
    case networkUsed(app: String, sent: Int64, received: Int64, over: Span)
    /// The same of disks; what the page cache gave or took is not counted.
    case diskUsed(app: String, read: Int64, written: Int64, over: Span)
    case available(bytes: Int64, budget: Int64)
    case report(app: String, TimelineReport)

    /// The app that it is about.
    package var app: String? {
        switch self {
        case .began, .clockSet, .available: nil
        case .named(let app, _), .state(let app, _), .assertionBegan(let app, _), .assertionEnded(let app, _),
            .memory(let app, _), .report(let app, _), .priority(let app, _), .networkUsed(let app, _, _, _),
            .diskUsed(let app, _, _, _):
            app
        case .entry(let entry): entry.app
        case .processorUsed(let app, _, _): app
        }
    }

    /// Measured, not decided: after a daemon's death it is not there to be told again.
    package var isMeasured: Bool {
        switch self {
        case .processorUsed, .memory, .available, .networkUsed, .diskUsed: true
        case .began, .clockSet, .named, .state, .entry, .assertionBegan, .assertionEnded, .report, .priority:
            false
        }
    }
}

package struct Beginning: Hashable, Sendable {
    package enum Kind: UInt8, Hashable, Sendable, CaseIterable {
        /// Nothing of what was before goes on.
        case fresh
        /// A daemon follows one that died; the apps lived on.
        case restarted
        /// The file before was full. What stands is told again, so that each file can be read alone.
        case continued

        package var name: String {
            switch self {
            case .fresh: "fresh"
            case .restarted: "restarted"
            case .continued: "continued"
            }
        }
    }

    package var kind: Kind
    /// The machine's boot, which `at` counts from.
    package var boot: String
    /// Wall clock minus boot clock.
    package var offset: Int64
    /// So many records follow that repeat what the file before told.
    package var standing: Int

    package init(_ kind: Kind, boot: String, offset: Int64, standing: Int = 0) {
        self.kind = kind
        self.boot = boot
        self.offset = offset
        self.standing = standing
    }
}

/// A log entry.
package struct TimelineEntry: Hashable, Sendable {
    package var app: String?
    package var sequence: UInt64
    package var event: String
    package var reason: String
    package var cause: UInt64?
    package var took: Span?

    package init(
        app: String?, sequence: UInt64, event: String, reason: String, cause: UInt64? = nil, took: Span? = nil
    ) {
        self.app = app
        self.sequence = sequence
        self.event = event
        self.reason = reason
        self.cause = cause
        self.took = took
    }
}

package struct HeldAssertion: Hashable, Sendable {
    package var id: UInt64
    package var kind: String
    package var name: String
    package var expires: Instant?

    package init(id: UInt64, kind: String, name: String, expires: Instant? = nil) {
        self.id = id
        self.kind = kind
        self.name = name
        self.expires = expires
    }
}

package struct TimelineReport: Hashable, Sendable {
    package var id: String
    package var namespace: String
    package var code: Int64
    package var reason: String

    package init(id: String, namespace: String, code: Int64, reason: String) {
        self.id = id
        self.namespace = namespace
        self.code = code
        self.reason = reason
    }
}
