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
}
