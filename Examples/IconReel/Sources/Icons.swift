import Foundation

/// The icons of the reel, which are drawn by the app: nobody else has them. They come in columns, so that not each of
/// them is a piece of memory of its own.
enum Icons {
    /// Sixty pages, where the app has the screen for itself.
    static let columns = 240
    static let columnsPerPage = 4
    static let perColumn = 6
    /// Pixels, of four bytes.
    static let side = 128
    static let bytesPerColumn = perColumn * side * side * 4

    /// What is shown where nothing has been drawn yet.
    static let placeholder = Data(count: bytesPerColumn)

    /// Draws a column. Slow, as drawing is.
    static func draw(column: Int) -> Data {
        var pixels: [UInt32] = []
        pixels.reserveCapacity(bytesPerColumn / 4)
        for place in 0..<perColumn {
            let icon = UInt32(truncatingIfNeeded: column * perColumn + place)
            for y in 0..<UInt32(side) {
                for x in 0..<UInt32(side) { pixels.append(color(icon, x, y)) }
            }
        }
        return unsafe pixels.withUnsafeBytes { unsafe Data($0) }
    }

    /// The same in no time, for tests that look at memory alone.
    static func fill(column: Int) -> Data { Data(repeating: UInt8(column), count: bytesPerColumn) }

    /// Clouds in the icon's own color: noise of six sizes, one on the other, smoothed over sixteen points.
    private static func color(_ icon: UInt32, _ x: UInt32, _ y: UInt32) -> UInt32 {
        var light: UInt32 = 0
        for point in 0..<16 as Range<UInt32> {
            for size in 1...6 as ClosedRange<UInt32> {
                let (column, row) = ((x * 4 + point & 3) >> size, (y * 4 + point >> 2) >> size)
                var grain = icon &* 0x9e37_79b9 ^ column &* 0x85eb_ca6b ^ row &* 0xc2b2_ae35
                grain = (grain ^ grain >> 15) &* 0x2c1b_3c6d
                grain ^= grain >> 12
                light += (grain & 0xff) >> (7 - size)
            }
        }
        let hue = icon &* 0x0101_4b2d & 0x00ff_ffff
        return 0xff00_0000 | (hue ^ (light >> 4 & 0xff) &* 0x0001_0101)
    }
}
