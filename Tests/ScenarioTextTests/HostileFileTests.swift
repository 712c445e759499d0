import Model
import ScenarioText
import Simulation
import Testing

/// Whatever a file holds, reading it ends soon, with a scenario or with mistakes.
@Suite("Hostile files")
struct HostileFileTests {
    private static func seconds(_ bytes: [UInt8]) -> Double {
        let clock = ContinuousClock()
        let time = clock.measure {
            do throws(ScenarioErrors) {
                _ = try ScenarioReader.read(bytes, file: "hostile")
            } catch {
                #expect(!error.errors.isEmpty)
            }
        }
        return Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18
    }

    static let bombs: [String] = {
        let size = 1 << 20
        func filled(_ text: String) -> String { String(repeating: text, count: size / text.utf8.count) }
        var billion = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
        for level in 1..<20 {
            let before = String(repeating: "*a\(level - 1), ", count: 9)
            billion += "a\(level): &a\(level) [\(before)]\n"
        }
        let hidden = "name: a\n  \"b\nx: &a [y]\n? *a\n: z\nc: \"\n"
        let repeated = [
            "[", "{", "- ", "? ", "a: ", "{a: ", "[a, ", "a\n", "a: b\n", "  ", "\"", "'", "|", "#", "%", "!",
        ]
        return [
            billion, hidden, "name: \(filled("x"))", "name: \"\(filled("\\u263A"))\"", "do: \(filled("after 1s "))",
            "name: x\ndevice: ios-7\napps: {a: {}}\ntimeline:\n"
                + String(repeating: "  - {at: 0s, do: opan a}\n", count: 40_000),
            "name: x\ndevice: ios-7\napps:\n" + (0..<60_000).map { "  a\($0): {x: 1}\n" }.joined(),
            "name: x\ndevice: ios-7\napps: {a: {}}\ntimeline:\n  - {at: 0s, do: let a "
                + filled("after 1s ").dropLast(200) + "exit 0}",
            "name: x\ndevice: ios-7\nduration: " + filled("1").dropLast(100) + "s",
        ] + repeated.map(filled)
    }()

    @Test("Bombs are refused or read in a moment", arguments: bombs.indices)
    func bomb(_ number: Int) {
        let seconds = Self.seconds(Array(Self.bombs[number].utf8))
        #expect(seconds < 10, "\(Self.bombs[number].prefix(60)): \(seconds) s")
    }

    @Test("More than a mebibyte is not looked at")
    func size() throws {
        let error = #expect(throws: ScenarioErrors.self) {
            try ScenarioReader.read([UInt8](repeating: 0xFF, count: 1 << 21), file: "x")
        }
        #expect(error?.description == "x:1:1: the file is too large; expected at most 1048576 bytes")
    }

    @Test("Not more than fifty mistakes are told")
    func many() throws {
        let steps = String(repeating: "  - {at: 0s, do: opan a}\n", count: 100)
        let text = "name: x\ndevice: ios-7\ntimeline:\n" + steps
        let error = #expect(throws: ScenarioErrors.self) { try ScenarioReader.read(Array(text.utf8), file: "x") }
        #expect(error?.errors.count == 50)
        #expect(error?.description.hasSuffix("\nx: there are more") == true)
    }

    @Test("Scenarios with bytes changed, taken out and put in never crash the reader", arguments: 0..<10)
    func mutations(_ block: UInt64) {
        var generator = Generator(seed: 77_000 + block)
        for _ in 0..<300 {
            var bytes = Array(ScenarioWriter.text(of: generator.scenario()).utf8)
            for _ in 0...generator.random.below(8) {
                let place = generator.random.below(bytes.count)
                let byte =
                    generator.flag()
                    ? UInt8(generator.random.below(256)) : generator.pick(Array("[]{},:-&*!|>'\"%@`?# \n\t".utf8))
                switch generator.random.below(4) {
                case 0: bytes[place] = byte
                case 1: bytes.insert(byte, at: place)
                case 2: bytes.remove(at: place)
                default: bytes.removeSubrange(place..<min(bytes.count, place + generator.random.below(40)))
                }
                if bytes.isEmpty { bytes = [byte] }
            }
            #expect(Self.seconds(bytes) < 5)
        }
    }
}
