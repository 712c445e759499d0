import Foundation
import Testing
import UIKit

/// Many contents under random accesses, changes and losses, each beside what its bytes have to be.
private struct Shelf {
    struct Item {
        let data: NSPurgeableData
        var bytes: Data
        var accesses = 1
        /// Of the mapping, as it was when it was accessed last.
        var place: UInt
        var wasTaken = false
    }

    var chance: Chance
    var items: [Item] = []
    var (valid, lost) = (0, 0)

    init(seed: UInt64) {
        chance = Chance(seed: seed)
        for _ in 0..<30 { items.append(make()) }
    }

    private mutating func make() -> Item {
        var bytes = Data(count: chance.below(4) == 0 ? chance.below(200) : chance.below(200_000))
        switch chance.below(4) {
        case 0: break
        case 1: for _ in 0..<chance.below(5) where !bytes.isEmpty { bytes[chance.below(bytes.count)] = 1 }
        default: bytes = chance.bytes(bytes.count)
        }
        let data = NSPurgeableData(data: bytes)
        return Item(data: data, bytes: bytes, place: unsafe UInt(bitPattern: data.bytes))
    }

    mutating func step() throws {
        let index = chance.below(items.count)
        switch chance.below(8) {
        case 0, 1: try begin(index)
        case 2, 3: end(index)
        case 4: change(index)
        case 5: take(index)
        case 6:
            items[index].data.discardContentIfPossible()
            if items[index].accesses == 0 { items[index].wasTaken = true }
        default:
            let isDiscarded = items[index].data.isContentDiscarded()
            try #require(!isDiscarded || items[index].accesses == 0, "content under access was discarded")
        }
    }

    private mutating func begin(_ index: Int) throws {
        guard items[index].data.beginContentAccess() else {
            try #require(items[index].accesses == 0, "content under access was discarded")
            lost += 1
            items[index] = make()
            return
        }
        items[index].accesses += 1
        try #require(items[index].data.content == items[index].bytes, "discarded content was returned as valid")
        valid += 1
    }

    private mutating func end(_ index: Int) {
        guard items[index].accesses > 0 else { return }
        items[index].accesses -= 1
        items[index].data.endContentAccess()
    }

    private mutating func change(_ index: Int) {
        guard items[index].accesses > 0 else { return }
        let start = chance.below(items[index].bytes.count)
        let length = chance.below(items[index].bytes.count - start + 1)
        // Zeros as well: a page may lose the byte that it was known by.
        let patch = Data(repeating: chance.below(2) == 0 ? 0 : UInt8(chance.below(256)), count: length)
        items[index].bytes.replaceSubrange(start..<start + length, with: patch)
        unsafe items[index].data.replaceBytes(
            in: NSRange(location: start, length: length), withBytes: Array(patch))
    }

    /// As the daemon takes pages, which knows nothing of who accesses what.
    private mutating func take(_ index: Int) {
        let item = items[index]
        guard !item.data.isContentDiscarded() else { return }
        let pages = item.bytes.count / 4096 + 1
        let first = chance.below(pages)
        Reclaim.take(item.place + UInt(first) * 4096, (1 + chance.below(pages - first)) * 4096)
    }
}

extension PurgeableDataTests {
    @Test(
        "No byte of discarded content is ever returned as valid, and none under access is lost",
        arguments: 0..<6 as Range<UInt64>)
    func property(_ seed: UInt64) throws {
        var shelf = Shelf(seed: seed)
        for _ in 0..<2000 { try shelf.step() }
        #expect(shelf.valid > 100)
        #expect(shelf.lost > 30)
    }
}
