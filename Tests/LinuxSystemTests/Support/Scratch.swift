import Glibc
import LinuxSystem
import Synchronization
import SystemPackage

/// A directory of a test's own, removed at its end.
final class Scratch {
    let path: String

    init(below parent: String = "/tmp") throws {
        var template = Array("\(parent)/greenroom-linux-XXXXXX".utf8CString)
        guard unsafe mkdtemp(&template) != nil else { throw SystemError("mkdtemp", .ioError) }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { try? FileSystem.removeTree(path) }

    func file(_ name: String, _ text: String = "") throws -> String {
        let place = "\(path)/\(name)"
        if let slash = place.lastIndex(of: "/") { try FileSystem.makeDirectory(String(place[..<slash])) }
        try Descriptor.open(place, .write, create: 0o644, truncate: true).writeAll(Array(text.utf8))
        return place
    }

    func directory(_ name: String, mode: UInt32 = 0o755) throws -> String {
        try FileSystem.makeDirectory("\(path)/\(name)", mode: mode)
        return "\(path)/\(name)"
    }
}

/// The mask of the whole process, one test at a time.
enum Umask {
    private static let turn = Mutex(())

    static func with<Success>(_ mask: UInt32, _ body: () throws -> Success) throws -> Success? {
        var result: Result<Success, any Error>?
        turn.withLock { _ in
            let before = umask(mask)
            defer { umask(before) }
            result = Result { try body() }
        }
        return try result?.get()
    }
}

/// Waits for a descriptor; the tests' only way to wait.
func isReady(_ descriptor: Descriptor, _ events: CInt = POLLIN, milliseconds: CInt = 5000) -> Bool {
    var entry = pollfd(fd: descriptor.rawValue, events: Int16(events), revents: 0)
    return unsafe poll(&entry, 1, milliseconds) == 1
}

/// Reads a stream until it ends.
func readToEnd(_ descriptor: Descriptor) throws -> String {
    var bytes: [UInt8] = []
    while isReady(descriptor) {
        switch try descriptor.read(into: &bytes, upTo: 4096) {
        case .end: return String(decoding: bytes, as: UTF8.self)
        case .bytes, .wouldBlock: continue
        }
    }
    throw SystemError("the stream did not end", .timedOut)
}

/// Reads a stream up to a newline.
func readLine(_ descriptor: Descriptor) throws -> String {
    var bytes: [UInt8] = []
    while bytes.last != UInt8(ascii: "\n"), isReady(descriptor) {
        if try descriptor.read(into: &bytes, upTo: 1) == .end { break }
    }
    return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
}

func lines(_ text: String) -> [String] { text.split(separator: "\n").map(String.init) }

/// Numbers that look random and are the same in every run.
struct Lehmer: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ (state >> 29)
    }
}
