internal import Glibc

/// Texts in other encodings than UTF-8, by the tables of the C library.
package enum TextEncoding {
    private static let longestName = 40
    private static let replacement: [UInt8] = [0xEF, 0xBF, 0xBD]

    /// A text in UTF-8; `nil` if the encoding is not known. Bytes that are nothing in it become U+FFFD.
    ///
    /// - Parameter name: as in a declaration of XML: `ISO-8859-1`, `windows-1252`, `UTF-16LE`.
    package static func utf8(_ bytes: [UInt8], from name: String) -> [UInt8]? {
        // What iconv adds to names, such as “//IGNORE”, is none of them.
        let isName = (1...longestName).contains(name.utf8.count) && name.allSatisfy { $0.isASCII && $0 != "/" }
        guard isName, let table = unsafe iconv_open("UTF-8", name), unsafe table != iconv_t(bitPattern: -1) else {
            return nil
        }
        defer { unsafe iconv_close(table) }
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count + bytes.count / 8)
        var (input, piece) = (bytes, [UInt8](repeating: 0, count: 4096))
        unsafe input.withUnsafeMutableBytes { buffer in
            var next = unsafe buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
            var left = buffer.count
            while left > 0 {
                var (error, written) = (CInt(0), 0)
                unsafe piece.withUnsafeMutableBytes { room in
                    var end = unsafe room.baseAddress?.assumingMemoryBound(to: CChar.self)
                    var free = room.count
                    if unsafe iconv(table, &next, &left, &end, &free) == -1 { error = errno }
                    written = room.count - free
                }
                output += piece[..<written]
                switch error {
                case 0, E2BIG: continue
                case EILSEQ where left > 0: unsafe (next, left) = (next.map { unsafe $0 + 1 }, left - 1)
                // A character that was cut off ends the text.
                default: left = 0
                }
                output += replacement
            }
        }
        return output
    }
}
