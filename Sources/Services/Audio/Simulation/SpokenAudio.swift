internal import AudioCore
internal import AudioModel
package import Model
package import Simulation

/// What a simulated app says in a scenario: `SpokenAudio.forms` lists it.
enum SpokenAudio: Hashable {
    case set(AudioSettings)
    case activate
    case deactivate(notifies: Bool)
    /// A stream of so loud samples.
    case start(Int64, Float)
    case record
    case stop(Int64)
    case remote(Set<AudioCommandKind>, events: Bool)
    case nowPlaying(String)
    case override(Bool)
    case askForMicrophone

    /// The microphone's stream, beside those that are played.
    static let recording: Int64 = 100

    static let forms =
        "it understands `session CATEGORY [mix] [duck] [speech] [spoken] [chat] [speaker] [bluetooth]`, `activate`, "
        + "`deactivate [notify]`, `play [NUMBER]`, `play silence`, `pause [NUMBER]`, `record`, `stop recording`, "
        + "`commands NAMES`, `remote events`, `no remote events`, `now playing WORDS`, `speaker`, `no speaker` and "
        + "`microphone`; CATEGORY is as Apple's"

    init?(_ text: String) {
        var words = text.split(separator: " ").map(String.init)[...]
        guard let verb = words.popFirst() else { return nil }
        switch (verb, words.first) {
        case ("session", _):
            guard let settings = Self.settings(words) else { return nil }
            self = .set(settings)
        case ("activate", nil): self = .activate
        case ("deactivate", nil): self = .deactivate(notifies: false)
        case ("deactivate", "notify"): self = .deactivate(notifies: true)
        case ("play", "silence") where words.count == 1: self = .start(1, 0)
        case ("play", _):
            guard let number = Self.number(words) else { return nil }
            self = .start(number, 1)
        case ("pause", _):
            guard let number = Self.number(words) else { return nil }
            self = .stop(number)
        case ("record", nil): self = .record
        case ("stop", "recording") where words.count == 1: self = .stop(Self.recording)
        case ("commands", _):
            let kinds = words.compactMap { AudioCommandKind(rawValue: $0) }
            guard kinds.count == words.count else { return nil }
            self = .remote(Set(kinds), events: false)
        case ("remote", "events") where words.count == 1: self = .remote([], events: true)
        case ("no", "remote") where Array(words) == ["remote", "events"]: self = .remote([], events: false)
        case ("now", "playing") where words.count > 1: self = .nowPlaying(words.dropFirst().joined(separator: " "))
        case ("speaker", nil): self = .override(true)
        case ("no", "speaker") where words.count == 1: self = .override(false)
        case ("microphone", nil): self = .askForMicrophone
        default: return nil
        }
    }

    /// Of a stream, the first one's where none is said; `nil`: it is none.
    private static func number(_ words: ArraySlice<String>) -> Int64? {
        guard let first = words.first else { return 1 }
        return words.count == 1 ? Int64(first) : nil
    }

    private static func settings(_ given: ArraySlice<String>) -> AudioSettings? {
        guard let category = given.first.flatMap(AudioCategory.init) else { return nil }
        var settings = AudioSettings(category)
        for word in given.dropFirst() {
            switch word {
            case "mix": settings.options.insert(.mixWithOthers)
            case "duck": settings.options.insert(.duckOthers)
            case "speech": settings.options.insert(.interruptSpokenAudioAndMixWithOthers)
            case "speaker": settings.options.insert(.defaultToSpeaker)
            case "bluetooth": settings.options.insert(.allowBluetooth)
            case "spoken": settings.mode = .spokenAudio
            case "chat": settings.mode = .voiceChat
            default: return nil
            }
        }
        return settings
    }

    var request: AudioRequest {
        switch self {
        case .set(let settings): return .set(settings)
        case .activate: return .activate
        case .deactivate(let notifies): return .deactivate(notifies: notifies)
        case .start(let number, _): return .start(number, .output)
        case .record: return .start(Self.recording, .input)
        case .stop(let number): return .stop(number)
        case .remote(let commands, let events): return .remote(commands: commands, events: events)
        case .nowPlaying(let title):
            var playing = NowPlaying()
            playing.title = title
            return .nowPlaying(playing)
        case .override(let isOn): return .override(toSpeaker: isOn)
        case .askForMicrophone: return .requestPermission
        }
    }
}

extension AudioNews {
    /// As a simulated app hears it.
    var words: String {
        switch self {
        case .interrupted(.appWasSuspended): "interrupted while suspended"
        case .interrupted: "interrupted"
        case .interruptionEnded(let shouldResume): shouldResume ? "resume" : "interruption ended"
        case .routeChanged(let reason, _, _): "route \(reason.rawValue)"
        case .command(.beginSeekingBackward): "command beginSeekingBackward"
        case .command(.endSeekingBackward): "command endSeekingBackward"
        case .command(.beginSeekingForward): "command beginSeekingForward"
        case .command(.endSeekingForward): "command endSeekingForward"
        case .command(let command): "command \(command.kind.rawValue)"
        case .silenceHint(let begins): begins ? "be silent" : "need not be silent"
        }
    }
}

extension AudioRefusal {
    var word: String {
        switch self {
        case .notGreeted: "notGreeted"
        case .invalid: "invalid"
        case .insufficientPriority: "insufficientPriority"
        case .cannotInterruptOthers: "cannotInterruptOthers"
        case .cannotStartPlaying: "cannotStartPlaying"
        case .cannotStartRecording: "cannotStartRecording"
        case .noPermission: "noPermission"
        case .isBusy: "isBusy"
        case .noSuchStream: "noSuchStream"
        case .tooManyStreams: "tooManyStreams"
        case .noPlayer, .playerDoesNot, .notWoken, .noSuchRoute, .noSuchApp, .nothingToEnd: "refused"
        }
    }
}

/// What people do in a scenario: `SpokenDeed.forms` lists it.
enum SpokenDeed: Hashable {
    case tool(AudioOrder)
    /// A plain program of the system plays, so loud, or pauses, by its own window.
    case program(AppIdentifier, plays: Bool, level: Float)
    /// A program that is none of the apps; `nil`: it quits.
    case outsider(plays: Bool?)
    case server(isThere: Bool)
    /// The icon beside the controls is tapped.
    case raise

    static let forms =
        "it understands `press [twice|thrice]`, `command NAME [SECONDS]`, `ringer silent`, `ringer on`, `interruption begins`, "
        + "`interruption ends [for good]`, `plug KIND`, `unplug KIND`, `route NAME`, `allow APP`, `deny APP`, "
        + "`program APP plays [silence]`, `program APP pauses`, `outsider plays`, `outsider pauses`, `outsider quits`, "
        + "`server dies`, `server returns` and `raise`; KIND is receiver, speaker, headphones, bluetooth, usb, hdmi, "
        + "line, microphone or headsetMicrophone; APP is its identifier; NAME is play, pause, stop, toggle, next, "
        + "previous, beginSeekingForward, endSeekingForward, beginSeekingBackward, endSeekingBackward, skipForward, "
        + "skipBackward or seek"

    private static let commands: [String: AudioCommand] = [
        "play": .play, "pause": .pause, "stop": .stop, "toggle": .toggle, "next": .next, "previous": .previous,
        "beginSeekingBackward": .beginSeekingBackward, "endSeekingBackward": .endSeekingBackward,
        "beginSeekingForward": .beginSeekingForward, "endSeekingForward": .endSeekingForward,
    ]

    /// Those that go somewhere, and how far where nothing is said.
    private static let jumps: [String: (usual: Double, command: @Sendable (Double) -> AudioCommand)] = [
        "skipForward": (15, { .skipForward($0) }), "skipBackward": (15, { .skipBackward($0) }),
        "seek": (30, { .seek($0) }),
    ]

    init?(_ text: String) {
        let words = text.split(separator: " ").map(String.init)
        switch words.first {
        case "press":
            let counts = ["twice": 2, "thrice": 3]
            guard words.count == 1 || words.count == 2 && counts[words[1]] != nil else { return nil }
            self = .tool(.press(words.count == 1 ? 1 : counts[words[1]] ?? 1))
        case "command":
            guard let command = Self.command(words.dropFirst()) else { return nil }
            self = .tool(.command(command))
        case "ringer" where words == ["ringer", "silent"] || words == ["ringer", "on"]:
            self = .tool(.ringer(isSilent: words[1] == "silent"))
        case "interruption" where words.count > 1:
            let isForGood = Array(words.dropFirst(2)) == ["for", "good"]
            switch (words[1], words.count) {
            case ("begins", 2): self = .tool(.interruption(isBegin: true, resumes: false))
            case ("ends", 2): self = .tool(.interruption(isBegin: false, resumes: true))
            case ("ends", _) where isForGood: self = .tool(.interruption(isBegin: false, resumes: false))
            default: return nil
            }
        case "plug", "unplug":
            guard words.count == 2, let kind = AudioPortKind(rawValue: words[1]) else { return nil }
            self = .tool(words[0] == "plug" ? .plug(kind) : .unplug(kind))
        case "route" where words.count == 2: self = .tool(.route(words[1]))
        case "allow", "deny":
            guard words.count == 2, let app = AppIdentifier(words[1]) else { return nil }
            self = .tool(.permission(app, words[0] == "allow" ? .granted : .denied))
        case "raise" where words.count == 1: self = .raise
        case "program", "outsider", "server":
            guard let deed = Self.deed(words) else { return nil }
            self = deed
        default: return nil
        }
    }

    private static func command(_ words: ArraySlice<String>) -> AudioCommand? {
        guard let name = words.first else { return nil }
        if words.count == 1, let command = commands[name] { return command }
        guard let jump = jumps[name], words.count <= 2 else { return nil }
        guard words.count == 2, let last = words.last else { return jump.command(jump.usual) }
        return Double(last).flatMap { $0.isFinite && $0 >= 0 ? jump.command($0) : nil }
    }

    private static func deed(_ words: [String]) -> SpokenDeed? {
        switch (words[0], words.count) {
        case ("program", 3...4):
            guard let app = AppIdentifier(words[1]), ["plays", "pauses"].contains(words[2]) else { return nil }
            guard words.count == 3 || Array(words[2...]) == ["plays", "silence"] else { return nil }
            return .program(app, plays: words[2] == "plays", level: words.count == 4 ? 0 : 1)
        case ("outsider", 2):
            switch words[1] {
            case "plays": return .outsider(plays: true)
            case "pauses": return .outsider(plays: false)
            case "quits": return .outsider(plays: nil)
            default: return nil
            }
        case ("server", 2):
            guard ["dies", "returns"].contains(words[1]) else { return nil }
            return .server(isThere: words[1] == "returns")
        default: return nil
        }
    }
}

extension SimulatedAudio {
    /// What an app might say, for storms.
    package static func words(_ random: inout SplitMix64, canBegin: Bool) -> String {
        guard canBegin else {
            return switch random.below(7) {
            case 0: "pause"
            case 1: "deactivate notify"
            case 2: "deactivate"
            case 3: "commands play pause toggle next"
            case 4: "remote events"
            case 5: "now playing a song"
            default: "stop recording"
            }
        }
        return switch random.below(14) {
        case 0...1: "session playback"
        case 2: "session playback mix duck"
        case 3: "session ambient"
        case 4: random.oneIn(2) ? "session playAndRecord" : "session record"
        case 5: "session playback spoken"
        case 6...8: "play"
        case 9: "play silence"
        case 10: "record"
        case 11: "activate"
        case 12: "remote events"
        default: "pause"
        }
    }

    /// Those who obey, and go on.
    package static var habits: [[String: [AppAction]]] {
        [
            [
                "resume": [.ask("audio", "play")], "command toggle": [.ask("audio", "play")],
                "command play": [.ask("audio", "play")], "command pause": [.ask("audio", "pause")],
            ],
            [:],
        ]
    }

    package static func wordsFromOutside(_ random: inout SplitMix64, of app: AppIdentifier) -> String? {
        switch random.below(18) {
        case 0...3: "press"
        case 4: "press twice"
        case 5: "command play"
        case 6: "command pause"
        case 7: "ringer silent"
        case 8: "ringer on"
        case 9: "interruption begins"
        case 10...11: random.oneIn(3) ? "interruption ends for good" : "interruption ends"
        case 12: "plug headphones"
        case 13: "unplug headphones"
        case 14: "outsider plays"
        case 15: random.oneIn(2) ? "outsider pauses" : "outsider quits"
        case 16: random.oneIn(3) ? "deny \(app)" : "allow \(app)"
        default: random.oneIn(2) ? "server dies" : "server returns"
        }
    }
}
