import Glibc
import LinuxSystem
import SystemPackage
import Testing

@Suite("Logs in mapped memory")
struct MappedLogTests {
    private static let headerSize = 16
    private let scratch: Scratch
    private var path: String { scratch.path + "/log" }

    init() throws { scratch = try Scratch() }

    @Test("What was appended is there when the log is opened again, and it goes on")
    func reopened() throws {
        do {
            let log = try MappedLog(creating: path, capacity: 100)
            #expect(log.append([1, 2, 3]))
            #expect(log.append([]))
            #expect(log.append([4]))
        }
        let log = try MappedLog(opening: path)
        #expect(log.contents == [1, 2, 3, 4])
        #expect(log.capacity == 100)
        #expect(log.append([5]))
        #expect(try MappedLog(opening: path).contents == [1, 2, 3, 4, 5])
    }

    @Test("A full log says so and keeps what it has")
    func full() throws {
        let log = try MappedLog(creating: path, capacity: 4)
        #expect(log.append([1, 2, 3]))
        #expect(!log.append([4, 5]))
        #expect(log.append([6]))
        #expect(!log.append([7]))
        #expect(log.contents == [1, 2, 3, 6])
    }

    @Test("What the writer had copied and not published when it was killed is not there, at every byte")
    func cutAnywhere() throws {
        let records: [[UInt8]] = (1...6).map { [UInt8](repeating: UInt8($0), count: $0 * 3) }
        var published: [UInt8] = []
        for record in records {
            for copied in 0...record.count {
                let log = try MappedLog(creating: path, capacity: 256)
                #expect(log.append(published))
                // The writer dies within `append`: a part of the record is in memory, the length is the old one.
                try overwrite(at: Self.headerSize + published.count, Array(record.prefix(copied)))
                let survivor = try MappedLog(opening: path)
                #expect(survivor.contents == published)
                #expect(survivor.append(record))
                #expect(survivor.contents == published + record)
            }
            published += record
        }
    }

    @Test("A file that was cut off gives a beginning of what was in it, or is refused")
    func truncated() throws {
        let bytes = (0..<64).map { UInt8($0) }
        for length in 0...(Self.headerSize + 64) {
            let log = try MappedLog(creating: path, capacity: 64)
            #expect(log.append(bytes))
            _ = consume log
            #expect(unsafe truncate(path, length) == 0)
            guard let cut = try? MappedLog(opening: path) else {
                #expect(length <= Self.headerSize)
                continue
            }
            #expect(cut.contents == Array(bytes.prefix(length - Self.headerSize)))
        }
    }

    @Test("Something else is refused")
    func garbage() throws {
        var random = Lehmer(seed: 1)
        for _ in 0..<100 {
            let bytes = (0..<64).map { _ in UInt8.random(in: .min ... .max, using: &random) }
            try Descriptor.open(path, .write, create: 0o600, truncate: true).writeAll(bytes)
            #expect(throws: SystemError.self) { try MappedLog(opening: path) }
        }
        #expect(throws: SystemError.self) { try MappedLog(opening: scratch.path + "/gone") }
    }

    @Test(
        "A length that no writer publishes reads no memory outside the log",
        arguments: [
            UInt64.max, UInt64(Int64.max), 65, 1 << 32,
        ])
    func impossibleLength(length: UInt64) throws {
        let log = try MappedLog(creating: path, capacity: 64)
        #expect(log.append([1]))
        try overwrite(at: 8, unsafe withUnsafeBytes(of: length) { unsafe Array($0) })
        if let opened = try? MappedLog(opening: path) { #expect(opened.contents.count <= 64) }
    }

    @Test("A disk that is too small is an error when the log is made, not a signal later")
    func noSpace() {
        let error = #expect(throws: SystemError.self) { try MappedLog(creating: path, capacity: Int(Int64.max) - 4096) }
        #expect(error?.operation == "posix_fallocate")
        #expect(error?.errno == .fileTooLarge || error?.errno == .noSpace)
    }

    /// As the page cache would look to the one who comes after a death at this point.
    private func overwrite(at offset: Int, _ bytes: [UInt8]) throws {
        let file = try Descriptor.open(path, .write)
        let count = unsafe bytes.withUnsafeBytes { unsafe pwrite(file.rawValue, $0.baseAddress, $0.count, offset) }
        try #require(count == bytes.count)
    }
}
