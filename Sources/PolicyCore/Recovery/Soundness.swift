internal import Model

/// Whether a Core that was read from a file can be gone on with. The file may have been damaged: what is found here is
/// told and set aside, where a number without bounds would end the daemon, and the next one again.
extension System {
    /// What is wrong, in a few words; `nil`: nothing.
    package var unsoundness: String? {
        let largest: UInt64 = 1 << 60
        guard screen.isWhole else { return "the screen is none" }
        guard nextSequence.rawValue < largest, nextAssertion < largest else { return "a number has come to its end" }
        guard wallOffset.magnitude < largest << 2 else { return "the clock is impossible" }
        for (number, app) in apps.enumerated() {
            guard app.index.rawValue == number else { return "the apps are not in their order" }
            guard app.lastCallback.rawValue < largest, app.generation.rawValue < .max else {
                return "a number of \(app.manifest.identifier) has come to its end"
            }
            guard app.role.map({ screen[$0] == app.index }) ?? true else { return "an app has a place that is not its" }
        }
        guard deadlines.appCount == apps.count else { return "the deadlines are not those of the apps" }
        let named = ScreenRole.allCases.compactMap { screen[$0] } + fetch.pending.map(\.app) + fetch.planner.apps
        guard named.allSatisfy({ $0.rawValue < apps.count }) else { return "an app is named that there is not" }
        guard broker?.isSound(apps: apps.count) ?? true else { return "a service holds what there is not" }
        guard fetch.planner.rules.isSound else { return "what fetches go by is impossible" }
        guard fetch.planner.memory.isSound else { return "what was learned of the user's days is damaged" }
        return nil
    }
}
