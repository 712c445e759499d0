internal import Glibc
internal import LinuxSystem

/// What an app of the measurement takes of memory, as words behind `app`: `dirty=1024` and `purgeable=512` megabytes
/// from its start on, and one more every so many milliseconds, `every=1`, until it has `most=2000` more.
struct Appetite {
    private var dirty = 0
    private var purgeable = 0
    private var most = 0
    private(set) var pause: CInt = 0
    /// It asks for a connection to the service `bench`.
    private(set) var connects = false

    init(_ words: String) throws {
        for word in words.split(separator: " ").dropFirst() {
            let parts = word.split(separator: "=")
            guard parts.count == 2, let number = Int(parts[1]) else { throw BenchError("apps know no \(word)") }
            switch parts[0] {
            case "dirty": dirty = number
            case "purgeable": purgeable = number
            case "every": pause = CInt(number)
            case "most": most = number
            case "connect": connects = number > 0
            default: throw BenchError("apps know no \(word)")
            }
        }
    }

    var isGrowing: Bool { most > 0 && pause > 0 }

    /// What it has from its start on.
    func begin() throws {
        _ = unsafe try Self.take(dirty)
        guard purgeable > 0 else { return }
        let place = unsafe try Self.take(purgeable)
        guard let place = unsafe place, unsafe madvise(place, purgeable << 20, CInt(MADV_FREE)) == 0 else {
            throw BenchError("the kernel knows no purgeable memory")
        }
    }

    mutating func grow() throws {
        _ = unsafe try Self.take(1)
        most -= 1
    }

    private static func take(_ megabytes: Int) throws -> UnsafeMutableRawPointer? {
        guard megabytes > 0 else { return nil }
        let length = megabytes << 20
        let place = unsafe mmap(nil, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let place = unsafe place, unsafe place != MAP_FAILED else { throw BenchError("no room") }
        for offset in stride(from: 0, to: length, by: 4096) {
            unsafe place.storeBytes(of: 1, toByteOffset: offset, as: UInt8.self)
        }
        return unsafe place
    }
}

/// The floor for what is done to an app's memory: a process that nobody manages, with the same in it.
struct BareHolder {
    let process: PidFD
    private let line: Descriptor

    init(_ words: String) throws {
        let (ours, theirs) = try UnixSocket.pair()
        let own = CurrentProcess.executablePath ?? ""
        var spawn = Spawn(path: own, arguments: [own, "hold \(words)"], environment: [])
        let nothing = try Descriptor.open("/dev/null", .readWrite)
        spawn.descriptors = [(theirs, 0), (nothing, 1), (Descriptor(borrowing: 2), 2)]
        process = try spawn.start()
        line = ours
        var bytes: [UInt8] = []
        guard case .bytes = try line.read(into: &bytes, upTo: 1) else { throw BenchError("a process holds no memory") }
    }

    /// The process itself: until whoever started it is gone.
    static func run(_ words: String) throws -> CInt {
        try Appetite(words).begin()
        let line = Descriptor(borrowing: 0)
        try line.writeAll([1])
        var bytes: [UInt8] = []
        while case .bytes = try line.read(into: &bytes, upTo: 16) {}
        return 0
    }

    /// Nanoseconds from the signal to the moment when nothing of it is left.
    func end() throws -> Int64 {
        let start = Clock.monotonic()
        try process.send(SIGKILL)
        try? process.releaseMemory()
        guard process.waitUntilDead(milliseconds: 10_000) else { throw BenchError("a process survives SIGKILL") }
        let time = Clock.monotonic() - start
        _ = process.reap()
        return time
    }
}
