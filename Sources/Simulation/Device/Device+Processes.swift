internal import Model
internal import PolicyCore

/// What happens to a process next.
enum ProcessStep {
    case start
    case traffic
    case connect
    case arrive([Callback], connection: UInt32)
    case workEnds(UInt32)
    /// The app's answer reaches the daemon.
    case reply(CallbackNumber, connection: UInt32)
    case ask(RequestID, AppRequest, connection: UInt32)
    case expire(Expiration, connection: UInt32)
    case expireWindow(WindowID, connection: UInt32)
    case conditions(DeviceConditions, connection: UInt32)
    case prepared(UInt32)
    case frozen(UInt32)
    case verified(UInt32)
    case tracer
    case count
    case ping(connection: UInt32)
    case pong(connection: UInt32)
    case timer(SimulatedProcess.MainItem)
    case terminate
    case die
    case tellFirst
    case tellDisconnected(connection: UInt32)
    case tellAll
    case sample
    case reclaim
    case mechanism(MechanismStep)

    enum Way { case toApp, fromApp, none }

    /// Through the app's socket, and in which direction.
    var way: Way {
        switch self {
        case .arrive, .ping, .expire, .expireWindow, .conditions: .toApp
        case .reply, .ask, .pong: .fromApp
        case .start, .traffic, .connect, .workEnds, .prepared, .frozen, .verified, .tracer, .count, .timer, .terminate,
            .die, .tellFirst, .tellDisconnected, .tellAll, .sample, .reclaim:
            .none
        case .mechanism(let step): step.way
        }
    }
}

extension Device {
    /// What a step may have to know of its process.
    private struct Glance {
        let generation: Generation
        let connection: UInt32
        let isConnected: Bool
        let workNumber: UInt32
        let suspension: UInt32
        let hasEnded: Bool
        let isGone: Bool
        let isTraced: Bool
        let processCount: Int32
        let answersPings: Bool
        let ignoresTermination: Bool

        init(_ process: borrowing SimulatedProcess) {
            generation = process.generation
            connection = process.connection
            isConnected = process.isConnected
            workNumber = process.workNumber
            suspension = process.suspension
            hasEnded = process.status != nil
            isGone = process.isGone
            isTraced = process.manners.isTraced
            processCount = process.manners.processCount
            answersPings = process.manners.answersPings
            ignoresTermination = process.manners.ignoresTermination
        }
    }

    func take(_ step: ProcessStep, _ place: Int) {
        guard let process = apps[place].process?.ask(Glance.init), let app = apps[place].index else { return }
        let generation = process.generation
        switch step {
        case .start: start(place)
        case .connect: connect(place)
        case .traffic: lookAtTraffic(place)
        case .arrive(let callbacks, let connection):
            if connection == process.connection, process.isConnected { arrive(callbacks, place) }
        case .workEnds(let number): if number == process.workNumber { endWork(place) }
        case .reply(let number, let connection):
            if connection == process.connection { send(.callbackReturned(app, generation, number)) }
        case .ask(let id, let request, let connection):
            if connection == process.connection {
                checkMayAsk(place)
                send(.request(app, id, request))
            }
        case .expire(let expiration, let connection):
            if connection == process.connection, process.isConnected { expire(expiration, place) }
        case .expireWindow(let window, let connection):
            if connection == process.connection, process.isConnected { enqueue(.windowExpiration(window), place) }
        case .conditions(let conditions, let connection):
            if connection == process.connection, process.isConnected { enqueue(.conditions(conditions), place) }
        case .prepared(let suspension):
            if suspension == process.suspension { send(.prepared(app, generation)) }
        case .frozen(let suspension): frozen(place, suspension)
        case .verified(let suspension):
            if suspension == process.suspension { verifyMechanisms(place, suspension) }
            // It may have been a reason to let it run.
            if suspension == apps[place].process?.suspension { send(.verified(app, generation)) }
        case .tracer: send(.tracerChecked(app, generation, isTraced: process.isTraced))
        case .count:
            if !process.isGone { send(.processesCounted(app, generation, process.processCount)) }
            checkMechanisms(place)
        case .ping(let connection):
            if connection == process.connection, !process.hasEnded, process.answersPings {
                enqueue(.ping, place)
            }
        case .pong(let connection):
            if connection == process.connection { send(.mainThreadAnswered(app, generation)) }
        case .timer(let item): fire(item, place)
        case .terminate:
            if !process.hasEnded, !process.ignoresTermination { end(place, .signaled(15), others: false) }
        case .die: end(place, .signaled(9), others: false)
        case .tellFirst, .tellDisconnected, .tellAll: tell(step, place)
        case .sample: sample(place)
        case .reclaim: reclaim(place)
        case .mechanism(let step): take(step, place)
        }
    }

    /// What an app said before it froze is a reason not to freeze it: nobody may be called suspended before that is
    /// read.
    private func checkMayAsk(_ place: Int) {
        guard daemon == .running, let process = apps[place].process, process.isFrozen, !process.isLateToSpeak,
            state(place) == .suspended
        else { return }
        violate("\(apps[place].script.name) is said to be suspended, and what it asked for before is not read")
    }

    private func start(_ place: Int) {
        guard var process = apps[place].process, let app = apps[place].index else { return }
        let diskFull = LaunchFailure(stage: "container", errorNumber: 28, message: "No space left on device")
        if let failure = isDiskFull ? diskFull : process.manners.launchFailure {
            apps[place].process = nil
            send(.launchFailed(app, process.generation, failure))
            return
        }
        process.isStarting = false
        apps[place].process = process
        apps[place].launches += 1
        noteBirth(place)
        if !process.isPlain, process.manners.connects {
            let jitter = Int64(apps[place].process?.random.below(1000) ?? 0)
            let startup = apps[place].script.startup
            at(now + Span(nanoseconds: startup.nanoseconds + startup.nanoseconds / 10_000 * jitter), place, .connect)
        }
        send(.processStarted(app, process.generation, pid: process.pid))
    }

    private func connect(_ place: Int) {
        guard let process = apps[place].process, let app = apps[place].index else { return }
        guard process.status == nil, !process.isConnected, process.manners.connects else { return }
        guard process.canRun, daemon == .running else {
            apps[place].process?.mustConnect = true
            return
        }
        apps[place].process?.mustConnect = false
        apps[place].process?.isConnected = true
        apps[place].process?.connection += 1
        send(.connected(app, process.generation, executed: process.executed))
        // Requests that nobody answered are asked again.
        for request in process.requests {
            after(costs.message, place) { .ask(request.id, request.request, connection: $0.connection) }
        }
    }

    private func frozen(_ place: Int, _ suspension: UInt32) {
        guard let process = apps[place].process, let app = apps[place].index, process.freezer != .running else {
            return
        }
        if process.freezer == .freezing, process.manners.canFreeze {
            sayLastWord(place)
            stopWork(place)
        }
        if suspension == process.suspension, apps[place].process?.isFrozen == true {
            send(.frozen(app, process.generation))
        }
    }

    /// What an app asks for in the moment before it freezes.
    private func sayLastWord(_ place: Int) {
        guard rates.lastWord > 0, var process = apps[place].process else { return }
        let speaks = process.random.chance(perMille: rates.lastWord)
        let word: AppAction =
            services.isEmpty || process.random.oneIn(3)
            ? .beginTask("last word") : .use(word(of: services[process.random.below(services.count)]))
        apps[place].process = process
        if speaks { act(word, place) }
    }

    private func word(of service: SimulatedService) -> ServicePart {
        let declaration = service.script.declaration
        return ServicePart(declaration.name, declaration.holds.first?.name ?? "")
    }

    // MARK: Ends

    /// Its first process ends; the kernel's news of it come one after another.
    func end(_ place: Int, _ status: ExitStatus, others: Bool) {
        guard var process = apps[place].process, !process.isStarting else { return }
        let isNew = process.status == nil
        if isNew { process.status = status }
        process.othersLeft = others
        process.main = []
        process.work = nil
        process.workNumber += 1
        process.lateTimers = []
        process.requests = []
        process.tasks = []
        process.windows = []
        process.sockets = SimulatedSockets()
        let connection = process.connection
        noteEnd(place)
        if process.isGone { unlockAll(place) }
        process.transfers = []
        process.traffic = []
        process.works = []
        apps[place].process = process
        if isNew {
            apps[place].lastStatus = status
            apps[place].program?.ended(status)
            after(costs.news, place) { _ in .tellFirst }
            if process.isConnected { after(costs.news, place) { _ in .tellDisconnected(connection: connection) } }
        }
        if process.isGone { after(costs.news, place) { _ in .tellAll } }
    }

    private func tell(_ step: ProcessStep, _ place: Int) {
        guard let process = apps[place].process, let app = apps[place].index, daemon == .running else { return }
        switch step {
        case .tellFirst:
            guard let status = process.status, !process.hasToldFirst else { return }
            apps[place].process?.hasToldFirst = true
            send(.firstProcessEnded(app, process.generation, status))
        case .tellDisconnected(let connection):
            guard process.isConnected, process.connection == connection else { return }
            apps[place].process?.isConnected = false
            send(.disconnected(app, process.generation))
        case .tellAll:
            guard process.isGone else { return }
            guard process.hasToldFirst, !process.isConnected else {
                after(costs.news, place) { _ in .tellAll }
                return
            }
            endTraffic(place)
            apps[place].process = nil
            send(.allProcessesEnded(app, process.generation))
        default: return
        }
    }

    /// The app's end of the connection closes; it connects again at once.
    func disconnect(_ place: Int) {
        guard let process = apps[place].process, process.isConnected, let app = apps[place].index else { return }
        apps[place].process?.isConnected = false
        apps[place].process?.connection += 1
        send(.disconnected(app, process.generation))
        after(costs.reconnect, place) { _ in .connect }
    }
}
