import Foundation
import Synchronization

/// The photos that are still to be uploaded are the files of a folder; what the server has, moves to another. Nothing
/// else is remembered, so nothing can be wrong after the app's end: the server is asked how far a photo has come.
final class UploadQueue: Sendable {
    private struct State {
        var isRunning = false
        var isPaused = false
        var completion: (@Sendable () -> Void)?
    }

    private let photos: URL
    private let uploaded: URL
    private let server: Server
    private let state = Mutex(State())
    private let pauses = DispatchSemaphore(value: 0)
    private static let piece = 256 * 1024

    init(folder: URL, server: Server) {
        photos = folder.appending(path: "Photos")
        uploaded = folder.appending(path: "Uploaded")
        self.server = server
    }

    private var waiting: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: photos.path)) ?? []).sorted()
    }

    var isFinished: Bool { waiting.isEmpty }

    /// Begins, or goes on. The completion is called once nothing is uploaded any more.
    func resume(_ completion: @escaping @Sendable () -> Void) {
        let begins = state.withLock { state in
            state.isPaused = false
            state.completion = completion
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if begins { Thread.detachNewThread { [self] in run() } }
    }

    /// After the piece that is under way.
    func pause() {
        state.withLock { $0.isPaused = true }
        pauses.signal()
    }

    private var isPaused: Bool { state.withLock { $0.isPaused } }

    private func run() {
        try? FileManager.default.createDirectory(at: uploaded, withIntermediateDirectories: true)
        while true {
            switch next() {
            case .photo(let name):
                do {
                    try upload(name)
                } catch {
                    // The server is away, or the connection died while the app was suspended. A server that is back
                    // announces it to nobody; a pause is not kept waiting.
                    _ = pauses.wait(timeout: .now() + 0.2)
                }
            case .end(let completion):
                completion?()
                return
            }
        }
    }

    private enum Next {
        case photo(String)
        case end((@Sendable () -> Void)?)
    }

    /// Ends in the same moment in which it finds nothing to do: whoever resumes after that begins anew.
    private func next() -> Next {
        state.withLock { state in
            if !state.isPaused, let name = waiting.first { return .photo(name) }
            state.isRunning = false
            return .end(state.completion)
        }
    }

    private func upload(_ name: String) throws {
        let file = photos.appending(path: name)
        let photo = try Data(contentsOf: file)
        var progress = try server.progress(of: name)
        while !progress.isComplete {
            if isPaused { return }
            let end = min(progress.offset + Self.piece, photo.count)
            progress = try server.send(photo, name: name, range: progress.offset..<end)
        }
        try FileManager.default.moveItem(at: file, to: uploaded.appending(path: name))
        print("· uploaded \(name), \(waiting.count) to go")
    }
}
