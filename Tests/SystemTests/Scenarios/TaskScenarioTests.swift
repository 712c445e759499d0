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
                of: try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasPrefix("s01-") }.sorted()
            )
        }

        /// They mostly wait: several at a time.
        private static let lanes = 6

        @Test(
            "Every scenario of task completion passes, with shortened limits",
            .enabled(if: ContractApps.areBuilt, "Misbehaver is not built"))
        func tasks() throws {
            let files = try Self.files()
            #expect(!files.isEmpty)
            let waiting = Mutex(files[...])
            let failures = Mutex<[String]>([])
            DispatchQueue.concurrentPerform(iterations: Self.lanes) { _ in
                while let file = waiting.withLock({ $0.popFirst() }) {
                    let wrong = Self.failures(of: file)
                    failures.withLock { $0 += wrong.map { "\(file): \($0)" } }
                }
            }
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
