/// What an app has in memory, in bytes: its whole process tree (R1).
package struct Footprint: Hashable, Sendable, Codable {
    /// What only this app can give back: victims are chosen and limits count by this.
    package var dirty: Int64
    /// What the system may take without asking, and the app makes anew.
    package var purgeable: Int64
    /// What is in a file as well.
    package var clean: Int64

    package init(dirty: Int64 = 0, purgeable: Int64 = 0, clean: Int64 = 0) {
        self.dirty = dirty
        self.purgeable = purgeable
        self.clean = clean
    }

    package static let zero = Footprint()

    package var total: Int64 { dirty + purgeable + clean }
    /// What can be taken without asking.
    package var reclaimable: Int64 { purgeable + clean }
}

/// How short memory is.
package enum MemoryLevel: UInt8, Hashable, Sendable, Codable, CaseIterable, Comparable {
    case normal, warning, critical

    package var name: String { "\(self)" }

    package static func < (a: MemoryLevel, b: MemoryLevel) -> Bool { a.rawValue < b.rawValue }
}

/// How a device shares its memory. Marks and limits are thousandths of the budget.
package struct MemoryRules: Hashable, Sendable, Codable {
    /// Something begins when less than `below` is available, and ends when `until` is: so it does not oscillate.
    package struct Mark: Hashable, Sendable, Codable {
        package var below: Int64
        package var until: Int64

        package init(below: Int64, until: Int64) {
            self.below = below
            self.until = until
        }
    }

    /// Purgeable and clean memory of suspended apps is taken.
    package var reclaim = Mark(below: 200, until: 250)
    /// Apps that run are warned.
    package var warn = Mark(below: 150, until: 200)
    /// Background apps end.
    package var terminate = Mark(below: 50, until: 80)
    /// A visible app ends only when less than this is available and nothing else can go.
    package var lastResort: Int64 = 20
    /// Between one warning and the next.
    package var warningPause = Span.milliseconds(250)
    /// Whoever has less dirty memory, in bytes, is not asked for any.
    package var smallestWarned: Int64 = 6 << 20
    /// What one app may have: on screen, in the background while it runs, and in a picture in picture.
    package var foregroundLimit: Int64 = 800
    package var backgroundLimit: Int64 = 500
    package var pictureInPictureLimit: Int64 = 300
    /// Thousandths of its own limit at which an app is warned by itself.
    package var nearLimit: Int64 = 900
    /// An app that came back so soon after it was ended for memory is spared as long as others can go.
    package var relaunchWindow = Span.seconds(10)
    /// Mappings of one process; the kernel itself refuses the 65,531st.
    package var mappingLimit: Int32 = 20_000
    /// Bytes of the largest mapping of an app. Plain programs may reserve what they like.
    package var largestMapping: Int64 = 64 << 30
    /// Purgeable objects of one process. `nil` is the usual number: profiles did not always say.
    package var purgeableObjects: Int32?

    package var purgeableLimit: Int32 { purgeableObjects ?? 5_000 }
    /// Bytes: a mapping of a file that is smaller costs about as much as it holds.
    package static let tinyMapping: Int64 = 16 << 10
    /// Tools warn of more than so many tiny mappings.
    package static let manyTinyMappings: Int32 = 1_000

    package init() {}
}
