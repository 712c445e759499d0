import Model
import Simulation
import Testing

@Suite("Places") struct PlacesTests {
    private func route(_ points: [(Int64, Int64, Int64)]) throws -> Route {
        try #require(Route(points.map { .init(after: .milliseconds($0.0), Point(x: $0.1, y: $0.2)) }))
    }

    @Test("A route is followed at an even pace, to the nearest metre, and ends where it ends")
    func interpolation() throws {
        var setup = WorldSetup()
        setup.route = try route([(1000, 0, 0), (5000, 10, -10), (6000, 10, 90)])
        var world = World(setup)
        for (milliseconds, x, y) in [
            (0, 0, 0), (1000, 0, 0), (1199, 0, 0), (1200, 1, -1), (3000, 5, -5), (5000, 10, -10), (5500, 10, 40),
            (6000, 10, 90), (9_000_000, 10, 90),
        ] as [(Int64, Int64, Int64)] {
            world.advance(to: .after(milliseconds))
            #expect(world.position == Point(x: x, y: y), "\(milliseconds) ms")
        }
    }

    @Test("A route needs points in the order of their times, and no more than a hundred days")
    func badRoutes() {
        let point = Point.zero
        #expect(Route([]) == nil)
        #expect(Route([.init(after: .milliseconds(5), point), .init(after: .milliseconds(5), point)]) == nil)
        #expect(Route([.init(after: .milliseconds(-5), point)]) == nil)
        #expect(Route([.init(after: .seconds(8_640_001), point)]) == nil)
        #expect(Route([.init(after: .seconds(8_640_000), point)]) != nil)
    }

    @Test("A degree is 111 km north, less by the cosine east; also across the date line")
    func coordinates() throws {
        func coordinate(_ latitude: Int64, _ longitude: Int64) throws -> Coordinate {
            try #require(Coordinate(latitude: latitude, longitude: longitude))
        }
        let visnjan = try coordinate(45_273_518, 13_714_209)
        #expect(try coordinate(46_273_518, 13_714_209).point(from: visnjan) == Point(x: 0, y: 111_195))
        // cos 45.273518° is 0.703720.
        #expect(try coordinate(45_273_518, 14_714_209).point(from: visnjan) == Point(x: 78_250, y: 0))
        #expect(try coordinate(0, -179_999_000).point(from: coordinate(0, 179_999_000)) == Point(x: 222, y: 0))
        #expect(try coordinate(60_000_000, 1_000_000).point(from: coordinate(60_000_000, 0)) == Point(x: 55_597, y: 0))
        #expect(try coordinate(90_000_000, 1_000_000).point(from: coordinate(90_000_000, 0)) == Point(x: 0, y: 0))
        #expect(Coordinate(latitude: 90_000_001, longitude: 0) == nil)
        #expect(Coordinate(latitude: 0, longitude: -180_000_001) == nil)
    }

    /// Every change of tower and place on a route, and when.
    private func changes(_ setup: WorldSetup, until end: Int64) -> [(Int64, WorldChange)] {
        var world = World(setup)
        var found: [(Int64, WorldChange)] = []
        while let next = world.nextChange, next <= .after(end) {
            world.advance(to: next)
            for change in world.takeChanges() {
                switch change {
                case .tower, .entered, .left: found.append((world.now.nanoseconds / 1_000_000, change))
                default: continue
                }
            }
        }
        return found
    }

    @Test("Along a straight line the nearer tower takes over half way, the lower number where both are as near")
    func handover() throws {
        var setup = WorldSetup()
        setup.route = try route([(0, 0, 0), (10_000, 1000, 0), (20_000, 0, 0)])
        setup.towers = .list([
            Tower(id: TowerID(2), reach: Circle(center: Point(x: 1000, y: 0), radius: 5000)),
            Tower(id: TowerID(1), reach: Circle(center: .zero, radius: 5000)),
        ])
        #expect(World(setup).tower == TowerID(1))
        let found = changes(setup, until: 30_000)
        #expect(found.map(\.0) == [5001, 15_000])
        #expect(found.map(\.1) == [.tower(TowerID(2)), .tower(TowerID(1))])
    }

    @Test("A grid serves everywhere, and its borders are crossed once each")
    func grid() throws {
        var setup = WorldSetup()
        setup.towers = .grid(side: 100)
        setup.route = try route([(0, -250, 50), (5000, 250, 50)])
        let found = changes(setup, until: 10_000)
        #expect(found.map(\.0) == [500, 1500, 2500, 3500, 4500])
        var world = World(setup)
        world.advance(to: .after(2499))
        #expect(world.cellFix == Fix(point: Point(x: -50, y: 50), accuracy: 71))
        world.advance(to: .after(2500))
        #expect(world.cellFix == Fix(point: Point(x: 50, y: 50), accuracy: 71))
    }

    @Test("A place is entered at its border and left behind it, also one that is only grazed")
    func borders() throws {
        var setup = WorldSetup()
        setup.route = try route([(0, -1000, 0), (20_000, 1000, 0)])
        setup.places = [
            Place(id: PlaceID(1), circle: Circle(center: .zero, radius: 100)),
            Place(id: PlaceID(2), circle: Circle(center: Point(x: 500, y: 100), radius: 100)),
            Place(id: PlaceID(3), circle: Circle(center: Point(x: 500, y: 101), radius: 100)),
        ]
        setup.towers = .list([])
        let found = changes(setup, until: 30_000)
        #expect(found.map(\.0) == [9000, 11_001, 15_000, 15_001])
        #expect(found.map(\.1) == [.entered(PlaceID(1)), .left(PlaceID(1)), .entered(PlaceID(2)), .left(PlaceID(2))])
    }

    @Test("A place that is watched later is told if the device is in it")
    func watching() {
        var world = World(WorldSetup())
        world.watch(Place(id: PlaceID(4), circle: Circle(center: .zero, radius: 10)))
        #expect(world.takeChanges() == [.entered(PlaceID(4))])
        #expect(world.placesInside == [PlaceID(4)])
        world.watch(Place(id: PlaceID(4), circle: Circle(center: Point(x: 50, y: 0), radius: 10)))
        #expect(world.takeChanges() == [.left(PlaceID(4))])
        world.watch(Place(id: PlaceID(3), circle: Circle(center: .zero, radius: 10)))
        world.unwatch(PlaceID(3))
        #expect(world.takeChanges() == [.entered(PlaceID(3))])
        #expect(world.placesInside.isEmpty)
    }

    @Test(
        "On random ways every change comes in the very millisecond in which looking every millisecond finds it",
        arguments: 0..<40)
    func againstLooking(seed: Int) {
        var random = SplitMix64(seed: UInt64(seed))
        func point() -> Point { Point(x: Int64(random.below(400)) - 200, y: Int64(random.below(400)) - 200) }
        var setup = WorldSetup()
        var time: Int64 = 0
        var waypoints: [Route.Waypoint] = []
        for _ in 0..<5 {
            waypoints.append(
                .init(after: .milliseconds(time), random.oneIn(4) ? waypoints.last?.point ?? point() : point()))
            time += 1 + Int64(random.below(1500))
        }
        setup.route = Route(waypoints) ?? .resting(at: .zero)
        setup.places = (0..<4).map {
            Place(id: PlaceID(UInt32($0)), circle: Circle(center: point(), radius: Int64(random.below(150))))
        }
        let isGrid = random.oneIn(2)
        let towers = (0..<5).map {
            Tower(id: TowerID($0), reach: Circle(center: point(), radius: Int64(random.below(300))))
        }
        let side = Int64(20 + random.below(100))
        setup.towers = isGrid ? .grid(side: side) : .list(towers)

        let found = changes(setup, until: time)
        var expected: [(Int64, WorldChange)] = []
        var look = Look(waypoints: waypoints, places: setup.places, towers: towers, side: isGrid ? side : nil)
        _ = look.step(to: 0)
        for millisecond in 1...time { expected += look.step(to: millisecond).map { (millisecond, $0) } }
        #expect(found.map(\.0) == expected.map(\.0))
        #expect(found.map(\.1) == expected.map(\.1))
    }
}

/// Looks where the device is, in fractions of a metre, and compares with the last time.
private struct Look {
    let waypoints: [Route.Waypoint]
    let places: [Place]
    let towers: [Tower]
    let side: Int64?
    var tower: TowerID?
    var inside: [PlaceID] = []

    /// Metres times the duration of the leg, and that duration.
    private func position(at time: Int64) -> (x: Int64, y: Int64, scale: Int64) {
        for (a, b) in zip(waypoints, waypoints.dropFirst()) {
            let (start, end) = (a.after.nanoseconds / 1_000_000, b.after.nanoseconds / 1_000_000)
            guard (start..<end).contains(time) else { continue }
            let (before, after) = (end - time, time - start)
            return (a.point.x * before + b.point.x * after, a.point.y * before + b.point.y * after, end - start)
        }
        let last = waypoints[waypoints.count - 1].point
        return (last.x, last.y, 1)
    }

    mutating func step(to time: Int64) -> [WorldChange] {
        let (x, y, scale) = position(at: time)
        func squared(_ point: Point) -> Int64 {
            (x - point.x * scale) * (x - point.x * scale) + (y - point.y * scale) * (y - point.y * scale)
        }
        func contains(_ circle: Circle) -> Bool {
            squared(circle.center) <= circle.radius * circle.radius * scale * scale
        }
        var serving: TowerID?
        if let side {
            let column = Int64((Double(x) / Double(scale) / Double(side)).rounded(.down))
            let row = Int64((Double(y) / Double(scale) / Double(side)).rounded(.down))
            serving = TowerID(column << 32 | row & 0xffff_ffff)
        } else {
            let reachable = towers.filter { contains($0.reach) }
            serving = reachable.min { squared($0.reach.center) < squared($1.reach.center) }?.id
        }
        let now = places.filter { contains($0.circle) }.map(\.id)
        var changes: [WorldChange] = []
        if serving != tower { changes.append(.tower(serving)) }
        changes += inside.filter { !now.contains($0) }.map { .left($0) }
        changes += now.filter { !inside.contains($0) }.map { .entered($0) }
        (tower, inside) = (serving, now)
        return changes
    }
}
