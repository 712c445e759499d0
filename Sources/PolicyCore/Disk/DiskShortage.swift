internal import Model

// All apps and the system share the room on the disk (R15). While it is short, apps that do not run give up
// Library/Caches and tmp, as on iOS: first the app that ended longest ago. When no such caches are left, the app ends
// that takes the last room. Its next write would fail anyway, and so would those of every other app and of the system.

/// The state while room on the disk is short.
package struct DiskShortage: Hashable, Codable, Sendable {
    var free: Int64 = 0
    var total: Int64 = 0
    /// The first measurement of each process in this shortage. It wrote the difference to a later one.
    var before: [DiskMeasure] = []
    /// Bytes that the apps' transfers received in this shortage. The service has the files; they count as the app's.
    var received: [AppIndex: Int64] = [:]
    var isMeasuring = false
    var measuredAt: Instant?
    /// The app whose caches are being emptied, and the room that was left before.
    var emptying: Emptying?
    /// Apps whose caches were emptied in this shortage. A later process may make new caches.
    var emptied: Set<Incarnation> = []

    struct Emptying: Hashable, Codable {
        let app: AppIndex
        let left: Int64
    }

    /// Between two looks at the trees of apps that run.
    static let pause = Span.seconds(1)

    var level: DiskLevel { DiskSpace.level(free: free, of: total) }

    private enum CodingKeys: String, CodingKey {
        case free, total, before, received, isMeasuring, measuredAt, emptying, emptied
    }

    /// Neither a dictionary nor a set has an order.
    private struct Received: Codable {
        let app: AppIndex
        let bytes: Int64
    }

    init() {}

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        free = try values.decode(Int64.self, forKey: .free)
        total = try values.decode(Int64.self, forKey: .total)
        before = try values.decode([DiskMeasure].self, forKey: .before)
        let received = try values.decode([Received].self, forKey: .received)
        self.received = Dictionary(received.map { ($0.app, $0.bytes) }) { first, _ in first }
        isMeasuring = try values.decode(Bool.self, forKey: .isMeasuring)
        measuredAt = try values.decodeIfPresent(Instant.self, forKey: .measuredAt)
        emptying = try values.decodeIfPresent(Emptying.self, forKey: .emptying)
        emptied = Set(try values.decode([Incarnation].self, forKey: .emptied))
    }

    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(free, forKey: .free)
        try values.encode(total, forKey: .total)
        try values.encode(before, forKey: .before)
        let received = received.sorted { $0.key.rawValue < $1.key.rawValue }
        try values.encode(received.map { Received(app: $0.key, bytes: $0.value) }, forKey: .received)
        try values.encode(isMeasuring, forKey: .isMeasuring)
        try values.encodeIfPresent(measuredAt, forKey: .measuredAt)
        try values.encodeIfPresent(emptying, forKey: .emptying)
        try values.encode(emptied.sorted { $0.app.rawValue < $1.app.rawValue }, forKey: .emptied)
    }
}

extension System {
    mutating func handle(_ event: DiskEvent) {
        switch event {
        case .sensed(let free, let total): diskSensed(free: free, total: total)
        case .measured(let found): diskMeasured(found)
        case .emptied(let app, let freed): cachesEmptied(app, freed: freed)
        }
    }

    private mutating func diskSensed(free: Int64, total: Int64) {
        let isRoomy = DiskSpace.level(free: free, of: total) == .roomy
        // The log tells of caches that are being emptied, also where they have made enough room.
        if isRoomy, diskShortage?.emptying == nil {
            diskShortage = nil
            return
        }
        if !$diskShortage { diskShortage = DiskShortage() }
        withShortage { ($0.free, $0.total) = (free, total) }
        relieveDisk()
    }

    /// Its transfers received so many bytes, which lie on the disk.
    mutating func transferReceived(_ app: AppIndex, _ bytes: Int64) {
        guard $diskShortage, bytes > 0, app.rawValue < apps.count else { return }
        withShortage { shortage in
            let (sum, isTooMuch) = (shortage.received[app] ?? 0).addingReportingOverflow(bytes)
            shortage.received[app] = isTooMuch ? .max : sum
        }
    }

    private mutating func relieveDisk() {
        guard let shortage = diskShortage, shortage.level != .roomy else { return }
        if shortage.measuredAt == nil { measureDisk() }
        guard shortage.emptying == nil, shortage.level >= .short else { return }
        if let app = nextToEmpty(shortage) {
            withShortage { $0.emptying = DiskShortage.Emptying(app: app, left: shortage.free) }
            emit(.emptyCaches(app), cause: root)
        } else if shortage.level == .full, shortage.measuredAt.map({ now - $0 >= DiskShortage.pause }) ?? false {
            measureDisk()
        }
    }

    private mutating func measureDisk() {
        guard diskShortage?.isMeasuring == false else { return }
        withShortage { $0.isMeasuring = true }
        emit(.measureDisk, cause: root)
    }

    /// Of the apps that do not run, the app that ended longest ago.
    private func nextToEmpty(_ shortage: DiskShortage) -> AppIndex? {
        var found: Int?
        for i in apps.indices
        where apps[i].isInstalled && apps[i].process == .none
            && !shortage.emptied.contains(Incarnation(apps[i].index, apps[i].generation))
        {
            if let best = found, apps[best].since.nanoseconds <= apps[i].since.nanoseconds { continue }
            found = i
        }
        return found.map { apps[$0].index }
    }

    private mutating func cachesEmptied(_ app: AppIndex, freed: Int64) {
        guard app.rawValue < apps.count, let emptying = diskShortage?.emptying, emptying.app == app else { return }
        let last = Incarnation(app, apps[Int(app.rawValue)].generation)
        withShortage { shortage in
            shortage.emptying = nil
            shortage.emptied = shortage.emptied.filter { $0.app != app }.union([last])
        }
        if freed > 0 {
            log(Int(app.rawValue), .cachesEmptied, .cachesEmptied(freed: freed, left: emptying.left), after: nil)
        }
        // The host senses the room next.
    }

    private mutating func diskMeasured(_ found: [DiskMeasure]) {
        guard let shortage = diskShortage, shortage.isMeasuring else { return }
        let now = now
        withShortage { shortage in
            shortage.isMeasuring = false
            shortage.measuredAt = now
        }
        if shortage.level == .full, shortage.emptying == nil, nextToEmpty(shortage) == nil {
            endWriter(found, shortage)
        }
        let known = Set(shortage.before.map(\.incarnation))
        withShortage { $0.before += found.filter { !known.contains($0.incarnation) } }
    }

    private mutating func endWriter(_ found: [DiskMeasure], _ shortage: DiskShortage) {
        var most: (i: Int, bytes: Int64)?
        for measure in found {
            // An app that has stopped writing takes no room, and its end would give none back. Nor would it stop the
            // app's transfers, which wait while room is short.
            let received = shortage.received[measure.incarnation.app] ?? 0
            guard measure.changed > 0,
                let i = current(measure.incarnation.app, measure.incarnation.generation), !isEnding(i)
            else { continue }
            let before = shortage.before.first { $0.incarnation == measure.incarnation }
            let own =
                before.map { measure.bytes.subtractingReportingOverflow($0.bytes).partialValue } ?? measure.changed
            let (sum, isTooMuch) = max(0, own).addingReportingOverflow(received)
            let written = isTooMuch ? .max : sum
            if written > most?.bytes ?? 0 { most = (i, written) }
        }
        // A program outside fills the disk, or all apps together do: no end would help.
        guard let most, most.bytes >= DiskSpace.mark(of: shortage.total) / 2 else { return }
        end(most.i, .filledDisk(DiskUse(written: most.bytes, free: shortage.free)))
    }
}
