public import Foundation
internal import Synchronization

/// Content that the app can make again, and that the system may take while nobody uses it.
public protocol NSDiscardableContent: AnyObject {
    /// Keeps the content until the matching `endContentAccess()`.
    ///
    /// - Returns: whether the content is there; if not, nothing has begun.
    func beginContentAccess() -> Bool

    /// Ends what `beginContentAccess()` began. After the last one the content may be discarded at any time.
    func endContentAccess()

    /// Discards the content unless it is being accessed.
    func discardContentIfPossible()

    /// Whether the content is gone.
    func isContentDiscarded() -> Bool
}

/// Data that the system may take from the app while the app does not access it, without asking and even while the app
/// is suspended (WWDC 2015, session 212). It is for what can be made again; it counts as *purgeable*, not as dirty.
///
///     if data.beginContentAccess() {
///         defer { data.endContentAccess() }
///         draw(data)
///     } else {
///         // It was discarded, as a whole: make it again, as a new object.
///     }
///
/// New data is being accessed; end that once it is filled. Between the last `endContentAccess()` and the next
/// `beginContentAccess()` no byte may be read or written, not through a pointer that was got before either: using
/// `bytes`, `mutableBytes` or anything that needs them then ends the process with a message, since what they gave
/// might be zeros. Copies and `Data` made of it during access are memory of their own and stay.
///
/// It is a subclass of `NSMutableData`, as Apple's is. Each object has its own whole pages of memory, so it is not for
/// many small contents. May be used on any thread, as far as `NSMutableData` may: several threads that only read can
/// each begin and end.
open class NSPurgeableData: NSMutableData, NSDiscardableContent {
    private struct Content: ~Copyable {
        /// `nil` once discarded.
        var memory: PurgeableMemory?
        var accesses = 1
    }

    private let content: Mutex<Content>
    // What Foundation asks for with every byte that it copies, so not behind the lock.
    private let address: Atomic<UInt>
    private let count = Atomic<Int>(0)

    /// Changes the content or who accesses it.
    private func change<Result: Sendable>(_ body: (inout Content) -> Result) -> Result {
        content.withLock { content in
            let result = body(&content)
            let isAccessed = content.accesses > 0
            address.store(isAccessed ? content.memory?.address ?? 0 : 0, ordering: .releasing)
            count.store(content.memory?.length ?? 0, ordering: .releasing)
            return result
        }
    }

    private static func refuseUse() -> Never {
        // To go on would be to pass zeros for content.
        fatalError(
            """
            NSPurgeableData was used outside of beginContentAccess() and endContentAccess(); the system may have taken \
            its bytes. Call beginContentAccess() first, and make the content again if it returns false.
            """)
    }

    /// Creates empty data that is being accessed.
    public override init() {
        let memory = Self.room(for: 0)
        address = Atomic(memory.address)
        content = Mutex(Content(memory: memory))
        super.init()
    }

    /// Creates data with a copy of bytes; it is being accessed.
    public override init(bytes: UnsafeRawPointer?, length: Int) {
        let memory = Self.room(for: length)
        address = Atomic(memory.address)
        content = Mutex(Content(memory: memory))
        super.init()
        if let bytes = unsafe bytes { unsafe append(bytes, length: length) }
    }

    /// Creates data with a copy of other data; it is being accessed.
    public override init(data: Data) {
        let memory = Self.room(for: data.count)
        address = Atomic(memory.address)
        content = Mutex(Content(memory: memory))
        super.init()
        append(data)
    }

    /// Creates empty data with room for a number of bytes; it is being accessed. `nil` if there is no room.
    public override init?(capacity: Int) {
        guard let memory = PurgeableMemory(capacity: capacity) else { return nil }
        address = Atomic(memory.address)
        content = Mutex(Content(memory: memory))
        super.init()
    }

    /// Creates data of a number of zeros; it is being accessed. `nil` if there is no room.
    public override init?(length: Int) {
        guard let memory = PurgeableMemory(capacity: length) else { return nil }
        address = Atomic(memory.address)
        content = Mutex(Content(memory: memory))
        super.init()
        self.length = length
    }

    /// Creates data from an archive; it is being accessed.
    public required init?(coder: NSCoder) {
        guard let data = NSData(coder: coder) else { return nil }
        let memory = Self.room(for: data.length)
        address = Atomic(memory.address)
        content = Mutex(Content(memory: memory))
        super.init()
        unsafe append(data.bytes, length: data.length)
    }

    /// Creates data with a copy of bytes, which are then given to `free`; it is being accessed.
    public override convenience init(bytesNoCopy bytes: UnsafeMutableRawPointer, length: Int) {
        unsafe self.init(bytesNoCopy: bytes, length: length, freeWhenDone: true)
    }

    /// Creates data with a copy of bytes, which are then given to `free` if so wanted; it is being accessed.
    public override convenience init(bytesNoCopy bytes: UnsafeMutableRawPointer, length: Int, freeWhenDone: Bool) {
        unsafe self.init(bytes: bytes, length: length)
        if freeWhenDone { unsafe free(bytes) }
    }

    /// Creates data with a copy of bytes, which are then given to the deallocator; it is being accessed.
    public override convenience init(
        bytesNoCopy bytes: UnsafeMutableRawPointer, length: Int,
        deallocator: ((UnsafeMutableRawPointer, Int) -> Void)? = nil
    ) {
        unsafe self.init(bytes: bytes, length: length)
        unsafe deallocator?(bytes, length)
    }

    /// Creates data with what a file holds; it is being accessed. `nil` if it cannot be read.
    public override convenience init?(contentsOfFile path: String) {
        self.init(contentsOf: URL(fileURLWithPath: path))
    }

    /// Creates data with what a file holds; it is being accessed.
    ///
    /// - Throws: what `Data(contentsOf:options:)` does.
    public override convenience init(contentsOfFile path: String, options: NSData.ReadingOptions = []) throws {
        try self.init(contentsOf: URL(fileURLWithPath: path), options: options)
    }

    /// Creates data with what a file holds; it is being accessed. `nil` if it cannot be read.
    public override convenience init?(contentsOf url: URL) {
        guard let data = try? Data(contentsOf: url) else { return nil }
        self.init(data: data)
    }

    /// Creates data with what a file holds; it is being accessed.
    ///
    /// - Throws: what `Data(contentsOf:options:)` does.
    public override convenience init(contentsOf url: URL, options: NSData.ReadingOptions = []) throws {
        self.init(data: try Data(contentsOf: url, options: options))
    }

    /// Creates data from Base64; it is being accessed. `nil` if that is not valid.
    public override convenience init?(base64Encoded base64Data: Data, options: NSData.Base64DecodingOptions = []) {
        guard let data = Data(base64Encoded: base64Data, options: options) else { return nil }
        self.init(data: data)
    }

    /// Creates data from Base64; it is being accessed. `nil` if that is not valid.
    public override convenience init?(base64Encoded base64String: String, options: NSData.Base64DecodingOptions = []) {
        guard let data = Data(base64Encoded: base64String, options: options) else { return nil }
        self.init(data: data)
    }

    private static func room(for capacity: Int) -> PurgeableMemory {
        guard let memory = PurgeableMemory(capacity: capacity) else {
            // As Foundation does where memory is asked for by an initializer that cannot fail.
            fatalError("there is no room for \(capacity) bytes of NSPurgeableData")
        }
        return memory
    }

    // MARK: Access

    open func beginContentAccess() -> Bool {
        change { content in
            if content.accesses == 0, content.memory?.takeBack() == false { content.memory = nil }
            guard content.memory != nil else { return false }
            content.accesses += 1
            return true
        }
    }

    open func endContentAccess() {
        change { content in
            precondition(content.accesses > 0, "endContentAccess() was called more often than an access began")
            content.accesses -= 1
            if content.accesses == 0 { content.memory?.handOver() }
        }
    }

    open func discardContentIfPossible() {
        change { content in
            if content.accesses == 0 { content.memory = nil }
        }
    }

    open func isContentDiscarded() -> Bool {
        change { content in
            if content.accesses == 0, content.memory?.isWhole == false { content.memory = nil }
            return content.memory == nil
        }
    }

    // MARK: What NSMutableData is built on

    /// The number of bytes; 0 once the content has been discarded.
    open override var length: Int {
        get { count.load(ordering: .acquiring) }
        set {
            let isDone = change { content in
                if content.accesses == 0 { Self.refuseUse() }
                return content.memory?.resize(to: newValue) ?? false
            }
            // As Foundation does, since a property cannot fail.
            if !isDone { fatalError("there is no room for \(newValue) bytes of NSPurgeableData") }
        }
    }

    /// The content. Of use until the access ends or the length changes.
    open override var bytes: UnsafeRawPointer { unsafe UnsafeRawPointer(mutableBytes) }

    /// The content. Of use until the access ends or the length changes.
    open override var mutableBytes: UnsafeMutableRawPointer {
        guard let bytes = unsafe UnsafeMutableRawPointer(bitPattern: address.load(ordering: .acquiring)) else {
            Self.refuseUse()
        }
        return unsafe bytes
    }

    // Foundation's own, for subclasses, write to the wrong place.

    /// Adds bytes at the end. They may not lie in this object.
    open override func append(_ bytes: UnsafeRawPointer, length: Int) {
        guard length > 0 else { return }
        let end = self.length
        self.length = end + length
        unsafe mutableBytes.advanced(by: end).copyMemory(from: bytes, byteCount: length)
    }

    /// Adds a copy of other data at the end.
    open override func append(_ other: Data) {
        unsafe other.withUnsafeBytes { other in
            if let bytes = other.baseAddress { unsafe append(bytes, length: other.count) }
        }
    }

    /// Overwrites a range.
    open override func replaceBytes(in range: NSRange, withBytes bytes: UnsafeRawPointer) {
        unsafe replaceBytes(in: range, withBytes: bytes, length: range.length)
    }

    /// Puts bytes in the place of a range; without bytes, zeros.
    open override func replaceBytes(
        in range: NSRange, withBytes replacementBytes: UnsafeRawPointer?, length replacementLength: Int
    ) {
        let (end, oldLength) = (range.location + range.length, length)
        precondition(range.location >= 0 && range.length >= 0 && end <= oldLength, "the range lies outside of the data")
        let change = replacementLength - range.length
        if change > 0 { length = oldLength + change }
        let place = unsafe mutableBytes.advanced(by: range.location)
        unsafe memmove(place + replacementLength, place + range.length, oldLength - end)
        if let replacementBytes = unsafe replacementBytes {
            unsafe place.copyMemory(from: replacementBytes, byteCount: replacementLength)
        } else {
            unsafe place.initializeMemory(as: UInt8.self, repeating: 0, count: replacementLength)
        }
        if change < 0 { length = oldLength + change }
    }

    /// Puts a copy of other data in the place of the content.
    open override func setData(_ data: Data) {
        length = 0
        append(data)
    }

    /// How long the data is, and whether it is there; the bytes are not shown.
    open override var description: String {
        isContentDiscarded() ? "<NSPurgeableData: discarded>" : "<NSPurgeableData: \(length) bytes>"
    }

    /// As `description`.
    open override var debugDescription: String { description }
}
