package import Model

/// What decides when apps fetch, as data. `docs/FETCH.md` says why, and what other values come to.
package struct FetchRules: Hashable, Sendable, Codable {
    /// What was fetched counts as fresh for so long.
    package var freshness = Span.seconds(3600)
    /// What the device spends, at most, so that one more opening finds fresh content: the one price by which energy is
    /// weighed against freshness.
    package var worth = Energy.joules(40)
    /// An app with the least interval is fetched for no more often than this.
    package var leastInterval = Span.seconds(600)
    /// After a failure; doubled with each that follows, up to `longestPause`.
    package var pauseAfterFailure = Span.seconds(300)
    package var longestPause = Span.seconds(4 * 3600)
    /// What a fetch is taken to move, and how long that is taken to last.
    package var usualSent: Int64 = 2_000
    package var usualReceived: Int64 = 30_000
    package var usualLength = Span.milliseconds(290)
    /// Of each app, so many decisions are remembered.
    package var decisions: Int32 = 16

    // How apps are brought together.
    /// What is stale so soon is treated as stale.
    package var ahead = Span.seconds(60)
    /// When the radio wakes for others, an app whose content is fresh for no longer than this goes with them.
    package var join = Span.seconds(1800)
    /// A radio that sleeps is woken when the openings that would be missed in so long a time are worth it. Before, it
    /// may wake for something else.
    package var patience = Span.seconds(300)
    /// With a radio that is awake, apps go early if what is lost of their hour is less than this part of a waking.
    package var ride = 0.3

    /// While something is stale, the planner looks again so often.
    package var look = Span.seconds(60)

    // How openings are learned.
    /// What is left of a count after a day: half in a week.
    package var fading: Float = 0.905_723_66
    /// The same of what all apps have in common: half in two weeks.
    package var slowFading: Float = 0.951_695_14
    /// What is assumed before there is evidence; `nil`: as in recordings from before this was data.
    package var prior: FetchPrior? = FetchPrior()

    package init() {}

    /// A planner can divide by it: it may come from a file.
    var isSound: Bool { prior?.isSound ?? true }
}

/// What is assumed of apps and users of whom little is known. Each number counts as if it had been seen, so evidence
/// outweighs it in time: one opening alone says little.
package struct FetchPrior: Hashable, Sendable, Codable {
    /// An app is opened so often in so many hours.
    package var openings: Float = 1
    package var hours: Float = 24
    /// The same of all apps together.
    package var allOpenings: Float = 1
    package var allHours: Float = 1
    /// So many openings are spread over the hours of the day as evenly as time is.
    package var even: Float = 4
    /// On so many days an hour went as the app's and the device's averages say.
    package var usualDays: Float = 3
    /// On so many days an app was not opened in an hour of the day.
    package var quietDays: Float = 2
    /// So many openings came in all circumstances, as many as were expected. Those that came count once for each
    /// sample of an hour.
    package var odds: Float = 6
    /// What an app showed when it left the screen is as fresh as if it had been fetched then.
    package var countsSeen = true

    package init() {}

    /// What recordings from before there was a prior go by: any app is opened once an hour, and what its user has seen
    /// does not count.
    static let early: FetchPrior = {
        var prior = FetchPrior()
        (prior.openings, prior.hours) = (0.2, 0.2)
        (prior.allOpenings, prior.allHours) = (0, 0)
        (prior.even, prior.usualDays, prior.quietDays, prior.odds) = (1, 3, 0.5, 0.5)
        prior.countsSeen = false
        return prior
    }()

    var isSound: Bool {
        let counts = [openings, hours, allOpenings, allHours, even, usualDays, quietDays, odds]
        return counts.allSatisfy { $0.isFinite && $0 >= 0 } && hours > 0 && even > 0 && usualDays > 0 && quietDays > 0
            && odds > 0
    }
}
