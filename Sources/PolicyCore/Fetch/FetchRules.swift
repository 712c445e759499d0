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

    package init() {}
}
