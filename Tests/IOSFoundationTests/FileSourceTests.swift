import Dispatch
import Foundation
import Glibc
import IOSFoundation
import Testing

/// A folder of a test's own.
private final class Folder: Sendable {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("greenroom-\(UUID().uuidString)")

    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// Writes a file where it is, not beside it.
    @discardableResult
    func write(_ text: String, to name: String) throws -> URL {
        let file = url.appendingPathComponent(name)
        try Data(text.utf8).write(to: file)
        return file
    }
}

/// A source of a file or a folder, and what it tells.
private final class Watch {
    let source: any DispatchSourceFileSystemObject
    /// The bits of what is told; at its end the source was cancelled and its descriptor closed.
    private let events: AsyncStream<UInt>

    init(_ url: URL, _ mask: DispatchSource.FileSystemEvent, queue: DispatchQueue? = nil) throws {
        let descriptor = unsafe open(url.path, O_EVTONLY | O_CLOEXEC)
        try #require(descriptor >= 0)
        let source = DispatchSource.makeFileSystemObjectSource(
            fileDescriptor: descriptor, eventMask: mask, queue: queue)
        let (events, continuation) = AsyncStream.makeStream(of: UInt.self)
        source.setEventHandler { [weak source] in
            guard let told: DispatchSource.FileSystemEvent = source?.data else { return }
            continuation.yield(told.rawValue)
        }
        source.setCancelHandler {
            close(descriptor)
            continuation.finish()
        }
        source.resume()
        (self.source, self.events) = (source, events)
    }

    deinit { source.cancel() }

    /// What is told next; `nil` if the cancel handler was called instead.
    func next() async -> DispatchSource.FileSystemEvent? {
        for await bits in events { return DispatchSource.FileSystemEvent(rawValue: bits) }
        return nil
    }
}

@Suite("What becomes of files", .timeLimit(.minutes(1)))
struct FileSourceTests {
    private let folder: Folder

    init() throws { folder = try Folder() }

    @Test("A file that is added to a folder is told as a write, and so is one that is taken away")
    func added() async throws {
        let watch = try Watch(folder.url, .write)
        let file = try folder.write("a", to: "new")
        let first = await watch.next()
        #expect(first == .write)
        // The first source may have more to tell of the file's coming.
        let other = try Watch(folder.url, .write)
        try FileManager.default.removeItem(at: file)
        let second = await other.next()
        #expect(second == .write)
    }

    @Test("What is written to a file is told")
    func written() async throws {
        let file = try folder.write("a", to: "file")
        let watch = try Watch(file, [.write, .delete, .rename])
        try folder.write("b", to: "file")
        let told = await watch.next()
        #expect(told == .write)
    }

    @Test("The removal of a file is told, though it is open")
    func removed() async throws {
        let file = try folder.write("a", to: "file")
        let watch = try Watch(file, .delete)
        try FileManager.default.removeItem(at: file)
        let told = await watch.next()
        #expect(told == .delete)
    }

    @Test("A file in whose place another one is put is told as removed")
    func replaced() async throws {
        let file = try folder.write("a", to: "file")
        let other = try folder.write("b", to: "other")
        let watch = try Watch(file, [.delete, .rename])
        let result = unsafe rename(other.path, file.path)
        #expect(result == 0)
        let told = await watch.next()
        #expect(told == .delete)
    }

    @Test("A new name of a file is told")
    func renamed() async throws {
        let file = try folder.write("a", to: "file")
        let watch = try Watch(file, [.write, .delete, .rename])
        try FileManager.default.moveItem(at: file, to: folder.url.appendingPathComponent("other"))
        let told = await watch.next()
        #expect(told == .rename)
    }

    @Test("New permissions of a file are told as attributes")
    func attributes() async throws {
        let file = try folder.write("a", to: "file")
        let watch = try Watch(file, [.attrib, .delete])
        let result = unsafe chmod(file.path, 0o600)
        #expect(result == 0)
        let told = await watch.next()
        #expect(told == .attrib)
    }

    @Test("A source that was asked for new names does not tell what is written")
    func maskOfNames() async throws {
        let file = try folder.write("a", to: "file")
        let watch = try Watch(file, .rename)
        try folder.write("b", to: "file")
        try FileManager.default.moveItem(at: file, to: folder.url.appendingPathComponent("other"))
        let told = await watch.next()
        #expect(told == .rename)
    }

    @Test("A source that was asked for removals tells neither writes nor attributes")
    func maskOfRemovals() async throws {
        let file = try folder.write("a", to: "file")
        let watch = try Watch(file, .delete)
        try folder.write("b", to: "file")
        let result = unsafe chmod(file.path, 0o600)
        #expect(result == 0)
        try FileManager.default.removeItem(at: file)
        let told = await watch.next()
        #expect(told == .delete)
    }

    @Test("Each source has its own mask")
    func masks() throws {
        let file = try folder.write("a", to: "file")
        let watches = [try Watch(file, .write), try Watch(file, [.delete, .rename])]
        let masks: [DispatchSource.FileSystemEvent] = watches.map { $0.source.mask }
        let expected: [DispatchSource.FileSystemEvent] = [.write, [.delete, .rename]]
        #expect(masks == expected)
    }

    @Test("The handler is called on the queue that was given")
    func queue() async throws {
        let key = DispatchSpecificKey<String>()
        let queue = DispatchQueue(label: "FileSourceTests")
        queue.setSpecific(key: key, value: "here")
        let watch = try Watch(folder.url, .write, queue: queue)
        let (places, continuation) = AsyncStream.makeStream(of: String.self)
        watch.source.setEventHandler { continuation.yield(DispatchQueue.getSpecific(key: key) ?? "elsewhere") }
        try folder.write("a", to: "new")
        var place: String?
        for await found in places {
            place = found
            break
        }
        #expect(place == "here")
    }

    @Test("The cancel handler is called, and nothing is told any more")
    func cancelled() async throws {
        let watch = try Watch(folder.url, .write)
        #expect(!watch.source.isCancelled)
        watch.source.cancel()
        try folder.write("a", to: "new")
        let told = await watch.next()
        #expect(told == nil)
        #expect(watch.source.isCancelled)
    }
}

@Suite("The app's folders")
struct FolderTests {
    @Test("They are those of the file manager")
    func folders() {
        let manager = FileManager.default
        let known: [(URL, FileManager.SearchPathDirectory)] = [
            (.documentsDirectory, .documentDirectory), (.cachesDirectory, .cachesDirectory),
            (.applicationSupportDirectory, .applicationSupportDirectory),
        ]
        for (url, folder) in known {
            #expect(url.isFileURL)
            #expect(url.path == manager.urls(for: folder, in: .userDomainMask).first?.path)
        }
        #expect(Set(known.map { $0.0.path }).count == 3)
        #expect(URL.libraryDirectory.isFileURL)
    }
}
