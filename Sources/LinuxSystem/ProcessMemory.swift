internal import CLinux
internal import Glibc
internal import SystemPackage

/// Another process's memory: looked at cheaply, and taken from it.
package enum ProcessMemory {
    /// Bytes, as a process's `statm` has them.
    package struct Size: Hashable, Sendable {
        /// Address space, used or not.
        package var mapped: Int64
        /// Anonymous memory that is in memory, purgeable memory included.
        package var anonymous: Int64
        /// Pages of files that are in memory, whoever else maps them.
        package var files: Int64

        package init(mapped: Int64, anonymous: Int64, files: Int64) {
            self.mapped = mapped
            self.anonymous = anonymous
            self.files = files
        }

        package static let zero = Size(mapped: 0, anonymous: 0, files: 0)

        package static func + (a: Size, b: Size) -> Size {
            Size(mapped: a.mapped + b.mapped, anonymous: a.anonymous + b.anonymous, files: a.files + b.files)
        }
    }

    /// A read of one short line.
    package static func size(_ pid: CInt, root: String = "/proc") -> Size? {
        ProcFS(root: root).looking(at: pid) { folder in
            // Who has no memory at all is dead, or seems to be.
            FileSystem.read(folder + "/statm", limit: 256).flatMap(size).flatMap { $0.mapped > 0 ? $0 : nil }
        }
    }

    private static func size(_ bytes: [UInt8]) -> Size? {
        var fields: (Int64, Int64, Int64) = (0, 0, 0)
        var place = 0
        for byte in bytes {
            if byte == UInt8(ascii: " ") {
                place += 1
                if place == 3 { break }
                continue
            }
            guard byte >= 48, byte <= 57 else { return nil }
            let digit = Int64(byte - 48)
            switch place {
            case 0: fields.0 = fields.0 &* 10 &+ digit
            case 1: fields.1 = fields.1 &* 10 &+ digit
            default: fields.2 = fields.2 &* 10 &+ digit
            }
        }
        guard place == 3 else { return nil }
        return Size(
            mapped: fields.0 * pageSize, anonymous: max(0, fields.1 - fields.2) * pageSize,
            files: fields.2 * pageSize)
    }

    package static let pageSize = Int64(sysconf(CInt(_SC_PAGESIZE)))

    package struct Mappings: Hashable, Sendable {
        package var count: Int32
        /// Of files, and smaller than asked for.
        package var tiny: Int32
        /// Bytes of the largest.
        package var largest: Int64
    }

    /// The mappings of a process, counted to one above `limit`.
    package static func mappings(
        _ pid: CInt, upTo limit: Int32, tinyBelow: Int64 = 0, root: String = "/proc"
    ) -> Mappings? {
        ProcFS(root: root).looking(at: pid) { folder in
            guard let maps = try? Descriptor.open(folder + "/maps", .read) else { return nil }
            var found = gr_mappings()
            guard unsafe gr_count_mappings(maps.rawValue, limit, tinyBelow, &found) == 0, found.count > 0 else {
                return nil
            }
            return Mappings(count: found.count, tiny: found.tiny, largest: found.largest)
        }
    }

    /// The mappings of a process of which the kernel may take pages, counted to one above `limit`. That takes a while:
    /// the kernel looks at every page.
    package static func purgeableMappings(_ pid: CInt, upTo limit: Int32, root: String = "/proc") -> Int32? {
        ProcFS(root: root).looking(at: pid) { folder in
            guard let maps = try? Descriptor.open(folder + "/smaps", .read) else { return nil }
            let count = gr_count_purgeable(maps.rawValue, limit)
            return count < 0 ? nil : count
        }
    }

    /// Has the kernel take what it can take of a process without writing it anywhere: pages that the process has marked
    /// as free, and with `files` those that are in a file as well. Dirty pages stay where they are, or go to swap.
    /// The corresponding C function is `process_madvise`.
    package static func pageOut(_ process: PidFD, files: Bool) throws(SystemError) {
        let maps =
            ProcFS().looking(at: process.pid) { folder in
                FileSystem.read(folder + "/maps", limit: 1 << 24).flatMap { $0.isEmpty ? nil : $0 }
            } ?? []
        let ranges = maps.split(separator: UInt8(ascii: "\n")).compactMap(mapping).filter { files || !$0.isFile }
        var plan = PageOutPlan(ranges.map { PageOutPlan.Range(start: $0.start, length: $0.length) })
        while let pieces = plan.next() {
            let flat = pieces.flatMap { [$0.start, UInt($0.length)] }
            let began = Clock.monotonic()
            let done = unsafe gr_process_pageout(process.descriptor.rawValue, flat, CInt(pieces.count))
            if done < 0 {
                let error = SystemError.last("process_madvise")
                if [.notPermitted, .noSuchProcess, .noFunction].contains(error.errno) { throw error }
            }
            plan.note(done: Int(done), took: Clock.monotonic() - began)
        }
    }

    private static func mapping(_ line: ArraySlice<UInt8>) -> (start: UInt, length: Int, isFile: Bool)? {
        let text = String(decoding: line, as: UTF8.self)
        let fields = text.split(separator: " ", maxSplits: 5)
        guard fields.count >= 5, fields[1].hasPrefix("r") || fields[1].hasPrefix("-w") else { return nil }
        let name = fields.count > 5 ? fields[5].drop { $0 == " " } : ""
        guard !name.hasPrefix("[v") else { return nil }
        let ends = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
        guard ends.count == 2, ends[1] > ends[0] else { return nil }
        return (ends[0], Int(ends[1] - ends[0]), name.hasPrefix("/"))
    }

    /// What the machine has, in bytes, what of it could be had now, and its swap space.
    package static func machine(root: String = "/proc") -> (total: Int64, available: Int64, swap: Int64)? {
        guard let bytes = FileSystem.read("\(root)/meminfo", limit: 1 << 14),
            let total = kilobytes("MemTotal:", in: bytes), let available = kilobytes("MemAvailable:", in: bytes)
        else { return nil }
        return (total, available, kilobytes("SwapTotal:", in: bytes) ?? 0)
    }
}

extension ProcessMemory {
    /// What could be had now, alone: asked for again and again.
    package static func available(root: String = "/proc") -> Int64? {
        // It is the third line.
        FileSystem.read("\(root)/meminfo", limit: 128).flatMap { kilobytes("MemAvailable:", in: $0) }
    }

    /// The number of processes that the kernel has killed for lack of memory, of the machine or of a cgroup (Linux
    /// 4.13).
    package static func kernelKills(root: String = "/proc") -> Int64? {
        FileSystem.read("\(root)/vmstat", limit: 1 << 16).flatMap { KernelText.number(after: "oom_kill ", in: $0) }
    }

    /// A line's number, in bytes.
    private static func kilobytes(_ name: StaticString, in text: [UInt8]) -> Int64? {
        KernelText.number(after: name, in: text).map { $0 << 10 }
    }
}

extension ProcessMemory {
    /// What the machine has left, and what is taken: when one of both says that memory has gone, it has.
    package struct Balance: Hashable, Sendable {
        /// The kernel's guess. Of what processes free, each processor keeps up to an eighth of a zone at hand that
        /// counts neither as free nor as available, so what is taken next may not show here.
        package var available: Int64
        /// Processes' own memory and what is shared, to the page. Buffers of sockets are not in it.
        package var taken: Int64

        package init(available: Int64, taken: Int64) {
            self.available = available
            self.taken = taken
        }
    }

    package static func balance(root: String = "/proc") -> Balance? {
        guard let bytes = FileSystem.read("\(root)/meminfo", limit: 1 << 14),
            let available = kilobytes("MemAvailable:", in: bytes), let own = kilobytes("AnonPages:", in: bytes),
            let shared = kilobytes("Shmem:", in: bytes)
        else { return nil }
        return Balance(available: available, taken: own &+ shared)
    }
}

/// The kernel tells when so many of 2 s were lost to waiting for memory (PSI). Whole windows of 2 s need no right.
package final class PressureTrigger {
    package let descriptor: Descriptor

    package init(stallMicroseconds: Int) throws(SystemError) {
        descriptor = try Descriptor.open("/proc/pressure/memory", .readWrite)
        guard case .bytes = try descriptor.write(Array("some \(stallMicroseconds) 2000000\0".utf8)[...]) else {
            throw SystemError("write", .invalidArgument, path: "/proc/pressure/memory")
        }
    }
}
