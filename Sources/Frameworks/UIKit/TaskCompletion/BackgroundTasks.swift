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
            guard !state.isOver else { return nil }
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
        let (link, isHeld) = state.withLock { state in (state.link, state.tasks.removeValue(forKey: id) != nil) }
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
            return ids.sorted().compactMap { id -> Handler? in
                guard let task = state.tasks[id], task.round < round else { return nil }
                state.tasks[id]?.round = round
                return task.handler
            }
        }
        guard !handlers.isEmpty else { return }
        if isOnMainThread {
            DispatchQueue.main.async { MainActor.assumeIsolated { handlers.forEach { $0() } } }
        } else {
            // As in 2010, “possibly on another thread”: what the type promises did not hold then, and an app that is
            // tested on such a device is to meet that.
            let loose = handlers.map { unsafe unsafeBitCast($0, to: (@Sendable () -> Void).self) }
            DispatchQueue.global().async { loose.forEach { $0() } }
        }
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
