internal import Model
internal import PolicyCore

/// A transfer of an app, and how much of it the daemon has seen.
struct WatchedTransfer: Hashable {
    let id: TrafficID
    let bytes: Int64
    var seen: Int64 = 0
}

// The daemon sees what its apps move, in pieces of a second, as its own services tell it on a real machine.
extension Device {
    private static let piece = Span.seconds(1)
    /// While nothing moves.
    private static let pause = Span.seconds(10)

    func watchTraffic(_ transfer: TrafficID, bytes: Int64, _ place: Int) {
        guard let process = apps[place].process else { return }
        apps[place].process?.traffic.append(WatchedTransfer(id: transfer, bytes: bytes))
        guard process.traffic.isEmpty else { return }
        apps[place].process?.trafficSeen = now
        at(now + Self.piece, place, .traffic)
    }

    func lookAtTraffic(_ place: Int) {
        guard let process = apps[place].process, let app = apps[place].index, !process.traffic.isEmpty else { return }
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
        // What no daemon sees, the next one does.
        guard daemon == .running else { return at(now + Self.piece, place, .traffic) }
        apps[place].process?.traffic = rest
        apps[place].process?.trafficSeen = now
        if received > 0 {
            send(.trafficSeen(app, .use, sent: 0, received: received, from: process.trafficSeen, to: now))
        }
        if !rest.isEmpty { at(now + (received > 0 ? Self.piece : Self.pause), place, .traffic) }
    }
}
