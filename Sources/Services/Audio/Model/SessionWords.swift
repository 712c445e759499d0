/// What an app's audio is for: Apple's `AVAudioSession.Category`.
package enum AudioCategory: String, Hashable, Sendable, Codable, CaseIterable {
    case ambient, soloAmbient, playback, record, playAndRecord, multiRoute

    /// The ringer switch and the locked screen silence it.
    package var yieldsToRingerSwitch: Bool { self == .ambient || self == .soloAmbient }
    /// It may sound while its app is not on the screen, and lets the app run then.
    package var goesOnInBackground: Bool {
        switch self {
        case .ambient, .soloAmbient: false
        case .playback, .record, .playAndRecord, .multiRoute: true
        }
    }
    package var hasOutput: Bool { self != .record }
    package var hasInput: Bool { self == .record || self == .playAndRecord || self == .multiRoute }
    /// It may be told to mix with others; ambient always does, the rest never.
    package var canMix: Bool { self == .playback || self == .playAndRecord || self == .multiRoute }
    /// The telephone's way of sounding: by the receiver, at one's ear.
    package var prefersReceiver: Bool { self == .playAndRecord }
}

/// Apple's `AVAudioSession.Mode`.
package enum AudioMode: String, Hashable, Sendable, Codable, CaseIterable {
    case `default`, voiceChat, videoChat, gameChat, videoRecording, measurement, moviePlayback, spokenAudio, voicePrompt
}

/// Apple's `AVAudioSession.CategoryOptions`, with its numbers.
package struct AudioOptions: OptionSet, Hashable, Sendable, Codable {
    package var rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package static let mixWithOthers = Self(rawValue: 1)
    package static let duckOthers = Self(rawValue: 2)
    package static let allowBluetooth = Self(rawValue: 4)
    package static let defaultToSpeaker = Self(rawValue: 8)
    package static let interruptSpokenAudioAndMixWithOthers = Self(rawValue: 16)
    package static let allowBluetoothA2DP = Self(rawValue: 32)
    package static let allowAirPlay = Self(rawValue: 64)
    package static let overrideMutedMicrophoneInterruption = Self(rawValue: 128)
}

/// How an app uses audio, as it says itself.
package struct AudioSettings: Hashable, Sendable, Codable {
    package var category: AudioCategory
    package var mode: AudioMode
    package var options: AudioOptions

    package init(_ category: AudioCategory = .soloAmbient, mode: AudioMode = .default, options: AudioOptions = []) {
        self.category = category
        self.mode = mode
        self.options = options
    }

    /// It leaves others their sound: by its category, or by an option that says or implies it.
    package var mixes: Bool {
        switch category {
        case .ambient: true
        case .playback, .playAndRecord, .multiRoute:
            !options.isDisjoint(with: [.mixWithOthers, .duckOthers, .interruptSpokenAudioAndMixWithOthers])
        case .soloAmbient, .record: false
        }
    }

    /// Others are softer while it is active.
    package var ducks: Bool { mixes && options.contains(.duckOthers) }
    /// Who speaks stops meanwhile: two voices at once are none.
    package var interruptsSpeech: Bool { mixes && options.contains(.interruptSpokenAudioAndMixWithOthers) }

    /// What the category cannot have; `nil`: it is whole.
    package var contradiction: String? {
        if category == .ambient || category == .soloAmbient || category == .record {
            let mixing: AudioOptions = [.mixWithOthers, .duckOthers, .interruptSpokenAudioAndMixWithOthers]
            let isAmbient = category == .ambient
            if !isAmbient, !options.isDisjoint(with: mixing) {
                return "the category \(category.rawValue) does not mix: set playback, playAndRecord or multiRoute"
            }
        }
        if options.contains(.defaultToSpeaker), category != .playAndRecord {
            return "defaultToSpeaker goes with the category playAndRecord alone"
        }
        if mode == .voiceChat || mode == .videoChat || mode == .gameChat, category != .playAndRecord {
            return "the mode \(mode.rawValue) goes with the category playAndRecord alone"
        }
        if mode == .moviePlayback, category != .playback {
            return "the mode moviePlayback goes with the category playback alone"
        }
        return nil
    }
}

/// Where sound goes, or comes from: Apple's `AVAudioSession.Port`.
package enum AudioPortKind: String, Hashable, Sendable, Codable, CaseIterable {
    case receiver, speaker, headphones, bluetooth, usb, hdmi, line
    case microphone, headsetMicrophone

    package var isInput: Bool { self == .microphone || self == .headsetMicrophone }
    /// One hears it alone: what sounded there does not go on for everybody when it goes.
    package var isPrivate: Bool { self == .headphones || self == .bluetooth || self == .usb }
    /// It came by itself, and goes before what is built in.
    package var isBuiltIn: Bool { self == .receiver || self == .speaker || self == .microphone }
}

package struct AudioPort: Hashable, Sendable, Codable {
    package var kind: AudioPortKind
    /// For people.
    package var name: String

    package init(_ kind: AudioPortKind, name: String) {
        self.kind = kind
        self.name = name
    }
}

/// Apple's `AVAudioSession.RouteChangeReason`.
package enum AudioRouteReason: String, Hashable, Sendable, Codable, CaseIterable {
    case unknown, newDeviceAvailable, oldDeviceUnavailable, categoryChange, override, wakeFromSleep
    case noSuitableRoute, configurationChange
}

package enum AudioDirection: String, Hashable, Sendable, Codable, CaseIterable { case output, input }

/// What the person at the device lets an app do with the microphone.
package enum AudioPermission: String, Hashable, Sendable, Codable, CaseIterable { case undetermined, denied, granted }
