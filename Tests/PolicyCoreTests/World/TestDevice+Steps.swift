import Model
import PolicyCore

// What processes and the kernel do, one step at a time.
extension TestDevice {
    func take(_ step: Steps, _ i: Int) {
        guard var process = processes[i] else { return }
        let app = AppIndex(UInt32(i))
        let generation = process.generation
        var news: Event?
        switch step {
        case .start:
            process.isStarting = false
            if let failure = behaviours[i].launchFailure {
                processes[i] = nil
                send(.launchFailed(app, generation, failure))
                return
            }
            news = .processStarted(app, generation, pid: process.pid)
        case .connect:
            process.isConnected = true
            news = .connected(app, generation, executed: process.executed)
        case .repeatAnswer: news = .callbackReturned(app, generation, process.repeatedAnswers.removeFirst())
        case .returnCallback: news = returnCallback(app, &process)
        case .prepared:
            process.mustPrepare = false
            news = .prepared(app, generation)
        case .frozen:
            process.freezer = .frozen
            news = .frozen(app, generation)
        case .verified:
            process.mustVerify = false
            processes[i] = process
            tellFindings(i)
            guard let now = processes[i], now.generation == generation, now.freezer == .frozen else { return }
            process = now
            news = .verified(app, generation)
        case .tracer:
            process.mustCheckTracer = false
            news = .tracerChecked(app, generation, isTraced: behaviours[i].isTraced)
        case .ping:
            process.mustAnswerPing = false
            news = .mainThreadAnswered(app, generation)
        case .count:
            process.mustCount = false
            news = .processesCounted(app, generation, behaviours[i].processCount)
        case .peer:
            // It tells once.
            process.isGuarded = false
            news = .mechanism(Incarnation(app, generation), .sockets(.peerCame(name: process.listeners[0])))
        case .sockets:
            process.mustShowSockets = false
            let use = SocketUse(connections: process.connections, waiting: process.waiting, work: process.work)
            news = .mechanism(Incarnation(app, generation), .sockets(.seen(use)))
        case .end: process.die(.signaled(15))
        case .die: process.die(.signaled(9))
        case .tellFirst:
            process.toldFirst = true
            news = process.status.map { .firstProcessEnded(app, generation, $0) }
        case .tellDisconnected:
            process.isConnected = false
            news = .disconnected(app, generation)
        case .tellAll:
            processes[i] = nil
            send(.allProcessesEnded(app, generation))
            return
        default: fault("no such step: \(step.rawValue)")
        }
        processes[i] = process
        if let news, !isDaemonDead { send(news) }
    }

    /// The delegate method returns. An answer to a daemon that is not there is lost.
    private func returnCallback(_ app: AppIndex, _ process: inout FakeProcess) -> Event? {
        let callback = process.queue.removeFirst()
        if let executed = process.executed, callback.number.rawValue != executed.rawValue + 1 {
            fault("\(callback) is executed after \(executed)")
        }
        process.executed = callback.number
        calls[Int(app.rawValue)].append(callback.kind)
        launchOptions[Int(app.rawValue)].append(callback)
        return process.isConnected ? .callbackReturned(app, process.generation, callback.number) : nil
    }

    /// The process ends by itself.
    func crash(_ app: AppIndex, _ status: ExitStatus = .signaled(11)) {
        let i = Int(app.rawValue)
        guard var process = processes[i], !process.isStarting, process.status == nil else { return }
        process.die(status, leavingOthers: behaviours[i].leavesOthers)
        processes[i] = process
    }

    /// The processes that the first one left behind end as well.
    func endOthers(_ app: AppIndex) { processes[Int(app.rawValue)]?.othersLeft = false }

    // MARK: The daemon's death

    /// Everything that only the daemon knew is lost; the kernel's and the apps' state stays.
    func killDaemon() {
        isDaemonDead = true
        unanswered = []
        for i in processes.indices {
            guard var process = processes[i] else { continue }
            process.isConnected = false
            process.mustPrepare = false
            process.mustVerify = false
            process.mustAnswerPing = false
            process.mustCount = false
            process.mustCheckTracer = false
            process.mustShowSockets = false
            process.isGuarded = false
            process.repeatedAnswers = []
            // What was killed dies and what was being frozen freezes, without a daemon too.
            if process.freezer == .freezing, behaviours[i].canFreeze { process.freezer = .frozen }
            if process.mustDie, !behaviours[i].cannotDie { process.die(.signaled(9)) }
            processes[i] = process
        }
    }

    /// What happens while no daemon runs: apps go on with what they had received.
    func runWithoutDaemon() {
        for i in processes.indices {
            while possibleSteps(i).contains(.returnCallback) { take(.returnCallback, i) }
            if possibleSteps(i).contains(.end) { take(.end, i) }
        }
    }

    /// A new daemon reads the checkpoint and looks at what is there.
    func restartDaemon(fromCheckpoint: Bool = true) {
        killDaemon()
        if fromCheckpoint { system = checkpoint() }
        isDaemonDead = false
        var found: [AdoptedApp] = []
        for i in processes.indices {
            guard var process = processes[i] else { continue }
            let app = AppIndex(UInt32(i))
            if process.isStarting, behaviours[i].launchFailure != nil {
                processes[i] = nil
                continue
            }
            process.isStarting = false
            process.toldFirst = process.status != nil
            process.mustEnd = false
            found.append(
                AdoptedApp(
                    app: app, pid: process.isGone ? nil : process.pid, isFrozen: process.freezer == .frozen,
                    status: process.status))
            processes[i] = process.isGone ? nil : process
        }
        send(.adopted(found))
        for i in processes.indices where processes[i]?.freezer == .frozen && processes[i]?.listeners.isEmpty == false {
            tellSockets(i)
        }
    }

    /// What the host finds once nothing of the app can change any more.
    private func tellFindings(_ i: Int) {
        guard let process = processes[i] else { return }
        if let lock = behaviours[i].lock {
            let (path, blocksOthers) = lock
            send(
                .mechanism(
                    Incarnation(AppIndex(UInt32(i)), process.generation),
                    .locks(.found(path: path, blocksOthers: blocksOthers))))
        }
        guard let now = processes[i], now.generation == process.generation, now.freezer == .frozen else { return }
        if !now.listeners.isEmpty { tellSockets(i) }
    }

    // MARK: Sockets

    private func tellSockets(_ i: Int) {
        guard let process = processes[i] else { return }
        let listeners = process.listeners.enumerated().map { number, name in
            Listener(name: name, peers: number == 0 ? process.connections : 0)
        }
        send(
            .mechanism(
                Incarnation(AppIndex(UInt32(i)), process.generation),
                .sockets(.found(listeners, connections: process.connections))))
    }

    func listen(_ app: AppIndex, at name: String) { processes[Int(app.rawValue)]?.listeners.append(name) }

    /// Somebody connects.
    func connectPeer(_ app: AppIndex) {
        let i = Int(app.rawValue)
        guard var process = processes[i], !process.listeners.isEmpty else { return }
        if process.freezer == .frozen, process.isGuarded, !process.isWoken {
            process.refused += 1
        } else {
            process.waiting += 1
            if process.freezer == .running { process.accept(behaviours[i]) }
        }
        processes[i] = process
        if !isDaemonDead { run() }
    }

    /// Everybody who is connected leaves.
    func disconnectPeers(_ app: AppIndex) { processes[Int(app.rawValue)]?.connections = 0 }
}
