internal import Dispatch
package import LinuxSystem
package import NotificationsCore

/// The machine's time zone and all others, as files.
package struct ZoneSource: Sendable {
    /// Tests have folders of their own.
    private let etc: String
    private let zones = "/usr/share/zoneinfo"

    package init(etc: String = CurrentProcess.environment("GREENROOM_ETC") ?? "/etc") { self.etc = etc }

    package var folder: String { etc }

    /// What the machine's clock goes by now; UTC where nothing says.
    package var present: ZoneRules {
        let link = FileSystem.linkTarget("\(etc)/localtime") ?? ""
        let name =
            link.firstRange(of: "zoneinfo/").map { String(link[$0.upperBound...]) }
            ?? FileSystem.read("\(etc)/timezone", limit: 256).map { bytes in
                String(decoding: bytes.prefix { $0 > 0x20 }, as: UTF8.self)
            } ?? "UTC"
        return read("\(etc)/localtime", String(name.prefix(64))) ?? .utc
    }

    /// `nil` where there is no such zone.
    package func named(_ name: String) -> ZoneRules? {
        let isName = name.utf8.allSatisfy { byte in
            (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
                || [43, 45, 47, 95].contains(byte)
        }
        guard isName, (1...64).contains(name.utf8.count), !name.hasPrefix("/") else { return nil }
        return read("\(zones)/\(name)", name)
    }

    private func read(_ path: String, _ name: String) -> ZoneRules? {
        FileSystem.read(path, limit: 1 << 20).flatMap { TimeZoneFile($0) }.map { ZoneRules($0, name) }
    }
}

extension ZoneRules {
    /// Rules before this moment, and those after it by a century, are of no use to anyone: a request keeps its zone.
    fileprivate static let earliest: Int64 = 946_684_800

    package init(_ file: TimeZoneFile, _ name: String) {
        let past = file.transitions.last { $0.at < Self.earliest }
        self.init(
            identifier: name, initialOffset: past?.offset ?? file.initialOffset,
            transitions: file.transitions.filter { $0.at >= Self.earliest }.map {
                Transition(at: $0.at, offset: $0.offset)
            },
            rule: file.yearly.map { Rule($0) })
    }
}

extension ZoneRules.Rule {
    fileprivate init(_ yearly: TimeZoneFile.Yearly) {
        func change(_ day: TimeZoneFile.Yearly.Day) -> ZoneRules.Change {
            ZoneRules.Change(
                .monthWeekday(month: day.month, week: day.week, weekday: day.weekday), time: day.time)
        }
        self.init(
            standard: yearly.standard, daylight: yearly.daylight, begins: change(yearly.begins),
            ends: change(yearly.ends))
    }
}

/// Tells of another time zone. The kernel's news are a reason to look; nothing is polled.
///
/// Unchecked: used on the service's queue only.
final class ZoneWatch: @unchecked Sendable {
    private let zones: ZoneSource
    private let onChange: (ZoneRules) -> Void
    private let inotify = try? Inotify()
    private var watch: (any DispatchSourceRead)?
    private var last: ZoneRules

    private static let files: Set<String> = ["localtime", "timezone"]

    /// Calls on the queue, at each change from now on.
    init(_ zones: ZoneSource, on queue: DispatchQueue, _ onChange: @escaping (ZoneRules) -> Void) {
        self.zones = zones
        self.onChange = onChange
        guard let inotify else {
            last = zones.present
            return
        }
        // Watched first, so that no change comes in between.
        _ = try? inotify.watch(zones.folder, for: [.created, .movedIn, .written, .removed, .movedAway])
        last = zones.present
        let watch = DispatchSource.makeReadSource(fileDescriptor: inotify.descriptor.rawValue, queue: queue)
        watch.setEventHandler { [weak self] in self?.look() }
        watch.setCancelHandler { withExtendedLifetime(inotify) {} }
        watch.resume()
        self.watch = watch
    }

    deinit { watch?.cancel() }

    package var present: ZoneRules { last }

    private func look() {
        let changes = (try? inotify?.read()) ?? []
        guard changes.contains(where: { $0.changes.contains(.overflow) || $0.name.map(Self.files.contains) ?? false })
        else { return }
        let now = zones.present
        guard now != last else { return }
        last = now
        onChange(now)
    }
}
