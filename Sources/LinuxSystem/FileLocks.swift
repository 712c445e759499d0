internal import CLinux
internal import Glibc

/// A lock on a file, or on a range of its bytes, as the kernel lists it.
package struct FileLock: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// `fcntl(F_SETLK)`: belongs to a process.
        case posix
        /// `fcntl(F_OFD_SETLK)`: belongs to an open file.
        case openFile
        /// `flock`: belongs to an open file, on the file as a whole.
        case flock
    }

    package var kind: Kind
    package var isExclusive: Bool
    /// Who took it, who may be gone while somebody else has the open file; −1 where the kernel does not say.
    package var pid: CInt
    /// Names the file: number of the file system, and of the file in it.
    package var device: UInt64
    package var inode: UInt64
    package var first: Int64
    /// `Int64.max`: to the end of the file, however long it gets.
    package var last: Int64

    package func isOnSameFile(as other: FileLock) -> Bool { device == other.device && inode == other.inode }
}

/// What `/proc/locks` lists: every lock there is, and who waits for it. To read it takes the kernel some milliseconds,
/// since it stops all locking for that: only worth it if one knows of a lock.
package struct LockTable: Hashable, Sendable {
    package struct Entry: Hashable, Sendable {
        package var lock: FileLock
        /// Those that stand still until it is released; −1 where the kernel does not say who.
        package var waiters: [CInt] = []
    }

    package var entries: [Entry] = []

    package init(_ bytes: [UInt8]) {
        var number: ArraySlice<UInt8>?
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            var words = line.split(separator: UInt8(ascii: " "))
            guard let first = words.first else { continue }
            words.removeFirst()
            // A line with the number of the one before tells who waits for that one; so does a line that waits for it.
            let waits = words.first.map { $0.elementsEqual("->".utf8) } ?? false
            if waits { words.removeFirst() }
            guard let lock = FileLock(words: words[...]) else { continue }
            if waits, first == number, !entries.isEmpty {
                entries[entries.count - 1].waiters.append(lock.pid)
            } else if !waits {
                number = first
                entries.append(Entry(lock: lock))
            }
        }
    }

    /// As it is now; `nil` where the kernel does not tell.
    package static func now(root: String = "/proc") -> LockTable? {
        FileSystem.read("\(root)/locks", limit: 1 << 24).map { LockTable($0) }
    }

    /// Whether a process other than these stands still until the lock is released.
    package func isAwaited(_ lock: FileLock, byOthersThan pids: Set<CInt>) -> Bool {
        entries.contains { $0.lock == lock && $0.waiters.contains { !pids.contains($0) } }
    }

    /// Where SQLite locks a database for the last step of a transaction: who has it waits, by asking again and again,
    /// for those who still read.
    private static let pendingByte: Int64 = 0x4000_0000

    /// Whether a process other than these waits for the database on which the lock is to be read no more.
    package func isAwaitedBySQLite(_ lock: FileLock, byOthersThan pids: Set<CInt>) -> Bool {
        guard lock.kind != .flock, lock.first > Self.pendingByte, lock.first < Self.pendingByte + 512 else {
            return false
        }
        return entries.contains { entry in
            entry.lock.isExclusive && entry.lock.isOnSameFile(as: lock) && entry.lock.first == Self.pendingByte
                && !pids.contains(entry.lock.pid)
        }
    }
}

extension FileLock {
    /// The fields of a line, from the kind on: `POSIX  ADVISORY  WRITE 4711 fe:00:1114118 0 EOF`.
    init?(words: ArraySlice<ArraySlice<UInt8>>) {
        let words = Array(words)
        guard words.count == 7 else { return nil }
        switch words[0] {
        case _ where words[0].elementsEqual("POSIX".utf8): kind = .posix
        case _ where words[0].elementsEqual("OFDLCK".utf8): kind = .openFile
        case _ where words[0].elementsEqual("FLOCK".utf8): kind = .flock
        default: return nil
        }
        let isShared = words[2].elementsEqual("READ".utf8)
        guard isShared || words[2].elementsEqual("WRITE".utf8) else { return nil }
        isExclusive = !isShared
        let place = words[4].split(separator: UInt8(ascii: ":")).map { String(decoding: $0, as: UTF8.self) }
        guard place.count == 3, let major = UInt32(place[0], radix: 16), let minor = UInt32(place[1], radix: 16),
            let inode = UInt64(place[2]), let pid = Self.number(words[3]).flatMap({ CInt(exactly: $0) }),
            let first = Self.number(words[5])
        else { return nil }
        let isOpenEnded = words[6].elementsEqual("EOF".utf8)
        guard let last = isOpenEnded ? .max : Self.number(words[6]) else { return nil }
        (self.pid, self.inode, self.first, self.last) = (pid, inode, first, last)
        device = UInt64(major) << 32 | UInt64(minor)
    }

    private static func number(_ word: ArraySlice<UInt8>) -> Int64? { Int64(String(decoding: word, as: UTF8.self)) }
}

/// A lock that a process holds, by the descriptor through which it does.
package struct HeldLock: Hashable, Sendable {
    package var lock: FileLock
    package var pid: CInt
    package var descriptor: CInt
    /// Where the kernel shows that descriptor.
    package var link: String
    /// As the process calls it.
    package var path: String
}

extension ProcFS {
    /// What a process holds of locks on files that have a name, whoever took them: of an open file's lock the list of
    /// all locks names at best a process that is gone. To be asked while the process stands still.
    package func locks(of pid: CInt) -> [HeldLock] { descriptorTables(of: pid).flatMap(locks) }

    private func locks(in table: DescriptorTable) -> [HeldLock] {
        var found: [HeldLock] = []
        for name in table.descriptors {
            // Of a file with more locks than this the first tell enough.
            guard let descriptor = CInt(name), let info = FileSystem.read(table.info(name), limit: 1 << 18) else {
                continue
            }
            let locks = Self.parseLocks(info)
            let link = table.link(name)
            guard !locks.isEmpty, let path = FileSystem.linkTarget(link), FileIdentity(of: link)?.hasName != false
            else { continue }
            found += locks.map {
                HeldLock(lock: $0, pid: table.pid, descriptor: descriptor, link: link, path: path)
            }
        }
        return found
    }

    /// The lines `lock:` of a descriptor's `fdinfo`.
    package static func parseLocks(_ info: [UInt8]) -> [FileLock] {
        info.split(separator: UInt8(ascii: "\n")).compactMap { line in
            guard line.starts(with: "lock:".utf8) else { return nil }
            let words = line.dropFirst(5).split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
            return FileLock(words: words.dropFirst()[...])
        }
    }

    /// The first of the locks on whose file a process other than these has a descriptor. Only of those whose
    /// descriptors may be looked at.
    package func firstOpen(among held: [HeldLock], byOthersThan pids: Set<CInt>) -> HeldLock? {
        let files = held.map { FileIdentity(of: $0.link) }
        guard files.contains(where: { $0 != nil }) else { return nil }
        for pid in allProcesses() where !pids.contains(pid) {
            let table = mainDescriptorTable(of: pid)
            for name in table.descriptors {
                guard let other = FileIdentity(of: table.link(name)),
                    let place = files.firstIndex(of: other)
                else { continue }
                return held[place]
            }
        }
        return nil
    }
}

/// What makes two names the same file.
private struct FileIdentity: Equatable {
    let device: UInt64
    let inode: UInt64
    /// Nobody can come to a file without a name who does not have it open.
    let hasName: Bool

    init?(of path: String) {
        var found = gr_look()
        guard unsafe gr_look(path, &found) == 0 else { return nil }
        device = found.device
        inode = found.inode
        hasName = found.links > 0
    }
}
