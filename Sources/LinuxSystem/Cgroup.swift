internal import Glibc
internal import SystemPackage

/// A cgroup of the v2 hierarchy: all processes of one app.
package final class Cgroup {
    package struct Events: Hashable, Sendable {
        package var isPopulated: Bool
        package var isFrozen: Bool

        package init(isPopulated: Bool, isFrozen: Bool) {
            self.isPopulated = isPopulated
            self.isFrozen = isFrozen
        }
    }

    package let path: String
    // Opened when they are first needed, and let go when the group stands still: of ten thousand most do.
    private var opened: Descriptor?
    private var freezer: Descriptor?
    private var events: Descriptor?
    /// For looking: a read of `events` would take the notification of what it reads away from whoever waits for it.
    private var view: Descriptor?
    private var isResting = false
    private var buffer = [UInt8](repeating: 0, count: 128)

    /// Opens the group at a path, making it if need be. It stays frozen if it is: it may be a suspended app's.
    package init(creating path: String) throws(SystemError) {
        if unsafe mkdir(path, 0o755) != 0, Glibc.errno != EEXIST { throw .last("mkdir", path: path) }
        self.path = path
        view = try Descriptor.open(path + "/cgroup.events", .read)
    }

    /// A group that is there.
    package init(path: String) { self.path = path }

    /// To start processes in it.
    package var directory: Descriptor {
        get throws(SystemError) { try Self.once(&opened) { () throws(SystemError) in try .open(path, .directory) } }
    }

    /// Readable with priority when something changed since the last `acknowledge`.
    package var eventsDescriptor: Descriptor {
        get throws(SystemError) {
            try Self.once(&events) { () throws(SystemError) in try .open(path + "/cgroup.events", .read) }
        }
    }

    private static func once(
        _ known: inout Descriptor?, _ open: () throws(SystemError) -> Descriptor
    ) throws(SystemError) -> Descriptor {
        if let known { return known }
        let fresh = try open()
        known = fresh
        return fresh
    }

    /// Keeps open what tells of changes, and nothing else.
    package func rest() {
        (opened, freezer, view) = (nil, nil, nil)
        isResting = true
    }

    /// Arms the next notification; what changed is to be looked up after this.
    package func acknowledge() { _ = try? events?.readAt(0, into: &buffer) }

    /// Has the groups below this one counted and limited by a controller, where the kernel and whoever manages the
    /// groups allow it.
    package static func enable(_ controller: String, below path: String) {
        guard let slash = path.lastIndex(of: "/") else { return }
        for group in [String(path[..<slash]), path] {
            let known = (text(group + "/cgroup.controllers") ?? "").split { $0 == " " || $0 == "\n" }
            guard canBeDivided(group) else { return }
            guard known.contains(Substring(controller)) else { return }
            try? write("+\(controller)", to: group + "/cgroup.subtree_control")
        }
    }

    /// Whether the groups below a group can have controllers: it is the root of the hierarchy, or no process is in it.
    ///
    /// The kernel would let `cpu` and `pids` be enabled all the same, but then no process could be started below: the
    /// group would be one of threads.
    package static func canBeDivided(_ group: String) -> Bool {
        guard FileSystem.exists(group + "/cgroup.type") else { return true }
        return text(group + "/cgroup.procs")?.isEmpty ?? false
    }

    package func setFrozen(_ isFrozen: Bool) throws(SystemError) {
        isResting = false
        let file = try Self.once(&freezer) { () throws(SystemError) in
            try .open(path + "/cgroup.freeze", .write)
        }
        let fd = file.rawValue
        var byte = UInt8(ascii: isFrozen ? "1" : "0")
        try check("write", path: path + "/cgroup.freeze") { unsafe pwrite(fd, &byte, 1, 0) }
    }

    package func readEvents() -> Events {
        var file = view
        do throws(SystemError) {
            if file == nil { file = try Descriptor.open(path + "/cgroup.events", .read) }
        } catch {
            // Without a descriptor to spare nothing is known: what lives is not taken for dead.
            let isShortage = [.tooManyOpenFiles, .tooManyOpenFilesInSystem].contains(error.errno)
            return Events(isPopulated: isShortage, isFrozen: false)
        }
        if !isResting { view = file }
        guard let count = try? file?.readAt(0, into: &buffer) else {
            return Events(isPopulated: false, isFrozen: false)
        }
        return Self.parseEvents(buffer[..<count])
    }

    package static func parseEvents(_ bytes: ArraySlice<UInt8>) -> Events {
        var events = Events(isPopulated: false, isFrozen: false)
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            if line.elementsEqual("populated 1".utf8) { events.isPopulated = true }
            if line.elementsEqual("frozen 1".utf8) { events.isFrozen = true }
        }
        return events
    }

    /// The processes of this group and the groups below it.
    package func processes() -> [CInt] { Self.processes(at: path) }

    package static func processes(at path: String) -> [CInt] {
        var pids = parseProcesses((try? Descriptor.open(path + "/cgroup.procs", .read).readAll(limit: 1 << 24)) ?? [])
        // Of a directory with nothing below it, its own name and its `.` are all the links.
        if FileSystem.links(to: path) == 2 { return pids }
        // By descriptor: apps that may make groups name them as they like.
        FileSystem.visitDirectories(below: path) { child in
            let file = try? Directory(child).open("cgroup.procs", .read)
            pids += parseProcesses((try? file?.readAll(limit: 1 << 24)) ?? [])
        }
        return pids
    }

    /// By bytes: apps that run are looked at again and again.
    package static func parseProcesses(_ bytes: [UInt8]) -> [CInt] {
        bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
            var pid: CInt = 0
            for byte in line {
                guard byte >= 48, byte <= 57 else { return nil }
                let (tens, isTooLarge) = pid.multipliedReportingOverflow(by: 10)
                let (sum, overflows) = tens.addingReportingOverflow(CInt(byte - 48))
                guard !isTooLarge, !overflows else { return nil }
                pid = sum
            }
            return pid
        }
    }

    /// SIGKILL to every process, those being born included. The corresponding file is `cgroup.kill`.
    package func kill(again: Bool = false) throws(SystemError) { try Self.kill(at: path, again: again) }

    /// Of a process whose first thread has ended while others go on, `cgroup.kill` signals that thread, and the process
    /// lives on: so each one is sent a signal of its own as well, which any of its threads takes. One that does both,
    /// forking and ending its first thread, may slip through between the two, which costs it another try.
    /// - Parameter again: somebody lived through a kill. Frozen, nothing forks away from under the signals; and it
    ///   stays frozen.
    package static func kill(at path: String, again: Bool = false) throws(SystemError) {
        if again { try write("1", to: path + "/cgroup.freeze") }
        do throws(SystemError) {
            try write("1", to: path + "/cgroup.kill")
        } catch  where error.errno == .noSuchFileOrDirectory {
            return try killOneByOne(at: path)
        }
        killEach(at: path)
    }

    private static func killEach(at path: String) {
        for pid in processes(at: path) where pid > 1 { _ = Glibc.kill(pid, SIGKILL) }
    }

    /// What `cgroup.kill` does, for kernels before 5.14: frozen, nothing can fork away from under the signals. A group
    /// that is not empty soon stays frozen for another try.
    package static func killOneByOne(at path: String) throws(SystemError) {
        let events = try Descriptor.open(path + "/cgroup.events", .read)
        try write("1", to: path + "/cgroup.freeze")
        // A fork that was under way when the freeze began shows up in a later round.
        for _ in 0..<10 {
            killEach(at: path)
            if try waits(events, atMost: 2, until: { !$0.isPopulated }) {
                return try write("0", to: path + "/cgroup.freeze")
            }
        }
    }

    /// Kills what is in the group and below it, waits for its end and removes it; for teardown and tools, never on a
    /// loop.
    package static func destroy(at path: String, milliseconds: CInt = 2000) throws(SystemError) {
        let deadline = Clock.monotonic() + Int64(milliseconds) * 1_000_000
        var isAgain = false
        while FileSystem.exists(path) {
            try kill(at: path, again: isAgain)
            isAgain = true
            let left = CInt(clamping: (deadline - Clock.monotonic()) / 1_000_000)
            let events = try Descriptor.open(path + "/cgroup.events", .read)
            _ = try waits(events, atMost: max(1, min(left, 50)), until: { !$0.isPopulated })
            do throws(SystemError) {
                return try remove(at: path)
            } catch {
                // A process may have been moved in, or a group made, meanwhile.
                if error.errno != .resourceBusy || left <= 0 { throw error }
            }
        }
    }

    /// Waits until all processes are frozen, or none is any more.
    package func waitUntilFrozen(_ isFrozen: Bool = true, milliseconds: CInt) throws(SystemError) -> Bool {
        try Self.waits(eventsDescriptor, atMost: milliseconds) { $0.isFrozen == isFrozen }
    }

    /// Waits until the last process is gone.
    package func waitUntilEmpty(milliseconds: CInt) throws(SystemError) -> Bool {
        try Self.waits(eventsDescriptor, atMost: milliseconds) { !$0.isPopulated }
    }

    private static func waits(
        _ events: Descriptor, atMost milliseconds: CInt, until condition: (Events) -> Bool
    ) throws(SystemError) -> Bool {
        let deadline = Clock.monotonic() + Int64(milliseconds) * 1_000_000
        var buffer = [UInt8](repeating: 0, count: 128)
        while true {
            // A read arms the notification for what comes after it.
            let count = try events.readAt(0, into: &buffer)
            if condition(parseEvents(buffer[..<count])) { return true }
            let left = (deadline - Clock.monotonic()) / 1_000_000
            if left <= 0 { return false }
            var entry = pollfd(fd: events.rawValue, events: Int16(POLLPRI), revents: 0)
            _ = unsafe poll(&entry, 1, CInt(clamping: left))
        }
    }

    /// Microseconds of processor time, where the kernel counts them for this group.
    package func processorMicroseconds() -> Int64? {
        guard let text = Self.text(path + "/cpu.stat") else { return nil }
        for line in text.split(separator: "\n") where line.hasPrefix("usage_usec ") { return Int64(line.dropFirst(11)) }
        return nil
    }

    /// Removes an empty group and the groups below it.
    package static func remove(at path: String) throws(SystemError) {
        try FileSystem.removeDirectories(path)
    }

    /// The groups in it whose names are text, as all of Greenroom's are.
    package static func children(of path: String) -> [String] {
        // Of a directory with nothing below it, its own name and its `.` are all the links.
        if FileSystem.links(to: path) == 2 { return [] }
        guard let directory = try? Descriptor.open(path, .directory),
            var reader = try? DirectoryReader(directory)
        else { return [] }
        var found: [String] = []
        while let entry = try? reader.entry() {
            guard entry.type == UInt8(DT_DIR), let name = entry.name.text else { continue }
            found.append("\(path)/\(name)")
        }
        return found.sorted()
    }

    /// The one place where a control file is written.
    package static func write(_ text: String, to path: String) throws(SystemError) {
        _ = try Descriptor.open(path, .write).write(Array(text.utf8)[...])
    }

    private static func text(_ path: String) -> String? {
        (try? Descriptor.open(path, .read).readAll(limit: 1 << 24)).map { String(decoding: $0, as: UTF8.self) }
    }
}

/// Where a system may make its cgroups.
package enum CgroupRoot {
    /// The directory below which groups can be made, or `nil` if there is none. For root it is the machine's root, and
    /// for other users their own group. If root's group has a memory limit, it is that group, because the limit is for
    /// the apps as well.
    package static func detect(
        mountInfo: String = "/proc/self/mountinfo", ownGroup: String = "/proc/self/cgroup", isRoot: Bool
    ) -> String? {
        if let given = CurrentProcess.environment("GREENROOM_CGROUP") { return given.isEmpty ? nil : given }
        guard let mount = mountPoint(mountInfo) else { return nil }
        if isRoot {
            let limited = MemoryBounds(mountInfo: mountInfo, ownGroup: ownGroup).limitedGroup
            if let limited, canWrite(limited) { return limited }
            return canWrite(mount) ? mount : nil
        }
        guard let own = text(ownGroup).flatMap(ProcFS.parseCgroup) else { return nil }
        // In a container without a namespace for cgroups, the mount shows a part of the hierarchy.
        let root = Self.mount(of: nil, mountInfo)?.root ?? "/"
        let below = root != "/" && (own == root || own.hasPrefix(root + "/")) ? String(own.dropFirst(root.count)) : own
        let path = below == "/" ? mount : mount + below
        return canWrite(path) ? path : nil
    }

    package static func mountPoint(_ mountInfo: String = "/proc/self/mountinfo") -> String? {
        mount(of: nil, mountInfo)?.point
    }

    /// The mount point of a v1 controller in a hybrid layout.
    package static func legacyMountPoint(
        of controller: String, mountInfo: String = "/proc/self/mountinfo"
    ) -> String? {
        mount(of: controller, mountInfo)?.point
    }

    struct Mount {
        /// The part of the hierarchy that it shows.
        var root: String
        var point: String
    }

    /// The first mount of a v1 controller, or of v2 if `controller` is `nil`.
    static func mount(of controller: String?, _ mountInfo: String) -> Mount? {
        for line in (text(mountInfo) ?? "").split(separator: "\n") {
            let halves = line.split(separator: " ").split(separator: "-", maxSplits: 1)
            guard halves.count == 2, halves[1].first == (controller == nil ? "cgroup2" : "cgroup"),
                let options = halves[1].last
            else { continue }
            let fields = Array(halves[0])
            guard fields.count > 4 else { continue }
            if let controller, !options.split(separator: ",").contains(Substring(controller)) { continue }
            return Mount(root: unescaped(fields[3]), point: unescaped(fields[4]))
        }
        return nil
    }

    /// The kernel writes a space as `\\040`.
    private static func unescaped(_ field: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Array(field.utf8)[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(3)
            if byte == UInt8(ascii: "\\"), digits.count == 3,
                let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 8)
            {
                bytes.append(value)
                rest = rest.dropFirst(3)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func canWrite(_ path: String) -> Bool {
        // The kernel starts no process in a group that lies below a group of threads.
        unsafe access(path, W_OK) == 0 && access(path + "/cgroup.procs", W_OK) == 0
            && text(path + "/cgroup.type")?.contains("thread") != true
    }

    private static func text(_ path: String) -> String? {
        (try? Descriptor.open(path, .read).readAll(limit: 1 << 22)).map { String(decoding: $0, as: UTF8.self) }
    }
}
