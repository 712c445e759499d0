internal import Glibc
internal import Model
internal import SystemPackage

/// Reads a bounded file that an app's output goes to: its beginning may have been given back to the file system, or
/// the file may have been begun anew.
package struct OutputReader {
    private let path: String
    private var offset: Int64 = 0
    private var identity: UInt?

    private static let endOfLine = UInt8(ascii: "\n")

    package init(path: String) { self.path = path }

    /// All that is kept and was not read yet; of the first reading, only the last lines if so asked.
    package mutating func available(lines: Int? = nil) -> [UInt8] {
        guard let file = try? FileDescriptor.open(FilePath(path), .readOnly, options: .closeOnExec) else { return [] }
        defer { try? file.close() }
        var status = stat()
        guard unsafe fstat(file.rawValue, &status) == 0 else { return [] }
        if identity != status.st_ino || status.st_size < offset {
            identity = status.st_ino
            offset = 0
        }
        let startsInside = skipHole(file)
        var bytes: [UInt8] = []
        while let piece = try? Files.read(file, atMost: 65_536), !piece.isEmpty { bytes += piece }
        offset += Int64(bytes.count)
        if startsInside { bytes = Self.fromFirstLine(bytes) }
        return lines.map { Self.last($0, of: bytes) } ?? bytes
    }

    /// Only ends with the program.
    mutating func follow(_ use: ([UInt8]) -> Void) {
        let watch = FolderWatch(path)
        while true {
            let bytes = available()
            if !bytes.isEmpty { use(bytes) }
            // A file that was replaced is no longer the one that is watched: look again now and then.
            watch.wait(atMost: .seconds(1))
        }
    }

    /// Goes to where reading continues; true when a hole lies before it, so that a line may begin in the hole.
    private mutating func skipHole(_ file: FileDescriptor) -> Bool {
        let seekData: Int32 = 3
        let data = lseek(file.rawValue, off_t(offset), seekData)
        let isHole = data > offset
        if isHole { offset = Int64(data) }
        lseek(file.rawValue, off_t(offset), SEEK_SET)
        return isHole
    }

    /// The rest of a block that was given back may be zeros, and its last line has lost its beginning.
    private static func fromFirstLine(_ bytes: [UInt8]) -> [UInt8] {
        guard let end = bytes.firstIndex(of: endOfLine) else { return bytes.filter { $0 != 0 } }
        return Array(bytes[(end + 1)...])
    }

    static func last(_ count: Int, of bytes: [UInt8]) -> [UInt8] {
        guard count > 0 else { return [] }
        var left = count
        var index = bytes.last == endOfLine ? bytes.count - 1 : bytes.count
        while index > 0 {
            if bytes[index - 1] == endOfLine {
                left -= 1
                if left == 0 { break }
            }
            index -= 1
        }
        return Array(bytes[index...])
    }
}
