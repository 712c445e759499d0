import CoreLocation

/// A player and an approximate position.
struct Player: Codable, Equatable, Sendable {
    var name: String
    var latitude: Double
    var longitude: Double
    /// Metres that the place may be off.
    var accuracy: Double
}

/// The city as text: both flags, and each player's initial. North is up.
struct PlayerMap {
    /// The symbols in drawing order: a player covers a flag.
    private var marks: [(sign: Character, place: CLLocationCoordinate2D)] = []
    private var legend: [String] = []

    private static let (columns, rows) = (31, 11)

    init(mine: CLLocationCoordinate2D?, theirs: CLLocationCoordinate2D?, players: [Player]) {
        if let mine { marks.append(("⚑", mine)) }
        if let theirs { marks.append(("⚐", theirs)) }
        for player in players {
            let place = CLLocationCoordinate2D(latitude: player.latitude, longitude: player.longitude)
            guard let initial = player.name.first, CLLocationCoordinate2DIsValid(place) else { continue }
            marks.append((initial, place))
            legend.append("\(player.name), within \(Int(player.accuracy)) m")
        }
    }

    var text: String {
        let (latitudes, longitudes) = (marks.map(\.place.latitude), marks.map(\.place.longitude))
        guard let south = latitudes.min(), let north = latitudes.max(), let west = longitudes.min(),
            let east = longitudes.max()
        else { return "The map has no players." }
        var lines = [[Character]](repeating: Array(repeating: "·", count: Self.columns), count: Self.rows)
        for (sign, place) in marks {
            let column = Self.step(place.longitude, from: west, to: east, of: Self.columns)
            let row = Self.step(place.latitude, from: north, to: south, of: Self.rows)
            lines[row][column] = sign
        }
        return (lines.map { String($0) } + legend).joined(separator: "\n")
    }

    private static func step(_ value: Double, from start: Double, to end: Double, of count: Int) -> Int {
        guard start != end else { return count / 2 }
        return Int(((value - start) / (end - start) * Double(count - 1)).rounded())
    }
}
