package import AppRuntime
package import AudioModel
internal import AudioWire
internal import Dispatch
internal import Synchronization
package import Wire

/// An app's end of the wire to the audio service: its session, the streams that it plays and records by, and what it
/// obeys. What the service tells the app is in `AudioClient+News`.
///
/// Nothing is connected until the app uses audio. Its methods may be called on any thread.
package final class AudioClient: ServiceListener {
    package typealias Link = @Sendable (any ServiceListener) -> any ServiceLink

    /// What plays or records: it stands still when the service says so.
    package protocol Player: AnyObject, Sendable {
        /// Called on any thread; the stream has ended for the service already.
        func standStill()
    }

    // Players are used from any thread, and only weakly kept.
    struct Stream: @unchecked Sendable {
        let direction: AudioDirection
        weak var player: (any Player)?
        var runs: Bool
    }

    struct State {
        var link: (any ServiceLink)?
        var makeLink: Link
        var settings = AudioSettings()
        var isActive = false
        var isInterrupted = false
        var toSpeaker = false
        var streams: [Int64: Stream] = [:]
        var nextStream: Int64 = 1
        var commands: Set<AudioCommandKind> = []
        var wantsEvents = false
        var nowPlaying = NowPlaying()
        /// What controls are to skip by, beside that.
        var skips: (forward: Double?, backward: Double?) = (nil, nil)
        /// What the service last said; `nil`: nothing yet.
        var surroundings: AudioSurroundings?
        var server: String?
        var news = News()

        /// What plays, as the service hears it.
        var said: NowPlaying {
            var said = nowPlaying
            (said.skipForward, said.skipBackward) = (skips.forward, skips.backward)
            return said
        }
    }

    /// The app's.
    package static let shared = AudioClient(link: system)

    /// The way to the service of the machine.
    package static let system: Link = { ServiceClient("audio", errand: "audio", listener: $0) }

    let state: Mutex<State>
    let resets = Mutex<[@Sendable () -> Void]>([])

    /// - Parameter link: makes the way to the service when it is needed; called again after `reset`.
    package init(link: @escaping Link) { state = Mutex(State(makeLink: link)) }

    /// Another way to the service from now on, as if the app had not used it yet.
    package func use(_ link: @escaping Link) {
        reset()
        state.withLock { $0.makeLink = link }
    }

    /// Forgets the app, where its end is not the end of the process.
    package func reset() {
        let (link, players) = state.withLock { state in
            let (link, players) = (state.link, state.streams.values.compactMap(\.player))
            // Frameworks outlive an app that is not the whole process.
            let listener = state.news.listener
            state = State(makeLink: state.makeLink)
            state.news.listener = listener
            return (link, players)
        }
        for player in players { player.standStill() }
        link?.stop()
        for reset in resets.withLock({ $0 }) { reset() }
    }

    /// The way to the service, where the app has used it.
    package var currentLink: (any ServiceLink)? { state.withLock { $0.link } }

    private var link: any ServiceLink {
        state.withLock { state in
            if let link = state.link { return link }
            let link = state.makeLink(self)
            state.link = link
            return link
        }
    }

    /// Connects, so that the app hears what the service has for it.
    package func start() { link.start() }

    // MARK: Asking

    /// How long what Apple's API has without a handler waits, in seconds.
    private static let patience = 5.0

    private func tell(_ method: AudioClientMethod, _ params: JSONValue) {
        link.request(method.rawValue, params, isErrand: false) { _ in }
    }

    /// Waits for the answer.
    private func ask(_ method: AudioClientMethod, _ params: JSONValue) throws(RPCError) -> JSONValue {
        let arrival = Arrival()
        link.whileWaiting {
            link.request(method.rawValue, params, isErrand: true) { result in
                arrival.answer.withLock { $0 = result }
                arrival.semaphore.signal()
            }
        }
        _ = arrival.semaphore.wait(timeout: .now() + Self.patience)
        switch arrival.answer.withLock({ $0 }) {
        case .success(let answer): return answer
        // Nobody keeps order where there is no system: whoever wants to sound does.
        case .failure(let error) where error.code == .unknown || error.code == .methodNotFound: return [:]
        case .failure(let error): throw error
        case nil: throw .audio(.resourceNotAvailable, "the audio service does not answer: try again")
        }
    }

    private final class Arrival: Sendable {
        let semaphore = DispatchSemaphore(value: 0)
        let answer = Mutex<Result<JSONValue, RPCError>?>(nil)
    }

    // MARK: The session

    package var settings: AudioSettings { state.withLock { $0.settings } }
    package var isActive: Bool { state.withLock { $0.isActive } }

    /// What the app's audio is for from now on.
    package func set(_ settings: AudioSettings) throws(RPCError) {
        if let contradiction = settings.contradiction { throw .audio(.badParameter, contradiction) }
        state.withLock { $0.settings = settings }
        tell(.set, settings.json)
    }

    package func activate() throws(RPCError) {
        _ = try ask(.activate, [:])
        state.withLock { ($0.isActive, $0.isInterrupted) = (true, false) }
    }

    /// - Parameter notifies: who was interrupted by it may go on.
    package func deactivate(notifies: Bool) throws(RPCError) {
        state.withLock { $0.isActive = false }
        stopAll()
        _ = try ask(.deactivate, ["notifies": .bool(notifies)])
    }

    package func override(toSpeaker: Bool) {
        state.withLock { $0.toSpeaker = toSpeaker }
        tell(.override, ["speaker": .bool(toSpeaker)])
    }

    /// - Parameter completion: called on any thread.
    package func requestPermission(_ completion: @escaping @Sendable (AudioPermission) -> Void) {
        link.request(AudioClientMethod.requestPermission.rawValue, [:], isErrand: true) { result in
            let permission = (try? result.get()).flatMap { try? $0.word("permission", of: AudioPermission.self) }
            completion(permission ?? .granted)
        }
    }

    /// What surrounds the session. The first time it waits for the service.
    package var surroundings: AudioSurroundings {
        if let known = state.withLock({ $0.surroundings }) { return known }
        // Any request: the greeting is there before its answer.
        _ = try? ask(.set, settings.json)
        return state.withLock { $0.surroundings } ?? AudioSurroundings(route: [AudioPort(.speaker, name: "Speaker")])
    }

    /// The socket of the sound server, as the service says it; `nil` where there is none, or it has said nothing yet.
    package var server: String? { state.withLock { $0.server } }

    // MARK: Streams

    /// A number for a stream, by which the sound server's names itself.
    package func makeStream(_ direction: AudioDirection, for player: any Player) -> Int64 {
        state.withLock { state in
            defer { state.nextStream += 1 }
            state.streams[state.nextStream] = Stream(direction: direction, player: player, runs: false)
            return state.nextStream
        }
    }

    /// Before the stream runs: the app may sound, and is kept running for that.
    package func begin(_ stream: Int64) throws(RPCError) {
        guard let direction = state.withLock({ $0.streams[stream]?.direction }) else { return }
        _ = try ask(.start, AudioStreamRecord(stream: stream, direction: direction).json)
        state.withLock { state in
            state.streams[stream]?.runs = true
            (state.isActive, state.isInterrupted) = (true, false)
        }
    }

    /// After the stream has been paused, or has come to its end.
    package func pause(_ stream: Int64) {
        let ran = state.withLock { state in
            defer { state.streams[stream]?.runs = false }
            return state.streams[stream]?.runs == true
        }
        if ran { tell(.stop, ["stream": .int(stream)]) }
    }

    package func end(_ stream: Int64) {
        pause(stream)
        state.withLock { $0.streams[stream] = nil }
    }

    /// The service has ended all of them, or is about to.
    func stopAll() {
        let players = state.withLock { state in
            let running = state.streams.filter(\.value.runs)
            for stream in running.keys { state.streams[stream]?.runs = false }
            return running.sorted { $0.key < $1.key }.compactMap(\.value.player)
        }
        for player in players { player.standStill() }
    }

    // MARK: What it obeys

    package func obey(_ commands: Set<AudioCommandKind>) {
        let events = state.withLock { state in
            state.commands = commands
            return state.wantsEvents
        }
        tell(.remote, AudioRemote(commands: commands.inOrder, events: events).json)
    }

    /// Whether the app wants remote-control events.
    package var wantsEvents: Bool {
        get { state.withLock { $0.wantsEvents } }
        set {
            let commands = state.withLock { state in
                state.wantsEvents = newValue
                return state.commands
            }
            tell(.remote, AudioRemote(commands: commands.inOrder, events: newValue).json)
        }
    }

    package var nowPlaying: NowPlaying {
        get { state.withLock { $0.nowPlaying } }
        set {
            say { $0.nowPlaying = newValue }
        }
    }

    /// Seconds that the buttons of controls are to skip by; `nil` where the app names none, or does not obey it.
    package func offerSkips(forward: Double?, backward: Double?) { say { $0.skips = (forward, backward) } }

    /// Says what plays, if that has changed.
    private func say(_ change: (inout State) -> Void) {
        let news = state.withLock { state in
            let before = state.said
            change(&state)
            return state.said == before ? nil : state.said
        }
        if let news { tell(.nowPlaying, news.json) }
    }

    // MARK: ServiceListener

    package func hello(running: [Int64]) -> JSONValue {
        state.withLock { state in
            let streams = state.streams.filter(\.value.runs).sorted { $0.key < $1.key }.map {
                AudioStreamRecord(stream: $0.key, direction: $0.value.direction)
            }
            return AudioHello(
                settings: state.settings, active: state.isActive, interrupted: state.isInterrupted,
                speaker: state.toSpeaker, streams: streams,
                remote: AudioRemote(commands: state.commands.inOrder, events: state.wantsEvents),
                nowPlaying: state.said, running: running
            ).json
        }
    }

    package func greeted(_ answer: JSONValue) {
        guard let surroundings = try? AudioSurroundings(json: answer) else { return }
        let server = try? answer.optionalString("server")
        state.withLock { ($0.surroundings, $0.server) = (surroundings, server) }
        surroundingsChanged()
    }

    package func refused(_ error: RPCError) {}

    package func told(_ method: String, _ params: JSONValue) {
        guard method == AudioClientMessage.surroundings.rawValue, let news = try? AudioSurroundings(json: params)
        else { return }
        state.withLock { $0.surroundings = news }
        surroundingsChanged()
    }
}

extension Set<AudioCommandKind> {
    fileprivate var inOrder: [AudioCommandKind] { AudioCommandKind.allCases.filter(contains) }
}
