/// What a device lets an app finish after it has left the screen (S1).
package struct TaskRules: Hashable, Sendable, Codable {
    /// The namespace and code of an end for a task that was not ended in time.
    package enum Verdict: String, Hashable, Sendable, Codable {
        /// SPRINGBOARD 0x8badf00d.
        case watchdog
        /// RUNNINGBOARD 0x2182bad2.
        case runningBoard
    }

    /// From the moment of leaving the screen, for all tasks together.
    package var limit = Span.seconds(30)
    /// The same for an app that was woken for an event.
    package var windowLimit = Span.seconds(10)
    /// How long before the end the expiration handlers are called.
    package var notice = Span.seconds(5)
    package var verdict = Verdict.runningBoard
    /// Tasks that an app may have at once.
    package var countLimit: Int32 = 1000

    package init() {}

    package init(limit: Span, verdict: Verdict) {
        self.limit = limit
        self.verdict = verdict
    }

    /// Ten minutes.
    package static let iOS4 = TaskRules(limit: .seconds(600), verdict: .watchdog)
    /// Three minutes.
    package static let iOS7 = TaskRules(limit: .seconds(180), verdict: .watchdog)
}

/// The time of an app's tasks is nearly over: their expiration handlers are to be called.
package struct Expiration: Hashable, Sendable, Codable {
    package var tasks: [TaskID]
    /// Counts such moments of one process: within a round each handler is called once, however often it is told.
    package var round: UInt32
    package var left: Span

    package init(tasks: [TaskID], round: UInt32, left: Span) {
        self.tasks = tasks
        self.round = round
        self.left = left
    }
}

/// Why a background task is not granted.
package enum TaskRefusal: Hashable, Sendable, Codable {
    case noMultitasking(profile: String)
    /// The time of this stay in the background is over, or its end was announced.
    case timeIsOver(limit: Span)
    case tooMany(limit: Int32)
    case beingEnded

    package var sentence: String {
        switch self {
        case .noMultitasking(let profile): "a device of profile \(profile) runs nothing in the background"
        case .timeIsOver(let limit):
            "the \(limit.twoDigits) seconds that background tasks may take after the screen is left are over: begin the "
                + "task before, or while the app is on screen"
        case .tooMany(let limit): "an app may have \(limit) background tasks at once: end one first"
        case .beingEnded: "the app is being ended"
        }
    }
}

/// The tasks that an app had not ended when its time was over.
package struct TaskEnd: Hashable, Sendable, Codable {
    /// Of the first few.
    package var names: [String]
    package var count: Int32
    package var allowed: Span
    package var notice: Span
    package var verdict: TaskRules.Verdict
    /// How often the app ended a task that it did not have.
    package var strayEnds: Int32

    package init(
        names: [String], count: Int32, allowed: Span, notice: Span, verdict: TaskRules.Verdict, strayEnds: Int32
    ) {
        self.names = names
        self.count = count
        self.allowed = allowed
        self.notice = notice
        self.verdict = verdict
        self.strayEnds = strayEnds
    }

    package var code: TerminationCode {
        switch verdict {
        case .watchdog: .taskTooLong
        case .runningBoard: .taskNotEnded
        }
    }

    func sentence(name: String) -> String {
        let quoted = names.map { "“\($0)”" }.joined(separator: ", ")
        let rest = Int(count) - names.count
        let tasks = (count == 1 ? "the background task " : "the background tasks ") + quoted
        let which = tasks + (rest > 0 ? " and \(rest) more" : "")
        let stray =
            strayEnds == 0
            ? ""
            : "; \(strayEnds) \(strayEnds == 1 ? "call" : "calls") of endBackgroundTask named no task of its own: a handler "
                + "that captures the identifier before it is assigned captures .invalid"
        return
            "background task not finished in time: \(name) did not end \(which) within \(allowed.twoDigits) seconds, and "
            + "its expiration handlers were called \(notice.twoDigits) seconds before the end; call endBackgroundTask when "
            + "the work is done, and in the expiration handler at the latest\(stray)"
    }
}
