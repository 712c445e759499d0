public import Foundation

/// Lets parts of an app take turns with a file: readers together, a writer alone. Use it on any thread; make one for
/// each piece of work.
///
/// The turns are those of the app's process. No other process of this device has the app's container, so that nobody
/// else waits for them. As on iOS an accessor should be short: an app can be suspended in it only by being frozen, and
/// then nobody waits.
///
/// `@unchecked Sendable`, since a class that can be subclassed cannot be proven to be so: what can change is behind
/// locks.
open class NSFileCoordinator: NSObject, @unchecked Sendable {
    /// How an item is read.
    public struct ReadingOptions: OptionSet, Sendable {
        /// Apple's number.
        public let rawValue: UInt

        /// Creates it of Apple's number.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// As it is: presenters are not asked to save what they have changed.
        public static let withoutChanges = ReadingOptions(rawValue: 1)
        /// What a symbolic link leads to; the accessor is given that URL.
        public static let resolvesSymbolicLink = ReadingOptions(rawValue: 2)
        /// Only what is known of it. Everything is on this device: no difference.
        public static let immediatelyAvailableMetadataOnly = ReadingOptions(rawValue: 4)
        /// To be uploaded. No difference.
        public static let forUploading = ReadingOptions(rawValue: 8)
    }

    /// How an item is written.
    public struct WritingOptions: OptionSet, Sendable {
        /// Apple's number.
        public let rawValue: UInt

        /// Creates it of Apple's number.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// It goes away; nobody has what is in it meanwhile.
        public static let forDeleting = WritingOptions(rawValue: 1)
        /// It goes elsewhere.
        public static let forMoving = WritingOptions(rawValue: 2)
        /// Presenters are asked to save first.
        public static let forMerging = WritingOptions(rawValue: 4)
        /// Another one comes in its place.
        public static let forReplacing = WritingOptions(rawValue: 8)
        /// What is in it stays. No difference.
        public static let contentIndependentMetadataOnly = WritingOptions(rawValue: 16)

        var takesWhole: Bool { !isDisjoint(with: [.forDeleting, .forMoving, .forReplacing]) }
    }

    private let presenter: (any NSFilePresenter)?
    private let turn = FileTurns.Owner()

    /// Creates a coordinator.
    ///
    /// - Parameter filePresenter: the object on whose behalf it works, which is not told of that itself.
    public init(filePresenter filePresenterOrNil: (any NSFilePresenter)?) { presenter = filePresenterOrNil }

    /// Creates a coordinator of nobody.
    public override convenience init() { self.init(filePresenter: nil) }

    /// Coordinators with the same one never wait for each other.
    open var purposeIdentifier: String {
        get { turn.purpose }
        set { turn.purpose = newValue }
    }

    // MARK: Presenters

    /// From now on an object is told of what others do with its item. It is held until it is removed.
    open class func addFilePresenter(_ filePresenter: any NSFilePresenter) { FilePresenters.add(filePresenter) }
    /// It is told no longer.
    open class func removeFilePresenter(_ filePresenter: any NSFilePresenter) { FilePresenters.remove(filePresenter) }
    /// Those that are told.
    open class var filePresenters: [any NSFilePresenter] { FilePresenters.all }

    // MARK: Access

    /// Reads an item. Waits until nobody writes it, and returns when the accessor has.
    ///
    /// - Parameters:
    ///   - outError: gets what kept it from being read; the accessor is not called then.
    ///   - reader: is given the URL to use.
    open func coordinate(
        readingItemAt url: URL, options: ReadingOptions = [], error outError: UnsafeMutablePointer<NSError?>?,
        byAccessor reader: (URL) -> Void
    ) {
        unsafe perform([.reading(url, options)], outError) { reader($0[0]) }
    }

    /// Writes an item. Waits until nobody else has it, and returns when the accessor has.
    open func coordinate(
        writingItemAt url: URL, options: WritingOptions = [], error outError: UnsafeMutablePointer<NSError?>?,
        byAccessor writer: (URL) -> Void
    ) {
        unsafe perform([.writing(url, options)], outError) { writer($0[0]) }
    }

    /// Reads one item and writes another.
    open func coordinate(
        readingItemAt readingURL: URL, options readingOptions: ReadingOptions = [], writingItemAt writingURL: URL,
        options writingOptions: WritingOptions = [], error outError: UnsafeMutablePointer<NSError?>?,
        byAccessor readerWriter: (URL, URL) -> Void
    ) {
        unsafe perform([.reading(readingURL, readingOptions), .writing(writingURL, writingOptions)], outError) {
            readerWriter($0[0], $0[1])
        }
    }

    /// Writes two items.
    open func coordinate(
        writingItemAt url1: URL, options options1: WritingOptions = [], writingItemAt url2: URL,
        options options2: WritingOptions = [], error outError: UnsafeMutablePointer<NSError?>?,
        byAccessor writer: (URL, URL) -> Void
    ) {
        unsafe perform([.writing(url1, options1), .writing(url2, options2)], outError) { writer($0[0], $0[1]) }
    }

    /// Waits on a thread of its own, and calls the accessor on a queue.
    ///
    /// - Parameter accessor: is given what kept it from the items, or `nil`; where they are, the intents say then.
    open func coordinate(
        with intents: [NSFileAccessIntent], queue: OperationQueue,
        byAccessor accessor: @escaping @Sendable ((any Error)?) -> Void
    ) {
        DispatchQueue.global().async { [self] in
            let failure = attempt(intents) { urls in
                for (intent, url) in zip(intents, urls) { intent.url = url }
                queue.addOperations([BlockOperation { accessor(nil) }], waitUntilFinished: true)
            }
            if let failure { queue.addOperation { accessor(failure) } }
        }
    }

    /// Gives up what waits; its error is `CocoaError.userCancelled`. What an accessor does already goes on.
    open func cancel() { FileTurns.shared.cancel(turn) }

    /// An item is about to be moved. No difference: presenters hear when it was.
    open func item(at oldURL: URL, willMoveTo newURL: URL) {}

    /// An item was moved, by an accessor: those that present it hear where it is.
    open func item(at oldURL: URL, didMoveTo newURL: URL) {
        for other in FilePresenters.of(oldURL, but: presenter) {
            FilePresenters.call(other) { other.presentedItemDidMove(to: newURL) }
        }
    }

    // MARK: How

    private func perform(
        _ intents: [NSFileAccessIntent], _ outError: UnsafeMutablePointer<NSError?>?, _ body: ([URL]) -> Void
    ) {
        let failure = attempt(intents, body)
        if let failure, let outError = unsafe outError { unsafe outError.pointee = failure as NSError }
    }

    private func attempt(_ intents: [NSFileAccessIntent], _ body: ([URL]) -> Void) -> CocoaError? {
        let claims = intents.map { FileTurns.Claim($0, turn) }
        guard FileTurns.shared.begin(claims) else { return CocoaError(.userCancelled) }
        defer { FileTurns.shared.end(claims) }
        let returns = intents.flatMap { FilePresenters.giveWay(to: $0, but: presenter) }
        body(intents.map(\.resolved))
        for giveBack in returns { giveBack() }
        for intent in intents where intent.writes { FilePresenters.tellOfChange(intent.url, but: presenter) }
        return nil
    }
}

/// What is to be done with an item.
///
/// `@unchecked Sendable`: the URL is set once, before the accessor is called.
open class NSFileAccessIntent: NSObject, @unchecked Sendable {
    /// Where the item is; in an accessor, where it is to be read or written.
    open internal(set) var url: URL
    let reading: NSFileCoordinator.ReadingOptions
    let writing: NSFileCoordinator.WritingOptions?

    private init(
        _ url: URL, reading: NSFileCoordinator.ReadingOptions = [], writing: NSFileCoordinator.WritingOptions? = nil
    ) {
        (self.url, self.reading, self.writing) = (url, reading, writing)
    }

    /// Reads it.
    open class func readingIntent(
        with url: URL, options: NSFileCoordinator.ReadingOptions = []
    ) -> NSFileAccessIntent { .reading(url, options) }

    /// Writes it.
    open class func writingIntent(
        with url: URL, options: NSFileCoordinator.WritingOptions = []
    ) -> NSFileAccessIntent { .writing(url, options) }

    static func reading(_ url: URL, _ options: NSFileCoordinator.ReadingOptions) -> NSFileAccessIntent {
        NSFileAccessIntent(url, reading: options)
    }

    static func writing(_ url: URL, _ options: NSFileCoordinator.WritingOptions) -> NSFileAccessIntent {
        NSFileAccessIntent(url, writing: options)
    }

    var writes: Bool { writing != nil }
    var resolved: URL { reading.contains(.resolvesSymbolicLink) ? url.resolvingSymlinksInPath() : url }
}
