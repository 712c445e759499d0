package import Model

package struct TowerID: Hashable, Comparable, Sendable, Codable {
    package let rawValue: Int64
    package init(_ rawValue: Int64) { self.rawValue = rawValue }
    package static func < (a: TowerID, b: TowerID) -> Bool { a.rawValue < b.rawValue }
}

/// A cell tower and how far it reaches.
package struct Tower: Hashable, Sendable, Codable {
    package let id: TowerID
    package var reach: Circle

    package init(id: TowerID, reach: Circle) {
        self.id = id
        self.reach = reach
    }
}

/// Where towers stand.
package enum Towers: Hashable, Sendable, Codable {
    case list([Tower])
    /// One in the middle of each square of this side, everywhere.
    case grid(side: Int64)
}

package struct PlaceID: Hashable, Comparable, Sendable, Codable {
    package let rawValue: UInt32
    package init(_ rawValue: UInt32) { self.rawValue = rawValue }
    package static func < (a: PlaceID, b: PlaceID) -> Bool { a.rawValue < b.rawValue }
}

/// A place of which entering and leaving are told.
package struct Place: Hashable, Sendable, Codable {
    package let id: PlaceID
    package var circle: Circle
    /// Within it the device has Wi-Fi.
    package var hasWiFi: Bool

    package init(id: PlaceID, circle: Circle, hasWiFi: Bool = false) {
        self.id = id
        self.circle = circle
        self.hasWiFi = hasWiFi
    }
}

/// A position and how far off it may be.
package struct Fix: Hashable, Sendable, Codable {
    package var point: Point
    /// Metres.
    package var accuracy: Int64

    package init(point: Point, accuracy: Int64) {
        self.point = point
        self.accuracy = accuracy
    }
}

/// Where the device is, which tower serves it, and what it is near to.
package struct Places: Hashable, Sendable, Codable {
    package let towers: Towers
    package private(set) var places: [Place]
    private var route: Route
    private var departed = Instant.zero
    package private(set) var tower: Tower?
    /// Where the device is, in order.
    package private(set) var inside: [PlaceID] = []

    package init(towers: Towers, places: [Place] = [], route: Route = .resting(at: .zero)) {
        switch towers {
        case .list(let list): self.towers = .list(list.sorted { $0.id < $1.id })
        case .grid(let side): self.towers = .grid(side: max(1, min(side, 10_000_000)))
        }
        self.places = places.sorted { $0.id < $1.id }
        self.route = route
        (tower, inside) = look(at: .zero)
    }

    package func position(at now: Instant) -> Point { route.point(at: time(now)) }

    /// What GPS would say.
    package func satelliteFix(at now: Instant) -> Fix { Fix(point: position(at: now), accuracy: 10) }

    /// What the tower gives away: where it stands, and how far it reaches.
    package var cellFix: Fix? { tower.map { Fix(point: $0.reach.center, accuracy: $0.reach.radius) } }

    var hasWiFi: Bool { places.contains { $0.hasWiFi && inside.contains($0.id) } }

    private func time(_ now: Instant) -> Int64 { Route.milliseconds(now - departed) }

    private func look(at now: Instant) -> (Tower?, [PlaceID]) {
        let (leg, time, _) = route.leg(at: time(now))
        return (tower(leg, time), places.filter { leg.isInside($0.circle, at: time) }.map(\.id))
    }

    private func tower(_ leg: Leg, _ time: Int64) -> Tower? {
        switch towers {
        case .grid(let side):
            let here = leg.point(at: time)
            // The nearest metre may lie across the border.
            for dx: Int64 in [0, -1, 1] {
                for dy: Int64 in [0, -1, 1] {
                    let square = Self.square(at: Point(x: here.x + dx, y: here.y + dy), side: side)
                    if leg.isInside(square, at: time) { return Self.tower(in: square) }
                }
            }
            return nil
        case .list(let list):
            var best: Tower?
            for tower in list where leg.isInside(tower.reach, at: time) {
                let isBetter =
                    best.map { leg.isNearer(tower.reach.center, than: $0.reach.center, orAsNear: false, at: time) }
                if isBetter ?? true { best = tower }
            }
            return best
        }
    }

    private static func square(at point: Point, side: Int64) -> Square {
        func floor(_ value: Int64) -> Int64 { value >= 0 ? value / side : -((side - 1 - value) / side) }
        return Square(corner: Point(x: floor(point.x) * side, y: floor(point.y) * side), side: side)
    }

    private static func tower(in square: Square) -> Tower {
        let side = square.side
        let center = Point(x: square.corner.x + side / 2, y: square.corner.y + side / 2)
        // Half the diagonal of the square, rounded up.
        let reach = Circle(center: center, radius: side * 7072 / 10_000 + 1)
        let number = (square.corner.x / side) << 32 | (square.corner.y / side) & 0xffff_ffff
        return Tower(id: TowerID(number), reach: reach)
    }

    // MARK: What happens by itself

    /// When the device may cross a border; at the latest when it sets out on another leg.
    func nextChange(after now: Instant) -> Instant? {
        let (leg, time, end) = route.leg(at: time(now))
        guard let end else { return nil }
        var next = end - (self.time(now) - time)
        if leg.lasts > 0 { next = min(next, nextCrossing(on: leg, after: time) ?? next) }
        let start = self.time(now) - time
        return departed + .milliseconds(start + next)
    }

    private func nextCrossing(on leg: Leg, after time: Int64) -> Int64? {
        var next: Int64?
        func consider(_ crossing: Int64?) { next = crossing.map { min($0, next ?? $0) } ?? next }
        for place in places { consider(leg.timeCrossing(place.circle, after: time)) }
        switch towers {
        case .grid(let side):
            guard let tower else { break }
            let corner = Point(x: tower.reach.center.x - side / 2, y: tower.reach.center.y - side / 2)
            consider(leg.timeLeaving(Square(corner: corner, side: side), after: time))
        case .list(let list):
            for other in list {
                consider(leg.timeCrossing(other.reach, after: time))
                guard let tower, other != tower else { continue }
                consider(
                    leg.timeNearer(
                        other.reach.center, than: tower.reach.center, orAsNear: other.id < tower.id, after: time))
            }
        }
        return next
    }

    mutating func pass(_ now: Instant, _ changes: inout [WorldChange]) {
        let (newTower, newInside) = look(at: now)
        if newTower?.id != tower?.id { changes.append(.tower(newTower?.id)) }
        tower = newTower
        guard newInside != inside else { return }
        for place in inside where !newInside.contains(place) { changes.append(.left(place)) }
        for place in newInside where !inside.contains(place) { changes.append(.entered(place)) }
        inside = newInside
    }

    // MARK: What is done

    /// Sets out on a route now.
    mutating func travel(_ route: Route, at now: Instant) {
        self.route = route
        departed = now
    }

    mutating func watch(_ place: Place) {
        places.removeAll { $0.id == place.id }
        let index = places.firstIndex { $0.id > place.id } ?? places.count
        places.insert(place, at: index)
    }

    mutating func unwatch(_ place: PlaceID) {
        places.removeAll { $0.id == place }
        inside.removeAll { $0 == place }
    }
}
