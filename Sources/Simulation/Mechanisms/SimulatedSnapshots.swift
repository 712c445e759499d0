internal import Model
internal import PolicyCore

// Pictures of apps: a freeze waits for one that was asked for, if not for long, as on the real host.
enum SnapshotStep {
    case ask(connection: UInt32)
    /// The time for it is over, in this suspension.
    case endDrawing(UInt32)

    var way: ProcessStep.Way {
        switch self {
        case .ask: .toApp
        case .endDrawing: .none
        }
    }
}

extension Device {
    func perform(_ action: Snapshots.Action, _ place: Int) {
        switch action {
        case .take: askForSnapshot(place)
        }
    }

    func take(_ step: SnapshotStep, _ place: Int) {
        guard let process = apps[place].process else { return }
        switch step {
        case .ask(let connection):
            if connection == process.connection, process.isConnected { enqueue(.snapshot, place) }
        case .endDrawing(let suspension): if suspension == process.suspension { stopDrawing(place) }
        }
    }

    private func askForSnapshot(_ place: Int) {
        if apps[place].process?.freezer != .running { violate("a frozen app is asked for a snapshot") }
        apps[place].process?.mustDraw = true
        after(costs.message, place) { .mechanism(.snapshots(.ask(connection: $0.connection))) }
        guard let process = apps[place].process else { return }
        at(
            now + Span(nanoseconds: profile.freezeLimit.nanoseconds / 2), place,
            .mechanism(.snapshots(.endDrawing(process.suspension))))
    }

    /// The app gives its picture.
    func draw(_ place: Int) {
        guard apps[place].process?.mustDraw == true else { return }
        apps[place].snapshots += 1
        apps[place].program?.takeSnapshot()
        stopDrawing(place)
    }

    func stopDrawing(_ place: Int) {
        guard let process = apps[place].process, process.mustDraw else { return }
        apps[place].process?.mustDraw = false
        apps[place].process?.holdsFreeze = false
        if process.holdsFreeze { after(costs.prepare, place) { .prepared($0.suspension) } }
    }
}
