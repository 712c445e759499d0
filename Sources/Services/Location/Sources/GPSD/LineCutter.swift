/// Cuts what a peer sends into lines. A line that is too long is dropped, and those after it are read as ever.
package struct LineCutter {
    /// Bytes of the longest line. gpsd's own bound is 10,240.
    package static let longestLine = 1 << 16

    private var rest: [UInt8] = []
    private var isSkipping = false
    /// Lines that were too long.
    package private(set) var dropped = 0

    package init() {}

    /// The lines that are whole by now, without their ends. Empty ones are left out.
    package mutating func cut(_ bytes: [UInt8]) -> [[UInt8]] {
        var lines: [[UInt8]] = []
        var start = bytes.startIndex
        while let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
            keep(bytes[start..<end])
            start = end + 1
            if rest.last == UInt8(ascii: "\r") { rest.removeLast() }
            if !isSkipping, !rest.isEmpty { lines.append(rest) }
            rest = []
            isSkipping = false
        }
        keep(bytes[start...])
        return lines
    }

    private mutating func keep(_ bytes: ArraySlice<UInt8>) {
        guard !isSkipping else { return }
        guard rest.count + bytes.count <= Self.longestLine else {
            (rest, isSkipping) = ([], true)
            dropped += 1
            return
        }
        rest += bytes
    }
}
