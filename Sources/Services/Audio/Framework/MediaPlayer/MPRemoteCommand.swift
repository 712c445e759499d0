internal import AudioModel
public import IOSFoundation
internal import Synchronization

/// Something that controls can ask of the app: those of the lock screen and the switcher, of headsets and desktops.
///
/// The app obeys the ones that have a target and are enabled; controls show no others.
// What changes is behind a lock. Targets are called on the main thread.
open class MPRemoteCommand: NSObject, @unchecked Sendable {
    /// What acts on a command.
    public typealias Handler = (MPRemoteCommandEvent) -> MPRemoteCommandHandlerStatus

    /// A method of an object. On Apple's systems it is an Objective-C selector; here it is a closure.
    public struct Action {
        let name: String
        let call: (Any, MPRemoteCommandEvent) -> MPRemoteCommandHandlerStatus

        /// A method of a class, as `Action("play", AppDelegate.play)`.
        ///
        /// - Parameter name: by which `removeTarget(_:action:)` finds it.
        public init<Target>(
            _ name: String, _ method: @escaping (Target) -> (MPRemoteCommandEvent) -> MPRemoteCommandHandlerStatus
        ) {
            self.name = name
            call = { target, event in (target as? Target).map { method($0)(event) } ?? .commandFailed }
        }
    }

    private struct Target {
        let token: AnyObject
        weak var object: AnyObject?
        let action: String?
        let handler: Handler
    }

    private struct State {
        var targets: [Target] = []
        var isEnabled = true
    }

    let kind: AudioCommandKind?
    fileprivate let changed: @Sendable () -> Void
    private let state = Guarded(State())

    init(_ kind: AudioCommandKind?, _ changed: @escaping @Sendable () -> Void) {
        (self.kind, self.changed) = (kind, changed)
    }

    /// Whether the app obeys it, if it has a target.
    open var isEnabled: Bool {
        get { state.withLock { $0.isEnabled } }
        set {
            state.withLock { $0.isEnabled = newValue }
            changed()
        }
    }

    /// Has something called with each such command, on the main thread.
    ///
    /// - Returns: what `removeTarget(_:)` takes.
    @discardableResult
    open func addTarget(handler: @escaping Handler) -> Any {
        let token = NSObject()
        add(Target(token: token, object: nil, action: nil, handler: handler))
        return token
    }

    /// Has a method called with each such command, on the main thread.
    ///
    /// - Parameter target: an object, held weakly.
    open func addTarget(_ target: Any, action: Action) {
        let object = target as AnyObject
        let token = NSObject()
        add(
            Target(token: token, object: object, action: action.name) { [weak object] event in
                object.map { action.call($0, event) } ?? .commandFailed
            })
    }

    /// Has a method called with each such command, on the main thread.
    ///
    /// - Parameters:
    ///   - target: an object, held weakly.
    ///   - action: of `#selector`, of a method that takes the event, or nothing. One that returns no status succeeds.
    open func addTarget(_ target: Any, action: Selector) {
        let object = target as AnyObject
        add(
            Target(token: NSObject(), object: object, action: action.description) { [weak object] event in
                guard let object else { return .commandFailed }
                return action.invoke(on: object, event) as? MPRemoteCommandHandlerStatus ?? .success
            })
    }

    /// Takes away a method of an object; all of them if it is `nil`.
    open func removeTarget(_ target: Any, action: Selector?) {
        let object = target as AnyObject
        remove { one in
            (one.object === object || one.token === object)
                && (action.map { $0.description == one.action } ?? true)
        }
    }

    private func add(_ target: Target) {
        state.withLock { $0.targets.append(target) }
        changed()
    }

    /// Takes away what `addTarget` returned, or all methods of an object; all targets if it is `nil`.
    open func removeTarget(_ target: Any?) {
        let object = target.map { $0 as AnyObject }
        remove { one in object.map { one.token === $0 || one.object === $0 } ?? true }
    }

    /// Takes away a method of an object; all of them if it is `nil`.
    open func removeTarget(_ target: Any, action: Action?) {
        let object = target as AnyObject
        remove { one in
            (one.object === object || one.token === object) && (action.map { $0.name == one.action } ?? true)
        }
    }

    private func remove(_ isIt: (Target) -> Bool) {
        state.withLock { $0.targets.removeAll { isIt($0) } }
        changed()
    }

    func forget() { state.withLock { $0 = State() } }

    /// Whether controls may show it.
    var isObeyed: Bool {
        state.withLock { state in
            state.isEnabled && state.targets.contains { $0.action == nil || $0.object != nil }
        }
    }

    /// Calls the targets, of which the last has the word.
    @MainActor func perform(_ event: MPRemoteCommandEvent) -> MPRemoteCommandHandlerStatus? {
        let handlers = state.withLock { $0.isEnabled ? $0.targets.map(\.handler) : [] }
        var status: MPRemoteCommandHandlerStatus?
        for handler in handlers { status = handler(event) }
        return status
    }

    /// The event for what came through the wire.
    func event(_ command: AudioCommand) -> MPRemoteCommandEvent { MPRemoteCommandEvent(self) }
}

/// Forward or back by some seconds.
open class MPSkipIntervalCommand: MPRemoteCommand, @unchecked Sendable {
    // The rest is the base's.
    private let intervals = Mutex<[Double]>([])

    /// Seconds that controls offer. Those that have one button use the first, which the desktop's can read.
    open var preferredIntervals: [NSNumber] {
        get { intervals.withLock { $0 }.map { NSNumber(value: $0) } }
        set {
            intervals.withLock { $0 = newValue.map(\.doubleValue) }
            changed()
        }
    }

    /// What controls show; `nil` where it is not obeyed, or names none.
    var offered: Double? {
        isObeyed ? NowPlaying.interval(intervals.withLock { $0.first }) : nil
    }

    override func forget() {
        super.forget()
        intervals.withLock { $0 = [] }
    }

    override func event(_ command: AudioCommand) -> MPRemoteCommandEvent {
        switch command {
        case .skipForward(let seconds), .skipBackward(let seconds):
            // Controls that know no interval send none.
            MPSkipIntervalCommandEvent(
                self, seconds > 0 ? seconds : intervals.withLock { $0.first } ?? 15)
        default: MPRemoteCommandEvent(self)
        }
    }
}

/// Begins and ends going forward or back quickly.
final class MPSeekCommand: MPRemoteCommand, @unchecked Sendable {
    // Nothing of its own.
    override func event(_ command: AudioCommand) -> MPRemoteCommandEvent {
        switch command {
        case .beginSeekingForward, .beginSeekingBackward: MPSeekCommandEvent(self, .beginSeeking)
        case .endSeekingForward, .endSeekingBackward: MPSeekCommandEvent(self, .endSeeking)
        default: MPRemoteCommandEvent(self)
        }
    }
}

/// Likes what plays, dislikes it, or marks it.
open class MPFeedbackCommand: MPRemoteCommand, @unchecked Sendable {
    private struct Words: Sendable {
        var isActive = false
        var title = ""
        var shortTitle = ""
    }

    // The rest is the base's.
    private let words = Mutex(Words())

    /// Whether it was done to what plays.
    open var isActive: Bool {
        get { words.withLock { $0.isActive } }
        set { words.withLock { $0.isActive = newValue } }
    }
    /// What controls call it.
    open var localizedTitle: String {
        get { words.withLock { $0.title } }
        set { words.withLock { $0.title = newValue } }
    }
    /// What small controls call it.
    open var localizedShortTitle: String {
        get { words.withLock { $0.shortTitle } }
        set { words.withLock { $0.shortTitle = newValue } }
    }

    override func forget() {
        super.forget()
        words.withLock { $0 = Words() }
    }

    override func event(_ command: AudioCommand) -> MPRemoteCommandEvent {
        MPFeedbackCommandEvent(self, isNegative: isActive)
    }
}

/// Rates what plays.
open class MPRatingCommand: MPRemoteCommand, @unchecked Sendable {
    private let range = Mutex<(least: Float, most: Float)>((0, 1))

    /// The worst rating.
    open var minimumRating: Float {
        get { range.withLock { $0.least } }
        set { range.withLock { $0.least = newValue } }
    }
    /// The best rating.
    open var maximumRating: Float {
        get { range.withLock { $0.most } }
        set { range.withLock { $0.most = newValue } }
    }

    override func forget() {
        super.forget()
        range.withLock { $0 = (0, 1) }
    }

    override func event(_ command: AudioCommand) -> MPRemoteCommandEvent {
        guard case .rating(let rating) = command else { return MPRemoteCommandEvent(self) }
        return MPRatingCommandEvent(self, Float(rating))
    }
}

/// Plays faster or slower.
open class MPChangePlaybackRateCommand: MPRemoteCommand, @unchecked Sendable {
    private let rates = Mutex<[Double]>([])

    /// Those that controls offer.
    open var supportedPlaybackRates: [NSNumber] {
        get { rates.withLock { $0 }.map { NSNumber(value: $0) } }
        set { rates.withLock { $0 = newValue.map(\.doubleValue) } }
    }

    override func forget() {
        super.forget()
        rates.withLock { $0 = [] }
    }

    override func event(_ command: AudioCommand) -> MPRemoteCommandEvent {
        guard case .rate(let rate) = command else { return MPRemoteCommandEvent(self) }
        return MPChangePlaybackRateCommandEvent(self, Float(rate))
    }
}

/// Goes to another place.
open class MPChangePlaybackPositionCommand: MPRemoteCommand, @unchecked Sendable {
    // Nothing of its own.
    override func event(_ command: AudioCommand) -> MPRemoteCommandEvent {
        guard case .seek(let position) = command else { return MPRemoteCommandEvent(self) }
        return MPChangePlaybackPositionCommandEvent(self, position)
    }
}

/// Plays in another order.
open class MPChangeShuffleModeCommand: MPRemoteCommand, @unchecked Sendable {
    private let type = Mutex(MPShuffleType.off)

    /// The order of now.
    open var currentShuffleType: MPShuffleType {
        get { type.withLock { $0 } }
        set { type.withLock { $0 = newValue } }
    }

    override func event(_ command: AudioCommand) -> MPRemoteCommandEvent {
        guard case .shuffle(let isOn) = command else { return MPRemoteCommandEvent(self) }
        return MPChangeShuffleModeCommandEvent(self, isOn ? .items : .off)
    }
}

/// Plays again, or not.
open class MPChangeRepeatModeCommand: MPRemoteCommand, @unchecked Sendable {
    private let type = Mutex(MPRepeatType.off)

    /// What plays again now.
    open var currentRepeatType: MPRepeatType {
        get { type.withLock { $0 } }
        set { type.withLock { $0 = newValue } }
    }

    override func event(_ command: AudioCommand) -> MPRemoteCommandEvent {
        guard case .repeats(let way) = command else { return MPRemoteCommandEvent(self) }
        let type: MPRepeatType =
            switch way {
            case .off: .off
            case .one: .one
            case .all: .all
            }
        return MPChangeRepeatModeCommandEvent(self, type)
    }
}
