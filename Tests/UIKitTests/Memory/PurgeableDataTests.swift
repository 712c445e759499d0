import Foundation
import Testing
import UIKit

@Suite("Purgeable data")
struct PurgeableDataTests {
    private func noise(_ count: Int, seed: UInt64 = 1) -> Data {
        var chance = Chance(seed: seed)
        return chance.bytes(count)
    }

    private func address(_ data: NSPurgeableData) -> UInt { unsafe UInt(bitPattern: data.bytes) }

    @Test("It starts accessed, and stays as long as any access lasts")
    func counts() {
        let data = NSPurgeableData(data: noise(10_000))
        data.discardContentIfPossible()
        #expect(!data.isContentDiscarded())
        #expect(data.beginContentAccess())
        data.endContentAccess()
        data.discardContentIfPossible()
        #expect(!data.isContentDiscarded())
        #expect(data as Data == noise(10_000))
        data.endContentAccess()
        #expect(!data.isContentDiscarded())
        data.discardContentIfPossible()
        #expect(data.isContentDiscarded())
        #expect(!data.beginContentAccess())
        #expect(data.length == 0)
        #expect(data.description == "<NSPurgeableData: discarded>")
    }

    @Test(
        "What the kernel took is discarded; what it did not take is valid", arguments: [1, 100, 4096, 4097, 5_000_000])
    func taken(_ size: Int) {
        let content = noise(size)
        let data = NSPurgeableData(data: content)
        let place = address(data)
        data.endContentAccess()
        #expect(data.beginContentAccess())
        #expect(data as Data == content)
        data.endContentAccess()
        // A page that still sits in another processor's batch of newly freed ones is not taken at once.
        for _ in 0..<1000 where !data.isContentDiscarded() {
            Reclaim.take(place, 4096)
            sched_yield()
        }
        #expect(data.isContentDiscarded())
        #expect(!data.beginContentAccess())
    }

    @Test("One page lost is all lost")
    func onePage() {
        let data = NSPurgeableData(data: noise(1 << 20))
        let place = address(data)
        data.endContentAccess()
        for _ in 0..<1000 where !data.isContentDiscarded() { Reclaim.take(place + 100 * 4096, 4096) }
        #expect(!data.beginContentAccess())
        #expect(data.length == 0)
    }

    @Test("Content under access is never touched, also after it had been let go of")
    func accessed() {
        let content = noise(1 << 20)
        let data = NSPurgeableData(data: content)
        let place = address(data)
        Reclaim.take(place, content.count)
        #expect(data as Data == content)
        data.endContentAccess()
        #expect(data.beginContentAccess())
        Reclaim.take(place, content.count)
        #expect(!data.isContentDiscarded())
        #expect(data as Data == content)
        data.endContentAccess()
    }

    @Test("A page of zeros needs no proof: it reads the same")
    func zeros() throws {
        let data = try #require(NSPurgeableData(length: 1 << 20))
        let place = address(data)
        unsafe data.mutableBytes.storeBytes(of: 7, toByteOffset: 4095, as: UInt8.self)
        data.endContentAccess()
        Reclaim.take(place + 4096, 1 << 20 - 4096)
        #expect(data.beginContentAccess())
        var expected = Data(count: 1 << 20)
        expected[4095] = 7
        #expect(data as Data == expected)
    }

    @Test(
        "It is an NSMutableData: every change leaves the bytes that it would leave there",
        arguments: 0..<10 as Range<UInt64>)
    func mutableData(_ seed: UInt64) throws {
        var chance = Chance(seed: seed)
        let data = NSPurgeableData()
        let model = NSMutableData()
        for _ in 0..<200 {
            let piece = noise(chance.below(9000), seed: chance.next())
            let start = chance.below(model.length + 1)
            let range = NSRange(location: start, length: chance.below(model.length - start + 1))
            let change = chance.below(7)
            for each in [data, model] {
                switch change {
                case 0: each.append(piece)
                case 1: each.setData(piece)
                case 2: each.length = piece.count * 2
                case 3: each.resetBytes(in: range)
                case 4: each.increaseLength(by: piece.count)
                case 5: unsafe each.replaceBytes(in: range, withBytes: Array(piece), length: piece.count)
                default: unsafe each.append(Array(piece), length: piece.count)
                }
            }
            try #require(data.content == model as Data)
            if chance.below(4) == 0 {
                data.endContentAccess()
                try #require(data.beginContentAccess())
            }
        }
    }

    @Test("Copies and Data made of it stay when it is discarded")
    func copies() throws {
        let content = noise(100_000)
        let data = NSPurgeableData(data: content)
        let copies = [
            data as Data, Data(referencing: data), data.subdata(with: NSRange(location: 0, length: data.length)),
            try #require(data.copy() as? NSData) as Data, try #require(data.mutableCopy() as? NSMutableData) as Data,
        ]
        data.endContentAccess()
        data.discardContentIfPossible()
        #expect(copies.allSatisfy { $0 == content })
    }

    @Test("Every way to make it gives the same bytes")
    func initializers() throws {
        let content = noise(20_000)
        let file = FileManager.default.temporaryDirectory.appending(path: "greenroom-\(UUID())")
        try content.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let archive = try NSKeyedArchiver.archivedData(withRootObject: content as NSData, requiringSecureCoding: false)
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: archive)
        unarchiver.requiresSecureCoding = false
        let bytes = UnsafeMutableRawPointer.allocate(byteCount: content.count, alignment: 1)
        unsafe content.copyBytes(to: bytes.assumingMemoryBound(to: UInt8.self), count: content.count)
        var freed = 0
        let all: [NSPurgeableData?] = [
            unsafe NSPurgeableData(bytes: Array(content), length: content.count),
            unsafe NSPurgeableData(bytesNoCopy: bytes, length: content.count) { bytes, count in
                unsafe bytes.deallocate()
                freed += count
            },
            NSPurgeableData(contentsOfFile: file.path), try NSPurgeableData(contentsOfFile: file.path, options: []),
            NSPurgeableData(contentsOf: file), try NSPurgeableData(contentsOf: file, options: .alwaysMapped),
            NSPurgeableData(base64Encoded: content.base64EncodedData()),
            NSPurgeableData(base64Encoded: content.base64EncodedString()),
        ]
        for data in all { #expect(try #require(data) as Data == content) }
        #expect(freed == content.count)
        #expect(NSPurgeableData(contentsOfFile: "/nowhere") == nil)
        #expect(NSPurgeableData(base64Encoded: "§") == nil)
        #expect(NSPurgeableData(capacity: .max / 2) == nil)
        #expect(NSPurgeableData(length: .max / 2) == nil)
    }

    @Test("A subclass of it works")
    func subclass() {
        final class Tile: NSPurgeableData {
            var row = 0
            override init() { super.init() }
            required init?(coder: NSCoder) { nil }
        }
        let tile = Tile()
        tile.row = 3
        tile.append(noise(50_000))
        tile.endContentAccess()
        #expect(tile.beginContentAccess())
        #expect(tile as Data == noise(50_000))
    }

    @Test("Each object is a mapping of its own, however it grew or shrank, so that the system can count them")
    func mappings() throws {
        func starts() throws -> [UInt: UInt] {
            let ranges = try Reclaim.lines("/proc/self/maps").compactMap { line -> (UInt, UInt)? in
                let ends = line.prefix { $0 != " " }.split(separator: "-").compactMap { UInt($0, radix: 16) }
                return ends.count == 2 ? (ends[0], ends[1]) : nil
            }
            return Dictionary(ranges) { first, _ in first }
        }
        let objects = (1...60).map { number in
            let data = NSPurgeableData(data: noise(5000, seed: UInt64(number)))
            // Into more pages, into fewer, and as it was.
            data.length = [5000, 50_000, 1][number % 3]
            return data
        }
        let places = objects.map { address($0) }
        let mappings = try starts()
        for (object, place) in zip(objects, places) {
            let end = try #require(mappings[place], "an object begins a mapping")
            #expect(end - place >= UInt(object.length) && end - place < UInt(object.length) + (1 << 20))
            #expect(mappings[end] != nil, "the page behind it belongs to it")
        }
        for (number, object) in objects.enumerated() {
            let kept = min(5000, object.length)
            #expect(object.content.prefix(kept) == noise(5000, seed: UInt64(number + 1)).prefix(kept))
            object.endContentAccess()
        }
        withExtendedLifetime(objects) {}
    }
}
