internal import Model
internal import PolicyCore
internal import Simulation

// Who locked what when, a recording does not say, nor who needed it: only that a plain program was in somebody's way.
extension ScenarioMaker {
    /// It had the file locked when it was sent away, and an app that runs needs it from then on.
    mutating func noteInTheWay(_ place: Int, _ path: String, _ system: System) {
        guard apps[place].manifest.kind == .plain else { return }
        guard apps[place].inTheWay == nil else {
            apps[place].inTheWay?.last = now
            return
        }
        let others = system.allApps.filter { $0.state.isRunning }.compactMap { self.place($0.index) }
        guard let other = others.first(where: { $0 != place }).map({ apps[$0].name }) else { return }
        let (frozen, asked) = (apps[place].frozenAt, max(apps[place].frozenAt, now - .milliseconds(1)))
        add(lock(path, apps[place].name), after: apps[place].bornAt ?? apps[place].launchedAt, before: frozen)
        add(lock(path, other), at: asked + .milliseconds(1))
        apps[place].inTheWay = (path, other, now)
    }

    /// It had the input of its display when it was sent away.
    mutating func noteGrab(_ place: Int) {
        if apps[place].grabbedAt == nil {
            add(
                .input(.app(apps[place].name, .grabInput(true))), after: apps[place].bornAt ?? apps[place].launchedAt,
                before: apps[place].frozenAt)
        }
        apps[place].grabbedAt = now
    }

    /// It was suspended after all, or is gone: since it was last found in the way, the file or the input was released.
    mutating func noteOutOfTheWay(_ place: Int) {
        if let last = apps[place].grabbedAt {
            apps[place].grabbedAt = nil
            add(.input(.app(apps[place].name, .grabInput(false))), at: last + .milliseconds(10))
        }
        guard let (path, other, last) = apps[place].inTheWay else { return }
        apps[place].inTheWay = nil
        for name in [other, apps[place].name] {
            add(.input(.app(name, .unlock(path))), at: last + .milliseconds(10))
        }
    }

    private func lock(_ path: String, _ name: String) -> Scenario.Action { .input(.app(name, .lock(path))) }
}
