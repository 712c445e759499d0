package import Model

/// What a segment of a recording begins with; stored in the form of checkpoints (`CompactFormat`), and as JSON by older
/// daemons.
package struct SegmentHeader: Codable, Sendable {
    /// Why a segment begins.
    package enum Start: String, Codable, Sendable {
        /// A system began: nothing before it has to do with it.
        case fresh
        /// A daemon took over from one that died.
        case restarted
        /// The segment before was full.
        case continued
        /// Events before it could not be written down, for example on a full disk.
        case gap
    }

    package static let version = 4
    /// The first is that of Greenroom 0.1.0; versions 2 and 3 were in no release.
    package static let readableVersions = [1, version]

    package var version: Int
    /// The boot of the machine, since times count from it.
    package var boot: String
    /// The moment from which the first event's time counts.
    package var base: Int64
    /// Version 1 did not say.
    package var start: Start?
    /// The Core as it was when the segment began.
    package var system: System

    package init(boot: String, base: Instant, start: Start, system: System) {
        version = Self.version
        self.boot = boot
        self.base = base.nanoseconds
        self.start = start
        self.system = system
    }
}
