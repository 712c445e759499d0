import UIKit

/// Tiles of a map, which are slow to draw: each is kept as long as nobody else needs the memory.
struct Tiles {
    private var kept: [Int: NSPurgeableData] = [:]
    private(set) var drawn = 0

    /// The bytes of a tile, for as long as the closure runs.
    mutating func withTile<Result>(_ number: Int, _ body: (NSPurgeableData) -> Result) -> Result {
        if let tile = kept[number], tile.beginContentAccess() {
            defer { tile.endContentAccess() }
            return body(tile)
        }
        // New data is being accessed already.
        let tile = NSPurgeableData(data: draw(number))
        defer { tile.endContentAccess() }
        kept[number] = tile
        return body(tile)
    }

    private mutating func draw(_ number: Int) -> Data {
        drawn += 1
        return Data(repeating: UInt8(truncatingIfNeeded: number), count: 256 * 1024)
    }
}
