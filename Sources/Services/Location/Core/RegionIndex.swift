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
/// All are compared with a place now and then. Until the device has gone far from there, a region that was some metres
/// away is looked at only when the device has gone so many metres. Those that it is in are always looked at.
struct RegionIndex: Sendable {
    private struct Entry: Sendable {
        let key: RegionKey
        let center: SIMD3<Double>
        let radius: Double
    }

    private struct Near: Sendable {
        let key: RegionKey
        /// The device cannot be in it before it has gone so many metres.
        let slack: Double
    }

    /// Metres that the device may go before all are compared again.
    private static let range = 4000.0
    /// Metres by which a place may seem to be nearer than it is.
    private static let error = 20.0

    private var entries: [Entry] = []
    private var places: [RegionKey: Int] = [:]
    private var anchor: Coordinate?
    /// Those that are not too far, the nearest first.
    private var near: [Near] = []
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
        anchor = nil
    }

    mutating func remove(_ key: RegionKey) {
        guard let place = places.removeValue(forKey: key) else { return }
        let last = entries.removeLast()
        if place < entries.count {
            entries[place] = last
            places[last.key] = place
        }
        near.removeAll { $0.key == key }
        held.remove(key)
    }

    /// On which side the device is.
    mutating func note(_ key: RegionKey, _ state: RegionState) {
        if state == .outside { held.remove(key) } else { held.insert(key) }
    }

    /// Those that a fix there may decide, beside those that are being decided; all others are on the side where they
    /// were.
    mutating func candidates(at place: Coordinate) -> [RegionKey] {
        let way = compareIfFar(place) + Self.error
        var keys: [RegionKey] = []
        for one in near {
            guard one.slack <= way else { break }
            keys.append(one.key)
        }
        return held.isEmpty ? keys : Set(keys).union(held).sorted()
    }

    /// Calls with those that may have an edge nearer than `metres`, until it says that nothing nearer counts.
    ///
    /// - Returns: metres within which there are no edges but those of the ones it was called with.
    mutating func visit(_ place: Coordinate, within metres: Double, _ body: (RegionKey) -> Double) -> Double {
        let way = compareIfFar(place) + Self.error
        var nearest = min(metres, max(0, Self.range * 2 - way))
        for key in held.sorted() { nearest = min(nearest, body(key)) }
        for one in near where !held.contains(one.key) {
            guard one.slack - way <= nearest else { break }
            nearest = min(nearest, body(one.key))
        }
        return nearest
    }

    /// Metres from the place of the last comparison.
    private mutating func compareIfFar(_ place: Coordinate) -> Double {
        if let anchor {
            let way = anchor.roughDistance(to: place) * 1.006
            if way <= Self.range { return way }
        }
        anchor = place
        let here = Self.vector(place)
        near = []
        for entry in entries {
            let difference = here - entry.center
            let square = (difference * difference).sum()
            let chord = square.squareRoot()
            // The arc, from below where it is long: that is far enough.
            let distance = Coordinate.meanRadius * chord * (1 + square / 24)
            let slack = max(0, distance * 0.994 - entry.radius)
            if slack <= Self.range * 2 { near.append(Near(key: entry.key, slack: slack)) }
        }
        near.sort { ($0.slack, $0.key) < ($1.slack, $1.key) }
        return 0
    }

    private static func vector(_ place: Coordinate) -> SIMD3<Double> {
        let (latitude, longitude) = (place.latitude * .pi / 180, place.longitude * .pi / 180)
        return SIMD3(
            Double.cos(latitude) * Double.cos(longitude), Double.cos(latitude) * Double.sin(longitude),
            Double.sin(latitude))
    }
}
