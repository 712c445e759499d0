import AudioCore
import AudioModel
import Model
import Testing

/// Whatever happens, in whatever order: nothing is broken after any event, and everything comes to rest.
@Suite("Storms over the Core of audio") struct StormTests {
    @Test("Nothing is broken after any event, and nothing is left over at the end", arguments: UInt64(0)..<10)
    func storms(part: UInt64) {
        for seed in part * 50 + 1...part * 50 + 50 {
            var storm = Storm(seed: seed)
            storm.run(events: 400)
            let first = storm.machine.broken.first
            #expect(first == nil, "seed \(seed)")
            if first != nil { return }
            storm.clear()
            let left = storm.left
            #expect(left == [], "seed \(seed)")
            storm.leave()
            let still = storm.leftOutOfSight
            #expect(still == [], "seed \(seed)")
            if !left.isEmpty || !still.isEmpty { return }
        }
    }

    @Test("They hold what they are for")
    func holds() {
        var count: [String: Int] = [:]
        for seed in UInt64(1)...40 {
            var storm = Storm(seed: seed)
            storm.run(events: 400)
            for (name, number) in storm.seen { count[name, default: 0] += number }
        }
        for name in ["plays", "records", "ducked", "interrupted", "program", "outsider", "suspended", "dismissed"] {
            #expect(count[name, default: 0] > 20, "\(name): \(count)")
        }
    }
}
