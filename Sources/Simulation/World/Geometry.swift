internal import Model

/// Metres on a plane, east and north of some point.
package struct Point: Hashable, Sendable, Codable {
    package var x: Int64
    package var y: Int64

    /// Within a hundred thousand kilometres, so that squares of distances fit.
    package init(x: Int64, y: Int64) {
        self.x = max(-100_000_000, min(100_000_000, x))
        self.y = max(-100_000_000, min(100_000_000, y))
    }

    package static let zero = Point(x: 0, y: 0)

    func squaredDistance(to other: Point) -> Int64 {
        (x - other.x) * (x - other.x) + (y - other.y) * (y - other.y)
    }
}

/// A point on Earth in millionths of a degree.
package struct Coordinate: Hashable, Sendable, Codable {
    package var latitude: Int64
    package var longitude: Int64

    /// Fails for what is not on Earth.
    package init?(latitude: Int64, longitude: Int64) {
        guard abs(latitude) <= 90_000_000, abs(longitude) <= 180_000_000 else { return nil }
        self.latitude = latitude
        self.longitude = longitude
    }

    /// On the plane that touches Earth at an origin: good to a part in a thousand within some hundred kilometres.
    package func point(from origin: Coordinate) -> Point {
        func metres(_ degrees: Int64) -> Int64 { (degrees * 111_195 + (degrees < 0 ? -500_000 : 500_000)) / 1_000_000 }
        // The short way round.
        let difference = (longitude - origin.longitude + 540_000_000) % 360_000_000 - 180_000_000
        let east = (difference * Self.cosine(origin.latitude)) >> 30
        return Point(x: metres(east), y: metres(latitude - origin.latitude))
    }

    /// In parts of 2^30. Integers, because the same route must give the same metres everywhere.
    private static func cosine(_ millionths: Int64) -> Int64 {
        let one: Int64 = 1 << 30
        // π / 180 / 10^6 in parts of 2^60.
        let angle = (abs(millionths) * 20_122_276_272) >> 30
        let square = (angle * angle) >> 30
        var term = one
        var sum = one
        for divisor: Int64 in [2, 12, 30, 56, 90] {
            term = -((term * square) >> 30) / divisor
            sum += term
        }
        return max(0, sum)
    }
}

/// A part of a route: from one point to another at an even pace, looked at every millisecond.
struct Leg {
    let from: Point
    let to: Point
    /// Milliseconds.
    let lasts: Int64

    private var dx: Int64 { to.x - from.x }
    private var dy: Int64 { to.y - from.y }

    /// To the nearest metre.
    func point(at time: Int64) -> Point {
        guard lasts > 0 else { return to }
        func between(_ a: Int64, _ b: Int64) -> Int64 {
            let distance = abs(b - a).scaled(by: 2 * time, over: lasts)
            let rounded = (distance + 1) / 2
            return b < a ? a - rounded : a + rounded
        }
        return Point(x: between(from.x, to.x), y: between(from.y, to.y))
    }

    // The questions below are answered for the exact place, not for the nearest metre: every length is multiplied by
    // the leg's duration, so that nothing is divided.

    private func scaled(_ point: Point, _ time: Int64) -> (x: Int128, y: Int128) {
        (
            Int128(from.x - point.x) * Int128(lasts) + Int128(dx) * Int128(time),
            Int128(from.y - point.y) * Int128(lasts) + Int128(dy) * Int128(time)
        )
    }

    func isInside(_ circle: Circle, at time: Int64) -> Bool {
        guard lasts > 0 else { return to.squaredDistance(to: circle.center) <= circle.radius * circle.radius }
        let (x, y) = scaled(circle.center, time)
        let radius = Int128(circle.radius) * Int128(lasts)
        return x * x + y * y <= radius * radius
    }

    /// How much nearer the second point is than the first; its sign is what counts.
    private func advantage(of b: Point, over a: Point, at time: Int64) -> Int128 {
        let (ax, ay) = scaled(a, time)
        let (bx, by) = scaled(b, time)
        return ax * ax + ay * ay - bx * bx - by * by
    }

    func isNearer(_ b: Point, than a: Point, orAsNear: Bool, at time: Int64) -> Bool {
        let lead =
            lasts > 0
            ? advantage(of: b, over: a, at: time)
            : Int128(to.squaredDistance(to: a) - to.squaredDistance(to: b))
        return orAsNear ? lead >= 0 : lead > 0
    }

    /// The first millisecond after a time at which a condition holds that, once it holds, holds to the end.
    private func first(after time: Int64, upTo end: Int64, where holds: (Int64) -> Bool) -> Int64? {
        guard time < end, holds(end) else { return nil }
        var (low, high) = (time + 1, end)
        while low < high {
            let middle = low + (high - low) / 2
            if holds(middle) { high = middle } else { low = middle + 1 }
        }
        return high
    }

    /// When the second point becomes the nearer one; never where it is that already.
    func timeNearer(_ b: Point, than a: Point, orAsNear: Bool, after time: Int64) -> Int64? {
        guard !isNearer(b, than: a, orAsNear: orAsNear, at: time) else { return nil }
        return first(after: time, upTo: lasts) { isNearer(b, than: a, orAsNear: orAsNear, at: $0) }
    }

    /// When the border of a circle is crossed next.
    func timeCrossing(_ circle: Circle, after time: Int64) -> Int64? {
        let wasInside = isInside(circle, at: time)
        let nearest = max(time, min(lasts, timeNearest(circle.center)))
        if wasInside { return first(after: nearest, upTo: lasts) { !isInside(circle, at: $0) } }
        // The nearest whole millisecond is this one or the next.
        for end in [nearest, min(lasts, nearest + 1)] {
            if let found = first(after: time, upTo: end, where: { isInside(circle, at: $0) }) { return found }
        }
        return nil
    }

    /// When it is nearest to a point, rounded down; perhaps outside the leg.
    private func timeNearest(_ point: Point) -> Int64 {
        let length = Int128(dx * dx + dy * dy)
        guard length > 0 else { return 0 }
        let along = Int128(point.x - from.x) * Int128(dx) + Int128(point.y - from.y) * Int128(dy)
        return Int64(clamping: along * Int128(lasts) / length)
    }

    /// When it leaves a square of the grid.
    func timeLeaving(_ square: Square, after time: Int64) -> Int64? {
        first(after: time, upTo: lasts) { !isInside(square, at: $0) }
    }

    func isInside(_ square: Square, at time: Int64) -> Bool {
        let duration = Int128(max(1, lasts))
        let rest = (x: Int128(to.x - square.corner.x), y: Int128(to.y - square.corner.y))
        let (x, y) = lasts > 0 ? scaled(square.corner, time) : rest
        let side = Int128(square.side) * duration
        return x >= 0 && y >= 0 && x < side && y < side
    }
}

package struct Circle: Hashable, Sendable, Codable {
    package var center: Point
    package var radius: Int64

    package init(center: Point, radius: Int64) {
        self.center = center
        self.radius = max(0, min(100_000_000, radius))
    }
}

/// Its lower and left sides belong to it.
struct Square: Hashable {
    let corner: Point
    let side: Int64
}
