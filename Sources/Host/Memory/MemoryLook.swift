package import LinuxSystem
package import Model

/// The most mappings of one of an app's processes, and the bytes of the largest.
package struct MappingCount: Hashable, Sendable {
    var count: Int32 = 0
    var largest: Int64 = 0
    /// Of files, and too small to be worth a mapping.
    var tiny: Int32 = 0
    /// Of which the kernel may take pages: purgeable objects, since each is a mapping of its own.
    var purgeable: Int32 = 0

    package init(count: Int32 = 0, largest: Int64 = 0, tiny: Int32 = 0, purgeable: Int32 = 0) {
        self.count = count
        self.largest = largest
        self.tiny = tiny
        self.purgeable = purgeable
    }

    static func max(_ a: MappingCount, _ b: MappingCount) -> MappingCount {
        MappingCount(
            count: Swift.max(a.count, b.count), largest: Swift.max(a.largest, b.largest),
            tiny: Swift.max(a.tiny, b.tiny),
            purgeable: Swift.max(a.purgeable, b.purgeable))
    }

    /// At most so many there can be now that so many bytes more are mapped: each page could be one. Mappings that fall
    /// apart without any more bytes are not seen by that.
    package func bound(mapped bytes: Int64) -> MappingCount {
        let bytes = Swift.max(0, bytes)
        var bound = self
        bound.count = Int32(clamping: Int64(count) + bytes / ProcessMemory.pageSize)
        bound.largest = largest &+ bytes
        return bound
    }

    package func exceeds(_ limits: Limits) -> Bool {
        count > limits.count || largest > limits.largest || purgeable > limits.purgeable
    }

    /// One of these is too much now, and was not before.
    package func newlyExceeds(_ limits: Limits, before: MappingCount?) -> Bool {
        let before = before ?? MappingCount()
        return count > limits.count && before.count <= limits.count
            || largest > limits.largest && before.largest <= limits.largest
    }

    package func newlyExceedsPurgeable(_ limits: Limits, before: MappingCount?) -> Bool {
        purgeable > limits.purgeable && (before?.purgeable ?? 0) <= limits.purgeable
    }

    /// What one process may have.
    package struct Limits: Hashable, Sendable {
        var count: Int32
        var largest: Int64
        var purgeable: Int32

        package init(count: Int32, largest: Int64, purgeable: Int32) {
            self.count = count
            self.largest = largest
            self.purgeable = purgeable
        }

        package init(_ rules: MemoryRules) {
            self.init(count: rules.mappingLimit, largest: rules.largestMapping, purgeable: rules.purgeableLimit)
        }
    }
}

/// What an app had when it was looked at.
package struct MemorySample: Sendable {
    /// What its end would bring back, as the policy counts it.
    var footprint: Footprint
    /// At that moment, of each process: what they have more of since is the app's growth.
    var sizes: [CInt: ProcessMemory.Size]
    var mappings: MappingCount
    var peak: Int64 = 0
    /// What it had that no process shows, as `MemoryLook.unseen` finds it.
    var unseen: Int64 = 0

    package init(
        footprint: Footprint, sizes: [CInt: ProcessMemory.Size], mappings: MappingCount = MappingCount(),
        unseen: Int64 = 0
    ) {
        self.footprint = footprint
        self.sizes = sizes
        self.mappings = mappings
        self.unseen = unseen
    }

    /// Anonymous memory of all processes, what they share as often as they do.
    var anonymous: Int64 { sizes.values.reduce(0) { $0 + $1.anonymous } }

    /// What the app gained or lost since, and whether that is worth a closer look. Of what processes share these
    /// figures say nothing: a fork has no more than its parent until it writes, and one that ended gave back what was
    /// its own. The parent may have grown before it forked.
    package func growth(_ now: [CInt: ProcessMemory.Size]) -> (bytes: Int64, mapped: Int64, isUncertain: Bool) {
        var (bytes, mapped, isUncertain) = (Int64(0), Int64(0), false)
        var largest = sizes.values.map(\.anonymous).max() ?? 0
        for (pid, before) in sizes {
            guard let size = now[pid] else { continue }
            bytes += size.anonymous - before.anonymous
            mapped += size.mapped - before.mapped
            largest = max(largest, size.anonymous)
        }
        if let new = now.filter({ sizes[$0.key] == nil }).values.map(\.anonymous).max() {
            bytes += max(0, new - largest)
            isUncertain = new > Self.certain
        }
        for (pid, size) in sizes where now[pid] == nil && size.anonymous > 0 {
            bytes -= Int64(Double(size.anonymous) * own)
            isUncertain = isUncertain || size.anonymous > Self.certain
        }
        return (bytes, mapped, isUncertain)
    }

    /// How much hangs on what an app has.
    package enum Urgency: Sendable {
        /// Nothing can become short for seconds.
        case plenty
        case ordinary
        /// Who goes next hangs on it: of two that grow alike, the one that was looked at later must not seem to be the
        /// larger.
        case short
    }

    /// Whether so much growth is worth a closer look; of what is only mapped, more.
    package func isOutdated(growth: Int64, mapped: Int64, _ urgency: Urgency) -> Bool {
        let much =
            switch urgency {
            case .plenty: max(16 << 20, anonymous / 4)
            case .ordinary: max(4 << 20, anonymous / 8)
            case .short: max(1 << 20, anonymous / 16)
            }
        return abs(growth) > much || abs(mapped) > max(64 << 20, sizes.values.reduce(0) { $0 + $1.mapped } / 8)
    }

    /// By how much a later look found more than was expected.
    func surprise(_ later: MemorySample) -> Int64 {
        later.footprint.total - max(0, footprint.total + growth(later.sizes).bytes)
    }

    private static let certain: Int64 = 4 << 20

    /// The part of what its processes show that was one's alone.
    private var own: Double {
        let all = anonymous
        return all > 0 ? min(1, Double(footprint.dirty + footprint.purgeable) / Double(all)) : 1
    }
}

/// A closer look at an app's memory. Takes its time: for a worker.
struct MemoryLook: Sendable {
    let pids: [CInt]
    /// Where the kernel counts the app's memory by itself.
    let file: String?
    let limits: MappingCount.Limits
    /// So many descriptors are looked at.
    var descriptors = Self.few
    /// What is known well enough, and need not be looked for: that takes half of a look's time.
    var known = Known()

    struct Known: Sendable {
        /// What no process shows.
        var unseen: Int64?
        var mappings: MappingCount?
    }

    static let few = 1 << 10
    static let many = 1 << 16

    init(_ pids: [CInt], file: String?, limits: MappingCount.Limits) {
        self.pids = pids
        self.file = file
        self.limits = limits
    }

    /// Clean memory counts with the app's share of it: what many map is there once.
    func sample() -> MemorySample {
        let procFS = ProcFS()
        let sizes = pids.compactMap { pid in ProcessMemory.size(pid).map { (pid, $0) } }
        var sum = ProcFS.Memory()
        let owners = procFS.owners(ofMemory: pids)
        for pid in owners { if let memory = procFS.memory(pid) { sum = sum + memory } }
        let clean = max(0, sum.proportional - sum.dirty - sum.purgeable)
        let held = (file == nil ? known.unseen : nil) ?? held(mapped: sum.sharedFiles).bytes
        return MemorySample(
            footprint: Footprint(dirty: sum.dirty &+ held, purgeable: sum.purgeable, clean: clean),
            sizes: Dictionary(sizes) { $1 }, mappings: known.mappings ?? mappings(owners),
            unseen: file == nil ? held : self.held(mapped: 0).bytes)
    }

    /// Only what no process shows, which is quickly found; where the kernel counts by groups, what is mapped as well.
    func unseen() -> Int64 { held(mapped: 0).bytes }

    func mappings() -> MappingCount { mappings(ProcFS().owners(ofMemory: pids)) }

    private func mappings(_ owners: [CInt]) -> MappingCount {
        owners.compactMap { mappings(of: $0) }.reduce(MappingCount(), MappingCount.max)
    }

    private func mappings(of pid: CInt) -> MappingCount? {
        guard let found = ProcessMemory.mappings(pid, upTo: limits.count, tinyBelow: MemoryRules.tinyMapping) else {
            return nil
        }
        var count = MappingCount(count: found.count, largest: found.largest, tiny: found.tiny)
        // To count them takes long, and few have so many mappings, or anything purgeable.
        if found.count > limits.purgeable, let memory = ProcFS().memory(pid), memory.purgeable > 0 {
            count.purgeable = ProcessMemory.purgeableMappings(pid, upTo: limits.count) ?? 0
        }
        return count
    }

    /// What it has beside the memory of its processes.
    private func held(mapped: Int64) -> HeldMemory {
        if let file, let bytes = FileSystem.read(file, limit: 1 << 16),
            let held = HeldMemory.counted(String(decoding: bytes, as: UTF8.self), mapped: mapped)
        {
            return held
        }
        var look = HeldMemoryLook(pids, atMost: descriptors)
        return look.measure()
    }
}

/// Whether the machine loses memory that no process shows: then apps that run are looked at more closely, not more
/// often than it pays. That is quick, and blind while another program gives back as much: so they are also looked at
/// one after the other.
package struct UnseenLoss {
    /// By what the machine has left, and by what is taken of it.
    private var (left, taken) = (Account(), Account())
    private var soonest: Int64 = 0
    private var pause = Self.shortest

    private static let (shortest, longest): (Int64, Int64) = (50_000_000, 1_600_000_000)
    private static let worthALook: Int64 = 4 << 20

    package init() {}

    /// - Parameters:
    ///   - machine: what it has left, and what is taken of it.
    ///   - apps: what they are known to have.
    ///   - rest: nanoseconds after a look in which none is needed, since memory cannot run short.
    /// - Returns: whether to look for it now.
    package mutating func note(machine: ProcessMemory.Balance, apps: Int64, at now: Int64, rest: Int64 = 0) -> Bool {
        left.note(unexplained: -machine.available - apps)
        taken.note(unexplained: machine.taken - apps)
        guard left.isWorthALook || taken.isWorthALook, now >= soonest else { return false }
        left.writeOff()
        taken.writeOff()
        soonest = now + max(pause, rest)
        // Another program's, unless something is found.
        pause = min(pause * 2, Self.longest)
        return true
    }

    /// A look found so much more, or less, than was known: that explains so much of what was written off. What was
    /// lost while it was looked for stays unexplained.
    package mutating func found(_ bytes: Int64) {
        left.explain(bytes)
        taken.explain(bytes)
        if bytes > Self.worthALook { pause = Self.shortest }
    }

    private struct Account {
        /// What nothing explained at the last look, and now.
        private var (before, now): (Int64?, Int64) = (nil, 0)
        /// The machine's figures waver by themselves.
        private static let least: Int64 = 12 << 20

        mutating func note(unexplained: Int64) {
            now = unexplained
            // What came back in between is not held against what comes next.
            before = min(before ?? now, now)
        }

        var isWorthALook: Bool { now - (before ?? now) > Self.least }

        mutating func writeOff() { before = now }

        mutating func explain(_ bytes: Int64) {
            now -= bytes
            before = before.map { $0 - bytes }
        }
    }
}
