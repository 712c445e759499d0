package import Model

/// Where somebody goes: points and when they are reached; at an even pace between, and resting before and after.
package struct Route: Hashable, Sendable, Codable {
    package struct Waypoint: Hashable, Sendable, Codable {
        /// Since the route began; whole milliseconds count.
        package var after: Span
        package var point: Point

        package init(after: Span, _ point: Point) {
            self.after = after
            self.point = point
        }
    }

    package let waypoints: [Waypoint]

    /// A hundred days: longer ones would not fit the arithmetic.
    static let longest = Span.seconds(100 * 86_400)

    /// Fails without a waypoint, unless each comes later than the one before, and when it is too long.
    package init?(_ waypoints: [Waypoint]) {
        guard let first = waypoints.first, let last = waypoints.last, first.after >= .zero,
            last.after <= Self.longest
        else { return nil }
        for (a, b) in zip(waypoints, waypoints.dropFirst())
        where Self.milliseconds(a.after) >= Self.milliseconds(b.after) { return nil }
        self.waypoints = waypoints
    }

    package static func resting(at point: Point) -> Route { Route(only: Waypoint(after: .zero, point)) }

    private init(only waypoint: Waypoint) { waypoints = [waypoint] }

    static func milliseconds(_ span: Span) -> Int64 { span.nanoseconds / 1_000_000 }

    /// The leg that a time falls on, and the time within it; a leg of no length is a rest.
    func leg(at time: Int64) -> (leg: Leg, time: Int64, next: Int64?) {
        var low = 0
        var high = waypoints.count
        while low < high {
            let middle = (low + high) / 2
            if Self.milliseconds(waypoints[middle].after) <= time { low = middle + 1 } else { high = middle }
        }
        let here = waypoints[max(0, low - 1)].point
        guard low < waypoints.count else { return (Leg(from: here, to: here, lasts: 0), 0, nil) }
        let end = Self.milliseconds(waypoints[low].after)
        guard low > 0 else { return (Leg(from: here, to: here, lasts: 0), 0, end) }
        let start = Self.milliseconds(waypoints[low - 1].after)
        return (Leg(from: here, to: waypoints[low].point, lasts: end - start), time - start, end)
    }

    func point(at time: Int64) -> Point {
        let (leg, within, _) = leg(at: time)
        return leg.point(at: within)
    }
}
