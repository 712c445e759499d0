import Dispatch
import FoundationEssentials
import LinuxSystem
import ScenarioText
import Synchronization
import Testing

extension SystemTests {
    @Suite("Scenarios on real processes", .serialized) struct ScenariosOnRealProcesses {
        private static let folder = "\(Machine.repository)/Scenarios"

        private static func files() throws -> [String] {
            Machine.part(
                of: try FileManager.default.contentsOfDirectory(atPath: folder).filter { name in
                    Self.prefixes.contains { name.hasPrefix($0) }
                }.sorted()
            )
        }

        /// Task completion, and what apps are woken for.
        private static let prefixes = [
            "s01-", "s09-fetched", "s09-launched", "s09-thirty", "s09-told", "s09-daemon", "s09-crash",
        ]
        /// They mostly wait: several at a time.
        private static let lanes = 6

        @Test(
            "Every scenario of task completion, and those of fetches, pass, with shortened limits",
            .enabled(if: ContractApps.areBuilt, "NOT TESTED: Misbehaver is not built"))
        func tasks() throws {
            let files = try Self.files()
            #expect(!files.isEmpty)
            let waiting = Mutex(files[...])
            let failures = Mutex<[String]>([])
            // A queue for each, since the machine may have fewer processors than that.
            let lanes = DispatchGroup()
            for lane in 1...Self.lanes {
                DispatchQueue(label: "scenarios \(lane)").async(group: lanes) {
                    while let file = waiting.withLock({ $0.popFirst() }) {
                        let wrong = Self.failures(of: file)
                        failures.withLock { $0 += wrong.map { "\(file): \($0)" } }
                    }
                }
            }
            lanes.wait()
            for failure in failures.withLock({ $0.sorted() }) { Issue.record("\(failure)") }
        }

        private static func failures(of file: String) -> [String] {
            do {
                let run = try RealScenario(ScenarioReader.read(path: "\(folder)/\(file)"))
                run.run()
                return run.failures
            } catch {
                return ["\(error)"]
            }
        }
    }
}
