import Foundation
import IOSFoundation
import Synchronization
import Testing

@Suite("Files that parts of an app take turns with")
struct FileCoordinatorTests {
    private static func makeFile() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appending(path: "greenroom-turns-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appending(path: "notes")
        try Data("first".utf8).write(to: file)
        return file
    }

    private static func removeFolder(of file: URL) {
        try? FileManager.default.removeItem(at: file.deletingLastPathComponent())
    }

    private func inBackground(_ body: @escaping @Sendable () -> Void) -> DispatchSemaphore {
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            body()
            done.signal()
        }
        return done
    }

    @Test("A writer waits for readers, readers do not wait for each other, and the accessor is given the URL")
    func turns() throws {
        let file = try Self.makeFile()
        defer { Self.removeFolder(of: file) }
        let heard = Mutex<[String]>([])
        var error: NSError?
        let (begun, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let reader = inBackground {
            unsafe NSFileCoordinator().coordinate(readingItemAt: file, error: nil) { _ in
                begun.signal()
                mayEnd.wait()
                heard.withLock { $0.append("read") }
            }
        }
        begun.wait()
        let writer = inBackground {
            unsafe NSFileCoordinator().coordinate(writingItemAt: file, error: nil) { url in
                try? Data("second".utf8).write(to: url)
                heard.withLock { $0.append("written") }
            }
        }
        unsafe NSFileCoordinator().coordinate(readingItemAt: file, error: &error) { url in
            #expect(url == file)
            heard.withLock { $0.append("read meanwhile") }
        }
        mayEnd.signal()
        writer.wait()
        reader.wait()
        #expect(heard.withLock { $0 } == ["read meanwhile", "read", "written"])
        #expect(error == nil)
        #expect(try String(contentsOf: file, encoding: .utf8) == "second")
    }

    @Test("One coordinator does not wait for itself, nor those with one purpose for each other")
    func nested() throws {
        let file = try Self.makeFile()
        defer { Self.removeFolder(of: file) }
        var reached = 0
        let (coordinator, friend) = (NSFileCoordinator(filePresenter: nil), NSFileCoordinator(filePresenter: nil))
        friend.purposeIdentifier = coordinator.purposeIdentifier
        unsafe coordinator.coordinate(writingItemAt: file, options: .forReplacing, error: nil) { url in
            unsafe coordinator.coordinate(readingItemAt: url, error: nil) { _ in reached += 1 }
            unsafe friend.coordinate(readingItemAt: url, error: nil) { _ in reached += 1 }
        }
        #expect(reached == 2)
    }

    @Test("Who removes a folder waits for what is in it; other files are nobody's business")
    func folders() throws {
        let file = try Self.makeFile()
        defer { Self.removeFolder(of: file) }
        let folder = file.deletingLastPathComponent()
        let removed = Mutex(false)
        let (begun, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let reader = inBackground {
            unsafe NSFileCoordinator().coordinate(readingItemAt: file, error: nil) { _ in
                begun.signal()
                mayEnd.wait()
                #expect(!removed.withLock { $0 })
            }
        }
        begun.wait()
        let remover = inBackground {
            unsafe NSFileCoordinator().coordinate(writingItemAt: folder, options: .forDeleting, error: nil) { url in
                try? FileManager.default.removeItem(at: url)
                removed.withLock { $0 = true }
            }
        }
        var isFree = false
        unsafe NSFileCoordinator().coordinate(
            writingItemAt: folder.deletingLastPathComponent().appending(path: "other"), error: nil
        ) { _ in isFree = true }
        #expect(isFree)
        mayEnd.signal()
        reader.wait()
        remover.wait()
        #expect(!FileManager.default.fileExists(atPath: file.path))
    }

    @Test("What waits can be given up, with an error that says so")
    func cancelled() throws {
        let file = try Self.makeFile()
        defer { Self.removeFolder(of: file) }
        let (begun, mayEnd, tried) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
        )
        let holder = inBackground {
            unsafe NSFileCoordinator().coordinate(writingItemAt: file, error: nil) { _ in
                begun.signal()
                mayEnd.wait()
            }
        }
        begun.wait()
        let coordinator = NSFileCoordinator()
        let code = Mutex<Int?>(nil)
        let waiter = inBackground {
            var error: NSError?
            tried.signal()
            unsafe coordinator.coordinate(readingItemAt: file, error: &error) { _ in Issue.record("it had its turn") }
            code.withLock { $0 = error?.code }
        }
        tried.wait()
        // It counts only once it waits: until it has given up.
        while waiter.wait(timeout: .now() + .milliseconds(1)) == .timedOut { coordinator.cancel() }
        #expect(code.withLock { $0 } == CocoaError.userCancelled.rawValue)
        mayEnd.signal()
        holder.wait()
    }

    @Test("Intents are fulfilled together on a queue, without a thread that waits for them")
    func intents() async throws {
        let file = try Self.makeFile()
        defer { Self.removeFolder(of: file) }
        let other = file.appendingPathExtension("copy")
        let queue = OperationQueue()
        let intents = [
            NSFileAccessIntent.readingIntent(with: file), .writingIntent(with: other, options: .forReplacing),
        ]
        let failure: (any Error)? = await withCheckedContinuation { continuation in
            NSFileCoordinator().coordinate(with: intents, queue: queue) { error in
                try? FileManager.default.copyItem(at: intents[0].url, to: intents[1].url)
                continuation.resume(returning: error)
            }
        }
        #expect(failure == nil)
        #expect(try String(contentsOf: other, encoding: .utf8) == "first")
    }

    /// Shows a file, and writes down what it is asked.
    private final class Presenter: NSObject, NSFilePresenter, Sendable {
        let presentedItemURL: URL?
        let presentedItemOperationQueue = OperationQueue()
        let heard = Mutex<[String]>([])
        let changes = AsyncStream<String>.makeStream()

        init(_ url: URL) {
            presentedItemURL = url
            presentedItemOperationQueue.maxConcurrentOperationCount = 1
        }

        private func note(_ word: String) { heard.withLock { $0.append(word) } }

        func relinquishPresentedItem(toReader reader: @escaping @Sendable ((@Sendable () -> Void)?) -> Void) {
            note("reader")
            reader { self.note("back") }
        }
        func relinquishPresentedItem(toWriter writer: @escaping @Sendable ((@Sendable () -> Void)?) -> Void) {
            note("writer")
            writer { self.note("back") }
        }
        func savePresentedItemChanges(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
            note("save")
            completionHandler(nil)
        }
        func presentedItemDidChange() { changes.continuation.yield("changed") }
        func presentedSubitemDidChange(at url: URL) { changes.continuation.yield("\(url.lastPathComponent) changed") }
        func presentedItemDidMove(to newURL: URL) { changes.continuation.yield("moved") }
    }

    @Test("Presenters give way before the access, and hear of the change; one's own coordinator does not ask it")
    func presenters() async throws {
        let file = try Self.makeFile()
        defer { Self.removeFolder(of: file) }
        let (presenter, folder) = (Presenter(file), Presenter(file.deletingLastPathComponent()))
        NSFileCoordinator.addFilePresenter(presenter)
        NSFileCoordinator.addFilePresenter(folder)
        #expect(NSFileCoordinator.filePresenters.contains { $0 === presenter })
        unsafe NSFileCoordinator(filePresenter: presenter).coordinate(writingItemAt: file, error: nil) { _ in }
        unsafe NSFileCoordinator().coordinate(readingItemAt: file, error: nil) { _ in
            #expect(presenter.heard.withLock { $0 } == ["reader", "save"])
        }
        unsafe NSFileCoordinator().coordinate(writingItemAt: file, error: nil) { _ in }
        var (changes, inFolder) = (
            presenter.changes.stream.makeAsyncIterator(), folder.changes.stream.makeAsyncIterator()
        )
        #expect(await changes.next() == "changed")
        #expect(await inFolder.next() == "notes changed")
        #expect(presenter.heard.withLock { $0 } == ["reader", "save", "back", "writer", "back"])
        NSFileCoordinator().item(at: file, didMoveTo: file.appendingPathExtension("old"))
        #expect(await changes.next() == "moved")
        NSFileCoordinator.removeFilePresenter(presenter)
        NSFileCoordinator.removeFilePresenter(folder)
        unsafe NSFileCoordinator().coordinate(readingItemAt: file, error: nil) { _ in }
        #expect(presenter.heard.withLock { $0.count } == 5)
    }

    @Test("A file has its present version, no others and no conflicts")
    func versions() throws {
        let file = try Self.makeFile()
        defer { Self.removeFolder(of: file) }
        let version = try #require(NSFileVersion.currentVersionOfItem(at: file))
        #expect(version.url == file && version.localizedName == "notes" && version.modificationDate != nil)
        #expect(!version.isConflict && version.isResolved && version.hasLocalContents)
        #expect(NSFileVersion.unresolvedConflictVersionsOfItem(at: file)?.isEmpty == true)
        #expect(NSFileVersion.otherVersionsOfItem(at: file)?.isEmpty == true)
        try NSFileVersion.removeOtherVersionsOfItem(at: file)
        #expect(try version.replaceItem(at: file) == file)
        #expect(NSFileVersion.currentVersionOfItem(at: file.appendingPathExtension("none")) == nil)
        #expect(NSFileVersion.otherVersionsOfItem(at: file.appendingPathExtension("none")) == nil)
    }

    @Test("C's name for a queue's label is there, of the queue that the code runs on as well")
    func labels() {
        let queue = DispatchQueue(label: "org.example.work")
        #expect(unsafe String(cString: __dispatch_queue_get_label(queue)) == "org.example.work")
        #expect(unsafe __dispatch_queue_get_label(queue) == __dispatch_queue_get_label(queue))
        let label = queue.sync { unsafe String(cString: __dispatch_queue_get_label(nil)) }
        #expect(label == "org.example.work")
    }
}
