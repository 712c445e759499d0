package import Model

// Task completion (S1): an app finishes what it had begun. All its tasks share one time, which runs from the moment at
// which it left the screen, or at which the last other assertion of it was dropped. Shortly before the end the
// expiration handlers are called; what is not ended then ends the app.
extension System {
    package var taskRules: TaskRules { profile.tasks ?? TaskRules() }

    // MARK: Requests

    mutating func beginTask(_ task: TaskID, name: String, _ i: Int, _ id: RequestID) {
        // An app that lost its connection asks again; its first question may have arrived.
        if apps[i].tasks.task(task) == nil {
            if let refusal = refusal(i) {
                logAsked(i, .taskRefused, .taskRefused(refusal))
                reply(i, id, .refused(.task(refusal)))
                return
            }
            let assertion = take(i, .task, name: name)
            apps[i].tasks.add(BackgroundTasks.Task(id: task, assertion: assertion, name: name))
            if !apps[i].state.isForeground { logAsked(i, .taskBegan, .taskBegan(name)) }
            settleTasks(i)
        }
        reply(i, id, .taskBegan(remaining: taskTime(i)))
        touch(apps[i].index)
    }

    private func refusal(_ i: Int) -> TaskRefusal? {
        if !profile.hasMultitasking { return .noMultitasking(profile: profile.name) }
        if apps[i].$ending { return .beingEnded }
        if apps[i].tasks.isOver(at: now) { return .timeIsOver(limit: apps[i].tasks.limit ?? taskRules.limit) }
        if apps[i].tasks.held.count >= Int(taskRules.countLimit) { return .tooMany(limit: taskRules.countLimit) }
        return nil
    }

    mutating func endTask(_ task: TaskID, _ i: Int, _ id: RequestID) {
        if let ended = apps[i].tasks.remove(task) {
            apps[i].assertions.drop(ended.assertion)
            if !apps[i].state.isForeground { logAsked(i, .taskEnded, .taskEnded(ended.name)) }
            settleTasks(i)
            touch(apps[i].index)
        } else if task == .invalid {
            apps[i].tasks.strayEnds = min(apps[i].tasks.strayEnds + 1, 1_000_000)
        }
        reply(i, id, .taskEnded)
    }

    /// What is left for tasks; `nil` while that is not limited.
    func taskTime(_ i: Int) -> Span? {
        guard !apps[i].tasks.isEmpty, let end = apps[i].tasks.end(notice: taskNotice(i)) else { return nil }
        return max(.zero, end - now)
    }

    // MARK: The clock

    /// It leaves the screen, or is launched where nobody sees it.
    mutating func startTaskClock(_ i: Int, limit: Span) {
        apps[i].tasks.clock = .running(since: now, limit: limit)
        settleTasks(i)
    }

    mutating func stopTaskClock(_ i: Int) {
        if case .stopped = apps[i].tasks.clock { return }
        apps[i].tasks.clock = .stopped
        forgiveTasks(i)
        armAssertions(i)
    }

    /// While something else lets it run its tasks have no limit; when that ends they have their whole time.
    mutating func settleTasks(_ i: Int) {
        let isUnlimited = !apps[i].assertions.others.isEmpty
        switch apps[i].tasks.clock {
        case .stopped: break
        case .unlimited(let limit):
            if !isUnlimited { apps[i].tasks.clock = .running(since: now, limit: limit) }
        case .running(_, let limit), .expiring(_, let limit):
            if isUnlimited { apps[i].tasks.clock = .unlimited(limit: limit) }
        }
        if apps[i].tasks.isEmpty || isUnlimited { forgiveTasks(i) }
        armAssertions(i)
    }

    /// Whatever was about to be judged: it is all right now.
    private mutating func forgiveTasks(_ i: Int) {
        if let exceeded = apps[i].exceeded, exceeded.limit == .tasks { apps[i].exceeded = nil }
    }

    /// The expiration handlers never have more time than there is.
    private func taskNotice(_ i: Int) -> Span { min(taskRules.notice, apps[i].tasks.limit ?? taskRules.notice) }

    func nextTaskStep(_ i: Int) -> Instant? {
        guard apps[i].exceeded?.limit != .tasks else { return nil }
        return apps[i].tasks.nextStep(notice: taskNotice(i))
    }

    /// The next step may be due.
    mutating func stepTasks(_ i: Int) {
        guard !apps[i].$ending, let step = nextTaskStep(i), step <= now else { return }
        switch apps[i].tasks.clock {
        case .stopped, .unlimited: return
        case .running(_, let limit):
            apps[i].tasks.clock = .expiring(since: now, limit: limit)
            apps[i].tasks.round &+= 1
            let names = apps[i].tasks.held.prefix(Self.namedTasks).map(\.name)
            log(i, .tasksExpired, .tasksExpire(names, left: taskNotice(i)))
            expireTasks(i)
            armAssertions(i)
        case .expiring(let since, let limit):
            let began = Instant(nanoseconds: since.nanoseconds - (limit - taskNotice(i)).nanoseconds)
            if exceed(i, .tasks, since: began) { armAssertions(i) }
        }
    }

    private mutating func expireTasks(_ i: Int) {
        guard apps[i].isConnected else { return }
        let expiration = Expiration(
            tasks: apps[i].tasks.held.map(\.id), round: apps[i].tasks.round,
            left: apps[i].tasks.end(notice: taskNotice(i)).map { max(.zero, $0 - now) } ?? .zero)
        emit(.expireTasks(apps[i].index, apps[i].generation, expiration), cause: apps[i].cause)
    }

    /// It is there again, and may not have heard of the end.
    mutating func repeatExpiration(_ i: Int) {
        guard case .expiring = apps[i].tasks.clock, !apps[i].tasks.isEmpty, !apps[i].$ending else { return }
        expireTasks(i)
    }

    /// A debugger is attached, or nobody could answer for a while: the handlers have their whole time again.
    mutating func restartExpiration(_ i: Int) {
        guard case .expiring(_, let limit) = apps[i].tasks.clock else { return }
        apps[i].tasks.clock = .expiring(since: now, limit: limit)
        armAssertions(i)
    }

    mutating func endForTasks(_ i: Int) {
        let (tasks, rules) = (apps[i].tasks, taskRules)
        guard !tasks.isEmpty else { return }
        let end = TaskEnd(
            names: tasks.held.prefix(Self.namedTasks).map(\.name), count: Int32(clamping: tasks.held.count),
            allowed: tasks.limit ?? rules.limit, notice: taskNotice(i), verdict: rules.verdict,
            strayEnds: tasks.strayEnds)
        self.end(i, .tasksNotEnded(end))
    }

    /// So many of an app's tasks are named to people.
    private static let namedTasks = 4
}
