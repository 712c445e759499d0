internal import Model
internal import PolicyCore

/// A transfer of an app, and how much of it the daemon has seen.
struct WatchedTransfer: Hashable {
    let id: TrafficID
    let bytes: Int64
    var seen: Int64 = 0
}

// The daemon counts what its apps move, in pieces of a second and whenever an app begins to do something else, as it
// does on a real machine.
extension Device {
    private static let piece = Span.seconds(1)
    /// While nothing moves, after so many checks: a radio's promotion takes some seconds.
    private static let pause = Span.seconds(10)
    private static let patience = 5

    func watchTraffic(_ transfer: TrafficID, bytes: Int64, _ place: Int) {
        guard let process = apps[place].process else { return }
        apps[place].process?.traffic.append(WatchedTransfer(id: transfer, bytes: bytes))
        guard process.traffic.isEmpty else { return }
        apps[place].process?.trafficSeen = now
        apps[place].process?.idleTrafficChecks = 0
        at(now + Self.piece, place, .traffic)
    }

    func lookAtTraffic(_ place: Int) {
        guard let process = apps[place].process, !process.traffic.isEmpty else { return }
        // What no daemon sees, the next one does.
        guard daemon == .running else { return at(now + Self.piece, place, .traffic) }
        let hasMoved = countTraffic(place, for: process.activity ?? .use)
        guard apps[place].process?.traffic.isEmpty == false else { return }
        let idleChecks = hasMoved ? 0 : process.idleTrafficChecks + 1
        apps[place].process?.idleTrafficChecks = idleChecks
        at(now + (idleChecks < Self.patience ? Self.piece : Self.pause), place, .traffic)
    }

    /// After whatever happened: what an app moved goes to what it was doing until now.
    func noteActivities() {
        for place in apps.indices {
            guard apps[place].process != nil, let app = apps[place].index else { continue }
            let (before, activity) = (apps[place].process?.activity, system.ask { $0.activity(of: app) })
            guard activity != before else { continue }
            apps[place].process?.activity = activity
            countTraffic(place, for: before ?? .use)
            if before == .fetch { endFetch(place) }
            if activity == .fetch { apps[place].process?.processorSeen = processorTime(place) }
        }
    }

    /// Nothing of the process is left.
    func endTraffic(_ place: Int) {
        if apps[place].process?.activity == .fetch { endFetch(place) }
    }

    /// That a fetch moved nothing more is told as well: it may have moved nothing at all. Its processor time is told
    /// then.
    private func endFetch(_ place: Int) {
        guard let app = apps[place].index, let seen = apps[place].process?.processorSeen else { return }
        let used = Span(nanoseconds: processorTime(place).nanoseconds - seen.nanoseconds)
        send(
            .trafficCounted(
                app, .fetch, CountedTraffic(sent: 0, received: 0, from: now, to: now, processor: max(.zero, used))))
    }

    private func processorTime(_ place: Int) -> Span {
        catchUp()
        return surroundings.ask { $0.processorTime(of: AppIndex(UInt32(place))) }
    }

    @discardableResult
    private func countTraffic(_ place: Int, for activity: Purpose) -> Bool {
        guard let process = apps[place].process, let app = apps[place].index, !process.traffic.isEmpty,
            daemon == .running
        else { return false }
        catchUp()
        var received: Int64 = 0
        var rest: [WatchedTransfer] = []
        for var transfer in process.traffic {
            let present = surroundings.transfer(transfer.id)
            let moved = present?.moved ?? transfer.bytes
            received += moved - transfer.seen
            transfer.seen = moved
            if present != nil { rest.append(transfer) }
        }
        apps[place].process?.traffic = rest
        apps[place].process?.trafficSeen = now
        guard received > 0 else { return false }
        let count = CountedTraffic(sent: 0, received: received, from: process.trafficSeen, to: now)
        send(.trafficCounted(app, activity, count))
        return true
    }
}
