/// What an app wrote that took the last room on the disk, in bytes.
package struct DiskUse: Hashable, Sendable, Codable {
    package var written: Int64
    package var free: Int64

    package init(written: Int64, free: Int64) {
        self.written = written
        self.free = free
    }

    func sentence(name: String, state: LifecycleState) -> String {
        "the disk was full: \(name) wrote \(written.mebibytes) while \(state.name), and \(free.mebibytes) were left for "
            + "all apps and the system; keep less in Library/Caches and tmp, and check how much room there is before "
            + "writing much"
    }
}

/// How short room on a disk is.
package enum DiskLevel: UInt8, Comparable, Sendable {
    case roomy
    /// The system measures the apps' files, to know later which app wrote.
    case scarce
    /// Apps that do not run give up their caches.
    case short
    /// The app that takes the last room ends.
    case full

    package static func < (a: DiskLevel, b: DiskLevel) -> Bool { a.rawValue < b.rawValue }
}

/// When room on a disk is short.
package enum DiskSpace {
    package static func level(free: Int64, of total: Int64) -> DiskLevel {
        let mark = mark(of: total)
        return free < mark ? .full : free < 2 * mark ? .short : free < 4 * mark ? .scarce : .roomy
    }

    /// Bytes that may be written before room is short.
    package static func roomLeft(free: Int64, of total: Int64) -> Int64 { max(0, free - 4 * mark(of: total)) }

    /// Bytes below which the app that takes them ends: half a percent, from 16 to 128 MB; an eighth of a tiny disk.
    package static func mark(of total: Int64) -> Int64 { min(max(total / 200, 16 << 20), 128 << 20, total / 8) }
}
