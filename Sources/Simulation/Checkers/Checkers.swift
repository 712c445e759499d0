internal import Model
internal import PolicyCore

/// Oracles: they watch what the Core is told and says, and what really is, and judge it by the documents, in code that
/// the Core does not share.
struct Checkers {
    /// What is known of one app.
    struct Watch {
        typealias Awaited = (number: CallbackNumber, kind: CallbackKind, since: Instant)

        var grammar = CallbackGrammar()
        var generation = Generation(0)
        var isExempt = false
        /// Sent and not answered, each with the moment since when it is its turn.
        var awaited: [Awaited] = []
        var launchedAt: Instant?
        var pingedAt: Instant?
        /// A plain program was asked to end.
        var askedAt: Instant?
        /// Since when the system should look at it again.
        var unseenSince: Instant?
        /// Since when nothing entitles it to run, and it runs.
        var idleSince: Instant?
        var heardTermination = false
        var hasLaunched = false
        var hasConnected = false
        var hasReconnected = false
        /// Since when it is on its way to the background, or there.
        var leftAt: Instant?
        /// When its expiration handlers were last called for.
        var toldAt: Instant?
        /// Since when nothing but tasks lets it run.
        var tasksSince: Instant?
        /// What it was in, and what it had locked, when its end was decided.
        var killed: (awaited: Awaited?, locks: [String], at: Instant)?
        /// Since when it stands still in the way of somebody who waits for a lock.
        var inTheWaySince: Instant?
        /// What it was told of the device last.
        var told: DeviceConditions?
        /// What it was told may be lost.
        var mayHaveMissed = false
        /// What it is to have of the machine.
        var priority = AppPriority.foreground
        /// Since when it has less, or more, of the machine than it is due.
        var wrongPriority: (isLow: Bool, since: Instant)?
        /// Since when it stands still while somebody waits for its answer.
        var keptWaitingSince: Instant?
        /// What it was called for and has not completed.
        var windows: [Window] = []
        var wasWoken = false
        var wasWokenNow: Instant?
        var fetches = Fetches()

        mutating func returned(_ kind: CallbackKind) {
            guard kind == .didFinishLaunching, killed == nil else { return }
            launchedAt = nil
            hasLaunched = true
        }
    }

    struct Waiting {
        let id: CommandID
        let command: Command
        /// Of the process that it is about.
        let generation: Generation?
        let began: Instant
        /// Its patience counts from here.
        var since: Instant
    }

    let profile: DeviceProfile
    var watches: [Watch] = []
    private var lastSequence: UInt64 = 0
    var lastLook = Instant.zero
    /// A debugger was attached when the clocks were last looked at.
    var hadDebugger = false
    var commands: [Waiting] = []
    /// Since when memory is very short although something could go.
    var shortSince: Instant?
    var lock = LockWatch()

    /// Profiles of scenarios may have other times.
    let hasStandardTimes: Bool

    init(profile: DeviceProfile) {
        self.profile = profile
        hasStandardTimes = profile.windowRules == DeviceProfile.named(profile.name)?.windowRules
    }

    private mutating func prepare(_ device: Device) {
        while watches.count < device.apps.count { watches.append(Watch()) }
    }

    /// A delegate method is called, in fact.
    mutating func called(_ callback: Callback, _ place: Int, on device: Device) {
        prepare(device)
        let name = device.apps[place].script.name
        let isOptedOut = device.apps[place].script.manifest.exitsOnSuspend || !profile.hasMultitasking
        begin(place, device)
        if callback.kind == .willTerminate { watches[place].heardTermination = true }
        if let wrong = watches[place].grammar.hear(callback, isOptedOut: isOptedOut) {
            device.violate("\(name): \(wrong)")
        }
    }

    /// A new process is a new life.
    private mutating func begin(_ place: Int, _ device: Device) {
        guard let process = device.apps[place].process, watches[place].generation != process.generation else { return }
        let isExempt = watches[place].isExempt
        let fetches = watches[place].fetches
        watches[place] = Watch()
        watches[place].fetches = fetches
        watches[place].generation = process.generation
        watches[place].isExempt = isExempt
    }

    /// All clocks start again, and tools have gone.
    mutating func daemonReturned(on device: Device) {
        prepare(device)
        commands = []
        shortSince = nil
        for place in watches.indices {
            watches[place].pingedAt = nil
            watches[place].askedAt = watches[place].askedAt.map { _ in device.now }
            watches[place].idleSince = nil
            watches[place].unseenSince = nil
            watches[place].inTheWaySince = nil
            watches[place].wrongPriority = nil
            watches[place].keptWaitingSince = nil
            watches[place].tasksSince = nil
            watches[place].mayHaveMissed = true
            watches[place].restartWindows(at: device.now)
            let isPlain = device.apps[place].process?.isPlain == true
            watches[place].launchedAt = isPlain ? nil : watches[place].launchedAt.map { _ in device.now }
            for number in watches[place].awaited.indices { watches[place].awaited[number].since = device.now }
        }
    }

    /// - Parameter looksAtAll: whether to check every app, and not only those that the event concerns.
    mutating func check(_ event: Event, _ effects: [Effect], on device: Device, looksAtAll: Bool) {
        prepare(device)
        hear(event, device)
        noteSetting(event, effects, device)
        noteWindows(event, device)
        if case .callbackReturned(let app, let generation, _) = event { checkBelief(app, generation, device) }
        var hasAnswered = false
        for effect in effects {
            switch effect.action {
            case .answer, .halt: hasAnswered = true
            default: if hasAnswered { device.violate("an effect comes after an answer") }
            }
            check(effect, effects, device)
        }
        if looksAtAll { checkClocks(device) }
    }

    /// A callback that the app has yet to execute is not taken for executed, whatever the app answers.
    private func checkBelief(_ app: AppIndex, _ generation: Generation, _ device: Device) {
        guard let place = device.place(of: app), let process = device.apps[place].process,
            let known = device.system.app(app), process.generation == generation, process.isConnected,
            process.status == nil, !process.isDying
        else { return }
        for callback in process.pendingCallbacks
        where !known.outstanding.contains(where: { $0.callback.number == callback.number }) {
            device.violate("\(device.apps[place].script.name) is taken to have executed \(callback.kind), and has not")
        }
    }

    func watch(_ place: Int) -> Watch { place < watches.count ? watches[place] : Watch() }

    // MARK: Events

    private mutating func hear(_ event: Event, _ device: Device) {
        switch event {
        case .command(let id, let command):
            begin(id, command, device)
            // What it moves may have been right meanwhile, while nobody looked.
            for place in watches.indices { watches[place].wrongPriority = nil }
        case .request(_, _, .openURL): for place in watches.indices { watches[place].wrongPriority = nil }
        // Whoever was told something since the daemon's return was not there.
        case .adopted: for place in watches.indices { watches[place].mayHaveMissed = true }
        case .callbackReturned(let app, let generation, let number):
            change(app, generation, device) { watch in
                guard let first = watch.awaited.first, first.number == number else { return }
                watch.awaited.removeFirst()
                if !watch.awaited.isEmpty { watch.awaited[0].since = device.now }
                watch.returned(first.kind)
                watch.unseenSince = device.now
            }
        case .connected(let app, let generation, let executed):
            change(app, generation, device) { watch in
                if watch.hasConnected { watch.hasReconnected = true }
                watch.hasConnected = true
                guard let executed else { return }
                while let first = watch.awaited.first, first.number <= executed {
                    watch.awaited.removeFirst()
                    watch.returned(first.kind)
                    watch.unseenSince = device.now
                }
                if !watch.awaited.isEmpty { watch.awaited[0].since = device.now }
            }
        case .processStarted(let app, let generation, _):
            // Nobody waits for a plain program's launch.
            guard let place = device.place(of: app), device.apps[place].process?.isPlain == true else { return }
            change(app, generation, device) { $0.launchedAt = nil }
        case .mainThreadAnswered(let app, let generation):
            change(app, generation, device) { watch in
                watch.pingedAt = nil
                watch.unseenSince = device.now
            }
        case .disconnected(let app, let generation):
            change(app, generation, device) { watch in
                // Who was asked and cannot answer any more is looked at anew.
                watch.mayHaveMissed = true
                if watch.pingedAt != nil { watch.unseenSince = device.now }
                watch.pingedAt = nil
            }
        case .tracerChecked(let app, let generation, let isTraced):
            // Under a debugger every clock starts again.
            guard isTraced else { return }
            change(app, generation, device) { watch in
                if !watch.awaited.isEmpty { watch.awaited[0].since = device.now }
                watch.launchedAt = watch.launchedAt.map { _ in device.now }
                watch.pingedAt = watch.pingedAt.map { _ in device.now }
                watch.tasksSince = nil
                watch.askedAt = watch.askedAt.map { _ in device.now }
            }
        default: return
        }
    }

    private mutating func begin(_ id: CommandID, _ command: Command, _ device: Device) {
        var generation: Generation?
        switch command {
        case .close(let app, _), .uninstall(let app):
            generation = device.place(of: app).flatMap { device.apps[$0].process?.generation }
        default: break
        }
        commands.append(Waiting(id: id, command: command, generation: generation, began: device.now, since: device.now))
    }

    private mutating func change(
        _ app: AppIndex, _ generation: Generation, _ device: Device, _ body: (inout Watch) -> Void
    ) {
        guard let place = device.place(of: app), place < watches.count, watches[place].generation == generation else {
            return
        }
        body(&watches[place])
    }

    // MARK: Effects

    private mutating func check(_ effect: Effect, _ effects: [Effect], _ device: Device) {
        switch effect.action {
        case .log(let entry): check(entry, effects, device)
        case .launch(let app, let generation, let isBackground):
            launched(app, generation, isBackground: isBackground, device)
        case .deliver(let app, let generation, let callbacks):
            change(app, generation, device) { watch in
                // Sent again after a reconnection: known already.
                for callback in callbacks where !watch.awaited.contains(where: { $0.number == callback.number }) {
                    watch.awaited.append((callback.number, callback.timed, device.now))
                }
                watch.pingedAt = nil
                watch.noteScreen(callbacks, at: device.now)
                watch.noteWindows(callbacks, at: device.now)
            }
            if callbacks.contains(where: { $0.kind == .willEnterForeground }) { checkTold(app, device) }
        case .tellConditions(let app, let generation, let conditions): told(app, generation, conditions, device)
        case .expireTasks(let app, let generation, _):
            change(app, generation, device) { $0.toldAt = device.now }
        case .check(let app, let generation, let pings):
            change(app, generation, device) { watch in
                watch.unseenSince = device.now
                if pings { watch.pingedAt = watch.pingedAt ?? device.now }
            }
        case .prepare(let app, let generation):
            change(app, generation, device) { watch in
                watch.pingedAt = nil
                watch.unseenSince = nil
            }
        case .askToEnd(let app, let generation):
            change(app, generation, device) { watch in
                watch.askedAt = device.now
                watch.unseenSince = nil
            }
        case .freeze(let app, _): checkFreeze(app, effects, device)
        case .setPriority(let app, let generation, let priority):
            change(app, generation, device) { $0.priority = priority }
        case .kill(let app, let generation):
            let locks = device.place(of: app).map { device.heldLocks($0).map(\.name) } ?? []
            change(app, generation, device) { watch in
                watch.killed = watch.killed ?? (watch.awaited.first, locks, device.now)
                watch.awaited = []
                watch.pingedAt = nil
                watch.launchedAt = nil
                watch.unseenSince = nil
            }
        case .thaw(let app, let generation):
            // What its main thread had said on its way into the freeze is old by now.
            change(app, generation, device) { $0.unseenSince = $0.unseenSince.map { _ in device.now } }
        case .report, .checkTracer, .verify, .expireWindow, .reply, .answer, .halt, .sample,
            .reclaim, .senseMemory, .measureDisk, .emptyCaches, .mechanism, .service:
            return
        }
    }

    private mutating func launched(
        _ app: AppIndex, _ generation: Generation, isBackground: Bool, _ device: Device
    ) {
        guard let place = device.place(of: app), place < watches.count else { return }
        let isExempt = watches[place].isExempt
        let fetches = watches[place].fetches
        let wasWoken = watches[place].wasWokenNow == device.now
        watches[place] = Watch()
        watches[place].fetches = fetches
        watches[place].wasWoken = wasWoken
        watches[place].isExempt = isExempt
        watches[place].generation = generation
        watches[place].launchedAt = device.now
        if isBackground { watches[place].leftAt = device.now }
    }

    private func checkFreeze(_ app: AppIndex, _ effects: [Effect], _ device: Device) {
        guard let place = device.place(of: app) else { return }
        let (name, manifest) = (device.apps[place].script.name, device.apps[place].script.manifest)
        if watches[place].grammar.isForeground { device.violate("\(name) is frozen, and was never told to leave") }
        if watches[place].isExempt { device.violate("\(name) is frozen although the user exempted it") }
        if !manifest.isFreezable { device.violate("\(name) is frozen although it is graphical") }
        checkServices(place, app, effects, device)
        checkFrozenWindows(place, device)
        if let task = device.apps[place].process?.tasks.first(where: \.isGranted) {
            device.violate("\(name) is frozen although it has yet to end the task \(task.name)")
        }
    }

    /// A tool is told; what it is told must be so by now.
    mutating func answered(_ id: CommandID, _ answer: Answer, on device: Device) {
        guard let number = commands.firstIndex(where: { $0.id == id }) else { return }
        let command = commands.remove(at: number)
        guard case .done = answer else { return }
        switch command.command {
        case .open(let app, _, true), .restart(let app, true):
            guard let place = device.place(of: app) else { return }
            let isThere = device.state(place) == .active && device.apps[place].process?.freezer == .running
            let isTold = device.apps[place].process?.isPlain == true || watches[place].grammar.state == .active
            if !isThere || !isTold {
                device.violate("\(device.apps[place].script.name) is said to be open, and is not")
            }
        case .openURL(let url, true): checkOpened(url, answer, since: command.began, device)
        case .close(let app, true), .uninstall(let app):
            guard let place = device.place(of: app) else { return }
            // It may have been launched anew since.
            if let process = device.apps[place].process, process.generation == command.generation {
                device.violate("\(device.apps[place].script.name) is said to be gone, and runs")
            }
        default: return
        }
    }

    // MARK: The log

    /// They come from outside, and not from what was before.
    private static let firstCauses: Set<LogEvent> = [
        .peerConnected, .methodCalled, .wakeRequested, .wakeRefused, .cachesEmptied,
    ]

    private mutating func noteExemption(_ entry: LogEntry, _ device: Device) {
        let change: (name: String, isExempt: Bool)
        switch entry.reason {
        case .exempted(let name, let isExempt): change = (name, isExempt)
        case .uninstalled(let name): change = (name, false)
        default: return
        }
        guard let place = device.apps.firstIndex(where: { $0.script.manifest.name == change.name }) else { return }
        watches[place].isExempt = change.isExempt
        if case .uninstalled = entry.reason { watches[place].fetches = Watch.Fetches() }
    }

    private mutating func check(_ entry: LogEntry, _ effects: [Effect], _ device: Device) {
        let number = entry.sequence.rawValue
        if lastSequence != 0, number != lastSequence + 1 {
            device.violate("log entry \(number) follows \(lastSequence)")
        }
        lastSequence = number
        if let cause = entry.cause, cause >= entry.sequence { device.violate("log entry \(number) is its own cause") }
        noteExemption(entry, device)
        if entry.event == .booted { forgetClosings() }
        guard let app = entry.app, let place = device.place(of: app) else { return }
        noteWake(entry, place, device)
        if entry.cause == nil, !Self.firstCauses.contains(entry.event), !entry.isNote {
            device.violate("log entry \(number) about an app has no cause")
        }
        if entry.event == .suspended { checkSuspended(place, device) }
        guard entry.event == .terminated, case .end(let reason, _, let state) = entry.reason else { return }
        checkEnd(place, reason, state, entry, effects, device)
    }
}
