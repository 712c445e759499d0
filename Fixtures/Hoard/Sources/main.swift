import UIKit

// Holds purgeable data for a test that takes it from outside.
//
//     Hoard keep MEGABYTES    fills as many objects of 1 MB, keeps the first accessed and lets go of the others, prints
//                             "ready", waits for a line, prints what is left, and ends
//     Hoard misuse            reads without access

func fill(_ data: NSPurgeableData, seed: UInt64) {
    var state = seed
    let words = unsafe data.mutableBytes.assumingMemoryBound(to: UInt64.self)
    for index in 0..<data.length / 8 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        unsafe words[index] = state
    }
}

func isFilled(_ data: NSPurgeableData, seed: UInt64) -> Bool {
    var state = seed
    let words = unsafe data.bytes.assumingMemoryBound(to: UInt64.self)
    for index in 0..<data.length / 8 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        guard unsafe words[index] == state else { return false }
    }
    return true
}

func keep(_ count: Int) {
    var hoard: [NSPurgeableData] = []
    for seed in 0..<count {
        guard let data = NSPurgeableData(length: 1 << 20) else { return print("no room") }
        fill(data, seed: UInt64(seed))
        hoard.append(data)
    }
    hoard.dropFirst().forEach { $0.endContentAccess() }
    print("ready")
    fflush(nil)
    _ = readLine()
    let discarded = hoard.count { $0.isContentDiscarded() }
    var (valid, wrong) = (0, 0)
    for (seed, data) in hoard.enumerated() where data.beginContentAccess() {
        if isFilled(data, seed: UInt64(seed)) { valid += 1 } else { wrong += 1 }
    }
    print("discarded \(discarded) valid \(valid) wrong \(wrong)")
}

switch CommandLine.arguments.dropFirst().first {
case "keep": keep(CommandLine.arguments.last.flatMap { Int($0) } ?? 0)
case "misuse":
    let data = NSPurgeableData(data: Data("secret".utf8))
    data.endContentAccess()
    print(data as Data)
default: print("usage: Hoard keep MEGABYTES | Hoard misuse")
}
