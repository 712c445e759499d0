import Host
import Testing

@Suite("The beginnings of pictures") struct PictureHeaderTests {
    /// A PNG of one colour would begin so; what follows the header is not looked at.
    private static func png(_ width: UInt32, _ height: UInt32) -> [UInt8] {
        var bytes: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10, 0, 0, 0, 13] + Array("IHDR".utf8)
        for number in [width, height] { bytes += (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) } }
        return bytes + [UInt8](repeating: 0, count: 40)
    }

    private static func svg(_ text: String) -> PictureHeader? { PictureHeader(Array(text.utf8), .svg) }

    @Test("A PNG says its size")
    func png() {
        let header = PictureHeader(Self.png(375, 667), .png)
        #expect(header?.width == 375 && header?.height == 667)
        #expect(PictureHeader(Self.png(0, 1), .png) == nil)
        #expect(PictureHeader(Self.png(1, 16_385), .png) == nil)
        #expect(PictureHeader(Self.png(.max, .max), .png) == nil)
        #expect(PictureHeader(Array(Self.png(1, 1).prefix(56)), .png) == nil, "cut off")
        #expect(PictureHeader(Self.png(1, 1), .svg) == nil)
    }

    @Test("An SVG says its size in its root element, whatever stands before")
    func svg() {
        #expect(Self.svg("<svg width=\"10\" height=\"20px\"/>")?.height == 20)
        let long = "\u{FEFF}<?xml version='1.0'?>\n<!-- a > b -->\n<!DOCTYPE svg>\n<svg viewBox='0 0 375 667.5'>…</svg>"
        #expect(Self.svg(long)?.width == 375 && Self.svg(long)?.height == 668)
        for wrong in [
            "", "<svg", "<svg>", "<svgx width=\"1\" height=\"1\"/>", "<html><svg width=\"1\" height=\"1\"/></html>",
            "<svg width=\"100%\" height=\"100%\"/>", "<svg width=\"nan\" height=\"inf\"/>", "<!-- <svg width=\"1\"",
            "<svg width=\"1e99\" height=\"1\"/>", "<svg viewBox=\"0 0 1\"/>",
        ] { #expect(Self.svg(wrong) == nil, "\(wrong)") }
        #expect(PictureHeader([0x3C, 0x73, 0x76, 0x67, 0xFF, 0x3E], .svg) == nil, "no UTF-8")
    }
}
