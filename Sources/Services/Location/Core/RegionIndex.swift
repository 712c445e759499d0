internal import LocationModel
internal import Model
internal import RealModule

/// A region of an app.
struct RegionKey: Hashable, Comparable, Sendable {
    let app: AppIdentifier
    let identifier: String

    static func < (a: RegionKey, b: RegionKey) -> Bool {
        (a.app.rawValue, a.identifier) < (b.app.rawValue, b.identifier)
    }
}

/// Which regions a fix may say something of, among as many as there are.
///
/// All are compared with a place now and then; until the device has gone far enough from there, only those count whose
/// edges are not farther than that.
struct RegionIndex: Sendable {
    private struct Entry: Sendable {
        let key: RegionKey
        let center: SIMD3<Double>
        let radius: Double
        /// Metres beyond the edge at which the region is left.
        let outer: Double
    }

    /// Metres that the device may go before all are compared again.
    private static let range = 2000.0

    private var entries: [RegionKey: Entry] = [:]
    private var anchor: Coordinate?
    private var near: [RegionKey] = []
    /// Metres from the anchor to the nearest edge of all others.
    private var farthest = Double.infinity

    var isEmpty: Bool { entries.isEmpty }
    var count: Int { entries.count }

    mutating func insert(_ key: RegionKey, _ region: Region, exitDistance: Double) {
        entries[key] = Entry(
            key: key, center: Self.vector(region.center), radius: region.radius, outer: region.radius + exitDistance)
        anchor = nil
    }

    mutating func remove(_ key: RegionKey) {
        guard entries.removeValue(forKey: key) != nil else { return }
        near.removeAll { $0 == key }
    }

    /// Those that a fix there may decide, in their order; all others are on the side where they were.
    mutating func candidates(at place: Coordinate) -> [RegionKey] {
        if let anchor, anchor.roughDistance(to: place) <= Self.range { return near }
        compare(with: place)
        return near
    }

    /// At least so many metres lie between the place and the edges of all that are no candidates.
    func slack(at place: Coordinate) -> Double {
        guard let anchor else { return 0 }
        return max(0, farthest - anchor.roughDistance(to: place))
    }

    private mutating func compare(with place: Coordinate) {
        anchor = place
        near = []
        farthest = .infinity
        let here = Self.vector(place)
        for entry in entries.values {
            let difference = here - entry.center
            let chord = (difference * difference).sum().squareRoot()
            let distance = 2 * Coordinate.meanRadius * Double.asin(min(1, chord / 2))
            // A mean sphere is off by half a percent.
            let error = distance * 0.006
            let gap = min(abs(distance - entry.radius), abs(distance - entry.outer))
            let isBetween = distance > entry.radius && distance < entry.outer
            if isBetween || gap <= Self.range * 2 + error {
                near.append(entry.key)
            } else {
                farthest = min(farthest, gap - error)
            }
        }
        near.sort()
    }

    private static func vector(_ place: Coordinate) -> SIMD3<Double> {
        let (latitude, longitude) = (place.latitude * .pi / 180, place.longitude * .pi / 180)
        return SIMD3(
            Double.cos(latitude) * Double.cos(longitude), Double.cos(latitude) * Double.sin(longitude),
            Double.sin(latitude))
    }
}
