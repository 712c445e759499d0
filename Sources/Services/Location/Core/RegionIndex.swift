internal import LocationModel
internal import Model
internal import RealModule

/// A region of an app.
struct RegionKey: Hashable, Comparable, Sendable {
    let app: AppIdentifier
    let identifier: String
    var list = RegionList.own

    static func < (a: RegionKey, b: RegionKey) -> Bool {
        (a.app.rawValue, a.list, a.identifier) < (b.app.rawValue, b.list, b.identifier)
    }
}

/// Which regions a fix may say something of, among as many as there are.
///
/// All are compared with a place now and then, and those that are not far from it with another place more often. Until
/// the device has gone far from there, a region that was some metres away is looked at only when the device has gone so
/// many metres. Those that it is in are always looked at.
struct RegionIndex: Sendable {
    private struct Entry: Sendable {
        let key: RegionKey
        let center: SIMD3<Double>
        let radius: Double
    }

    private struct Near: Sendable {
        let entry: Entry
        /// The device cannot be in it before it has gone so many metres.
        let slack: Double
    }

    /// Regions around a place, the nearest first.
    private struct Ring: Sendable {
        /// Metres that the device may go before another place is taken; regions are in it up to twice as far.
        let range: Double
        var anchor: Coordinate?
        var near: [Near] = []

        /// Metres from its place; `nil`: it is of no use there.
        func way(to place: Coordinate) -> Double? {
            anchor.map { $0.roughDistance(to: place) * 1.006 }.flatMap { $0 <= range ? $0 : nil }
        }

        mutating func fill(_ place: Coordinate, _ entries: some Sequence<Entry>) {
            anchor = place
            let here = RegionIndex.vector(place)
            near.removeAll(keepingCapacity: true)
            for entry in entries {
                let difference = here - entry.center
                let square = (difference * difference).sum()
                // The arc, from below where it is long: that is far enough.
                let distance = Coordinate.meanRadius * square.squareRoot() * (1 + square / 24)
                let slack = max(0, distance * 0.994 - entry.radius)
                if slack <= range * 2 { near.append(Near(entry: entry, slack: slack)) }
            }
            near.sort { $0.slack < $1.slack }
        }
    }

    /// Metres by which a place may seem to be nearer than it is.
    private static let error = 20.0

    private var entries: [Entry] = []
    private var places: [RegionKey: Int] = [:]
    private var wide = Ring(range: 4000)
    /// Of those in `wide`.
    private var narrow = Ring(range: 250)
    /// Those that the device is in, or of which nobody knows.
    private var held: Set<RegionKey> = []

    var isEmpty: Bool { entries.isEmpty }
    var count: Int { entries.count }

    mutating func insert(_ key: RegionKey, _ region: Region, _ state: RegionState) {
        remove(key)
        places[key] = entries.count
        entries.append(
            Entry(key: key, center: Self.vector(region.center), radius: region.radius))
        note(key, state)
        wide.anchor = nil
    }

    mutating func remove(_ key: RegionKey) {
        guard let place = places.removeValue(forKey: key) else { return }
        let last = entries.removeLast()
        if place < entries.count {
            entries[place] = last
            places[last.key] = place
        }
        wide.near.removeAll { $0.entry.key == key }
        narrow.near.removeAll { $0.entry.key == key }
        held.remove(key)
    }

    /// On which side the device is.
    mutating func note(_ key: RegionKey, _ state: RegionState) {
        if state == .outside { held.remove(key) } else { held.insert(key) }
    }

    /// Those that a fix there may decide, beside those that are being decided, in order; all others are on the side
    /// where they were.
    mutating func candidates(at place: Coordinate) -> [RegionKey] {
        let way = compare(place).narrow + Self.error
        var keys: [RegionKey] = []
        for one in narrow.near {
            guard one.slack <= way else { break }
            keys.append(one.entry.key)
        }
        if held.isEmpty { return keys.count > 1 ? keys.sorted() : keys }
        return Set(keys).union(held).sorted()
    }

    /// Calls with those that may have an edge nearer than `metres`, until it says that nothing nearer counts.
    ///
    /// - Returns: metres within which there are no edges but those of the ones it was called with.
    mutating func visit(_ place: Coordinate, within metres: Double, _ body: (RegionKey) -> Double) -> Double {
        let ways = compare(place)
        var nearest = min(metres, max(0, wide.range * 2 - ways.wide - Self.error))
        for key in held.sorted() { nearest = min(nearest, body(key)) }
        for (ring, way) in [(narrow, ways.narrow + Self.error), (wide, ways.wide + Self.error)] {
            for one in ring.near where !held.contains(one.entry.key) {
                guard one.slack - way <= nearest else { break }
                nearest = min(nearest, body(one.entry.key))
            }
            // What is not in this ring is farther away.
            if nearest <= ring.range * 2 - way { break }
        }
        return nearest
    }

    /// Metres from the places with which they were compared.
    private mutating func compare(_ place: Coordinate) -> (narrow: Double, wide: Double) {
        let far = wide.way(to: place)
        if far == nil {
            wide.fill(place, entries)
            narrow.anchor = nil
        }
        let way = far ?? 0
        if let near = narrow.way(to: place) { return (near, way) }
        let reach = narrow.range * 2 + way + Self.error
        narrow.fill(place, wide.near.lazy.prefix { $0.slack <= reach }.map(\.entry))
        return (0, way)
    }

    private static func vector(_ place: Coordinate) -> SIMD3<Double> {
        let (latitude, longitude) = (place.latitude * .pi / 180, place.longitude * .pi / 180)
        return SIMD3(
            Double.cos(latitude) * Double.cos(longitude), Double.cos(latitude) * Double.sin(longitude),
            Double.sin(latitude))
    }
}
