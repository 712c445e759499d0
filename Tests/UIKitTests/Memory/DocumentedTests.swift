import Testing
import UIKit
import Wire

/// Runs the listings of docs/MEMORY.md.
extension UIKitTests {
    @Suite("The listings of docs/MEMORY.md")
    @MainActor
    struct DocumentedTests {
        @Test("A warning empties what the delegate holds, and then what its source is for")
        func warnings() async {
            let application = UIApplication()
            let delegate = AlbumDelegate()
            application.delegate = delegate
            Simulated.call(.didFinishLaunching, ["state": "inactive", "options": [:]], on: application)
            #expect(delegate.thumbnails.count == 20)
            #expect(!delegate.searchIndex.isEmpty)
            Simulated.call(.didReceiveMemoryWarning, ["level": "warning"], on: application)
            #expect(delegate.thumbnails.isEmpty)
            while !delegate.searchIndex.isEmpty { await Task.yield() }
        }

        @Test("A tile is drawn again when the system has taken it, and only then")
        func tiles() {
            var tiles = Tiles()
            var taken: NSPurgeableData?
            for _ in 0..<3 {
                let first = tiles.withTile(7) { tile in
                    taken = tile
                    return unsafe tile.bytes.load(as: UInt8.self)
                }
                #expect(first == 7)
            }
            #expect(tiles.drawn == 1)
            taken?.discardContentIfPossible()
            #expect(tiles.withTile(7) { $0.length } == 256 * 1024)
            #expect(tiles.drawn == 2)
        }

        @Test("The atlas finds its pictures")
        func atlas() throws {
            let file = FileManager.default.temporaryDirectory.appending(path: "greenroom-\(UUID())")
            try Data((0..<10).flatMap { [UInt8](repeating: $0, count: 5000) }).write(to: file)
            defer { try? FileManager.default.removeItem(at: file) }
            let atlas = try Atlas(contentsOf: file, pictureSize: 5000)
            #expect(atlas[3] == Data(repeating: 3, count: 5000))
        }
    }
}
