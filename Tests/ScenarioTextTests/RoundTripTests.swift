import Model
import ScenarioText
import Simulation
import Testing

@Suite("Writing scenarios and reading them back")
struct RoundTripTests {
    @Test("What is written reads back to an equal value", arguments: 0..<20)
    func equal(_ block: UInt64) throws {
        for seed in (block * 100)..<(block * 100 + 100) {
            var generator = Generator(seed: seed)
            let scenario = generator.scenario()
            let text = ScenarioWriter.text(of: scenario, header: ["Made up from seed \(seed)", "", "a\nb # c"])
            let read: Scenario
            do {
                read = try ScenarioReader.read(Array(text.utf8), file: "seed \(seed)")
            } catch {
                Issue.record("\(error)\n\(text)")
                return
            }
            let again = ScenarioWriter.text(of: read)
            let pairs = zip(again.split(separator: "\n"), ScenarioWriter.text(of: scenario).split(separator: "\n"))
            for (one, other) in pairs where one != other { Issue.record("seed \(seed):\n\(other)\nbecomes\n\(one)") }
            #expect(read.withoutLines == scenario, "seed \(seed):\n\(text)")
        }
    }

    @Test("Times are exact to the nanosecond and as short as they can be")
    func times() throws {
        let written: [(Int64, String)] = [
            (0, "0s"), (1, "1ns"), (1_500_000, "1500us"), (2_000_000, "2ms"), (1_500_000_000, "1500ms"),
            (90_000_000_000, "90s"), (180_000_000_000, "3m"), (7_200_000_000_000, "2h"),
            (86_400_000_000_000, "24h"), (1_234_567_891, "1.234567891s"),
        ]
        for (nanoseconds, text) in written {
            #expect(Span(nanoseconds: nanoseconds).text == text)
            #expect(try Span(scenario: text).nanoseconds == nanoseconds)
        }
        #expect(try Span(scenario: "1h30m").nanoseconds == 5_400_000_000_000)
        #expect(try Span(scenario: "1.5s").nanoseconds == 1_500_000_000)
        #expect(try Span(scenario: "0.25m").nanoseconds == 15_000_000_000)
        for wrong in [
            "", "5", "s", "-1s", "1 s", "1s2h", "1s1s", "1.2.3s", ".s", "1e3s", "0.1ns", "١s", "9999999999d",
            "3650d1ns", "99999999999999999999s", "1.0000000000001s",
        ] {
            #expect(throws: Mismatch.self, "\(wrong)") { try Span(scenario: wrong) }
        }
    }

    @Test("Joules are exact to the picojoule")
    func joules() throws {
        let written: [(Int64, String)] = [
            (0, "0J"), (12_000_000_000_000, "12J"), (500_000_000_000, "0.5J"), (1, "0.000000000001J"),
            (1_000_000_000_000_000_000, "1000000J"),
        ]
        for (picojoules, text) in written {
            #expect(Energy(picojoules: picojoules).text == text)
            #expect(try Energy(scenario: text).picojoules == picojoules)
        }
        #expect(try Energy(scenario: "300mJ").picojoules == 300_000_000_000)
        #expect(try Energy(scenario: "1.25kJ") == .joules(1250))
        for wrong in [
            "", "J", "5", "-1J", "5 J", "5W", "1.2.3J", "1e3J", "1000001J", "0.0000000000001J", "9999999999kJ",
        ] {
            #expect(throws: Mismatch.self, "\(wrong)") { try Energy(scenario: wrong) }
        }
    }

    @Test("Sizes and numbers have bounds")
    func sizes() throws {
        #expect(try ByteCount.read("20MB") == 20_000_000)
        #expect(try ByteCount.read("64MiB") == 64 << 20)
        #expect(try ByteCount.read("0") == 0)
        for wrong in ["", "MB", "-1MB", "1.5MB", "20 MB", "20mb", "9999999999999999GB", "99999999999999999999"] {
            #expect(throws: Mismatch.self, "\(wrong)") { try ByteCount.read(wrong) }
        }
        #expect(try wholeNumber("0x8badf00d", in: 0...UInt64.max, as: "a code") == 0x8bad_f00d)
        for wrong in ["", "+1", "-1", "1.0", "0x", "256", "1_0"] {
            #expect(throws: Mismatch.self, "\(wrong)") { try wholeNumber(wrong, in: UInt8(0)...255, as: "a number") }
        }
    }
}
