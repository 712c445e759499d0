internal import CLinux

/// What a thread waits for in the kernel's `futex`: a word of memory, and what is known of who will change it.
package struct FutexWait: Hashable, Sendable {
    package let address: UInt64
    package let operation: UInt64
    /// What the word was when the wait began; of no meaning for locks that inherit priorities.
    package let value: UInt64

    package init(address: UInt64, operation: UInt64, value: UInt64) {
        self.address = address
        self.operation = operation
        self.value = value
    }

    /// `nil` if the thread runs, waits for something else, or may not be looked at.
    package init?(of thread: CInt, in process: CInt, root: String = "/proc") {
        guard let bytes = FileSystem.read("\(root)/\(process)/task/\(thread)/syscall", limit: 512) else { return nil }
        self.init(String(decoding: bytes, as: UTF8.self))
    }

    /// As `/proc/PID/task/TID/syscall` has it: the call's number, its arguments, stack and instruction.
    package init?(_ text: String) {
        let words = text.split { $0 == " " || $0 == "\n" }
        guard words.count >= 7, let number = Int(words[0]), gr_is_futex(number) == 1 else { return nil }
        let numbers = words[1...3].compactMap { word in
            word.hasPrefix("0x") ? UInt64(word.dropFirst(2), radix: 16) : nil
        }
        guard numbers.count == 3 else { return nil }
        self.init(address: numbers[0], operation: numbers[1], value: numbers[2] & 0xffff_ffff)
    }

    /// Processes may share the word.
    package var isShared: Bool { operation & 0x80 == 0 }

    /// The word says who has it, for the kernel to read: `FUTEX_LOCK_PI`, `FUTEX_LOCK_PI2`.
    private var inheritsPriority: Bool { [6, 13].contains(operation & 0x7f) }
    /// `FUTEX_WAIT`, `FUTEX_WAIT_BITSET`.
    private var isWait: Bool { [0, 9].contains(operation & 0x7f) }

    /// Of a word that holds a thread's number; the bits above it say that others wait.
    private static let owner: UInt32 = 0x3fff_ffff
    /// A `pthread_mutex_t` of glibc whose word is that is locked, and others wait for it.
    private static let contended: UInt32 = 2

    /// The number of the thread that has what is waited for, in the PID namespace of the process; `nil` where memory
    /// does not tell, as of semaphores and conditions. It may be rubbish: whether there is such a thread is to be seen.
    package func holder(in process: CInt, waiter: CInt) -> CInt? {
        // Lock word, count, owner.
        guard let words = ProcessMemory.words(of: process, at: address, count: 3) else { return nil }
        if inheritsPriority { return Self.thread(words[0]) }
        guard isWait else { return nil }
        if words[0] == Self.contended { return Self.thread(words[2]) }
        if let queue = dispatchQueue(of: process, waiter: waiter) { return Self.drainer(of: queue, in: process) }
        // Robust mutexes, and the gates of libdispatch: the thread's number, as in the word that was waited with.
        guard UInt64(words[0]) == value else { return nil }
        return Self.thread(words[0])
    }

    private static func thread(_ word: UInt32) -> CInt? {
        let number = word & owner
        return number > 1 ? CInt(exactly: number) : nil
    }

    // libdispatch's `DispatchQueue.sync` waits at a word in its own stack frame. What is around it, in Swift 6: the
    // queue comes 40 bytes before it (`dc_other` of `dispatch_sync_context_s`), the waiter's number 4 bytes after it
    // (`dsc_waiter`), by which such a frame is known. The queue's state (`dq_state`) says who drains it.
    private static let queueBefore: UInt64 = 40
    private static let queueState: UInt64 = 56

    private func dispatchQueue(of process: CInt, waiter: CInt) -> UInt64? {
        guard address > Self.queueBefore,
            let words = ProcessMemory.words(of: process, at: address - Self.queueBefore, count: 12),
            words[11] == UInt32(bitPattern: waiter)
        else { return nil }
        let queue = UInt64(words[0]) | UInt64(words[1]) << 32
        return queue != 0 && queue.isMultiple(of: 8) && queue < 1 << 56 ? queue : nil
    }

    private static func drainer(of queue: UInt64, in process: CInt) -> CInt? {
        ProcessMemory.words(of: process, at: queue + queueState, count: 1).flatMap { thread($0[0]) }
    }
}

extension ProcessMemory {
    /// Words of another process's memory. The corresponding C function is `process_vm_readv`.
    static func words(of process: CInt, at address: UInt64, count: Int) -> [UInt32]? {
        var words = [UInt32](repeating: 0, count: count)
        let length = count * MemoryLayout<UInt32>.size
        let read = unsafe words.withUnsafeMutableBytes {
            unsafe gr_read_memory(process, address, $0.baseAddress, length)
        }
        return read == length ? words : nil
    }
}

extension ProcFS {
    /// The number by which a thread knows itself, in the innermost PID namespace.
    package func ownNumber(of thread: CInt, in process: CInt) -> CInt? {
        FileSystem.read("\(root)/\(process)/task/\(thread)/status", limit: 1 << 14).flatMap { bytes in
            Self.lastField("NSpid", in: String(decoding: bytes, as: UTF8.self)).flatMap { CInt($0) }
        }
    }

    static func lastField(_ name: String, in text: String) -> Substring? {
        text.split(separator: "\n").first { $0.hasPrefix("\(name):") }?
            .split { $0 == "\t" || $0 == " " }.last
    }

    /// Found by its number alone, whatever process it is of.
    package func process(ofThread thread: CInt) -> CInt? {
        FileSystem.read("\(root)/\(thread)/status", limit: 1 << 14).flatMap { bytes in
            Self.lastField("Tgid", in: String(decoding: bytes, as: UTF8.self)).flatMap { CInt($0) }
        }
    }

    /// At most 15 bytes of the app's own choice.
    package func threadName(_ thread: CInt, of process: CInt) -> String? {
        FileSystem.read("\(root)/\(process)/task/\(thread)/comm", limit: 64).map {
            String(decoding: $0.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        }
    }
}
