internal import LocationCore
internal import LocationModel
internal import LocationSources
internal import Model
internal import ServiceCore

extension FuzzTarget {
    /// Files that somebody has recorded or planned.
    static let track = FuzzTarget("track", "tracks: GPX, NMEA", longest: 1 << 14) { (bytes) throws(BrokenPromise) in
        let track: Track
        do throws(TrackError) {
            track = try Track(bytes)
        } catch {
            try promise(isShown(error.description), "a terminal cannot show the refusal")
            return .refused(error.reason)
        }
        try promise(!track.points.isEmpty, "a track without a point")
        var last = 0.0
        for point in track.points {
            try promise(point.coordinate.isValid, "\(point.coordinate) is nowhere")
            try promise(point.time.isFinite && point.time >= last, "its times go back")
            last = point.time
            let numbers = [point.speed, point.course, point.altitude, point.accuracy].compactMap(\.self)
            try promise(numbers.allSatisfy(\.isFinite), "\(point) has numbers that are none")
            try promise(point.speed ?? 0 >= 0 && point.accuracy ?? 0 >= 0, "\(point) goes backwards")
        }
        try promise(track.length.isFinite, "it is \(track.length) m long")
        return .taken("\(min(track.points.count, 3)) points, \(track.skipped > 0 ? "some" : "none") left out")
    }

    /// What gpsd says, a line each.
    static let gpsd = FuzzTarget("gpsd", "lines of gpsd, and what the Core makes of their fixes") {
        (bytes) throws(BrokenPromise) in
        var device = FuzzedDevice()
        var kinds: Set<String> = []
        for line in parts(bytes, at: 0x0A, most: 64) {
            switch GPSDReport(line) {
            case nil: kinds.insert("none")
            case .fix(let fix, _), .untimedFix(let fix, _):
                kinds.insert("fix")
                try promise(fix.isSound, "\(fix) is no fix")
                try device.hear(.own(.fix(fix)), after: .seconds(1))
            case .devices(let devices):
                kinds.insert("devices")
                try promise(devices.count <= GPSDReport.mostDevices, "too many devices")
            case .version, .device, .noFix, .error: kinds.insert("other")
            }
        }
        return kinds == ["none"] || kinds.isEmpty
            ? .refused("nothing") : .taken(kinds.sorted().joined(separator: ", "))
    }

    /// Fixes of any numbers at any time, twelve bytes each, and sources and cells that come and go.
    static let fixes = FuzzTarget("fixes", "fixes from anywhere, down to the Core") { (bytes) throws(BrokenPromise) in
        var device = FuzzedDevice()
        for start in stride(from: 0, to: bytes.count - 11, by: 12) {
            let part = Array(bytes[start..<start + 12])
            try device.hear(
                .own(device.event(part)), after: FuzzedDevice.pauses[Int(part[1]) % FuzzedDevice.pauses.count])
        }
        return .taken("\(min(device.told, 4)) told, \(device.system.powered.contains(.gps) ? "on" : "off")")
    }

    private static func isShown(_ text: String) -> Bool { text.unicodeScalars.allSatisfy { $0.value >= 0x20 } }
}

/// A service with an app that wants everything there is.
private struct FuzzedDevice {
    private(set) var system = LocationSystem()
    private(set) var told = 0
    private var now = Instant(nanoseconds: 1_000_000_000)
    private let home = Coordinate(46.05, 14.5)
    /// By the clock on the wall, in seconds.
    private static let wall = 1_800_000_000.0

    static let pauses: [Span] = [.zero, .milliseconds(10), .seconds(1), .seconds(21), .seconds(61), .seconds(3600)]
    private static let oddities: [Double] = [
        .nan, .infinity, -.infinity, 0, -0.0, 90, -90, 180, -180, 180.000_000_1, 1e300, -1e300, .leastNonzeroMagnitude,
    ]

    init() {
        guard let app = AppIdentifier("com.example.flags") else { return }
        let connection = ConnectionID(1)
        let events: [LocationEvent] = [
            .clock(.seconds(Self.wall)), .systemAttached, .own(.source(.gps, .present)),
            .own(.source(.network, .present)),
            .appState(app, AppStanding(.active, process: 1, isVisible: true)),
            .attached(connection, AppDescription(app, process: 1, name: "Flags", hasKey: true)),
            .app(connection, RequestID(1), .hello(updates: nil, heading: false, running: [])),
            .tool(RequestID(2), .permit(app, .always, isReduced: false)),
            .own(.tower(CellTower("a", coordinate: home, reach: 900))),
            .app(connection, RequestID(3), .monitor(Region("home", center: home, radius: 100))),
            .app(connection, RequestID(4), .monitor(Region("pole", center: Coordinate(90, 0), radius: 100_000))),
            .app(connection, RequestID(5), .monitor(Region("line", center: Coordinate(0, 180), radius: 5000))),
            .app(connection, RequestID(6), .visits(true)), .app(connection, RequestID(7), .significantChanges(true)),
            .app(connection, RequestID(8), .update(UpdateSettings(accuracy: 0, allowsBackground: true))),
        ]
        for event in events { _ = system.handle(event, at: now) }
    }

    mutating func hear(_ event: LocationEvent, after pause: Span) throws(BrokenPromise) {
        now = now + pause
        var turns = 0
        // Whatever is due comes to an end.
        while let due = system.nextDeadline, due <= now {
            turns += 1
            try promise(turns < 10_000, "it is never done with what was due")
            try handle(.timer)
        }
        try handle(event)
    }

    private mutating func handle(_ event: LocationEvent) throws(BrokenPromise) {
        for effect in system.handle(event, at: now) {
            switch effect {
            case .tell(let connection, let number, _):
                told += 1
                _ = system.handle(.answered(connection, number, Nothing()), at: now)
            case .notify(_, .fixes(let fixes)): try promise(fixes.allSatisfy(\.isSound), "an app is given \(fixes)")
            default: break
            }
        }
        if let broken = system.brokenInvariants().first { throw BrokenPromise(description: broken) }
    }

    func event(_ part: [UInt8]) -> LocationWords.Event {
        let source = FixSource.allCases[Int(part[0]) / 8 % FixSource.allCases.count]
        switch part[0] % 8 {
        case 0: return .source(source, part[2] % 2 == 0 ? .present : .absent("it is gone"))
        case 1:
            let place = Coordinate(number(part[2], part[3]) * 90, number(part[4], part[5]) * 180)
            return .tower(part[2] == 0 ? nil : CellTower("\(part[3])", coordinate: place, reach: Double(part[6]) * 50))
        case 2:
            return .fix(
                Fix(
                    Coordinate(odd(part[2]), odd(part[3])), accuracy: odd(part[4]), time: odd(part[5]), source: source,
                    altitude: odd(part[6]), speed: odd(part[7]), course: odd(part[8])))
        default:
            // Most are near, so that regions are entered and left.
            let isNear = part[0] % 8 > 3
            let (north, east) = (number(part[2], part[3]), number(part[4], part[5]))
            let place =
                isNear
                ? Coordinate(home.latitude + north * 0.02, home.longitude + east * 0.02)
                : Coordinate(north * 90, east * 180)
            let time = Self.wall + Double(now.nanoseconds) / 1e9 + number(part[6], part[7]) * 1000
            return .fix(
                Fix(
                    place, accuracy: Double(part[8]), time: time, source: source, speed: Double(part[9]),
                    course: Double(part[10])))
        }
    }

    /// -1 to 1.
    private func number(_ high: UInt8, _ low: UInt8) -> Double { (Double(Int(high) << 8 | Int(low)) - 32_768) / 32_768 }

    private func odd(_ byte: UInt8) -> Double {
        byte < 128 ? Self.oddities[Int(byte) % Self.oddities.count] : Double(byte) - 128
    }
}
