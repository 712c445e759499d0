import Dispatch
import Foundation
import LinuxSystem
import Synchronization
import Testing
import TransferService

@Suite("FileSink")
struct FileSinkTests {
    /// The reports of a sink, in order.
    private final class Story: Sendable {
        private let words = Mutex<[String]>([])
        let sink = Mutex<FileSink?>(nil)
        let isOver = DispatchSemaphore(value: 0)

        func tell(_ word: String) { words.withLock { $0.append(word) } }
        var told: [String] { words.withLock { $0 } }
    }

    @Test("A sink reports durable bytes before its end", arguments: [4, 4_000_000])
    func order(_ length: Int) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "greenroom-sink-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let workers = FileSink.Workers()
        var bounds = FileSink.Bounds()
        bounds.batch = 1
        for number in 0..<100 {
            let file = try Descriptor.open("\(folder.path)/\(number)", .readWrite, create: 0o600)
            let story = Story()
            let sink = FileSink(file, from: 0, hash: nil, bounds: bounds, workers: workers, onRoom: {}) {
                durable in
                guard durable == Int64(length) else { return }
                // The download ends while its last bytes become durable.
                story.sink.withLock { $0 }?.finish { result in
                    story.tell("ended at \((try? result.get()) ?? -1)")
                    story.isOver.signal()
                }
                story.tell("durable")
            }
            story.sink.withLock { $0 = sink }
            let bytes = [UInt8](repeating: 7, count: length)
            _ = unsafe bytes.withUnsafeBytes { unsafe sink.append($0) }
            #expect(story.isOver.wait(timeout: .now() + .seconds(60)) == .success)
            story.sink.withLock { $0 = nil }
            #expect(story.told == ["durable", "ended at \(length)"])
        }
    }
}
