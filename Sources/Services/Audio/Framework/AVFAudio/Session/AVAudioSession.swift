internal import AudioClient
internal import AudioModel
internal import Synchronization

/// What an app tells the system about its audio: what it is for, whether others may sound beside it, and when it
/// begins and ends.
///
/// Everything may be called on any thread. What asks the system returns when it has answered.
// What changes is behind mutexes.
open class AVAudioSession: NSObject, @unchecked Sendable {
    struct Wishes: Sendable {
        var options: CategoryOptions = []
        var policy = RouteSharingPolicy.default
        var sampleRate = 0.0
        var bufferDuration = 0.0
        var inputChannels = 0
        var outputChannels = 0
        var inputGain: Float = 1
        var input: String?
        var allowsHaptics = false
        var prefersNoInterruptions = false
    }

    let home: AudioHome
    let wishes = Mutex(Wishes())
    let older = Mutex(OlderDelegate())
    private(set) lazy var listener = SessionListener(self)

    init(_ home: AudioHome) {
        self.home = home
        super.init()
        // Made now, on one thread.
        _ = listener
        home.client.whenReset { [weak self] in
            self?.wishes.withLock { $0 = Wishes() }
            self?.askDevice()
        }
    }

    /// The app's.
    open class func sharedInstance() -> AVAudioSession { AudioHome.current.session }

    var client: AudioClient { home.client }

    // MARK: What it is for

    /// What the app's audio is for.
    open var category: Category { Category(client.settings.category) }
    /// What is special about it.
    open var mode: Mode { Mode(client.settings.mode) }
    /// How it goes with others.
    open var categoryOptions: CategoryOptions { wishes.withLock { $0.options } }
    /// Where it goes when it is long.
    open var routeSharingPolicy: RouteSharingPolicy { wishes.withLock { $0.policy } }
    /// All categories; each works on every device.
    open var availableCategories: [Category] { AudioCategory.allCases.map(Category.init) }
    /// All modes.
    open var availableModes: [Mode] { AudioMode.allCases.map(Mode.init) }

    /// Says what the app's audio is for.
    open func setCategory(_ category: Category) throws { try setCategory(category, options: []) }

    /// Says what the app's audio is for. The mode stays if the category can have it.
    open func setCategory(_ category: Category, options: CategoryOptions = []) throws {
        let kept = client.settings.mode
        let isPossible = category.model.map { AudioSettings($0, mode: kept).contradiction == nil } ?? false
        try setCategory(category, mode: isPossible ? Mode(kept) : .default, options: options)
    }

    /// Says what the app's audio is for.
    open func setCategory(_ category: Category, mode: Mode, options: CategoryOptions = []) throws {
        try setCategory(category, mode: mode, policy: routeSharingPolicy, options: options)
    }

    /// Says what the app's audio is for.
    open func setCategory(
        _ category: Category, mode: Mode, policy: RouteSharingPolicy, options: CategoryOptions = []
    ) throws {
        guard let model = category.model else {
            throw AVAudioSession.error(.badParam, "there is no category \(category.rawValue)")
        }
        guard let modelMode = mode.model else {
            throw AVAudioSession.error(.badParam, "there is no mode \(mode.rawValue)")
        }
        let bits = AudioOptions(rawValue: UInt32(truncatingIfNeeded: options.rawValue))
        try AVAudioSession.mapped { try client.set(AudioSettings(model, mode: modelMode, options: bits)) }
        wishes.withLock { ($0.options, $0.policy) = (options, policy) }
    }

    /// Says what is special about the app's audio.
    open func setMode(_ mode: Mode) throws {
        try setCategory(category, mode: mode, policy: routeSharingPolicy, options: categoryOptions)
    }

    // MARK: When it is

    /// Begins or ends the session. Beginning may be refused: during a call, or in the background for a category that
    /// falls silent there. What the app would like of the device is asked of it when the session begins.
    ///
    /// - Parameter options: at the end, whether those that were interrupted are told that they may go on.
    open func setActive(_ active: Bool, options: SetActiveOptions = []) throws {
        try AVAudioSession.mapped {
            if active {
                try client.activate()
                askDevice()
            } else {
                try client.deactivate(notifies: options.contains(.notifyOthersOnDeactivation))
            }
        }
    }

    /// Begins the session.
    ///
    /// - Parameter completionHandler: called on a thread of the system's.
    open func activate(
        options: AVAudioSessionActivationOptions = [],
        completionHandler handler: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        DispatchQueue.global(qos: .userInitiated).async {
            do {
                try self.setActive(true)
                handler(true, nil)
            } catch {
                handler(false, error)
            }
        }
    }

    /// Begins the session.
    open func activate(options: AVAudioSessionActivationOptions = []) async throws -> Bool {
        try await withCheckedThrowingContinuation { continuation in
            activate(options: options) { isActive, error in
                continuation.resume(with: error.map { .failure($0) } ?? .success(isActive))
            }
        }
    }

    // MARK: What others do

    /// Whether another app plays.
    open var isOtherAudioPlaying: Bool { client.surroundings.otherAudioPlays }
    /// Whether another app plays what this one should leave alone: games stop their music then.
    open var secondaryAudioShouldBeSilencedHint: Bool { client.surroundings.shouldBeSilent }
    /// The device's volume, from 0 to 1.
    open var outputVolume: Float { Float(client.surroundings.volume) }
    /// Whether alerts should leave the session alone.
    open var prefersNoInterruptionsFromSystemAlerts: Bool { wishes.withLock { $0.prefersNoInterruptions } }
    /// Says whether alerts should leave the session alone. Nothing here shows alerts that interrupt.
    open func setPrefersNoInterruptionsFromSystemAlerts(_ inValue: Bool) throws {
        wishes.withLock { $0.prefersNoInterruptions = inValue }
    }
    /// Whether the device may shake and click while it records.
    open var allowHapticsAndSystemSoundsDuringRecording: Bool { wishes.withLock { $0.allowsHaptics } }
    /// Says whether the device may shake and click while it records.
    open func setAllowHapticsAndSystemSoundsDuringRecording(_ inValue: Bool) throws {
        wishes.withLock { $0.allowsHaptics = inValue }
    }

    // MARK: The microphone

    /// What the user lets the app record.
    @available(*, deprecated, renamed: "AVAudioApplication.recordPermission")
    open var recordPermission: RecordPermission {
        switch client.surroundings.permission {
        case .undetermined: .undetermined
        case .denied: .denied
        case .granted: .granted
        }
    }

    /// Asks the user whether the app may record.
    ///
    /// - Parameter response: called on a thread of the system's.
    @available(*, deprecated, renamed: "AVAudioApplication.requestRecordPermission(completionHandler:)")
    open func requestRecordPermission(_ response: @escaping @Sendable (Bool) -> Void) {
        client.requestPermission { response($0 == .granted) }
    }
}
