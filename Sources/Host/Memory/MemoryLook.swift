internal import LinuxSystem
internal import Model

/// What an app had when it was looked at.
struct MemorySample: Sendable {
    /// What its end would bring back, as the policy counts it.
    var footprint: Footprint
    /// At that moment, of each process: what they have more of since is the app's growth.
    var sizes: [CInt: ProcessMemory.Size]
    /// The most mappings of one of its processes, and the largest.
    var mappings: (count: Int32, largest: Int64)
    var peak: Int64 = 0
    /// What it had that no process shows, as `MemoryLook.unseen` finds it.
    var unseen: Int64 = 0

    /// Anonymous memory of all processes, what they share as often as they do.
    var anonymous: Int64 { sizes.values.reduce(0) { $0 + $1.anonymous } }

    /// What the app gained or lost since, and whether that is worth a closer look. Of what processes share these
    /// figures say nothing: a fork has no more than its parent until it writes, and one that ended gave back what was
    /// its own.
    func growth(_ now: [CInt: ProcessMemory.Size]) -> (bytes: Int64, mapped: Int64, isUncertain: Bool) {
        var (bytes, mapped, isUncertain) = (Int64(0), Int64(0), false)
        let largest = sizes.values.map(\.anonymous).max() ?? 0
        for (pid, size) in now {
            if let before = sizes[pid] {
                bytes += size.anonymous - before.anonymous
                mapped += size.mapped - before.mapped
            } else {
                bytes += max(0, size.anonymous - largest)
                isUncertain = isUncertain || size.anonymous > Self.certain
            }
        }
        for (pid, size) in sizes where now[pid] == nil && size.anonymous > 0 {
            bytes -= Int64(Double(size.anonymous) * own)
            isUncertain = isUncertain || size.anonymous > Self.certain
        }
        return (bytes, mapped, isUncertain)
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
    let mappingLimit: Int32
    /// So many descriptors are looked at.
    var descriptors = Self.few

    static let few = 1 << 10
    static let many = 1 << 16

    init(_ pids: [CInt], file: String?, mappingLimit: Int32 = 0) {
        self.pids = pids
        self.file = file
        self.mappingLimit = mappingLimit
    }

    /// Clean memory counts with the app's share of it: what many map is there once.
    func sample() -> MemorySample {
        let procFS = ProcFS()
        let sizes = pids.compactMap { pid in ProcessMemory.size(pid).map { (pid, $0) } }
        var sum = ProcFS.Memory()
        var mappings: (count: Int32, largest: Int64) = (0, 0)
        for pid in procFS.owners(ofMemory: pids) {
            if let memory = procFS.memory(pid) { sum = sum + memory }
            guard let own = ProcessMemory.mappings(pid, upTo: mappingLimit) else { continue }
            mappings = (max(mappings.count, own.count), max(mappings.largest, own.largest))
        }
        let clean = max(0, sum.proportional - sum.dirty - sum.purgeable)
        let held = held(mapped: sum.sharedFiles)
        return MemorySample(
            footprint: Footprint(dirty: sum.dirty &+ held.bytes, purgeable: sum.purgeable, clean: clean),
            sizes: Dictionary(sizes) { $1 }, mappings: mappings,
            unseen: file == nil ? held.bytes : self.held(mapped: 0).bytes)
    }

    /// Only what no process shows, which is quickly found; where the kernel counts by groups, what is mapped as well.
    func unseen() -> Int64 { held(mapped: 0).bytes }

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
    private var before: (machine: Int64, apps: Int64)?
    private var soonest: Int64 = 0
    private var pause = Self.shortest

    private static let (shortest, longest): (Int64, Int64) = (50_000_000, 1_600_000_000)
    /// The machine's figure wavers by itself.
    private static let least: Int64 = 12 << 20

    package init() {}

    /// - Parameters:
    ///   - machine: what it has available.
    ///   - apps: what they are known to have.
    /// - Returns: whether to look for it now.
    package mutating func note(machine: Int64, apps: Int64, at now: Int64) -> Bool {
        guard let before else {
            self.before = (machine, apps)
            return false
        }
        let unseen = (before.machine - machine) - (apps - before.apps)
        if unseen < 0 { self.before = (machine, apps) }
        guard unseen > Self.least, now >= soonest else { return false }
        self.before = (machine, apps)
        soonest = now + pause
        // Another program's, unless something is found.
        pause = min(pause * 2, Self.longest)
        return true
    }

    /// A look found more than was known.
    package mutating func found() { pause = Self.shortest }
}
