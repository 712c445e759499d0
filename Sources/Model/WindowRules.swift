/// How long apps may take for what they are woken for, and what becomes of those that take longer.
package struct WindowRules: Hashable, Sendable, Codable {
    package enum Overrun: String, Hashable, Sendable, Codable, CaseIterable {
        /// As in 2013: it is suspended, whatever it is at.
        case suspends
        case terminates
    }

    package var fetch = Span.seconds(30)
    package var sessionEvents = Span.seconds(10)
    package var refresh = Span.seconds(30)
    /// Some minutes.
    package var processing = Span.seconds(180)
    /// How long before the end expiration handlers are called.
    package var notice = Span.seconds(5)
    package var overrun = Overrun.terminates
    /// Who closes an app in the switcher gives up its transfers, too.
    package var closingEndsSessions = true
    /// With less, in percent, and no charger, nothing is fetched and no task begun.
    package var leastBattery: Int32 = 20
    /// Requests of an app that may wait: to refresh, and to process.
    package var refreshRequests = 1
    package var processingRequests = 10
    /// An app that names tasks in its `Info.plist` is not fetched any more, as since iOS 13; `nil`: it is, as in
    /// recordings from before this was known.
    package var tasksReplaceFetch: Bool? = true

    /// As checkpoints have them.
    private enum CodingKeys: String, CodingKey {
        case fetch, refresh, processing, notice, overrun, leastBattery, refreshRequests, processingRequests
        case tasksReplaceFetch
        case sessionEvents = "transferEvents"
        case closingEndsSessions = "closingEndsTransfers"
    }

    package init() {}

    package init(overrun: Overrun, closingEndsSessions: Bool) {
        self.overrun = overrun
        self.closingEndsSessions = closingEndsSessions
        tasksReplaceFetch = false
    }

    /// 2010 and 2013.
    package static let early = WindowRules(overrun: .suspends, closingEndsSessions: false)

    package func limit(_ service: WindowService) -> Span {
        switch service {
        case .fetch: fetch
        case .sessionEvents: sessionEvents
        case .refresh: refresh
        case .processing: processing
        // Each service declares its own.
        case .service: refresh
        }
    }

    package func limit(_ kind: WindowKind) -> Span {
        if case .service(let wake) = kind { wake.time } else { limit(kind.service) }
    }
}
