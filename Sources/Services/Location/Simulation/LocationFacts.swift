internal import LocationCore
internal import LocationModel
internal import Model
internal import ServiceCore

/// What outlives the process of the service: what it has stored, the apps' ends of their connections, and the world.
struct LocationFacts: Sendable {
    /// The framework in an app's process.
    struct Client: Sendable {
        var process: Int64
        var updates: UpdateSettings?
        var heading = false
    }

    var records: [AppIdentifier: AppRecord] = [:]
    var device: DeviceRecord?
    var clients: [AppIdentifier: Client] = [:]
    var ground = Ground()

    mutating func commit(_ effects: [LocationEffect]) {
        for effect in effects {
            switch effect {
            case .store(.app(let record)): records[record.app] = record
            case .store(.device(let record)): device = record
            case .erase(.app(let app)): records[app] = nil
            default: break
            }
        }
    }

    var stored: [LocationRecord] {
        let apps = records.values.sorted { $0.app.rawValue < $1.app.rawValue }.map(LocationRecord.app)
        return (device.map { [.device($0)] } ?? []) + apps
    }
}

/// The world that the device is carried through: its way, the towers around it, and the sky above.
struct Ground: Sendable {
    struct Point: Hashable, Sendable {
        var place: Coordinate
        /// When the device is there.
        var at: Instant

        init(_ place: Coordinate, at: Instant) {
            self.place = place
            self.at = at
        }
    }

    /// Where words count metres from.
    static let origin = Coordinate(46, 14.5)

    /// Where it goes, in order of time; after the last one it stays there.
    private(set) var way: [Point] = [Point(Ground.origin, at: .zero)]
    var hasSky = true
    var hasRadio = true
    var hasReceiver = true
    /// Metres that the receiver is off at most.
    var accuracy = 8.0
    /// Metres between towers.
    var spacing = 900.0

    /// Seconds after it was switched on that the receiver has a fix.
    static let firstFix = Span.seconds(4)

    static func at(east: Double, north: Double) -> Coordinate {
        origin.moved(north, bearing: 0).moved(east, bearing: 90)
    }

    func place(at now: Instant) -> Coordinate {
        guard let next = way.firstIndex(where: { $0.at > now }) else { return way.last?.place ?? Ground.origin }
        guard next > 0 else { return way[0].place }
        let (a, b) = (way[next - 1], way[next])
        let share = (now - a.at).seconds / max((b.at - a.at).seconds, 1e-9)
        return a.place.moved(a.place.roughDistance(to: b.place) * share, bearing: a.place.bearing(to: b.place))
    }

    func speed(at now: Instant) -> Double {
        guard let next = way.firstIndex(where: { $0.at > now }), next > 0 else { return 0 }
        let (a, b) = (way[next - 1], way[next])
        return a.place.roughDistance(to: b.place) / max((b.at - a.at).seconds, 1e-9)
    }

    func moves(at now: Instant) -> Bool { way.last.map { $0.at > now } ?? false }

    /// It leaves its way, and is there.
    mutating func set(_ place: Coordinate, at now: Instant) { way = [Point(place, at: now)] }

    /// It sets out.
    mutating func go(to goal: Coordinate, speed: Double, at now: Instant) {
        let here = place(at: now)
        let time = Span.seconds(here.roughDistance(to: goal) / max(speed, 0.01))
        way = [Point(here, at: now), Point(goal, at: now + time)]
    }

    mutating func follow(_ points: [Point]) { if !points.isEmpty { way = points.sorted { $0.at < $1.at } } }

    /// The tower that serves it: each square of a grid has one in its middle.
    func tower(at now: Instant) -> CellTower? {
        guard hasRadio else { return nil }
        let place = place(at: now)
        let (height, width) = (spacing / 111_195, spacing / 77_240)
        let row = (place.latitude / height).rounded(.down)
        let column = (place.longitude / width).rounded(.down)
        let middle = Coordinate((row + 0.5) * height, (column + 0.5) * width)
        guard middle.isValid else { return nil }
        return CellTower("\(Int(row))/\(Int(column))", coordinate: middle, reach: spacing * 0.75)
    }
}
