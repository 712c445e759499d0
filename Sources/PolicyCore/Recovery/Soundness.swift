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
        guard memory.isSound else { return "so much memory no machine has" }
        for (number, app) in apps.enumerated() {
            guard app.memory.isSound else { return "so much memory as \(app.manifest.identifier) has no machine has" }
            guard app.index.rawValue == number else { return "the apps are not in their order" }
            guard app.lastCallback.rawValue < largest, app.generation.rawValue < .max else {
                return "a number of \(app.manifest.identifier) has come to its end"
            }
            guard app.role.map({ screen[$0] == app.index }) ?? true else { return "an app has a place that is not its" }
            if let scenes = app.scenes {
                guard scenes.isSound, scenes.role == app.role,
                    scenes.sessions.allSatisfy({ $0.role.map { screen[$0] == app.index } ?? true })
                else { return "the scenes of \(app.manifest.identifier) are damaged" }
            }
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

// What comes as an event is kept within these bounds.
extension MemoryState {
    fileprivate var isSound: Bool {
        [budget, available, taken ?? 0].allSatisfy { $0.magnitude <= Self.mostBytes.magnitude }
            && history.switches < 1 << 60
    }
}

extension AppMemory {
    fileprivate var isSound: Bool {
        var all = [footprint.dirty, footprint.purgeable, footprint.clean]
        if case .asked(let bytes) = reclaim { all.append(bytes) }
        let most = MemoryState.mostBytes
        return all.allSatisfy { (0...3 * most).contains($0) } && growth.magnitude <= most.magnitude
    }
}
