import Foundation
import Testing

@testable import DuckDuckGoDirectory

final class Watcher: DirectoryMonitorDelegate {
    var added: Set<String> = []
    var removed: Set<String> = []

    func didChange(directoryMonitor: DirectoryMonitor, added: Set<URL>, removed: Set<URL>) {
        self.added.formUnion(added.map(\.lastPathComponent))
        self.removed.formUnion(removed.map(\.lastPathComponent))
    }
}

@MainActor @Suite("DuckDuckGo's directory monitor")
struct DuckDuckGoDirectoryTests {
    @Test("It tells what files came and went")
    func watches() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "monitor-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (monitor, watcher) = (DirectoryMonitor(directory: folder), Watcher())
        monitor.delegate = watcher
        try monitor.start()
        let file = folder.appending(path: "a.txt")
        try Data().write(to: file)
        try await until { watcher.added == ["a.txt"] }
        try FileManager.default.removeItem(at: file)
        try await until { watcher.removed == ["a.txt"] }
        monitor.stop()
    }

    /// It waits by itself until no more comes.
    private func until(_ condition: () -> Bool) async throws {
        for _ in 0..<500 where !condition() {
            _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.02))
            // Nothing tells when what is tried has noticed.
            try await Task.sleep(for: .milliseconds(1))
        }
        #expect(condition())
    }
}
