internal import LinuxSystem
internal import Model

/// Reads the file that an app's output goes to: its beginning may have been given back to the file system, or the file
/// may have been begun anew. The app can write to it as it likes: its size says nothing, and terabytes of nothing may
/// lie between what was printed.
package struct OutputReader {
    private let path: String
    private var offset: Int64 = 0
    private var identity: UInt64?

    private static let endOfLine = UInt8(ascii: "\n")
    /// What one reading takes at most, from the end: more than the daemon keeps.
    private static let most: Int64 = 4 << 20

    package init(path: String) { self.path = path }

    /// All that is kept and was not read yet; of the first reading, only the last lines if so asked.
    package mutating func available(lines: Int? = nil) -> [UInt8] {
        guard let file = try? Descriptor.open(path, .read, followsLinks: false),
            let now = try? file.identity(), now.isRegular
        else { return [] }
        if identity != now.inode || now.size < offset {
            identity = now.inode
            offset = 0
        }
        var (bytes, startsInside) = Self.read(file, from: offset, to: now.size)
        offset = now.size
        if startsInside { bytes = Self.fromFirstLine(bytes) }
        return lines.map { Self.last($0, of: bytes) } ?? bytes
    }

    /// The data between two places, and whether something before it is missing, so that a line may have begun there.
    private static func read(_ file: Descriptor, from start: Int64, to size: Int64) -> ([UInt8], startsInside: Bool) {
        var bytes: [UInt8] = []
        var place = start
        if size - start > most { place = max(start, (try? file.start(ofLast: most, size: size)) ?? size - most) }
        let isCut = place > start
        // The oldest part is given back from the beginning on.
        let first = (try? file.nextData(from: 0))?.lowerBound ?? start
        while place < size, let data = try? file.nextData(from: place) {
            var piece = contents(of: file, data.clamped(to: place..<size), atMost: Int(2 * most) - bytes.count)
            // A block's rest beside a hole was never written.
            if data.lowerBound > place { piece = piece.drop { $0 == 0 } }
            if data.upperBound < size { piece = piece[..<(piece.lastIndex { $0 != 0 }.map { $0 + 1 } ?? 0)] }
            bytes += piece
            place = data.upperBound
        }
        return (bytes, startsInside: isCut || first > start)
    }

    private static func contents(of file: Descriptor, _ range: Range<Int64>, atMost limit: Int) -> ArraySlice<UInt8> {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = min(limit, Int(range.upperBound - range.lowerBound))
        while bytes.count < count {
            guard let got = try? file.readAt(range.lowerBound + Int64(bytes.count), into: &buffer), got > 0 else {
                break
            }
            bytes += buffer.prefix(min(got, count - bytes.count))
        }
        return bytes[...]
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

    /// The rest of a block that was given back may be zeros, and its last line has lost its beginning.
    private static func fromFirstLine(_ bytes: [UInt8]) -> [UInt8] {
        guard let end = bytes.firstIndex(of: endOfLine), end < bytes.count - 1 else { return bytes.filter { $0 != 0 } }
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
