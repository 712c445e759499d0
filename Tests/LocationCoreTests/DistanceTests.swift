import LocationModel
import Testing

@Suite("Distances on the ellipsoid") struct DistanceTests {
    /// Places of which geodesists say how far apart they are.
    static let table: [(Coordinate, Coordinate, Double)] = [
        // Vincenty's own example: Flinders Peak and Buninyon.
        (
            Coordinate(-37.951033416666666, 144.42486788888888), Coordinate(-37.65282113888889, 143.92649552777777),
            54_972.271
        ),
        // A degree of longitude on the equator, and of latitude at the equator and the pole.
        (Coordinate(0, 0), Coordinate(0, 1), 111_319.491), (Coordinate(0, 0), Coordinate(1, 0), 110_574.389),
        (Coordinate(89, 0), Coordinate(90, 0), 111_693.865),
        // Over the date line.
        (Coordinate(0, 179.5), Coordinate(0, -179.5), 111_319.491),
    ]

    @Test("They are those of geodesy to a decimetre", arguments: table.indices)
    func known(_ row: Int) {
        let (a, b, distance) = Self.table[row]
        #expect(abs(a.distance(to: b) - distance) < 0.2, "\(a.distance(to: b))")
        #expect(abs(a.distance(to: b) - b.distance(to: a)) < 1e-6)
        #expect(abs(a.roughDistance(to: b) / distance - 1) < 0.006)
    }

    @Test("Nearby the cheap formula agrees with the exact one")
    func near() {
        for latitude in stride(from: -84.0, through: 84, by: 12) {
            for bearing in stride(from: 0.0, to: 360, by: 45) {
                let here = Coordinate(latitude, 179.99)
                let there = here.moved(8000, bearing: bearing)
                #expect(there.isValid)
                #expect(abs(here.nearDistance(to: there) - here.distance(to: there)) < 0.5)
            }
        }
    }

    @Test("On the other side of the earth there is an answer, too")
    func antipodes() {
        let distance = Coordinate(0.3, 0).distance(to: Coordinate(-0.3, 179.99))
        #expect(distance > 19_900_000 && distance < 20_040_000)
        #expect(Coordinate(1, 2).distance(to: Coordinate(1, 2)) == 0)
    }

    @Test("Moving there and measuring back agree")
    func moved() {
        for bearing in stride(from: 0.0, to: 360, by: 30) {
            let there = Coordinate(46, 14).moved(5000, bearing: bearing)
            #expect(abs(Coordinate(46, 14).roughDistance(to: there) - 5000) < 0.01)
            let turn = abs(Coordinate(46, 14).bearing(to: there) - bearing)
            #expect(turn < 0.01 || turn > 359.99)
        }
    }
}
