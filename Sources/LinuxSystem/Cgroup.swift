internal import Glibc
internal import SystemPackage

/// A cgroup of the v2 hierarchy: all processes of one app.
package final class Cgroup {
    package struct Events: Hashable, Sendable {
        package var isPopulated: Bool
        package var isFrozen: Bool
    }

    package let path: String
    package let directory: Descriptor
    private let freezer: Descriptor
    private let events: Descriptor
    private var buffer = [UInt8](repeating: 0, count: 128)

    /// Opens the group at a path, making it if need be. A frozen group is thawed: nothing can be born into it.
    package init(creating path: String) throws(SystemError) {
        if unsafe mkdir(path, 0o755) != 0, Glibc.errno != EEXIST { throw .last("mkdir", path: path) }
        self.path = path
        directory = try Descriptor.open(path, .directory)
        freezer = try Descriptor.open(path + "/cgroup.freeze", .write)
        events = try Descriptor.open(path + "/cgroup.events", .read)
    }

    /// Readable with priority when `read` would tell something new.
    package var eventsDescriptor: Descriptor { events }

    package func setFrozen(_ isFrozen: Bool) throws(SystemError) {
        let fd = freezer.rawValue
        var byte = UInt8(ascii: isFrozen ? "1" : "0")
        try check("write", path: path + "/cgroup.freeze") { unsafe pwrite(fd, &byte, 1, 0) }
    }

    package func readEvents() -> Events {
        guard let count = try? events.readAt(0, into: &buffer) else {
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
        var pids = (text(path + "/cgroup.procs") ?? "").split(separator: "\n").compactMap { CInt($0) }
        for child in children(of: path) { pids += processes(at: child) }
        return pids
    }

    /// SIGKILL to every process, those being born included. The corresponding file is `cgroup.kill`.
    package func kill() throws(SystemError) { try Self.kill(at: path) }

    package static func kill(at path: String) throws(SystemError) {
        do throws(SystemError) {
            try write("1", to: path + "/cgroup.kill")
        } catch  where error.errno == .noSuchFileOrDirectory {
            // Before kernel 5.14: frozen, nothing can fork away from under the signals.
            try? write("1", to: path + "/cgroup.freeze")
            for pid in processes(at: path) { _ = Glibc.kill(pid, SIGKILL) }
            try? write("0", to: path + "/cgroup.freeze")
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
        for child in children(of: path) { try remove(at: child) }
        if unsafe rmdir(path) != 0, Glibc.errno != ENOENT { throw .last("rmdir", path: path) }
    }

    package static func children(of path: String) -> [String] {
        guard let directory = unsafe opendir(path) else { return [] }
        defer { unsafe closedir(directory) }
        var found: [String] = []
        while let entry = unsafe readdir(directory) {
            guard unsafe entry.pointee.d_type == UInt8(DT_DIR) else { continue }
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { found.append("\(path)/\(name)") }
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
    /// The directory below which groups can be made: the machine's root for root, its own group for others;
    /// `nil` when there is none.
    package static func detect(
        mountInfo: String = "/proc/self/mountinfo", ownGroup: String = "/proc/self/cgroup", isRoot: Bool
    ) -> String? {
        if let given = CurrentProcess.environment("GREENROOM_CGROUP") { return given.isEmpty ? nil : given }
        guard let mount = mountPoint(mountInfo) else { return nil }
        if isRoot { return canWrite(mount) ? mount : nil }
        guard let own = text(ownGroup).flatMap(ProcFS.parseCgroup) else { return nil }
        let path = own == "/" ? mount : mount + own
        return canWrite(path) ? path : nil
    }

    package static func mountPoint(_ mountInfo: String = "/proc/self/mountinfo") -> String? {
        for line in (text(mountInfo) ?? "").split(separator: "\n") {
            let halves = line.split(separator: " ").split(separator: "-", maxSplits: 1)
            guard halves.count == 2, halves[1].first == "cgroup2" else { continue }
            let fields = Array(halves[0])
            if fields.count > 4 { return String(fields[4]) }
        }
        return nil
    }

    /// The mount point of a v1 controller in a hybrid layout.
    package static func legacyMountPoint(
        of controller: String, mountInfo: String = "/proc/self/mountinfo"
    ) -> String? {
        for line in (text(mountInfo) ?? "").split(separator: "\n") {
            let halves = line.split(separator: " ").split(separator: "-", maxSplits: 1)
            guard halves.count == 2, halves[1].first == "cgroup", let options = halves[1].last else { continue }
            let fields = Array(halves[0])
            if options.split(separator: ",").contains(Substring(controller)), fields.count > 4 {
                return String(fields[4])
            }
        }
        return nil
    }

    private static func canWrite(_ path: String) -> Bool {
        unsafe access(path, W_OK) == 0 && access(path + "/cgroup.procs", W_OK) == 0
    }

    private static func text(_ path: String) -> String? {
        (try? Descriptor.open(path, .read).readAll(limit: 1 << 22)).map { String(decoding: $0, as: UTF8.self) }
    }
}
