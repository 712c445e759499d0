internal import CLinux
internal import Glibc
internal import Synchronization
internal import SystemPackage

/// What a process is at, in a mapped file: when it ends by a fault of its own (a trap, a bad access), its successor
/// finds there what it was at, and by which signal it ended. To set a mark costs no system call. SIGKILL and SIGTERM
/// are no faults: people and systems end processes by them.
///
/// Unchecked: the memory is written under the lock, and read before the object is anybody's.
@safe package final class FaultMarks: @unchecked Sendable {
    /// What the process before this one left.
    package struct Fault: Hashable, Sendable {
        package let signal: Int32
        package let marks: [UInt64]
    }

    private enum Word {
        static let magic = 0
        static let signal = 1
        static let marks = 2
    }

    private static let words = 512
    private static let magic: UInt64 = 0x31_73_6b_72_61_6d_72_67

    private let base: UnsafeMutablePointer<UInt64>
    private let places: Mutex<[UInt64: Int]>

    /// `nil`: it ended otherwise, or there was none.
    package let fault: Fault?

    /// What the process before this one left is read, and is there no more.
    package init(in folder: Directory, named name: String) throws(SystemError) {
        let file = try folder.open(name, .readWrite, create: 0o600)
        let fd = file.rawValue
        // Without the blocks, a full disk would be a signal at some mark. Unlike the others, it returns the error.
        let failure = posix_fallocate(fd, 0, off_t(Self.words * 8))
        guard failure == 0 else { throw SystemError("posix_fallocate", Errno(rawValue: failure), path: name) }
        guard let address = unsafe mmap(nil, Self.words * 8, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0),
            unsafe address != MAP_FAILED
        else { throw .last("mmap", path: name) }
        unsafe base = address.bindMemory(to: UInt64.self, capacity: Self.words)
        unsafe fault = Self.read(base)
        places = Mutex([:])
        for word in 0..<Self.words { unsafe base[word] = 0 }
        unsafe base[Word.magic] = Self.magic
    }

    private static func read(_ base: UnsafeMutablePointer<UInt64>) -> Fault? {
        guard unsafe base[Word.magic] == magic, let signal = unsafe Int32(exactly: base[Word.signal]), signal != 0
        else { return nil }
        let marks = (Word.marks..<words).map { unsafe base[$0] }.filter { $0 != 0 }
        return Fault(signal: signal, marks: marks)
    }

    deinit { unsafe munmap(base, Self.words * 8) }

    /// For the rest of the process's life, as the object then is.
    package func listen() throws(SystemError) {
        try check("sigaction") { unsafe gr_note_faults(base + Word.signal) }
    }

    /// - Parameter number: not zero. What there is no room for has no mark.
    package func mark(_ number: UInt64) {
        places.withLock { places in
            guard places[number] == nil else { return }
            guard let free = (Word.marks..<Self.words).first(where: { unsafe base[$0] == 0 }) else { return }
            unsafe base[free] = number
            places[number] = free
        }
    }

    package func unmark(_ number: UInt64) {
        places.withLock { places in
            guard let place = places.removeValue(forKey: number) else { return }
            unsafe base[place] = 0
        }
    }
}
