import LinuxSystem
import Testing
import Wire

extension SystemTests {
    /// Benchmarks/memory-storms: a person goes from app to app while these take memory. It is judged by the apps'
    /// processes, by the reports, and by how the system is when the storm is over.
    @Suite("Memory storms", .serialized) struct MemoryStorms {
        private static func number(_ name: String, default value: Int) -> Int {
            CurrentProcess.environment(name).flatMap { Int($0) } ?? value
        }

        /// GREENROOM_MEMORY_STORMS=200 GREENROOM_SEED=7 swift test --filter MemoryStorms
        private static let storms = number("GREENROOM_MEMORY_STORMS", default: 3)
        private static let seed = number("GREENROOM_SEED", default: 1)

        @Test("Under a budget, apps that take memory at random cost no app that is on screen")
        func storms() throws {
            let python = try #require(Machine.find("python3"))
            let path = CurrentProcess.environment("PATH") ?? "/usr/bin:/bin"
            let player = try Child(
                python,
                [
                    "\(Machine.repository)/Benchmarks/memory-storms/storms", "--budget", "--memory", "320", "--storms",
                    "\(Self.storms)", "--seed", "\(Self.seed)", "--json",
                ], environment: ["PATH": "\(Machine.programs):\(path)"])
            let outcome = try player.outcome(Patience(seconds: 60 + 40 * Double(Self.storms)))
            #expect(outcome.code == 0, "\(outcome.errors)")
            let played = try JSONValue(parsing: Array(outcome.output.utf8), limits: .answer)["storms"]?.array ?? []
            #expect(played.count == Self.storms)
            for storm in played {
                let seed = storm["seed"]?.int ?? -1
                #expect(storm["lost"]?.array?.isEmpty == true, "seed \(seed): \(storm)")
                #expect(storm["problems"]?.array?.isEmpty == true, "seed \(seed): \(storm)")
            }
            // Storms in which nothing ran short would prove nothing.
            #expect(played.contains { ($0["kills"]?.int ?? 0) > 0 }, "\(outcome.errors)")
        }
    }
}
