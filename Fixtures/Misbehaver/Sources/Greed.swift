import Glibc
import UIKit

/// What this app takes of memory, in pages that nobody but it can give back.
enum Greed {
    private static let pageSize = 4096

    /// So many megabytes, each page written. `nil` if there is no room.
    @discardableResult
    static func take(_ megabytes: Int) -> UnsafeMutableRawPointer? {
        let length = max(1, megabytes) << 20
        let place = unsafe mmap(nil, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let place = unsafe place, unsafe place != MAP_FAILED else { return nil }
        for offset in stride(from: 0, to: length, by: pageSize) {
            unsafe place.storeBytes(of: 1, toByteOffset: offset, as: UInt8.self)
        }
        return unsafe place
    }

    /// Takes a megabyte every so many milliseconds, without a pause if that is 0, and stops at `most`: a system that
    /// does not end it must not take the machine with it. No allocation, so that a child that was forked may do it.
    static func leak(every milliseconds: Int, most: Int) {
        for _ in 0..<most {
            guard unsafe take(1) != nil else { return }
            rest(milliseconds)
        }
    }

    /// Maps this many gigabytes without touching them: a sparse file, or reserved memory.
    static func map(_ gigabytes: Int, inFile: Bool) -> Bool {
        let length = max(1, gigabytes) << 30
        guard inFile else {
            let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
            return unsafe mmap(nil, length, PROT_READ | PROT_WRITE, flags, -1, 0) != MAP_FAILED
        }
        let file = unsafe open(NSHomeDirectory() + "/Documents/mapped", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0, ftruncate(file, length) == 0 else { return false }
        defer { close(file) }
        return unsafe mmap(nil, length, PROT_READ, MAP_SHARED, file, 0) != MAP_FAILED
    }

    private static func rest(_ milliseconds: Int) {
        // How quickly it takes memory is the misdeed.
        if milliseconds > 0 { usleep(UInt32(milliseconds) * 1000) }
    }

    /// A child that leaks, and that ends with this app only if somebody sees to it.
    static func leakInChild(every milliseconds: Int, most: Int) -> pid_t {
        let child = fork()
        guard child == 0 else { return child }
        leak(every: milliseconds, most: most)
        Deed.blockForever()
    }

    /// Takes and gives back so many megabytes again and again.
    static func waver(_ megabytes: Int, every milliseconds: Int) -> Never {
        while true {
            if let place = unsafe take(megabytes) {
                rest(milliseconds)
                unsafe munmap(place, megabytes << 20)
            }
            rest(milliseconds)
        }
    }
}

/// What can be given back when somebody asks: an app that heeds its warnings.
@MainActor
enum Spare {
    /// Addresses, and megabytes.
    private static var places: [(start: UInt, megabytes: Int)] = []

    static func take(_ megabytes: Int) {
        guard let place = unsafe Greed.take(megabytes) else { return }
        places.append((UInt(bitPattern: place), megabytes))
    }

    static func giveBack() {
        for (start, megabytes) in places {
            unsafe munmap(UnsafeMutableRawPointer(bitPattern: start), megabytes << 20)
        }
        places = []
    }
}

/// Purgeable data of which every byte is known, so that none that was discarded passes for valid.
@MainActor
final class Hoard {
    private struct Item {
        let data: NSPurgeableData
        let seed: UInt64
        let isAccessed: Bool
    }

    private var items: [Item] = []

    /// Objects of up to two megabytes, whatever lengths the seed draws; one in eight stays accessed.
    init(megabytes: Int, seed: UInt64) {
        var dice = Dice(state: seed)
        var left = megabytes << 20
        while left > 0 {
            let length = min(left, 1 + Int(dice.next() % (2 << 20)))
            guard let data = NSPurgeableData(length: length) else { break }
            let item = Item(data: data, seed: dice.next(), isAccessed: dice.next() % 8 == 0)
            Self.fill(data, item.seed)
            if !item.isAccessed { data.endContentAccess() }
            items.append(item)
            left -= length
        }
    }

    private struct Dice {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state >> 16
        }
    }

    private static func fill(_ data: NSPurgeableData, _ seed: UInt64) {
        var dice = Dice(state: seed)
        let bytes = unsafe UnsafeMutableRawBufferPointer(start: data.mutableBytes, count: data.length)
        for index in bytes.indices { unsafe bytes[index] = UInt8(truncatingIfNeeded: dice.next()) }
    }

    private static func isFilled(_ data: NSPurgeableData, _ seed: UInt64) -> Bool {
        var dice = Dice(state: seed)
        let bytes = unsafe UnsafeRawBufferPointer(start: data.bytes, count: data.length)
        for index in bytes.indices where unsafe bytes[index] != UInt8(truncatingIfNeeded: dice.next()) { return false }
        return true
    }

    /// What is left of it: `objects 187 accessed 22 discarded 165 valid 22 wrong 0`.
    var state: String {
        let discarded = items.count { $0.data.isContentDiscarded() }
        let lost = items.count { $0.isAccessed && $0.data.isContentDiscarded() }
        var (valid, wrong) = (0, 0)
        for item in items where item.data.beginContentAccess() {
            if Self.isFilled(item.data, item.seed) { valid += 1 } else { wrong += 1 }
            item.data.endContentAccess()
        }
        let accessed = items.count { $0.isAccessed }
        return [
            "objects \(items.count) accessed \(accessed) lost \(lost)",
            "discarded \(discarded) valid \(valid) wrong \(wrong)",
        ].joined(separator: " ")
    }
}
