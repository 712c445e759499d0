/// The memory limits of the cgroups that this process is in, from its own to the root: those of a container, or of a
/// service manager. The kernel ends processes of a group that is full, however much the machine has.
package struct MemoryBounds: Hashable, Sendable {
    fileprivate struct Group: Hashable {
        var path: String
        var isLegacy: Bool
    }

    package struct Limit: Hashable, Sendable {
        package var bytes: Int64
        /// The group that has it.
        package var path: String
    }

    /// From the process's own group to the root.
    fileprivate var groups: [Group] = []

    package init(mountInfo: String = "/proc/self/mountinfo", ownGroup: String = "/proc/self/cgroup") {
        let lines = (text(ownGroup) ?? "").split(separator: "\n").map {
            $0.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        }
        func own(_ isIt: (Substring) -> Bool) -> String? {
            lines.first { $0.count == 3 && isIt($0[1]) }.map { String($0[2]) }
        }
        let legacy = own { $0.split(separator: ",").contains("memory") }
        if let legacy, let mount = CgroupRoot.mount(of: "memory", mountInfo) {
            groups = Self.chain(mount, legacy).map { Group(path: $0, isLegacy: true) }
        } else if let own = own(\.isEmpty), let mount = CgroupRoot.mount(of: nil, mountInfo) {
            groups = Self.chain(mount, own).map { Group(path: $0, isLegacy: false) }
        }
        groups.removeAll { $0.limitFiles.allSatisfy { !FileSystem.exists($0) } }
    }

    /// The directories of a group and its ancestors that the mount shows.
    private static func chain(_ mount: CgroupRoot.Mount, _ group: String) -> [String] {
        var below = group
        if mount.root != "/" {
            // Without a cgroup namespace, the mount of a container shows only a part of the hierarchy.
            guard group == mount.root || group.hasPrefix(mount.root + "/") else { return [mount.point] }
            below = String(group.dropFirst(mount.root.count))
        }
        var names = below.split(separator: "/")
        // The group is outside the process's namespace.
        guard !names.contains("..") else { return [mount.point] }
        var chain: [String] = []
        while !names.isEmpty {
            chain.append(mount.point + "/" + names.joined(separator: "/"))
            names.removeLast()
        }
        return chain + [mount.point]
    }

    /// The smallest limit, or `nil` if there is none.
    package var limit: Limit? {
        groups.compactMap { group in group.limit.map { Limit(bytes: $0, path: group.path) } }
            .min { $0.bytes < $1.bytes }
    }

    /// The innermost group of version 2 if it has a limit or is below one. Groups below it are within the limit.
    package var limitedGroup: String? { limit.flatMap { _ in groups.first { !$0.isLegacy }?.path } }

    /// The available and the used memory of the group that is nearest to its limit.
    package var balance: ProcessMemory.Balance? {
        groups.compactMap(\.balance).min { $0.available < $1.available }
    }

    /// The number of processes that the kernel has killed in these groups for lack of memory.
    package var kills: Int64 { groups.compactMap(\.kills).max() ?? 0 }
    package var countsKills: Bool { groups.contains { $0.kills != nil } }

    /// The same count of one group of version 2, or `nil` if the kernel does not count its memory.
    package static func kills(in path: String) -> Int64? { Group(path: path, isLegacy: false).kills }
}

extension MemoryBounds.Group {
    /// Version 1 writes a larger number if there is no limit.
    private static let most: Int64 = 1 << 60

    var limitFiles: [String] {
        isLegacy ? ["\(path)/memory.limit_in_bytes"] : ["\(path)/memory.max", "\(path)/memory.high"]
    }

    var limit: Int64? { limitFiles.compactMap(number).filter { $0 < Self.most }.min() }

    private func number(_ file: String) -> Int64? {
        FileSystem.read(file, limit: 64).flatMap { Int64(String(decoding: $0.prefix { $0 != 10 }, as: UTF8.self)) }
    }

    var balance: ProcessMemory.Balance? {
        guard let limit, let used = number(path + (isLegacy ? "/memory.usage_in_bytes" : "/memory.current")),
            let stat = FileSystem.read("\(path)/memory.stat", limit: 1 << 14)
        else { return nil }
        func value(_ name: StaticString, _ legacy: StaticString? = nil) -> Int64 {
            KernelText.number(after: isLegacy ? legacy ?? name : name, in: stat) ?? 0
        }
        // The kernel can reclaim all pages of files. Half of the active ones do not count as available, because
        // programs run from them.
        let files = value("inactive_file ", "total_inactive_file ") + value("active_file ", "total_active_file ") / 2
        let slab = isLegacy ? 0 : value("slab_reclaimable ") / 2
        return ProcessMemory.Balance(
            available: max(0, limit - used + min(used, files + slab)),
            taken: value("anon ", "total_rss ") &+ value("shmem ", "total_shmem "))
    }

    var kills: Int64? {
        guard let events = FileSystem.read(path + (isLegacy ? "/memory.oom_control" : "/memory.events"), limit: 4096)
        else { return nil }
        return KernelText.number(after: "oom_kill ", in: events)
    }
}

private func text(_ path: String) -> String? {
    FileSystem.read(path, limit: 1 << 22).map { String(decoding: $0, as: UTF8.self) }
}

/// Reads numbers from the kernel's text files. It works on bytes, because the daemon reads some of them up to a hundred
/// times a second.
enum KernelText {
    /// The number after a name at the beginning of a line.
    static func number(after name: StaticString, in text: [UInt8]) -> Int64? {
        name.withUTF8Buffer { name in
            var begin = 0
            while begin + name.count <= text.count {
                if (0..<name.count).allSatisfy({ unsafe text[begin + $0] == name[$0] }) {
                    let digits = text[(begin + name.count)...].drop { $0 == UInt8(ascii: " ") }
                        .prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
                    return Int64(String(decoding: digits, as: UTF8.self))
                }
                guard let end = text[begin...].firstIndex(of: UInt8(ascii: "\n")) else { return nil }
                begin = end + 1
            }
            return nil
        }
    }
}
