internal import AppRuntime
internal import Dispatch
internal import Glibc
internal import Synchronization
package import Wire

/// The app's background tasks: what the system is told of them, and whose handlers it calls. Any thread may use it.
package final class BackgroundTasks: Sendable {
    typealias Handler = @MainActor @Sendable () -> Void

    private struct Task: Sendable {
        let handler: Handler?
        /// The round in which the handler was last called.
        var round = 0
    }

    private struct State: Sendable {
        var link: (any AppLink)?
        var next = 1
        var tasks: [Int: Task] = [:]
        /// The time of this stay in the background is over, or nearly so.
        var isOver = false
        /// When the system last said that the time is over, for a moment in which it does not answer.
        var end: Double?
        /// The thread that calls handlers, and those whose turn has yet to come.
        var caller: pthread_t?
        var uncalled: Set<Int> = []
        /// Tasks that handlers ended before their own had its turn.
        var endedEarly: Set<Int> = []
    }

    /// What the system is given to answer, which it does in microseconds unless it is being restarted.
    private static let answerTime = 2.0

    private let state = Mutex(State())

    package init() {}

    /// From now on this is the system; `nil`: there is none any more.
    func attach(_ link: (any AppLink)?) {
        state.withLock { state in
            state.link = link
            if link == nil { state.tasks = [:] }
        }
    }

    func enterForeground() { state.withLock { $0.isOver = false } }

    // MARK: Tasks

    func begin(named name: String?, _ handler: Handler?) -> Int {
        guard let link = state.withLock({ $0.link }), link.greeting?["options"]?["multitasking"]?.bool != false else {
            return 0
        }
        let begun = state.withLock { state -> Int? in
            guard !state.isOver, state.tasks.count < Limits.backgroundTasks else { return nil }
            let id = state.next
            state.next += 1
            state.tasks[id] = Task(handler: handler)
            return id
        }
        guard let id = begun else { return 0 }
        var params: JSONObject = ["task": .int(Int64(id))]
        if let name { params["name"] = .string(Self.bounded(name)) }
        link.request(.beginTask, .object(params)) { [self] result in
            if case .failure = result { expire(only: [id], round: .max, onMainThread: true) }
        }
        return id
    }

    func end(_ id: Int) {
        let (link, isHeld) = state.withLock { state -> ((any AppLink)?, Bool) in
            let isHeld = state.tasks.removeValue(forKey: id) != nil
            if isHeld, state.uncalled.contains(id), state.caller == pthread_self() {
                // With the last end the app is suspended: its handlers would run when it is back.
                state.endedEarly.insert(id)
                return (nil, true)
            }
            return (state.link, isHeld)
        }
        Departure.prepare()
        // The system hears of a stray end as well: its report can then say what went wrong.
        link?.request(.endTask, ["task": .int(isHeld ? Int64(id) : 0)]) { _ in }
    }

    var remaining: Double {
        let (link, hasTasks) = state.withLock { ($0.link, !$0.tasks.isEmpty) }
        guard let link, hasTasks else { return .greatestFiniteMagnitude }
        guard let answer = link.requestAndWait(.backgroundTime, .null, seconds: Self.answerTime) else {
            return state.withLock { $0.end }.map { max(0, $0 - Self.now) } ?? .greatestFiniteMagnitude
        }
        let seconds = (try? answer.get())?["remaining"]?.number
        state.withLock { $0.end = seconds.map { $0 + Self.now } }
        return seconds ?? .greatestFiniteMagnitude
    }

    // MARK: Expiration

    /// What the system says, as it says it.
    package func expire(_ params: JSONValue) {
        guard case .array(let tasks)? = params["tasks"], let round = params["round"]?.int else { return }
        let link = state.withLock { state in
            state.isOver = true
            if let left = params["remaining"]?.number { state.end = Self.now + left }
            return state.link
        }
        let isOnMainThread = link?.greeting?["options"]?["expirationHandlersOnMainThread"]?.bool != false
        expire(only: tasks.compactMap(\.int), round: round, onMainThread: isOnMainThread)
    }

    /// Each handler is called once a round, however often the system says so.
    private func expire(only ids: [Int], round: Int, onMainThread isOnMainThread: Bool) {
        let handlers = state.withLock { state in
            if round == .max { state.isOver = true }
            return ids.sorted().compactMap { id -> (id: Int, handler: Handler)? in
                guard let task = state.tasks[id], task.round < round else { return nil }
                state.tasks[id]?.round = round
                return task.handler.map { (id, $0) }
            }
        }
        guard !handlers.isEmpty else { return }
        // As in 2010, “possibly on another thread”: what the type promises did not hold then, and an app that is tested
        // on such a device is to meet that.
        let loose = handlers.map { ($0.id, unsafe unsafeBitCast($0.handler, to: (@Sendable () -> Void).self)) }
        (isOnMainThread ? DispatchQueue.main : DispatchQueue.global()).async { self.call(loose) }
    }

    /// One after another, on this thread.
    private func call(_ handlers: [(id: Int, handler: @Sendable () -> Void)]) {
        state.withLock { state in
            state.caller = pthread_self()
            state.uncalled = Set(handlers.map(\.id))
        }
        for (id, handler) in handlers {
            state.withLock { _ = $0.uncalled.remove(id) }
            handler()
            let link = state.withLock { $0.endedEarly.remove(id) == nil ? nil : $0.link }
            link?.request(.endTask, ["task": .int(Int64(id))]) { _ in }
        }
        state.withLock { $0.caller = nil }
    }

    // MARK: Rest

    private static func bounded(_ name: String) -> String {
        guard name.utf8.count > Limits.taskName else { return name }
        var text = ""
        for character in name where text.utf8.count + character.utf8.count <= Limits.taskName { text.append(character) }
        return text
    }

    /// Seconds since boot, sleep included.
    private static var now: Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_BOOTTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
