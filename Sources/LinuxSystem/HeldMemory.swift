internal import CLinux
internal import SystemPackage

/// Memory that processes have and that is in no process's own: what lies in pipes and sockets, and in files without a
/// name or a disk. All of it goes with the last of the processes.
package struct HeldMemory: Hashable, Sendable {
    /// Of files in memory (`memfd_create`, shared memory, what was deleted in `/dev/shm`) the part that is not mapped.
    package var files: Int64 = 0
    package var sockets: Int64 = 0
    package var pipes: Int64 = 0
    /// Of a control group's own: what the kernel counts there.
    package var counted: Int64 = 0
    /// More descriptors than were to be looked at.
    package var isIncomplete = false

    package var bytes: Int64 { files &+ sockets &+ pipes &+ counted }

    /// What a group's `memory.stat` says that none of its processes shows; where the kernel counts memory by groups.
    /// - Parameter mapped: what they show of files in memory.
    package static func counted(_ stat: String, mapped: Int64) -> HeldMemory? {
        var found: [Substring: Int64] = [:]
        for line in stat.split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.count == 2, let value = Int64(words[1]) { found[words[0]] = max(0, value) }
        }
        guard let shared = found["shmem"] else { return nil }
        // What processes need of the kernel to be there at all is not theirs to give back.
        let needed = ["slab_reclaimable", "kernel_stack", "pagetables", "percpu"].reduce(0) {
            $0 &+ (found[$1[...]] ?? 0)
        }
        var held = HeldMemory()
        held.counted =
            max(0, shared &- mapped) &+ (found["sock"] ?? 0) &+ max(0, (found["kernel"] ?? needed) &- needed)
        return held
    }
}

/// Looks for such memory by the descriptors and mappings of processes, each thing once.
package struct HeldMemoryLook {
    private struct File: Hashable {
        let device: UInt64
        let inode: UInt64
    }

    private let procFS: ProcFS
    private let pids: [CInt]
    private var owners: Set<UInt32> = []
    /// The file systems that have their files in memory.
    private var devices: Set<UInt64> = []
    /// Those of them that the app has for itself, and what is in them.
    private var ownDevices: Set<UInt64> = []
    private var inOwnDevices: Int64 = 0
    private var sizes: [File: Int64] = [:]
    private var seen: Set<String> = []
    private var left: Int
    private var held = HeldMemory()

    private static let ownDevice = gr_memory_device()
    /// Places of which an app may have one of its own.
    private static let places = ["/dev/shm", "/tmp"]
    /// Less is not worth a closer look.
    private static let smallest: Int64 = 1 << 20

    /// - Parameter limit: of descriptors; what is behind it is not seen.
    package init(_ pids: [CInt], in procFS: ProcFS = ProcFS(), atMost limit: Int) {
        self.procFS = procFS
        self.pids = pids
        left = limit
    }

    package mutating func measure() -> HeldMemory {
        for pid in pids {
            if let owner = procFS.looking(at: pid, Self.owner) { owners.insert(owner) }
        }
        lookAtPlaces()
        for pid in pids {
            for table in procFS.descriptorTables(of: pid) { look(at: table) }
            lookAtMappings(pid)
        }
        let total = sizes.values.reduce(inOwnDevices, &+)
        if total >= Self.smallest { held.files = max(0, total &- pids.reduce(0) { $0 &+ mapped($1) }) }
        return held
    }

    private static func owner(_ folder: String) -> UInt32? {
        guard let status = FileSystem.read(folder + "/status", limit: 1 << 16) else { return nil }
        return ProcFS.field("Uid", in: String(decoding: status, as: UTF8.self)).flatMap { UInt32($0) }
    }

    // MARK: Places

    /// An app that has such a place of its own has all that is in it, with or without a name.
    private mutating func lookAtPlaces() {
        devices = [Self.ownDevice]
        guard let pid = pids.first else { return }
        let found: (folder: String, mounts: [Mount])? = procFS.looking(at: pid) { folder in
            Mount.ofInterest(folder).map { (folder, $0) }
        }
        guard let found else { return }
        for mount in found.mounts where mount.type == "tmpfs" { devices.insert(mount.device) }
        // A file system that a program serves may let nobody through.
        guard !found.mounts.contains(where: { $0.type.hasPrefix("fuse") && $0.isOnTheWay(to: Self.places) }) else {
            return
        }
        for place in Self.places {
            let own = found.mounts.last { $0.point == place && $0.type == "tmpfs" }
            var shared = gr_look()
            guard let own, unsafe gr_look(place, &shared) != 0 || shared.device != own.device else { continue }
            let used = unsafe gr_memory_in("\(found.folder)/root\(place)")
            guard used >= 0 else { continue }
            devices.remove(own.device)
            ownDevices.insert(own.device)
            inOwnDevices &+= used
        }
    }

    private struct Mount {
        let device: UInt64
        let point: Substring
        let type: Substring

        /// Those with their files in memory, and those that a program serves; `nil` where nothing can be seen. It is
        /// looked at for each app again and again, so that the others are not even taken apart.
        static func ofInterest(_ folder: String) -> [Mount]? {
            guard let bytes = FileSystem.read(folder + "/mountinfo", limit: 1 << 20), !bytes.isEmpty else {
                return nil
            }
            return bytes.split(separator: UInt8(ascii: "\n")).compactMap { bytes in
                guard isOfInterest(bytes) else { return nil }
                let line = String(decoding: bytes, as: UTF8.self)
                let fields = line.split(separator: " ")
                guard fields.count > 6, let dash = fields.firstIndex(of: "-"), dash + 1 < fields.count else {
                    return nil
                }
                let numbers = fields[2].split(separator: ":").compactMap { UInt64($0) }
                guard numbers.count == 2 else { return nil }
                return Mount(device: numbers[0] << 32 | numbers[1], point: fields[4], type: fields[dash + 1])
            }
        }

        /// By the word behind ` - `.
        private static func isOfInterest(_ line: ArraySlice<UInt8>) -> Bool {
            var place = line.startIndex
            while let dash = line[place...].firstIndex(of: UInt8(ascii: "-")) {
                place = dash + 1
                guard dash > line.startIndex, line[dash - 1] == UInt8(ascii: " "), place < line.endIndex,
                    line[place] == UInt8(ascii: " ")
                else { continue }
                let type = line[(place + 1)...]
                return type.starts(with: "tmpfs ".utf8) || type.starts(with: "fuse".utf8)
            }
            return false
        }

        func isOnTheWay(to places: [String]) -> Bool {
            places.contains { $0 == point || point == "/" || $0.hasPrefix(point + "/") }
        }
    }

    // MARK: Descriptors

    private mutating func look(at table: ProcFS.DescriptorTable) {
        var owner: PidFD?
        for name in table.descriptors {
            guard left > 0 else {
                held.isIncomplete = true
                return
            }
            left -= 1
            guard let target = FileSystem.linkTarget(table.link(name)) else { continue }
            if target.hasPrefix("/") {
                if target.hasSuffix(" (deleted)") { note(table.link(name)) }
                continue
            }
            let isSocket = target.hasPrefix("socket:")
            guard isSocket || target.hasPrefix("pipe:"), seen.insert(target).inserted, let number = CInt(name) else {
                continue
            }
            if owner == nil { owner = try? PidFD(table) }
            // Without the right to look, or before kernel 6.9 at threads, this is not seen.
            guard let copy = try? owner?.duplicate(number) else { continue }
            if isSocket {
                held.sockets &+= max(0, gr_socket_memory(copy.rawValue))
            } else {
                held.pipes &+= max(0, gr_pipe_memory(copy.rawValue))
            }
        }
    }

    /// A file that the app made and that nobody else can come to.
    private mutating func note(_ link: String) {
        var found = gr_look()
        guard unsafe gr_look(link, &found) == 0, found.links == 0, devices.contains(found.device),
            owners.contains(found.owner)
        else { return }
        sizes[File(device: found.device, inode: found.inode)] = found.allocated
    }

    // MARK: Mappings

    /// Of a large file a small part may be mapped, and no descriptor be left.
    private mutating func lookAtMappings(_ pid: CInt) {
        guard let found = folderWithMappings(pid) else { return }
        for line in found.maps.split(separator: UInt8(ascii: "\n"))
        where line.suffix(10).elementsEqual(" (deleted)".utf8) {
            guard let file = Self.file(line), devices.contains(file.device), sizes[file] == nil else { continue }
            let range = String(decoding: line.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self)
            // A folder that only the process has, by whichever of its threads.
            let folder = found.folder.replacing("/\(pid)/task/", with: "/")
            note("\(folder)/map_files/\(range)")
        }
    }

    private func folderWithMappings(_ pid: CInt) -> (folder: String, maps: [UInt8])? {
        procFS.looking(at: pid) { folder in
            guard let maps = FileSystem.read(folder + "/maps", limit: 1 << 22), !maps.isEmpty else { return nil }
            return (folder, maps)
        }
    }

    /// The device and the number in `7f0a-7f0b rw-s 00000000 00:01 4711 /memfd:x (deleted)`.
    private static func file(_ line: ArraySlice<UInt8>) -> File? {
        let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 5)
        guard fields.count == 6 else { return nil }
        let numbers = fields[3].split(separator: UInt8(ascii: ":"))
            .compactMap { UInt64(String(decoding: $0, as: UTF8.self), radix: 16) }
        guard numbers.count == 2, let inode = UInt64(String(decoding: fields[4], as: UTF8.self)) else { return nil }
        return File(device: numbers[0] << 32 | numbers[1], inode: inode)
    }

    /// The process's share of the pages of these files, which its own memory shows already.
    private func mapped(_ pid: CInt) -> Int64 {
        let smaps = procFS.looking(at: pid) { folder in
            FileSystem.read(folder + "/smaps", limit: 1 << 24).flatMap { $0.isEmpty ? nil : $0 }
        }
        var sum: Int64 = 0
        var isCounted = false
        for line in (smaps ?? []).split(separator: UInt8(ascii: "\n")) {
            if line.starts(with: "Pss:".utf8) {
                let kilobytes = line.dropFirst(4).split(separator: UInt8(ascii: " ")).first
                    .flatMap { Int64(String(decoding: $0, as: UTF8.self)) }
                if isCounted, let kilobytes { sum &+= kilobytes &* 1024 }
            } else if let first = line.first, first < UInt8(ascii: "A") || first >= UInt8(ascii: "a") {
                // All fields begin with capital letters.
                isCounted = Self.file(line).map { sizes[$0] != nil || ownDevices.contains($0.device) } ?? false
            }
        }
        return sum
    }
}
