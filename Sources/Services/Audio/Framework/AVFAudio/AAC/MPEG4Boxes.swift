internal import Foundation

/// Numbers in bytes that may be anything: what is not there is `nil`.
struct ByteView {
    let bytes: [UInt8]
    let range: Range<Int>

    init(_ bytes: [UInt8]) { (self.bytes, range) = (bytes, bytes.indices) }

    private init(_ bytes: [UInt8], _ range: Range<Int>) { (self.bytes, self.range) = (bytes, range) }

    var count: Int { range.count }

    func part(_ offset: Int, _ length: Int) -> ByteView? {
        guard offset >= 0, length >= 0, offset <= count, length <= count - offset else { return nil }
        return ByteView(bytes, range.lowerBound + offset..<range.lowerBound + offset + length)
    }

    func rest(_ offset: Int) -> ByteView? { part(offset, count - offset) }

    var array: [UInt8] { Array(bytes[range]) }

    /// A number of so many bytes, the most significant first.
    func number(_ offset: Int, _ size: Int = 4) -> Int? {
        guard let part = part(offset, size) else { return nil }
        var number: UInt64 = 0
        for place in part.range { number = number << 8 | UInt64(bytes[place]) }
        return Int(exactly: number)
    }

    func signed(_ offset: Int, _ size: Int) -> Int? {
        guard let part = part(offset, size) else { return nil }
        var number: UInt64 = 0
        for place in part.range { number = number << 8 | UInt64(bytes[place]) }
        return size == 4 ? Int(Int32(truncatingIfNeeded: number)) : Int(Int64(bitPattern: number))
    }

    func text(_ offset: Int, _ size: Int) -> String? {
        part(offset, size).map { String(decoding: $0.array, as: UTF8.self) }
    }

    /// The boxes that are in it, up to one that does not fit.
    var boxes: [(type: String, body: ByteView)] {
        var (found, offset) = ([(type: String, body: ByteView)](), 0)
        while found.count < Self.mostBoxes, let short = number(offset), let type = text(offset + 4, 4) {
            var (size, head) = (short, 8)
            if short == 1, let long = number(offset + 8, 8) { (size, head) = (long, 16) }
            if short == 0 { size = count - offset }
            guard size >= head, let body = part(offset + head, size - head) else { break }
            found.append((type, body))
            offset += size
        }
        return found
    }

    /// What a file could have of them in one place; more would only cost memory.
    private static let mostBoxes = 4096

    /// The first that there is of this path.
    func box(_ path: String...) -> ByteView? {
        var current = self
        for type in path {
            guard let next = current.boxes.first(where: { $0.type == type })?.body else { return nil }
            current = next
        }
        return current
    }
}
