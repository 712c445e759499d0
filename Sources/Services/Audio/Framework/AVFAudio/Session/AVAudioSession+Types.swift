internal import AudioModel

extension AVAudioSession {
    /// What an app's audio is for.
    public struct Category: RawRepresentable, Hashable, Sendable {
        /// Apple's name.
        public var rawValue: String
        /// Creates a category of Apple's name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Sound without which the app works as well; others go on, and the ringer switch silences it.
        public static let ambient = Category(rawValue: "AVAudioSessionCategoryAmbient")
        /// The same, but others are silent. It is the one that apps begin with.
        public static let soloAmbient = Category(rawValue: "AVAudioSessionCategorySoloAmbient")
        /// Sound that the app is for: it goes on in the background and whatever the ringer switch says.
        public static let playback = Category(rawValue: "AVAudioSessionCategoryPlayback")
        /// Recording, while others are silent.
        public static let record = Category(rawValue: "AVAudioSessionCategoryRecord")
        /// Both at once, as calls do.
        public static let playAndRecord = Category(rawValue: "AVAudioSessionCategoryPlayAndRecord")
        /// Several devices at once.
        public static let multiRoute = Category(rawValue: "AVAudioSessionCategoryMultiRoute")
        /// Neither; it cannot be set.
        @available(*, deprecated, message: "No longer supported")
        public static let audioProcessing = Category(rawValue: "AVAudioSessionCategoryAudioProcessing")

        init(_ category: AudioCategory) {
            switch category {
            case .ambient: self = .ambient
            case .soloAmbient: self = .soloAmbient
            case .playback: self = .playback
            case .record: self = .record
            case .playAndRecord: self = .playAndRecord
            case .multiRoute: self = .multiRoute
            }
        }

        var model: AudioCategory? { AudioCategory.allCases.first { Category($0) == self } }
    }

    /// What is special about an app's audio.
    public struct Mode: RawRepresentable, Hashable, Sendable {
        /// Apple's name.
        public var rawValue: String
        /// Creates a mode of Apple's name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Nothing.
        public static let `default` = Mode(rawValue: "AVAudioSessionModeDefault")
        /// A conversation over the network.
        public static let voiceChat = Mode(rawValue: "AVAudioSessionModeVoiceChat")
        /// A conversation with pictures.
        public static let videoChat = Mode(rawValue: "AVAudioSessionModeVideoChat")
        /// A conversation in a game.
        public static let gameChat = Mode(rawValue: "AVAudioSessionModeGameChat")
        /// The sound of a film that is made.
        public static let videoRecording = Mode(rawValue: "AVAudioSessionModeVideoRecording")
        /// Sound that is measured, and left as it is.
        public static let measurement = Mode(rawValue: "AVAudioSessionModeMeasurement")
        /// The sound of a film.
        public static let moviePlayback = Mode(rawValue: "AVAudioSessionModeMoviePlayback")
        /// Speech of some length: it pauses, and is not softened, when another voice speaks.
        public static let spokenAudio = Mode(rawValue: "AVAudioSessionModeSpokenAudio")
        /// A short word of advice.
        public static let voicePrompt = Mode(rawValue: "AVAudioSessionModeVoicePrompt")

        init(_ mode: AudioMode) {
            switch mode {
            case .default: self = .default
            case .voiceChat: self = .voiceChat
            case .videoChat: self = .videoChat
            case .gameChat: self = .gameChat
            case .videoRecording: self = .videoRecording
            case .measurement: self = .measurement
            case .moviePlayback: self = .moviePlayback
            case .spokenAudio: self = .spokenAudio
            case .voicePrompt: self = .voicePrompt
            }
        }

        var model: AudioMode? { AudioMode.allCases.first { Mode($0) == self } }
    }

    /// How an app's audio goes with that of others, and where it may go.
    public struct CategoryOptions: OptionSet, Sendable {
        /// Apple's bits.
        public let rawValue: UInt
        /// Creates options of Apple's bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Others go on.
        public static let mixWithOthers = CategoryOptions(rawValue: 0x1)
        /// Others go on, softer while this app's session is active.
        public static let duckOthers = CategoryOptions(rawValue: 0x2)
        /// Headsets for calls may be used.
        @available(*, deprecated, renamed: "allowBluetoothHFP")
        public static let allowBluetooth = CategoryOptions(rawValue: 0x4)
        /// Headsets for calls may be used.
        public static let allowBluetoothHFP = CategoryOptions(rawValue: 0x4)
        /// The speaker rather than the receiver.
        public static let defaultToSpeaker = CategoryOptions(rawValue: 0x8)
        /// Others go on, but those that speak pause.
        public static let interruptSpokenAudioAndMixWithOthers = CategoryOptions(rawValue: 0x11)
        /// Headphones without a wire may be used.
        public static let allowBluetoothA2DP = CategoryOptions(rawValue: 0x20)
        /// Other devices of the network may be used.
        public static let allowAirPlay = CategoryOptions(rawValue: 0x40)
        /// A muted microphone is no interruption.
        public static let overrideMutedMicrophoneInterruption = CategoryOptions(rawValue: 0x80)
    }

    /// What happens when a session ends.
    public struct SetActiveOptions: OptionSet, Sendable {
        /// Apple's bits.
        public let rawValue: UInt
        /// Creates options of Apple's bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// Those that it interrupted are told that they may go on.
        public static let notifyOthersOnDeactivation = SetActiveOptions(rawValue: 1)
    }

    /// Whether an interruption begins or ends.
    public enum InterruptionType: UInt, Sendable {
        /// It is over. Some never are.
        case ended = 0
        /// The session is not active any more, and what played stands still.
        case began = 1
    }

    /// What is to be done after an interruption.
    public struct InterruptionOptions: OptionSet, Sendable {
        /// Apple's bits.
        public let rawValue: UInt
        /// Creates options of Apple's bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// What played before should go on.
        public static let shouldResume = InterruptionOptions(rawValue: 1)
    }

    /// Why an interruption began.
    public enum InterruptionReason: UInt, Sendable {
        /// Another session did, or a call.
        case `default` = 0
        /// The app was suspended, and its session was ended for that.
        case appWasSuspended = 1
        /// The microphone that it used was muted.
        case builtInMicMuted = 2
        /// Its scene left the screen; not on these devices.
        case sceneWasBackgrounded = 3
        /// What it sounded by was taken away.
        case routeDisconnected = 4
    }

    /// Why a route changed.
    public enum RouteChangeReason: UInt, Sendable {
        /// Nothing is known.
        case unknown = 0
        /// Something was plugged in.
        case newDeviceAvailable = 1
        /// Something was unplugged: what played stands still.
        case oldDeviceUnavailable = 2
        /// The app's category is another one.
        case categoryChange = 3
        /// The app, or the user, chose another one.
        case override = 4
        /// The device woke.
        case wakeFromSleep = 6
        /// There is none for the app's category.
        case noSuitableRouteForCategory = 7
        /// The same devices are used otherwise.
        case routeConfigurationChange = 8
    }

    /// Whether an app should be silent beside what another one plays.
    public enum SilenceSecondaryAudioHintType: UInt, Sendable {
        /// Not any more.
        case end = 0
        /// From now on.
        case begin = 1
    }

    /// Where long audio goes.
    public enum RouteSharingPolicy: UInt, Sendable {
        /// Where all goes.
        case `default` = 0
        /// Music and podcasts.
        case longFormAudio = 1
        /// As the app's own picker says.
        case independent = 2
        /// Films.
        case longFormVideo = 3
        /// The older name.
        @available(*, deprecated, renamed: "longFormAudio")
        public static var longForm: RouteSharingPolicy { .longFormAudio }
    }

    /// Where output goes in spite of the category.
    public enum PortOverride: UInt, Sendable {
        /// Nowhere else.
        case none = 0
        /// To the speaker.
        case speaker = 0x7370_6b72
    }

    /// What the user lets an app record.
    public enum RecordPermission: UInt, Sendable {
        /// Nobody was asked.
        case undetermined = 0x756e_6474
        /// Nothing.
        case denied = 0x6465_6e79
        /// What it likes.
        case granted = 0x6772_6e74
    }

    /// Whether input and output are one device.
    public enum IOType: UInt, Sendable {
        /// Nothing is said.
        case notSpecified = 0
        /// They are.
        case aggregated = 1
    }

    /// How the app asks to record.
    public enum PromptStyle: UInt, Sendable {
        /// Without sound.
        case none = 0x6e6f_6e65
        /// Briefly.
        case short = 0x7368_7274
        /// As usual.
        case normal = 0x6e72_6d6c
    }
}

/// How a session is activated. There is no way to say yet.
public struct AVAudioSessionActivationOptions: OptionSet, Sendable {
    /// Apple's bits.
    public let rawValue: UInt
    /// Creates options of Apple's bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
}
