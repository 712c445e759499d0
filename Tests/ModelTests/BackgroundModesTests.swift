import Foundation
import Model
import Testing

@Suite("Background modes")
struct BackgroundModesTests {
    private static let known = ["audio", "location", "voip", "fetch", "remote-notification", "listen", "processing"]

    @Test("Background modes convert to words and back, in a fixed order")
    func words() {
        #expect(BackgroundModes.knownKeys == Self.known)
        #expect(BackgroundModes(keys: Self.known.reversed()).keys == Self.known)
        #expect(BackgroundModes(keys: [] as [String]).isEmpty)
        let some = BackgroundModes(keys: ["zeal", "fetch", "bluetooth-central", "audio", "zeal"])
        #expect(some.keys == ["audio", "fetch", "bluetooth-central", "zeal"])
        #expect(some.otherKeys == ["bluetooth-central", "zeal"])
        #expect(some == BackgroundModes(keys: some.keys.reversed()))
        #expect(BackgroundModes(keys: Self.known).otherKeys.isEmpty)
    }

    @Test(
        "Invalid words are skipped, and case matters",
        arguments: ["", "-audio", ".audio", "a b", "audio/", "aüdio", "audio\n", String(repeating: "a", count: 128)])
    func noWords(_ text: String) {
        #expect(!BackgroundModes.isKey(text))
        #expect(BackgroundModes(keys: [text, "audio"]) == "audio")
        #expect(!BackgroundModes(keys: ["Audio"]).contains("audio"))
        #expect(BackgroundModes.isKey(String(repeating: "a", count: 127)))
    }

    /// All sets of three known words and two others.
    private static let sets: [BackgroundModes] = (0..<32).map { number in
        BackgroundModes(
            keys: ["audio", "voip", "processing", "a", "b"].enumerated().filter { number & 1 << $0.offset != 0 }.map(
                \.element))
    }

    @Test("Background modes obey the laws of sets", arguments: sets)
    func algebra(_ a: BackgroundModes) {
        for b in Self.sets {
            let (these, those) = (Set(a.keys), Set(b.keys))
            #expect((a == b) == (these == those))
            #expect(a.contains(b) == these.isSuperset(of: those))
            #expect(a.isDisjoint(with: b) == these.isDisjoint(with: those))
            #expect(Set(a.intersection(b).keys) == these.intersection(those))
            var union = a
            union.formUnion(b)
            #expect(union == BackgroundModes(keys: these.union(those)))
            #expect(([a, b] as BackgroundModes) == union)
        }
    }

    @Test("Background modes survive a recording and a checkpoint", arguments: sets)
    func stored(_ modes: BackgroundModes) throws {
        #expect(BackgroundModes(mask: modes.mask, otherKeys: modes.otherKeys) == modes)
        #expect(BackgroundModes.hasOthers(mask: modes.mask) == !modes.otherKeys.isEmpty)
        let data = try JSONEncoder().encode([modes])
        #expect(try JSONDecoder().decode([BackgroundModes].self, from: data) == [modes])
    }

    @Test("Checkpoints of earlier versions store a number")
    func numbers() throws {
        let read = try JSONDecoder().decode([BackgroundModes].self, from: Data("[0, 1, 96]".utf8))
        #expect(read == [[], "audio", [.listen, .processing]])
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([BackgroundModes].self, from: Data("[true]".utf8))
        }
    }

    @Test("A mask and words that no recording contains are refused")
    func refused() {
        let refused: [(UInt8, [String])] = [
            (1, ["a"]), (129, []), (129, ["b", "a"]), (129, ["a", "a"]), (129, ["audio"]), (129, ["a b"]),
        ]
        for (mask, others) in refused { #expect(BackgroundModes(mask: mask, otherKeys: others) == nil) }
    }
}
