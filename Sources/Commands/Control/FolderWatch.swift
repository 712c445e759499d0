internal import Glibc
internal import Model
internal import SystemPackage

/// Waits for something to happen in a folder, or to a file.
struct FolderWatch: ~Copyable {
    private let descriptor: FileDescriptor?

    /// A watch on what cannot be watched only ever times out.
    init(_ path: String) {
        let number = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
        guard number >= 0 else {
            descriptor = nil
            return
        }
        descriptor = FileDescriptor(rawValue: number)
        let events = IN_CREATE | IN_MOVED_TO | IN_ATTRIB | IN_MODIFY | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF
        unsafe inotify_add_watch(number, path, UInt32(events))
    }

    deinit { try? descriptor?.close() }

    /// For `poll` among other descriptors; −1, which poll leaves out, when nothing can be watched.
    var number: Int32 { descriptor?.rawValue ?? -1 }

    /// Returns at the next change, at the latest after the time.
    func wait(atMost time: Span) {
        Poll.wait(for: number, atMost: time)
        drain()
    }

    func drain() {
        guard let descriptor else { return }
        while let events = try? Files.read(descriptor, atMost: 4096), !events.isEmpty {}
    }
}

/// `poll`, for as few descriptors as a tool has.
enum Poll {
    /// Which of the descriptors have something to read or have ended; none when the time is over or a signal came.
    /// Negative ones are left out. No time: waits for good.
    static func ready(_ descriptors: [Int32], atMost time: Span? = nil) -> Set<Int32> {
        var entries = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        guard unsafe poll(&entries, nfds_t(entries.count), milliseconds(time)) > 0 else { return [] }
        return Set(entries.filter { $0.revents != 0 }.map(\.fd))
    }

    /// As `poll` takes it, rounded up; no time is for good.
    static func milliseconds(_ time: Span?) -> Int32 {
        time.map { Int32(clamping: max(0, ($0.nanoseconds + 999_999) / 1_000_000)) } ?? -1
    }

    /// Whether something can be written now. No time: waits for good.
    @discardableResult
    static func waitToWrite(_ descriptor: Int32, atMost time: Span? = nil) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return unsafe poll(&entry, 1, milliseconds(time)) > 0
    }

    @discardableResult
    static func wait(for descriptor: Int32, atMost time: Span? = nil) -> Bool {
        !ready([descriptor], atMost: time).isEmpty
    }
}

/// A moment until which something is waited for, on a clock that nobody sets.
struct TimeLimit {
    private let end: Int64

    init(in time: Span) { end = Self.now + time.nanoseconds }

    var left: Span { Span(nanoseconds: max(0, end - Self.now)) }
    var isOver: Bool { left == .zero }

    private static var now: Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
