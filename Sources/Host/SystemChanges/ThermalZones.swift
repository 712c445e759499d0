internal import LinuxSystem
package import Model

/// The machine's thermal zones, and from which temperature on each is how warm. The kernel has marks of its own, trip
/// points: from `passive` on it slows the machine down, at `hot` it tells the platform, at `critical` it switches off.
package struct ThermalZones: Sendable {
    /// Temperatures are thousandths of a degree Celsius.
    struct Zone: Sendable {
        var temperature: String
        var fair: Int64?
        var serious: Int64?
        var critical: Int64?
        /// How much cooler it has to be to count as less warm.
        var margin: Int64

        func state(at temperature: Int64, after previous: ThermalState) -> ThermalState {
            let marks: [(ThermalState, Int64?)] = [(.critical, critical), (.serious, serious), (.fair, fair)]
            for case (let state, let mark?) in marks
            where temperature >= mark - (state <= previous ? margin : 0) { return state }
            return .nominal
        }
    }

    private var zones: [Zone] = []

    /// As the kernel has it: of one zone.
    private static let mostTrips = 12
    /// Where a zone has no trip point for a state, it begins so far below the next one.
    private static let beforeSwitchingOff: Int64 = 5_000
    private static let beforeCritical: Int64 = 5_000
    private static let beforeSerious: Int64 = 5_000
    private static let margins: ClosedRange<Int64> = 2_000...10_000

    package init(sys: String) {
        let folder = "\(sys)/class/thermal"
        for name in FileSystem.names(in: folder) where name.hasPrefix("thermal_zone") {
            if let zone = Self.zone("\(folder)/\(name)") { zones.append(zone) }
        }
    }

    package var isEmpty: Bool { zones.isEmpty }

    /// That of the warmest zone; `nil` where none can be read. What was is needed so that a temperature that wavers
    /// about a mark is one state.
    package func state(after previous: ThermalState) -> ThermalState? {
        zones.compactMap { zone in Self.number(zone.temperature).map { zone.state(at: $0, after: previous) } }.max()
    }

    private static func zone(_ folder: String) -> Zone? {
        guard text("\(folder)/mode") != "disabled" else { return nil }
        var marks: [String: Int64] = [:]
        var margin = margins.lowerBound
        for trip in 0..<mostTrips {
            let file = "\(folder)/trip_point_\(trip)"
            // One that is zero or less is switched off.
            guard let type = text("\(file)_type"), let mark = number("\(file)_temp"), mark > 0 else { continue }
            // Of fans the fastest one counts: slow ones run all day.
            marks[type] = type == "active" ? max(mark, marks[type] ?? mark) : min(mark, marks[type] ?? mark)
            margin = max(margin, number("\(file)_hyst") ?? 0)
        }
        let critical = marks["hot"] ?? marks["critical"].map { $0 - beforeSwitchingOff }
        let serious = marks["passive"] ?? critical.map { $0 - beforeCritical }
        let below = serious.map { $0 - beforeSerious }
        let fair = [marks["active"], below].compactMap { $0 }.min()
        guard fair != nil else { return nil }
        return Zone(
            temperature: "\(folder)/temp", fair: fair, serious: serious, critical: critical,
            margin: min(margin, margins.upperBound))
    }

    private static func text(_ path: String) -> String? {
        FileSystem.read(path, limit: 256).flatMap {
            String(decoding: $0, as: UTF8.self).split(whereSeparator: \.isWhitespace).first.map(String.init)
        }
    }

    /// A temperature that no machine survives is none.
    private static func number(_ path: String) -> Int64? {
        text(path).flatMap { Int64($0) }.flatMap { (-1_000_000...1_000_000).contains($0) ? $0 : nil }
    }
}
