internal import LocationCore
package import LocationModel
internal import Model
internal import ServiceCore

/// A device that is carried along a track, with LocationCore in it: what regions and significant changes cost and miss,
/// second by second. A receiver that was off has to find its satellites first, and towers are where a grid has them.
package struct RouteStudy {
    package struct Stop: Hashable, Sendable {
        package var place: Coordinate
        /// Seconds from the beginning.
        package var time: Double

        package init(_ place: Coordinate, time: Double) { (self.place, self.time) = (place, time) }
    }

    package struct Setup: Hashable, Sendable {
        /// Metres between towers; `nil`: there is no cell radio.
        package var towers: Double? = 900
        /// Whether somebody knows where towers stand; else that is learned.
        package var knowsTowers = true
        /// Seconds until a receiver has a fix: soon after the last one, and later.
        package var (warmStart, coldStart) = (4, 20)
        /// Seconds after the last fix when a receiver is cold.
        package var coldAfter = 1800
        /// Metres that a fix may be off.
        package var accuracy = 8.0
        package var significantChanges = false
        package var regions: [Region] = []
        /// Seconds that the device lies still before and after.
        package var rest = 1800
        package var profile = "linux"

        package init() {}
    }

    /// A region was entered or left.
    package struct Crossing: Hashable, Sendable {
        package var region: String
        package var isEntry: Bool
        /// Seconds from the beginning at which that is sure, by the rule.
        package var decided: Double
        /// When the app was told; `nil`: never.
        package var told: Double?
    }

    package struct Report: Sendable {
        package var seconds = 0
        package var metres = 0.0
        package var crossings: [Crossing] = []
        /// Told, and not true.
        package var falseOnes = 0
        /// Seconds for which satellites were received.
        package var satellites = 0
        package var looks: [Stop] = []
        package var wakes: [Stop] = []
        package var changes: [Stop] = []

        package var missed: Int { crossings.count { $0.told == nil } }
        package var delays: [Double] { crossings.compactMap { c in c.told.map { $0 - c.decided } }.sorted() }
        package var share: Double { seconds == 0 ? 0 : Double(satellites) / Double(seconds) }
    }

    package let track: [Stop]
    package let setup: Setup
    private var system: LocationSystem
    private var report = Report()
    private var told: [(region: String, isEntry: Bool, time: Double)] = []
    private var now = 0
    private var isOn = false
    private var onSince = 0
    private var lastFix: Int?
    private var noise: UInt64 = 0x9e37_79b9
    /// Where the device is, by the second.
    private var places: [Coordinate] = []
    private let app: AppIdentifier
    private let connection = ConnectionID(1)

    /// `nil` for a track of fewer than two points.
    package init?(_ track: [Stop], _ setup: Setup) {
        guard track.count > 1, let app = AppIdentifier("study") else { return nil }
        self.track = track
        self.setup = setup
        self.app = app
        system = LocationSystem(rules: LocationRules(profile: setup.profile))
    }

    // MARK: The way

    private var duration: Int { Int((track.last?.time ?? 0).rounded(.up)) }

    /// Where the device is so many seconds after it was switched on.
    private func find(_ second: Int) -> Coordinate {
        let time = Double(second - setup.rest)
        guard let next = track.firstIndex(where: { $0.time > time }) else { return track[track.count - 1].place }
        guard next > 0 else { return track[0].place }
        let (a, b) = (track[next - 1], track[next])
        let share = (time - a.time) / max(b.time - a.time, 1e-9)
        return a.place.moved(a.place.roughDistance(to: b.place) * share, bearing: a.place.bearing(to: b.place))
    }

    private func place(_ second: Int) -> Coordinate { places[max(0, min(second, places.count - 1))] }

    private func tower(at place: Coordinate) -> CellTower? {
        guard let spacing = setup.towers else { return nil }
        let height = spacing / 111_195
        let row = (place.latitude / height).rounded(.down)
        let width = height / max(0.1, 1 - abs(row * height) / 120)
        let column = (place.longitude / width).rounded(.down)
        let middle = Coordinate((row + 0.5) * height, (column + 0.5) * width)
        return CellTower(
            "\(Int(row))/\(Int(column))", coordinate: setup.knowsTowers ? middle : nil,
            reach: setup.knowsTowers ? spacing * 0.9 : nil)
    }

    // MARK: Running

    package mutating func run() -> Report {
        let end = duration + 2 * setup.rest
        places = (0...end).map(find)
        begin()
        var before = place(0)
        for second in 1...max(end, 1) {
            now = second
            let here = place(second)
            report.metres += before.roughDistance(to: here)
            before = here
            // The grid of towers is looked at every second: that costs the device nothing.
            send(.own(.tower(tower(at: here))))
            while let due = system.nextDeadline, due <= instant { send(.timer) }
            receive(here)
        }
        report.seconds = end
        report.crossings = truth(until: end)
        match()
        return report
    }

    private var instant: Instant { .zero + .seconds(Double(now)) }

    private mutating func begin() {
        send(.clock(.seconds(1_700_000_000)))
        send(.systemAttached)
        send(.own(.source(.gps, .present)))
        if setup.towers != nil { send(.own(.source(.cell, .present))) }
        send(.own(.tower(tower(at: place(0)))))
        send(.appState(app, AppStanding(.active, process: 1, isVisible: true)))
        send(.attached(connection, AppDescription(app, process: 1, name: "Study", hasKey: false)))
        send(.app(connection, RequestID(1), .hello(updates: nil, heading: false, running: [])))
        send(.app(connection, RequestID(2), .authorize(.always)))
        for (number, region) in setup.regions.enumerated() {
            send(.app(connection, RequestID(UInt64(10 + number)), .monitor(region)))
        }
        if setup.significantChanges { send(.app(connection, RequestID(3), .significantChanges(true))) }
        send(.appState(app, AppStanding(.suspended, process: 1, isVisible: false)))
    }

    private mutating func receive(_ here: Coordinate) {
        guard isOn else { return }
        report.satellites += 1
        let isCold = lastFix.map { now - $0 > setup.coldAfter } ?? true
        guard now - onSince >= (isCold && lastFix != now - 1 ? setup.coldStart : setup.warmStart) else { return }
        lastFix = now
        noise = noise &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        let (way, turn) = (Double(noise >> 40 & 0xff) / 255, Double(noise >> 48 & 0xff) / 255)
        let seen = here.moved(way * setup.accuracy * 0.7, bearing: turn * 360)
        report.looks.append(Stop(seen, time: Double(now)))
        let speed = place(now - 1).roughDistance(to: here)
        let fix = Fix(
            seen, accuracy: setup.accuracy, time: 1_700_000_000 + Double(now), source: .gps, speed: speed)
        send(.own(.fix(fix)))
    }

    private mutating func send(_ event: LocationEvent) {
        for effect in system.handle(event, at: instant) { perform(effect) }
    }

    /// The app runs for a moment whenever it is woken, and hears at once.
    private mutating func perform(_ effect: LocationEffect) {
        switch effect {
        case .own(.power(.gps, let on)):
            if on, !isOn { onSince = now }
            isOn = on
        case .hold(let app, _, let hold, _): send(.held(app, hold, .allowed))
        case .wake(let app, let upTo, _, _, _):
            report.wakes.append(Stop(place(now), time: Double(now)))
            send(.woken(app, upTo, .allowed))
            send(.appState(app, AppStanding(.background, process: 1, isVisible: false)))
            send(.windowEnded(app, .moved, .done))
            send(.appState(app, AppStanding(.suspended, process: 1, isVisible: false)))
        case .tell(let connection, let number, let news):
            switch news {
            case .entered(let region, _): told.append((region.identifier, true, Double(now)))
            case .exited(let region, _): told.append((region.identifier, false, Double(now)))
            case .significantChange: report.changes.append(Stop(place(now), time: Double(now)))
            case .visit, .paused, .resumed: break
            }
            send(.answered(connection, number, Nothing()))
        default: break
        }
    }

    // MARK: What is true

    /// By the rule, as somebody would decide who knows each second where the device is.
    private func truth(until end: Int) -> [Crossing] {
        let rules = system.rules
        var crossings: [Crossing] = []
        for region in setup.regions {
            var isInside = region.center.nearDistance(to: place(1)) <= region.radius
            var since: Int?
            for second in 2...max(end, 2) {
                let distance = region.center.nearDistance(to: place(second))
                let isOther =
                    isInside ? distance >= region.radius + rules.exitDistance : distance <= region.radius
                guard isOther else {
                    since = nil
                    continue
                }
                since = since ?? second
                guard let began = since, Double(second - began) >= rules.dwell.seconds else { continue }
                isInside.toggle()
                since = nil
                crossings.append(Crossing(region: region.identifier, isEntry: isInside, decided: Double(second)))
            }
        }
        return crossings.sorted { $0.decided < $1.decided }
    }

    /// Each that was told is the next one of its region that is true.
    private mutating func match() {
        for one in told {
            // Noise may decide a little sooner than somebody who knows.
            let place = report.crossings.firstIndex {
                $0.told == nil && $0.region == one.region && $0.isEntry == one.isEntry && $0.decided <= one.time + 15
            }
            if let place { report.crossings[place].told = one.time } else { report.falseOnes += 1 }
        }
    }
}
