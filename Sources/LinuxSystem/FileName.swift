internal import CLinux
internal import Glibc
internal import SystemPackage

/// A name in a directory as the kernel has it: bytes, which need not be text in any encoding.
package struct FileName: Hashable, Sendable, CustomStringConvertible {
    /// With the zero at the end, as C has it.
    let bytes: [CChar]

    package init(_ text: String) { bytes = Array(text.utf8CString) }

    /// Takes bytes without a zero.
    init(_ name: some Sequence<UInt8>) { bytes = name.map { CChar(bitPattern: $0) } + [0] }

    /// `nil` where the bytes are no text: what a `String` names would be another file.
    package var text: String? { String(validating: bytes.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self) }

    /// For people, on one line.
    package var description: String {
        let shown = String(decoding: bytes.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return String(shown.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? "?" : Character($0) })
    }
}

/// Reads an open directory piece by piece: one with millions of names costs no more memory than any other.
struct DirectoryReader {
    struct Entry {
        let name: FileName
        /// What kind of file it is, where the file system says so in the directory.
        let type: UInt8

        var mayBeDirectory: Bool { type == UInt8(DT_DIR) || type == UInt8(DT_UNKNOWN) }
    }

    let descriptor: Descriptor
    private var buffer: [UInt8] = []
    private var next = 0
    private var end = 0
    /// Where the entry after the last one begins, in the file system's own numbers.
    private(set) var place: Int64 = 0

    private static let piece = 1 << 14
    private static let (placeOffset, lengthOffset, typeOffset, nameOffset) = (8, 16, 18, 19)

    init(_ descriptor: Descriptor, at place: Int64 = 0) throws(SystemError) {
        self.descriptor = descriptor
        self.place = place
        let fd = descriptor.rawValue
        try check("lseek") { lseek(fd, off_t(place), SEEK_SET) }
    }

    /// The next entry that is neither the directory itself nor its parent; `nil` at the end.
    mutating func entry() throws(SystemError) -> Entry? {
        while true {
            if next >= end, try !fill() { return nil }
            let entry = parse()
            if entry.name.bytes != [46, 0], entry.name.bytes != [46, 46, 0] { return entry }
        }
    }

    private mutating func fill() throws(SystemError) -> Bool {
        if buffer.isEmpty { buffer = [UInt8](repeating: 0, count: Self.piece) }
        let fd = descriptor.rawValue
        do throws(SystemError) {
            end = try check("getdents64") {
                unsafe buffer.withUnsafeMutableBytes { bytes in
                    guard let start = bytes.baseAddress else { return 0 }
                    return unsafe gr_read_entries(fd, start, bytes.count)
                }
            }
        } catch {
            // It was removed meanwhile.
            guard error.errno == .noSuchFileOrDirectory else { throw error }
            end = 0
        }
        next = 0
        return end > 0
    }

    private mutating func parse() -> Entry {
        let start = next
        func number(_ offset: Int, _ count: Int) -> UInt64 {
            (0..<count).reversed().reduce(0) { $0 << 8 | UInt64(buffer[start + offset + $1]) }
        }
        #if _endian(little)
            let length = Int(number(Self.lengthOffset, 2))
            place = Int64(bitPattern: number(Self.placeOffset, 8))
        #else
            #error("directory entries are read as little-endian numbers")
        #endif
        next += max(length, Self.nameOffset)
        let name = FileName(buffer[(start + Self.nameOffset)..<min(next, end)].prefix { $0 != 0 })
        return Entry(name: name, type: buffer[start + Self.typeOffset])
    }
}
