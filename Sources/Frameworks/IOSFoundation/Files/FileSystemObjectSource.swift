public import Dispatch
internal import Foundation
internal import Glibc
internal import Synchronization

/// Opens a file only to be told what becomes of it.
public let O_EVTONLY: Int32 = 0o10_000_000

extension DispatchSource {
    /// Creates a source that tells what becomes of a file or a folder. Of the removal of a folder that is open Linux
    /// tells nothing.
    ///
    /// - Parameters:
    ///   - fileDescriptor: of the file; to be closed in the cancel handler.
    ///   - queue: where the handlers are called.
    public class func makeFileSystemObjectSource(
        fileDescriptor: Int32, eventMask: FileSystemEvent, queue: DispatchQueue? = nil
    ) -> any DispatchSourceFileSystemObject {
        let source = makeUserDataOrSource(queue: queue)
        guard let source = source as? DispatchSource else {
            // There is one class of sources; a protocol hides it.
            preconditionFailure("libdispatch has sources of a kind that is not DispatchSource")
        }
        FileWatches.watch(fileDescriptor, eventMask, for: source)
        return source
    }
}

/// A source of `DispatchSource.makeFileSystemObjectSource(fileDescriptor:eventMask:queue:)`.
public protocol DispatchSourceFileSystemObject: DispatchSourceProtocol, AnyObject {}

extension DispatchSourceFileSystemObject {
    /// What became of the file since the handler ran last; for use in the handler.
    public var data: DispatchSource.FileSystemEvent {
        let bits: UInt = (self as any DispatchSourceProtocol).data
        return DispatchSource.FileSystemEvent(rawValue: bits)
    }

    /// What the source tells of.
    public var mask: DispatchSource.FileSystemEvent { FileWatches.watch(of: self)?.mask ?? [] }

    /// The file's descriptor.
    public var handle: Int32 { FileWatches.watch(of: self)?.descriptor ?? -1 }
}

extension DispatchSource: DispatchSourceFileSystemObject {}

/// What the kernel tells of files, brought to those who asked.
private enum FileWatches {
    // Dispatch's objects can be used on any thread, and its sets of bits are values; only their types do not say so.
    struct Watch: @unchecked Sendable {
        weak let source: DispatchSource?
        let descriptor: Int32
        let mask: DispatchSource.FileSystemEvent
        /// Reads the kernel's queue of this watch.
        let reader: any DispatchSourceRead
    }

    private static let watches = Mutex<[Watch]>([])
    private static let queue = DispatchQueue(label: "greenroom.files")

    static func watch(of source: any DispatchSourceFileSystemObject) -> Watch? {
        watches.withLock { watches in watches.first { $0.source === source } }
    }

    static func watch(_ descriptor: Int32, _ mask: DispatchSource.FileSystemEvent, for source: DispatchSource) {
        let kernel = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
        guard kernel >= 0 else { return }
        guard unsafe inotify_add_watch(kernel, "/proc/self/fd/\(descriptor)", bits(mask)) >= 0 else {
            close(kernel)
            return
        }
        let reader = DispatchSource.makeReadSource(fileDescriptor: kernel, queue: queue)
        reader.setEventHandler { [weak source] in
            let events = read(kernel, descriptor).intersection(mask)
            guard let source, !source.isCancelled else {
                reader.cancel()
                return
            }
            if !events.isEmpty { source.or(data: events.rawValue) }
        }
        reader.setCancelHandler { close(kernel) }
        let watch = Watch(source: source, descriptor: descriptor, mask: mask, reader: reader)
        let gone = watches.withLock { watches in
            let gone = watches.filter { $0.source.map(\.isCancelled) ?? true }
            watches.removeAll { $0.source.map(\.isCancelled) ?? true }
            watches.append(watch)
            return gone
        }
        for watch in gone { watch.reader.cancel() }
        reader.activate()
    }

    private static func bits(_ mask: DispatchSource.FileSystemEvent) -> UInt32 {
        var bits: Int = 0
        if !mask.isDisjoint(with: [.write, .extend]) {
            bits |= Int(IN_MODIFY | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO)
        }
        if mask.contains(.delete) { bits |= Int(IN_DELETE_SELF) }
        if !mask.isDisjoint(with: [.attrib, .link, .delete]) { bits |= Int(IN_ATTRIB) }
        if mask.contains(.rename) { bits |= Int(IN_MOVE_SELF) }
        return UInt32(truncatingIfNeeded: bits)
    }

    /// Empties the kernel's queue.
    private static func read(_ kernel: Int32, _ descriptor: Int32) -> DispatchSource.FileSystemEvent {
        let events = read(kernel)
        // The kernel speaks of a removal only when nobody has the file open, which the one who watches has.
        var status = stat()
        guard events.contains(.attrib), unsafe fstat(descriptor, &status) == 0, status.st_nlink == 0 else {
            return events
        }
        return events.union(.delete)
    }

    private static func read(_ kernel: Int32) -> DispatchSource.FileSystemEvent {
        var events: DispatchSource.FileSystemEvent = []
        let size = MemoryLayout<inotify_event>.size
        unsafe withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 8) { buffer in
            while true {
                let count = unsafe Glibc.read(kernel, buffer.baseAddress, buffer.count)
                guard count > 0 else { return }
                var offset = 0
                while offset + size <= count {
                    let event = unsafe buffer.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
                    events.formUnion(Self.events(Int(event.mask)))
                    offset += size + Int(event.len)
                }
            }
        }
        return events
    }

    private static func events(_ bits: Int) -> DispatchSource.FileSystemEvent {
        var events: DispatchSource.FileSystemEvent = []
        if bits & Int(IN_MODIFY | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO) != 0 {
            events.formUnion([.write, .extend])
        }
        if bits & Int(IN_DELETE_SELF) != 0 { events.insert(.delete) }
        if bits & Int(IN_ATTRIB) != 0 { events.formUnion([.attrib, .link]) }
        if bits & Int(IN_MOVE_SELF) != 0 { events.insert(.rename) }
        return events
    }
}
