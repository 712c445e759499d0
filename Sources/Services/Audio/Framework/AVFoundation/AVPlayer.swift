internal import Synchronization

/// Whether a player plays on while the app is not on the screen.
public enum AVPlayerAudiovisualBackgroundPlaybackPolicy: Int, Sendable {
    /// As the system likes: sound plays on.
    case automatic = 1
    /// It pauses what has pictures. Nothing here has.
    case pauses = 2
    /// It plays on if it may.
    case continuesIfPossible = 3
}

/// Plays an item: a file, or a stream of HTTP and HTTPS in a format that Greenroom decodes.
///
/// It pauses during an interruption, and never goes on by itself. Everything may be called on any thread.
// What changes is behind mutexes.
open class AVPlayer: NSObject, @unchecked Sendable {
    /// Whether it can play.
    public enum Status: Int, Sendable {
        /// That is not known.
        case unknown = 0
        /// It can.
        case readyToPlay = 1
        /// It never will.
        case failed = 2
    }

    /// Whether it plays.
    public enum TimeControlStatus: Int, Sendable {
        /// It pauses.
        case paused = 0
        /// It would, if more had come.
        case waitingToPlayAtSpecifiedRate = 1
        /// It plays.
        case playing = 2
    }

    /// Why it waits.
    public struct WaitingReason: RawRepresentable, Hashable, Sendable {
        /// Apple's name.
        public var rawValue: String
        /// Creates one of Apple's name.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// More has to come, so that it need not wait again.
        public static let toMinimizeStalls = WaitingReason(rawValue: "AVPlayerWaitingToMinimizeStallsReason")
        /// It finds out how fast it comes.
        public static let evaluatingBufferingRate = WaitingReason(
            rawValue: "AVPlayerWaitingWhileEvaluatingBufferingRateReason")
        /// There is nothing to play.
        public static let noItemToPlay = WaitingReason(rawValue: "AVPlayerWaitingWithNoItemToPlayReason")
    }

    /// What it does at the end of an item.
    public enum ActionAtItemEnd: Int, Sendable {
        /// The next one; for a queue.
        case advance = 0
        /// It pauses.
        case pause = 1
        /// Nothing: its rate stays.
        case none = 2
    }

    private struct Words: Sendable {
        var action = ActionAtItemEnd.pause
        var policy = AVPlayerAudiovisualBackgroundPlaybackPolicy.automatic
        var waits = true
    }

    /// The rate is another one; posted on the main thread.
    public static let rateDidChangeNotification = NSNotification.Name("AVPlayerRateDidChangeNotification")

    let core = AVPlayerCore()
    private let words: Mutex<Words>

    /// A player without an item.
    public override init() {
        words = Mutex(Words())
        super.init()
        begin()
    }

    /// A player for what is somewhere.
    public init(url URL: URL) {
        words = Mutex(Words())
        super.init()
        begin()
        core.replaceItem(AVPlayerItem(url: URL))
    }

    /// A player for an item.
    public init(playerItem item: AVPlayerItem?) {
        words = Mutex(Words())
        super.init()
        begin()
        core.replaceItem(item)
    }

    private func begin() {
        core.own(self)
        core.atEnd.withLock { $0 = { [weak self] item in self?.ended(item) } }
    }

    func ended(_ item: AVPlayerItem) {
        if actionAtItemEnd != .none { core.setRate(0) }
    }

    // MARK: The item

    /// What it plays.
    open var currentItem: AVPlayerItem? { core.item }

    /// Plays something else.
    open func replaceCurrentItem(with item: AVPlayerItem?) { core.replaceItem(item) }

    /// Whether it can play. Its item may not be able to be played all the same.
    open var status: Status { .readyToPlay }
    /// Why it cannot play: it can.
    open var error: (any Error)? { nil }

    // MARK: Playing

    /// Plays.
    open func play() { core.setRate(core.usualRate) }
    /// Pauses.
    open func pause() { core.setRate(0) }
    /// Plays at a rate, whatever has come.
    open func playImmediately(atRate rate: Float) { self.rate = rate }

    /// How fast it should play; 0 pauses. From 0.5 to 2, at the same pitch; not backward.
    open var rate: Float {
        get { Float(core.rate) }
        set { core.setRate(newValue.isFinite && newValue > 0 ? Double(max(0.5, min(2, newValue))) : 0) }
    }

    /// The rate that `play()` sets.
    open var defaultRate: Float {
        get { Float(core.usualRate) }
        set { core.usualRate = newValue.isFinite && newValue > 0 ? Double(max(0.5, min(2, newValue))) : 1 }
    }

    /// Whether it plays.
    open var timeControlStatus: TimeControlStatus {
        switch core.control {
        case .paused: .paused
        case .waiting: .waitingToPlayAtSpecifiedRate
        case .playing: .playing
        }
    }

    /// Why it waits.
    open var reasonForWaitingToPlay: WaitingReason? {
        guard core.control == .waiting else { return nil }
        return currentItem == nil ? .noItemToPlay : .toMinimizeStalls
    }

    /// Whether it waits until enough has come. It does, whatever is set.
    open var automaticallyWaitsToMinimizeStalling: Bool {
        get { words.withLock { $0.waits } }
        set { words.withLock { $0.waits = newValue } }
    }

    /// What it does at the end of an item.
    open var actionAtItemEnd: ActionAtItemEnd {
        get { words.withLock { $0.action } }
        set { words.withLock { $0.action = newValue } }
    }

    /// Whether it plays on while the app is not on the screen.
    open var audiovisualBackgroundPlaybackPolicy: AVPlayerAudiovisualBackgroundPlaybackPolicy {
        get { words.withLock { $0.policy } }
        set { words.withLock { $0.policy = newValue } }
    }

    /// Whether another device of the network may show it: not here.
    open var allowsExternalPlayback: Bool {
        get { false }
        set {}
    }
    /// Whether another device of the network shows it.
    open var isExternalPlaybackActive: Bool { false }

    // MARK: How loud

    /// From 0 to 1.
    open var volume: Float {
        get { core.volume.volume }
        set { core.setVolume(newValue.isFinite ? max(0, min(1, newValue)) : 0, isMuted: isMuted) }
    }

    /// Whether it is silent.
    open var isMuted: Bool {
        get { core.volume.isMuted }
        set { core.setVolume(volume, isMuted: newValue) }
    }

    // MARK: Where

    /// Where it is.
    open func currentTime() -> CMTime { currentItem?.currentTime() ?? .zero }

    /// Goes elsewhere.
    open func seek(to time: CMTime) { currentItem?.seek(to: time) }

    /// Goes elsewhere.
    ///
    /// - Parameter completionHandler: called when it is there, on any thread, with whether it is.
    open func seek(to time: CMTime, completionHandler: @escaping @Sendable (Bool) -> Void) {
        guard let item = currentItem else { return completionHandler(false) }
        item.seek(to: time, completionHandler: completionHandler)
    }

    /// Goes elsewhere, exactly.
    open func seek(to time: CMTime, toleranceBefore: CMTime, toleranceAfter: CMTime) { seek(to: time) }

    /// Goes elsewhere, exactly.
    open func seek(
        to time: CMTime, toleranceBefore: CMTime, toleranceAfter: CMTime,
        completionHandler: @escaping @Sendable (Bool) -> Void
    ) { seek(to: time, completionHandler: completionHandler) }

    /// Goes elsewhere.
    @discardableResult
    open func seek(to time: CMTime) async -> Bool {
        await withCheckedContinuation { continuation in
            seek(to: time) { continuation.resume(returning: $0) }
        }
    }

    /// What an observer is removed by.
    private final class Token: NSObject, @unchecked Sendable {  // Immutable.
        let number: Int
        init(_ number: Int) { self.number = number }
    }

    /// Calls each time that so much of what is played has passed, as long as it plays.
    ///
    /// - Parameter queue: where; the main one if it is `nil`.
    /// - Returns: what `removeTimeObserver(_:)` takes. Keep it.
    open func addPeriodicTimeObserver(
        forInterval interval: CMTime, queue: DispatchQueue?, using block: @escaping @Sendable (CMTime) -> Void
    ) -> Any {
        let seconds = interval.seconds.isFinite ? max(0.01, interval.seconds) : 1
        return Token(core.add(.periodic(seconds), queue, .timed(block)))
    }

    /// Calls each time that it passes one of some times.
    ///
    /// - Parameters:
    ///   - times: boxed times, as iOS code has them: `NSValue(time:)`, or `CMBoxedTime(time:)` without the plugin.
    ///   - queue: where; the main one if it is `nil`.
    /// - Returns: what `removeTimeObserver(_:)` takes. Keep it.
    open func addBoundaryTimeObserver(
        forTimes times: [NSValue], queue: DispatchQueue?, using block: @escaping @Sendable () -> Void
    ) -> Any {
        addBoundaryTimeObserver(forTimes: times.map(\.timeValue), queue: queue, using: block)
    }

    /// Calls each time that it passes one of some times.
    ///
    /// - Parameters:
    ///   - times: in any order.
    ///   - queue: where; the main one if it is `nil`.
    /// - Returns: what `removeTimeObserver(_:)` takes. Keep it.
    open func addBoundaryTimeObserver(
        forTimes times: [CMTime], queue: DispatchQueue?, using block: @escaping @Sendable () -> Void
    ) -> Any {
        Token(core.add(.boundaries(times.map(\.seconds).filter(\.isFinite)), queue, .plain(block)))
    }

    /// Calls no longer.
    open func removeTimeObserver(_ observer: Any) { (observer as? Token).map { core.removeObserver($0.number) } }
}

/// Plays items one after the other.
open class AVQueuePlayer: AVPlayer, @unchecked Sendable {
    // Behind a mutex.
    private let waiting: Mutex<[AVPlayerItem]>

    /// A player for some items.
    public init(items: [AVPlayerItem]) {
        waiting = Mutex(Array(items.dropFirst()))
        super.init(playerItem: items.first)
        actionAtItemEnd = .advance
    }

    /// A player without an item.
    public convenience override init() { self.init(items: []) }

    /// What it plays and what follows.
    open func items() -> [AVPlayerItem] { [currentItem].compactMap { $0 } + waiting.withLock { $0 } }

    /// Whether an item may follow another one: each item once.
    open func canInsert(_ item: AVPlayerItem, after afterItem: AVPlayerItem?) -> Bool {
        !items().contains { $0 === item } && (afterItem.map { one in items().contains { $0 === one } } ?? true)
    }

    /// Has an item follow another one, or all if that is `nil`.
    open func insert(_ item: AVPlayerItem, after afterItem: AVPlayerItem?) {
        guard canInsert(item, after: afterItem) else { return }
        guard currentItem != nil else { return core.replaceItem(item) }
        waiting.withLock { waiting in
            guard let afterItem else { return waiting.append(item) }
            let place = waiting.firstIndex { $0 === afterItem }.map { $0 + 1 } ?? 0
            waiting.insert(item, at: place)
        }
    }

    /// Does not play an item.
    open func remove(_ item: AVPlayerItem) {
        if item === currentItem { return advanceToNextItem() }
        waiting.withLock { $0.removeAll { $0 === item } }
    }

    /// Plays nothing.
    open func removeAllItems() {
        waiting.withLock { $0 = [] }
        core.replaceItem(nil)
    }

    /// Plays the next item.
    open func advanceToNextItem() {
        let next = waiting.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        core.replaceItem(next)
    }

    override func ended(_ item: AVPlayerItem) {
        guard actionAtItemEnd == .advance else { return super.ended(item) }
        guard currentItem === item else { return }
        advanceToNextItem()
    }
}
