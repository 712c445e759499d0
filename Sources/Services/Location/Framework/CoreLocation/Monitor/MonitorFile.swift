internal import LocationModel

/// A region of the service that belongs to a condition of a monitor, and not to the regions that the app sees.
struct MonitorRegion: Hashable, Sendable {
    private static let prefix = "greenroom.CLMonitor/"

    let monitor: String
    let identifier: String

    init(monitor: String, identifier: String) { (self.monitor, self.identifier) = (monitor, identifier) }

    /// `nil`: it is a region of the app's.
    init?(_ region: String) {
        guard region.hasPrefix(Self.prefix) else { return nil }
        let parts = region.dropFirst(Self.prefix.count).split(
            separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        // A region without an identifier belongs to no condition, but the app has not made it either.
        let name = parts.first.map(String.init) ?? ""
        self.init(
            monitor: name.removingPercentEncoding ?? name, identifier: parts.count == 2 ? String(parts[1]) : "")
    }

    var region: String { "\(Self.prefix)\(Self.escaped(monitor))/\(identifier)" }

    /// As a part of a path.
    static func escaped(_ name: String) -> String {
        name.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? name
    }
}

/// A condition, as it is kept.
struct MonitorRecord: Codable, Sendable {
    enum Condition: Codable, Sendable {
        case circle(CLMonitor.CircularGeographicCondition)
        case beacon(CLMonitor.BeaconIdentityCondition)
    }

    var condition: Condition
    var state: CLMonitor.Event.State
    var date: Date
    var reason: CLMonitor.Event.Reason?
    /// Something has heard of its last event.
    var isTold: Bool

    var value: any CLCondition {
        switch condition {
        case .circle(let circle): circle
        case .beacon(let beacon): beacon
        }
    }

    /// What the service is asked to watch.
    func region(_ name: MonitorRegion) -> Region? {
        guard case .circle(let circle) = condition, CLLocationCoordinate2DIsValid(circle.center),
            circle.radius.isFinite, circle.radius > 0
        else { return nil }
        return Region(name.region, center: Coordinate(circle.center), radius: circle.radius)
    }

    func event(_ identifier: String) -> CLMonitor.Event {
        CLMonitor.Event(identifier: identifier, state: state, date: date, refinement: nil, reason: reason)
    }
}

/// Where a monitor keeps its records.
struct MonitorFile: Sendable {
    private let folder: URL?
    private let name: String

    init(_ folder: URL?, _ monitor: String) {
        self.folder = folder
        name = "monitor-\(MonitorRegion.escaped(monitor)).json"
    }

    /// None if there is no file, or one that nothing here has written.
    func read() -> [String: MonitorRecord] {
        guard let folder, let data = try? Data(contentsOf: folder.appendingPathComponent(name)) else { return [:] }
        return (try? JSONDecoder().decode([String: MonitorRecord].self, from: data)) ?? [:]
    }

    /// Whole, or not at all.
    func write(_ records: [String: MonitorRecord]) throws {
        guard let folder else { throw CocoaError(.fileNoSuchFile) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try JSONEncoder().encode(records).write(to: folder.appendingPathComponent(name), options: .atomic)
    }
}
