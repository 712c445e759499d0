/// What the kernel tells of processes. The root can be a folder of files, for tests.
package struct ProcFS: Sendable {
    package let root: String

    package init(root: String = "/proc") { self.root = root }

    package struct Stat: Hashable, Sendable {
        package let state: Character
        package let parent: CInt
        package let group: CInt
        package let session: CInt
        /// Nanoseconds of processor time.
        package let processorTime: Int64
        /// Those that live, and the first one if it has ended before the others.
        package let threads: Int
        /// Clock ticks after boot; with the pid it names a process for ever.
        package let startTime: UInt64

        /// Its first thread has ended. Others may go on.
        package var hasDeadLeader: Bool { state == "Z" || state == "X" }
        /// Nothing of it runs, and nothing will.
        package var isOver: Bool { hasDeadLeader && threads < 2 }
    }

    /// Bytes of memory, as `DESIGN.md`, section 4, counts them. Pages that several processes map count in each with its
    /// share: over all that share them, each page counts once.
    package struct Memory: Hashable, Sendable {
        package var dirty: Int64 = 0
        package var purgeable: Int64 = 0
        package var clean: Int64 = 0
        package var proportional: Int64 = 0
        /// Of that, what is in files that are in memory only: shared memory.
        package var sharedFiles: Int64 = 0

        package init() {}

        package static func + (a: Memory, b: Memory) -> Memory {
            var sum = a
            sum.dirty &+= b.dirty
            sum.purgeable &+= b.purgeable
            sum.clean &+= b.clean
            sum.proportional &+= b.proportional
            sum.sharedFiles &+= b.sharedFiles
            return sum
        }
    }

    package func stat(_ pid: CInt) -> Stat? {
        (try? Descriptor.open("\(root)/\(pid)/stat", .read).readAll(limit: 4096)).flatMap { Self.parseStat($0) }
    }

    package func memory(_ pid: CInt) -> Memory? {
        looking(at: pid) { folder in
            (try? Descriptor.open(folder + "/smaps_rollup", .read).readAll()).flatMap { Self.parseMemory($0) }
        }
    }

    package func tracer(_ pid: CInt) -> CInt? {
        looking(at: pid) { folder in
            FileSystem.read(folder + "/status", limit: 1 << 16)
                .flatMap { Self.field("TracerPid", in: String(decoding: $0, as: UTF8.self)) }
                .flatMap { CInt($0) }.flatMap { $0 == 0 ? nil : $0 }
        }
    }

    /// Voluntary and involuntary context switches of all its threads: how often it woke.
    package func contextSwitches(_ pid: CInt) -> Int64? {
        // The process's own status counts its first thread only.
        let tasks = numbers(in: "\(pid)/task").compactMap { read("\(pid)/task/\($0)/status") }
        if tasks.isEmpty { return nil }
        let names = ["voluntary_ctxt_switches", "nonvoluntary_ctxt_switches"]
        return tasks.reduce(0) { sum, text in
            names.compactMap { Self.field($0, in: text) }.compactMap { Int64($0) }.reduce(sum, &+)
        }
    }

    /// Those that any of its threads started or adopted.
    package func children(_ pid: CInt) -> [CInt] {
        let lists = numbers(in: "\(pid)/task").compactMap { read("\(pid)/task/\($0)/children") }
        return lists.flatMap { $0.split { $0 == " " || $0 == "\n" } }.compactMap { CInt($0) }.sorted()
    }

    package func processes(ofGroup group: CInt) -> [CInt] { allProcesses().filter { stat($0)?.group == group } }

    /// At most 15 bytes of the process's own choice: not fit for a terminal.
    package func commandName(_ pid: CInt) -> String? {
        read("\(pid)/comm").map { String($0.prefix { $0 != "\n" }) }
    }

    /// The path of its cgroup in the v2 hierarchy.
    package func cgroup(_ pid: CInt) -> String? {
        read("\(pid)/cgroup").flatMap(Self.parseCgroup)
    }

    package func environment(_ pid: CInt) -> [String]? {
        read("\(pid)/environ")?.split(separator: "\0").map(String.init)
    }

    /// Every program has at least an empty one.
    func hasArguments(_ pid: CInt) -> Bool { read("\(pid)/cmdline").map { !$0.isEmpty } ?? false }

    package func threads(_ pid: CInt) -> [CInt] { numbers(in: "\(pid)/task") }

    /// When a thread was born, in clock ticks after boot.
    package func threadStart(_ thread: CInt, of pid: CInt) -> UInt64? {
        read("\(pid)/task/\(thread)/stat").flatMap { Self.parseStat($0) }?.startTime
    }

    /// Every process that there is.
    package func allProcesses() -> [CInt] { numbers(in: "") }

    /// The processes of a session and everything that descends from them.
    package func tree(of leader: CInt) -> [CInt] {
        let all = allProcesses().compactMap { pid in stat(pid).map { (pid, $0) } }
        var members = Set(all.filter { $0.0 == leader || $0.1.session == leader || $0.1.group == leader }.map(\.0))
        var grew = true
        while grew {
            grew = false
            for (pid, stat) in all where !members.contains(pid) && members.contains(stat.parent) {
                members.insert(pid)
                grew = true
            }
        }
        return all.filter { members.contains($0.0) && !$0.1.isOver }.map(\.0).sorted()
    }

    /// Whether a process is in the tree of another one.
    package enum Descent: Hashable, Sendable {
        /// The process whose tree it is in.
        case from(CInt)
        case elsewhere
        /// The process has ended, or its ancestors ended again and again during the look.
        case unknown
    }

    /// Finds whose tree a process is in. A look at its ancestors does for that; `tree(of:)` looks at all processes.
    package func descent(of pid: CInt, among leaders: Set<CInt>) -> Descent {
        var next = pid
        var attempts = 1
        for _ in 0..<Self.deepest {
            guard let stat = stat(next) else {
                // The children of an ancestor that has just ended have another parent by now.
                guard next != pid, attempts < Self.mostAttempts else { return .unknown }
                (next, attempts) = (pid, attempts + 1)
                continue
            }
            for number in [next, stat.session, stat.group] where leaders.contains(number) { return .from(number) }
            if stat.parent <= 1 { return .elsewhere }
            next = stat.parent
        }
        return .unknown
    }

    private static let deepest = 4096
    private static let mostAttempts = 8

    // MARK: Parsing

    func numbers(in name: String) -> [CInt] {
        FileSystem.names(in: "\(root)/\(name)").compactMap { CInt($0) }.sorted()
    }

    private func read(_ name: String) -> String? {
        guard let bytes = try? Descriptor.open("\(root)/\(name)", .read).readAll() else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    package static func field(_ name: String, in text: String) -> String? {
        for line in text.split(separator: "\n") where line.hasPrefix("\(name):") {
            return line.dropFirst(name.count + 1).split { $0 == " " || $0 == "\t" }.first.map(String.init)
        }
        return nil
    }

    package static func parseStat(_ text: String) -> Stat? { parseStat(Array(text.utf8)) }

    /// By bytes: looking for a session's processes reads the file of every process that there is.
    package static func parseStat(_ bytes: [UInt8]) -> Stat? {
        // The command's name may hold spaces and brackets; the fields begin after its last bracket.
        guard let close = bytes.lastIndex(of: UInt8(ascii: ")")), close + 2 < bytes.count else { return nil }
        var numbers: [Int64] = []
        var number: Int64?
        var isNegative = false
        for byte in bytes[(close + 3)...] {
            switch byte {
            case UInt8(ascii: "-"): isNegative = true
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                number = (number ?? 0) &* 10 &+ Int64(byte - UInt8(ascii: "0"))
            default:
                if let value = number { numbers.append(isNegative ? 0 &- value : value) }
                number = nil
                isNegative = false
            }
            if numbers.count > 19 { break }
        }
        guard numbers.count > 18, let parent = CInt(exactly: numbers[0]), let group = CInt(exactly: numbers[1]),
            let session = CInt(exactly: numbers[2]), let start = UInt64(exactly: numbers[18])
        else { return nil }
        return Stat(
            state: Character(Unicode.Scalar(bytes[close + 2])), parent: parent, group: group, session: session,
            processorTime: (numbers[10] &+ numbers[11]) &* (1_000_000_000 / 100),
            threads: Int(clamping: numbers[16]), startTime: start)
    }

    package static func parseCgroup(_ text: String) -> String? {
        for line in text.split(separator: "\n") where line.hasPrefix("0::") { return String(line.dropFirst(3)) }
        return nil
    }

    package static func parseMemory(_ text: String) -> Memory? { parseMemory(Array(text.utf8)) }

    /// By bytes: apps that run are looked at again and again.
    package static func parseMemory(_ bytes: [UInt8]) -> Memory? {
        var found = [Int64?](repeating: nil, count: fields.count)
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")),
                let place = fields.firstIndex(where: { line[..<colon].elementsEqual($0) }), found[place] == nil
            else { continue }
            found[place] = number(line[(colon + 1)...])
        }
        func amount(_ field: MemoryField) -> Int64? { found[field.rawValue].map { $0 &* 1024 } }
        guard let privateDirty = amount(.privateDirty), let privateClean = amount(.privateClean) else { return nil }
        let (anonymous, shared) = (amount(.anonymous), amount(.sharedMemory))
        // What was given up is told without the shares of others: they have no more of it than of all the rest.
        let others = anonymous.flatMap { own in amount(.anonymousOfAll).map { max(0, $0 &- own) } } ?? 0
        let lazy = amount(.lazyFree) ?? 0
        let ownLazy = max(0, lazy &- others)
        // Kernels before 6.0 do not tell the share of what is dirty and shared: it is no more than all of it.
        let isDivisible = anonymous != nil && shared != nil
        let dirty = max(
            privateDirty, amount(.proportionalDirty) ?? (isDivisible ? privateDirty &+ (amount(.sharedDirty) ?? 0) : 0))
        // What is not yet written of a file, of a program just installed for example, the kernel writes and takes.
        var withoutFile = dirty
        if let anonymous, let shared { withoutFile = min(dirty, max(0, anonymous &+ shared &- ownLazy)) }
        var memory = Memory()
        memory.dirty = withoutFile &+ (amount(.proportionalSwap) ?? amount(.swap) ?? 0)
        memory.purgeable = ownLazy
        // MADV_FREE makes pages clean: they must not count twice.
        memory.clean = max(0, privateClean &- lazy) &+ (dirty &- withoutFile) &+ (amount(.sharedClean) ?? 0)
        memory.proportional = amount(.proportional) ?? 0
        memory.sharedFiles = shared ?? 0
        return memory
    }

    private enum MemoryField: Int {
        case proportional, proportionalDirty, anonymous, sharedMemory, sharedClean, sharedDirty, privateClean,
            privateDirty, anonymousOfAll, lazyFree, swap, proportionalSwap
    }

    /// Their names, in that order.
    private static let fields = [
        "Pss", "Pss_Dirty", "Pss_Anon", "Pss_Shmem", "Shared_Clean", "Shared_Dirty", "Private_Clean", "Private_Dirty",
        "Anonymous", "LazyFree", "Swap", "SwapPss",
    ].map { Array($0.utf8) }

    /// The digits after blanks; `nil` if there are none, or more than a number has.
    private static func number(_ text: ArraySlice<UInt8>) -> Int64? {
        let blanks = [UInt8(ascii: " "), UInt8(ascii: "\t")]
        let digits = text.drop(while: blanks.contains).prefix { !blanks.contains($0) }
        return Int64(String(decoding: digits, as: UTF8.self))
    }
}
