package import AppRuntime
package import AudioModel
internal import AudioWire
internal import Dispatch
internal import Synchronization
internal import Wire

/// Who hears what the service tells the app. All of it is called on the main thread.
@MainActor
package protocol AudioAudience: AnyObject, Sendable {
    /// The session, its players and its surroundings are as the news say by now.
    func heard(_ news: AudioNews)
    /// The client's surroundings are other ones.
    func surroundingsChanged()
}

/// Who acts on commands of controls.
@MainActor
package protocol AudioCommandHandler: AnyObject, Sendable {
    /// `nil`: it does not take this command.
    func perform(_ command: AudioCommand) -> AudioCommandStatus?
}

/// What is under way between the service and the app.
struct News {
    // Used on the main thread only.
    struct Listener: @unchecked Sendable {
        weak var audience: (any AudioAudience)?
        weak var commands: (any AudioCommandHandler)?
        weak var events: (any AudioCommandHandler)?
    }

    var listener = Listener()
    var isLaunched = true
    /// What came before the app was launched.
    var held: [ServiceCall] = []
    /// The greatest number of what the app has dealt with.
    var dealtWith: Int64 = 0
    var waiting: [(upTo: Int64, done: @Sendable () -> Void)] = []
}

extension AudioClient {
    /// The session's framework: interruptions and routes.
    package func use(_ audience: any AudioAudience) {
        state.withLock { $0.news.listener.audience = audience }
    }

    /// `MPRemoteCommandCenter`.
    package func use(commands: any AudioCommandHandler) {
        state.withLock { $0.news.listener.commands = commands }
    }

    /// UIKit's responder chain, which gets what nobody else takes.
    package func use(events: any AudioCommandHandler) {
        state.withLock { $0.news.listener.events = events }
    }

    // MARK: The app's life

    /// Calls each time that the app is forgotten, so that a framework forgets it too. On any thread.
    package func whenReset(_ body: @escaping @Sendable () -> Void) { resets.withLock { $0.append(body) } }

    /// The app is being launched: what comes is held.
    package func beginLaunching() { state.withLock { $0.news.isLaunched = false } }

    /// `didFinishLaunching` has returned.
    package func finishLaunching() {
        let isHeld = state.withLock { state in
            state.news.isLaunched = true
            return !state.news.held.isEmpty
        }
        guard isHeld else { return }
        DispatchQueue.main.async {
            MainActor.assumeIsolated {
                let held = self.state.withLock { state in
                    defer { state.news.held = [] }
                    return state.news.held
                }
                for call in held { self.deal(with: call) }
            }
        }
    }

    /// The system has woken the app for what the service tells it up to this number.
    package func woken(upTo payload: String, _ done: @escaping @Sendable () -> Void) {
        guard let number = Int64(payload) else { return done() }
        let isOver = state.withLock { state in
            if state.news.dealtWith >= number { return true }
            state.news.waiting.append((number, done))
            return false
        }
        if isOver { return done() }
        start()
    }

    func surroundingsChanged() {
        DispatchQueue.main.async {
            MainActor.assumeIsolated { self.state.withLock { $0.news.listener }.audience?.surroundingsChanged() }
        }
    }

    // MARK: ServiceListener

    package func called(_ call: ServiceCall) {
        DispatchQueue.main.async { MainActor.assumeIsolated { self.deal(with: call) } }
    }

    @MainActor private func deal(with call: ServiceCall) {
        let isLaunched = state.withLock { state in
            if !state.news.isLaunched { state.news.held.append(call) }
            return state.news.isLaunched
        }
        guard isLaunched else { return }
        let told: AudioTold
        do throws(RPCError) {
            told = try AudioTold(json: call.params)
        } catch {
            return call.answer(.failure(error))
        }
        take(told.news)
        let status = tell(told.news)
        call.answer(.success(AudioStatusAnswer(status: status).json))
        let ready = state.withLock { state in
            state.news.dealtWith = max(state.news.dealtWith, told.seq)
            let limit = state.news.dealtWith
            let ready = state.news.waiting.filter { $0.upTo <= limit }
            state.news.waiting.removeAll { $0.upTo <= limit }
            return ready
        }
        for one in ready { one.done() }
    }

    /// The app's side stands as the service says.
    private func take(_ news: AudioNews) {
        switch news {
        case .interrupted(let reason):
            state.withLock { ($0.isActive, $0.isInterrupted) = (false, reason != .appWasSuspended) }
            stopAll()
        case .interruptionEnded: state.withLock { $0.isInterrupted = false }
        case .routeChanged(_, _, let pauses): if pauses { stopAll() }
        case .silenceHint(let begins):
            state.withLock { $0.surroundings?.shouldBeSilent = begins }
            surroundingsChanged()
        case .command: break
        }
    }

    @MainActor private func tell(_ news: AudioNews) -> AudioCommandStatus {
        let listener = state.withLock { $0.news.listener }
        guard case .command(let command) = news else {
            listener.audience?.heard(news)
            return .success
        }
        return listener.commands?.perform(command) ?? listener.events?.perform(command) ?? .failed
    }
}
