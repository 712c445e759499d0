internal import Model

/// A month that nobody lived: the two files of a real one, made up from a seed.
package struct SyntheticMonth: Hashable, Sendable {
    package let trace: String
    package let apps: String

    package init(seed: UInt64, days: Int = 30, apps count: Int = 60) {
        var random = SplitMix64(seed: seed, for: 0x30)
        let names = (1...max(1, count)).map { ($0 < 10 ? "app0" : "app") + String($0) }
        let table = names.map { "\($0),\(Self.footprints[random.below(Self.footprints.count)])\n" }
        apps = AppsTable.header + "\n" + table.joined()

        var person = Person(apps: names.count, seed: seed)
        var actions: [Person.TimedAction] = []
        let end = Instant.zero + Span(nanoseconds: Int64(days) * 86_400_000_000_000)
        while true {
            let next = person.next()
            guard next.at < end else { break }
            actions.append(next)
        }
        trace = UsageTrace.header + "\n" + Self.rows(actions, names).joined()
    }

    /// What real apps of 2020 had in memory while suspended, in megabytes (FACTS, "Memory policy elsewhere").
    private static let footprints = [306, 251, 240, 152, 124, 95, 86, 77, 60, 52, 41, 32, 27, 24, 23, 22, 20, 18, 17]

    private static func rows(_ actions: [Person.TimedAction], _ names: [String]) -> [String] {
        var rows: [String] = []
        /// When each kind of thing that lasts ends, seen from the back.
        var screenChanges: Instant?
        var lights: Instant?
        var turnsOn: Instant?
        var isUnlocked = false
        for (at, action) in actions.reversed() {
            let row: (kind: UsageTrace.Kind, app: String, lasts: Instant?)?
            switch action {
            case .wake:
                // Taking it up and unlocking it is one thing to the trace.
                row = isUnlocked ? nil : (.wake, "", screenChanges)
                (lights, isUnlocked) = (at, false)
            case .unlock:
                row = (.unlock, "", at + .seconds(1))
                isUnlocked = true
            case .open(let app):
                row = (.open, names[app], screenChanges)
                screenChanges = at
            case .home:
                row = nil
                screenChanges = at
            case .sleep:
                row = (.sleep, "", lights)
                screenChanges = at
            case .notification(let app): row = (.notification, names[app], at)
            case .turnedOff:
                row = (.shutdown, "", turnsOn)
                screenChanges = at
            case .turnedOn:
                row = (.boot, "", at + .seconds(30))
                (turnsOn, lights) = (at, at)
            case .callComes, .callAccepted, .callDeclined, .callEnds, .messageComes, .messageDismissed, .pluggedIn,
                .unplugged:
                row = nil
            }
            guard let row else { continue }
            let seconds = seconds(row.lasts ?? at) - seconds(at)
            rows.append("\(text(at)),\(row.kind.name),\(row.app),\(seconds)\n")
        }
        return rows.reversed()
    }

    private static func seconds(_ moment: Instant) -> Int64 { moment.nanoseconds / 1_000_000_000 }

    /// The month begins with 2024.
    private static func text(_ moment: Instant) -> String {
        let wall = WallTime(nanoseconds: (seconds(moment) + 1_704_067_200) * 1_000_000_000)
        return String(wall.iso8601.prefix(19))
    }
}
