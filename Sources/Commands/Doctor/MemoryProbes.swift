internal import Glibc
internal import LinuxSystem
internal import SystemPackage
internal import Wire

/// What helps where memory is short.
struct MemoryProbes {
    private static let ipcLock: UInt64 = 14
    /// What the daemon and its supervisor lock at most.
    private static let lockedBytes: UInt64 = 64 << 20

    /// The cgroups of the running system, or of this process if none runs.
    private let bounds: MemoryBounds
    private let machine: Int64

    init(bounds: MemoryBounds = MemoryBounds(), machine: Int64 = ProcessMemory.machine()?.total ?? .max) {
        (self.bounds, self.machine) = (bounds, machine)
    }

    func findings() -> [DoctorFinding] { [limit(), pressure(), outside(), advice(), purgeable(), locked(), swap()] }

    /// The limit of a container or a service manager. The kernel kills processes when it is reached.
    private func limit() -> DoctorFinding {
        let mechanism = "memory limit"
        guard let limit = bounds.limit, limit.bytes < machine else {
            return DoctorFinding(
                mechanism: mechanism, status: .ok, detail: "no cgroup has one: the budget is the machine's memory")
        }
        return DoctorFinding(
            mechanism: mechanism, status: .ok,
            detail:
                "the budget is \(limit.bytes >> 20) MB of the machine's \(machine >> 20) MB: \(limit.path) has this limit"
        )
    }

    /// A trigger of half-open windows needs a right that few have; whole ones, of 2 s, are free.
    private func pressure() -> DoctorFinding {
        do throws(SystemError) {
            let file = try Descriptor.open("/proc/pressure/memory", .readWrite)
            guard case .bytes = try file.write(Array("some 150000 2000000\0".utf8)[...]) else {
                throw SystemError("write", .invalidArgument)
            }
            return DoctorFinding(
                mechanism: "pressure (PSI)", status: .ok, detail: "the kernel tells when memory is short")
        } catch {
            return DoctorFinding(
                mechanism: "pressure (PSI)", status: .replaced, detail: "\(error)",
                instead: "looking at the free memory in turns", cost: "a fast leak is noticed later")
        }
    }

    /// Memory that an app holds and none of its processes shows (docs/MEMORY.md).
    private func outside() -> DoctorFinding {
        let mechanism = "memory outside processes"
        let root = CgroupRoot.detect(isRoot: CurrentProcess.isRoot)
        let controllers = root.flatMap { Files.text("\($0)/cgroup.controllers") } ?? ""
        guard !controllers.split(whereSeparator: { " \n".contains($0) }).contains("memory") else {
            return DoctorFinding(
                mechanism: mechanism, status: .ok,
                detail: "memfds, shared memory, pipes and sockets are counted by each app's memory.stat; huge pages "
                    + "and buffers of devices are not")
        }
        let (own, shared) =
            CurrentProcess.isRoot
            ? (", and each app's own /dev/shm and /tmp", "") : ("", ", nor do files with a name in /dev/shm and /tmp")
        return DoctorFinding(
            mechanism: mechanism, status: .replaced, detail: "no memory controller in the v2 hierarchy",
            instead: "descriptors and mappings are looked at: memfds, deleted files in memory, pipes and sockets" + own,
            cost: "descriptors in flight, connections not accepted, message queues, System V segments, huge pages and "
                + "buffers of devices count for no app\(shared): with cgroup_no_v1=memory the kernel counts")
    }

    private func advice() -> DoctorFinding {
        guard CurrentProcess.canRaisePriorities else {
            return DoctorFinding(
                mechanism: "process_madvise", status: .replaced, detail: "needs CAP_SYS_NICE",
                instead: "the app gives memory back itself before it is suspended",
                cost: "plain programs keep what they hold")
        }
        return DoctorFinding(
            mechanism: "process_madvise", status: .ok, detail: "memory of suspended apps can be reclaimed from outside")
    }

    private func purgeable() -> DoctorFinding {
        let (size, free) = (65_536, Int32(8))
        let memory = unsafe mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let memory = unsafe memory, unsafe memory != MAP_FAILED else {
            return DoctorFinding(mechanism: "MADV_FREE", status: .missing, detail: "no memory could be mapped")
        }
        defer { unsafe munmap(memory, size) }
        guard unsafe madvise(memory, size, free) == 0 else {
            return DoctorFinding(
                mechanism: "MADV_FREE", status: .replaced, detail: "comes with Linux 4.5",
                instead: "purgeable memory is given back when the app is suspended",
                cost: "caches are empty after each return")
        }
        return DoctorFinding(mechanism: "MADV_FREE", status: .ok, detail: "purgeable memory goes when it is needed")
    }

    private func locked() -> DoctorFinding {
        let limits = (Files.text("/proc/self/limits") ?? "").split(separator: "\n")
        let line = limits.first { $0.hasPrefix("Max locked memory") }?.split(separator: " ")
        let limit = line.flatMap { $0.count > 3 ? $0[3] : nil } ?? "0"
        if CurrentProcess.hasCapability(Self.ipcLock) || limit == "unlimited"
            || (UInt64(limit) ?? 0) >= Self.lockedBytes
        {
            return DoctorFinding(
                mechanism: "locked memory", status: .ok, detail: "supervisor and daemon stay in memory")
        }
        return DoctorFinding(
            mechanism: "locked memory", status: .replaced,
            detail: "the limit is \(limit) bytes (ulimit -l)",
            instead: "supervisor and daemon run unlocked", cost: "they react late when the machine thrashes")
    }

    private func swap() -> DoctorFinding {
        let areas = (Files.text("/proc/swaps") ?? "").split(separator: "\n").dropFirst()
        guard !areas.isEmpty else {
            return DoctorFinding(
                mechanism: "swap", status: .missing, detail: "the machine has none",
                cost: "dirty memory of suspended apps stays in memory; only clean and purgeable pages can be dropped")
        }
        return DoctorFinding(
            mechanism: "swap", status: .ok, detail: areas.count == 1 ? "one area" : "\(areas.count) areas")
    }
}
