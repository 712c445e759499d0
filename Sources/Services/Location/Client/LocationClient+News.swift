package import AppRuntime
internal import Dispatch
package import LocationModel
internal import LocationWire
internal import Synchronization
package import Wire

/// What hears what the service tells the app. All of it is called on the main thread.
package protocol LocationAudience: AnyObject, Sendable {
    /// Whether something in the app hears of it now. What the app is woken for waits until something does.
    @MainActor func isReady(for news: LocationNews) -> Bool
    @MainActor func heard(_ news: LocationNews)
    /// What standard updates bring, the oldest first.
    @MainActor func heard(_ fixes: [Fix])
    /// Standard updates bring nothing now.
    @MainActor func failed(_ error: LocationFailure, _ sentence: String)
    @MainActor func heard(_ heading: Heading)
    /// The client's surroundings are other ones.
    @MainActor func surroundingsChanged()
}

/// What is under way between the service and the app.
struct News {
    struct Item: Sendable {
        let told: LocationTold
        let call: ServiceCall
    }

    // Used on the main thread only.
    struct Audience: @unchecked Sendable {
        weak var value: (any LocationAudience)?
    }

    var audience = Audience()
    var isLaunched = true
    /// What the app has not dealt with, in the order in which it came.
    var held: [Item] = []
    /// What it is being told right now.
    var dealing: Set<Int64> = []
    /// The greatest number that has come.
    var newest: Int64 = 0
    var waiting: [(upTo: Int64, done: @Sendable () -> Void)] = []

    /// All up to this number has come and is dealt with.
    func isOver(_ number: Int64) -> Bool {
        newest >= number && held.allSatisfy { $0.told.seq > number } && dealing.allSatisfy { $0 > number }
    }

    /// It has dealt with this.
    ///
    /// - Returns: those that waited for it.
    mutating func finish(_ number: Int64) -> [@Sendable () -> Void] {
        dealing.remove(number)
        let over = waiting.map { isOver($0.upTo) }
        defer { waiting = zip(waiting, over).filter { !$0.1 }.map(\.0) }
        return zip(waiting, over).filter(\.1).map(\.0.done)
    }
}

extension LocationClient {
    /// The framework.
    package func use(_ audience: any LocationAudience) {
        state.withLock { $0.news.audience.value = audience }
        deliver()
    }

    // MARK: The app's life

    /// Calls each time that the app is forgotten, so that a framework forgets it too. On any thread.
    package func whenReset(_ body: @escaping @Sendable () -> Void) { resets.withLock { $0.append(body) } }

    /// The app is being launched: what comes is held.
    package func beginLaunching() { state.withLock { $0.news.isLaunched = false } }

    /// `didFinishLaunching` has returned.
    package func finishLaunching() {
        state.withLock { $0.news.isLaunched = true }
        deliver()
    }

    /// What the system wakes the app for comes here.
    package func takeWakes() {
        ServiceEvents.shared.register("location", through: { [weak self] in self?.currentLink }) {
            [weak self] event, done in
            guard let self else { return done(.noData) }
            woken(upTo: event.payload) { done(.done) }
        }
    }

    /// The system has woken the app for what the service tells it up to this number.
    package func woken(upTo payload: String, _ done: @escaping @Sendable () -> Void) {
        guard let number = Int64(payload) else { return done() }
        let isOver = state.withLock { state in
            if state.news.isOver(number) { return true }
            state.news.waiting.append((number, done))
            return false
        }
        if isOver { return done() }
        start()
    }

    // MARK: What is numbered

    package func called(_ call: ServiceCall) {
        let told: LocationTold
        do throws(RPCError) {
            told = try LocationTold(json: call.params)
        } catch {
            return call.answer(.failure(error))
        }
        state.withLock { state in
            state.news.held.append(News.Item(told: told, call: call))
            state.news.newest = max(state.news.newest, told.seq)
        }
        if let fix = told.news.fix { note(fix) }
        deliver()
    }

    /// Something that was not there before may hear now.
    package func deliver() {
        guard state.withLock({ !$0.news.held.isEmpty }) else { return }
        DispatchQueue.main.async { MainActor.assumeIsolated { self.deliverHeld() } }
    }

    /// One path for what has just come and what was held, so that neither overtakes the other.
    @MainActor private func deliverHeld() {
        var skipped: Set<Int64> = []
        while let item = next(after: skipped) {
            let audience = state.withLock { $0.news.audience }.value
            guard audience?.isReady(for: item.told.news) ?? !item.told.news.wakes else {
                skipped.insert(item.told.seq)
                continue
            }
            // A delegate may let the run loop run: nothing is told twice.
            guard take(item) else { continue }
            audience?.heard(item.told.news)
            item.call.answer(.success([:]))
            for done in state.withLock({ $0.news.finish(item.told.seq) }) { done() }
        }
    }

    private func next(after skipped: Set<Int64>) -> News.Item? {
        state.withLock { state in
            guard state.news.isLaunched else { return nil }
            return state.news.held.first { !skipped.contains($0.told.seq) }
        }
    }

    /// - Returns: whether it was there still.
    private func take(_ item: News.Item) -> Bool {
        state.withLock { state in
            let index = state.news.held.firstIndex { $0.told.seq == item.told.seq }
            guard let index else { return false }
            state.news.held.remove(at: index)
            state.news.dealing.insert(item.told.seq)
            return true
        }
    }

    // MARK: What is not

    package func told(_ method: String, _ params: JSONValue) {
        switch LocationClientMessage(rawValue: method) {
        case .fixes:
            guard let fixes = try? LocationFixes(json: params).fixes, let newest = fixes.last else { return }
            note(newest)
            tellAudience { $0.heard(fixes) }
        case .failed:
            guard let failed = try? LocationFailed(json: params) else { return }
            tellAudience { $0.failed(failed.code, failed.message) }
        case .heading:
            guard let heading = try? Heading(json: params) else { return }
            tellAudience { $0.heard(heading) }
        case .surroundings:
            guard let surroundings = try? LocationSurroundings(json: params) else { return }
            surround(surroundings)
        case .significant, .entered, .exited, .visit, .paused, .resumed, nil: break
        }
    }

    func tellAudience(_ body: @escaping @MainActor @Sendable (any LocationAudience) -> Void) {
        DispatchQueue.main.async {
            MainActor.assumeIsolated {
                if let audience = self.state.withLock({ $0.news.audience }).value { body(audience) }
            }
        }
    }
}

extension LocationNews {
    /// Where the device was then.
    fileprivate var fix: Fix? {
        switch self {
        case .significantChange(let fix), .entered(_, let fix), .exited(_, let fix): fix
        case .visit, .paused, .resumed: nil
        }
    }
}
