import ContractSuite
import Model
import PolicyCore
import Simulation

/// The contract suite's view of a device in virtual time.
final class SimulatedContractDevice: ContractDevice {
    let device: Device
    private var requests: [Ticket: CommandID] = [:]
    private static let patience = Span.seconds(120)
    private static let absence = Span.milliseconds(40)

    init(_ profile: DeviceProfile, seed: UInt64) {
        // More than anybody wants, as on a real machine.
        device = Device(profile, seed: seed, memory: 8 << 30)
        var probe = ServiceDeclaration(name: "probe")
        probe.mode = "probe"
        probe.holds = [
            .init(name: "playing", sentence: "the probe plays", activity: .streaming, priority: .foreground),
            .init(name: "watching", sentence: "the probe watches", activity: .location),
        ]
        probe.windows = [.init(name: "news", sentence: "what the probe has for it", time: .seconds(10))]
        let ringer = ServiceDeclaration(name: "ringer", mode: "voip", launchesAtBoot: true, relaunches: true)
        device.declare([ServiceScript(probe), ServiceScript(ringer)])
        device.boot()
    }

    /// The longest way from a deadline to the end that it leads to: tracer, kill and three pieces of news.
    let latency = Span.milliseconds(8)
    var now: WallTime { device.system.wall(device.now) }

    /// A device that broke an invariant keeps no contract.
    private func checkViolations() throws(Breach) {
        if let violation = device.violations.first { throw Breach(violation.text) }
    }

    /// Takes the system down, as whoever is done with it does.
    func end() throws(Breach) {
        device.perform(.shutDown)
        try wait(for: "the system to be down") { device.daemon == .off }
        for app in device.apps where app.process != nil { throw Breach("\(app.script.name) outlives the system") }
    }

    func install(_ app: TestApp) throws(Breach) {
        device.install(try AppScript(app))
        try checkViolations()
    }

    // MARK: Commands

    func begin(_ command: UserCommand, waits: Bool) throws(Breach) -> Ticket {
        let ticket = Ticket(requests.count + 1)
        requests[ticket] = device.begin(translate(command, waits))
        try checkViolations()
        return ticket
    }

    func reply(to ticket: Ticket) throws(Breach) -> Reply? {
        guard let id = requests[ticket] else { throw Breach("no command has the number \(ticket.number)") }
        switch device.answers[id]?.answer {
        case .done: return .done
        case .refused(let refusal): return .refused(refusal.sentence)
        case .overtaken(let refusal): return .overtaken(refusal.sentence)
        case nil: return device.unanswered.contains(id) ? nil : .lost
        }
    }

    private func translate(_ command: UserCommand, _ waits: Bool) -> PolicyCore.Command {
        switch command {
        case .open(let app, let role): .open(index(app), role: role, wait: waits)
        case .openScene(let app, let scene, let role):
            .openScene(index(app), scene.map(Self.scene), role: role, wait: waits)
        case .closeScene(let app, let scene): .closeScene(index(app), Self.scene(scene), wait: waits)
        case .memoryPressure(let level): .pressMemory(level)
        case .openURL(let url): .openURL(url, wait: waits)
        case .home: .home(wait: waits)
        case .lock: .lock(wait: waits)
        case .unlock: .unlock(wait: waits)
        case .switcher(let isOpen): .switcher(isOpen: isOpen, wait: waits)
        case .close(let app): .close(index(app), wait: waits)
        case .restart(let app): .restart(index(app), wait: waits)
        case .exempt(let app, let isExempt): .exempt(index(app), isExempt)
        case .uninstall(let app): .uninstall(index(app))
        case .interrupt(let kind): .interrupt(kind, wait: waits)
        case .dismiss(let kind): .dismiss(kind, wait: waits)
        case .accept(let kind): .accept(kind, wait: waits)
        case .endCall: .endCall(wait: waits)
        case .memoryWarning: .warnMemory
        case .screenshot: .simulate(.screenshot)
        case .sleep: .sleep(wait: waits)
        case .wake: .wake(wait: waits)
        case .reboot: .reboot
        case .fetch(let app, let launches): .simulateFetch(index(app), launches: launches, wait: waits)
        case .allowRefresh(let app, let isAllowed): .allowRefresh(index(app), isAllowed)
        }
    }

    private static func scene(_ number: Int) -> SceneNumber { SceneNumber(UInt32(clamping: number)) }

    /// One that nobody has, for an app that nobody installed.
    private func index(_ app: String) -> AppIndex {
        device.place(named: app).flatMap { device.apps[$0].index } ?? AppIndex(.max)
    }

    // MARK: Time

    func wait(for what: String, until condition: () throws(Breach) -> Bool) throws(Breach) {
        var breach: Breach?
        let isSo = device.advance(within: Self.patience) { _ in
            do throws(Breach) {
                return try condition()
            } catch {
                breach = error
                return true
            }
        }
        if let breach { throw breach }
        try checkViolations()
        guard isSo else {
            throw Breach("\(what) did not come; the log ends with \(try lastEntries)")
        }
    }

    func pass(_ span: Span) throws(Breach) {
        device.advance(by: span)
        try checkViolations()
    }

    // MARK: What is

    private func place(_ app: String) throws(Breach) -> Int {
        guard let place = device.place(named: app) else { throw Breach("\(app) is not installed") }
        return place
    }

    func look(at app: String) throws(Breach) -> Look {
        let place = try place(app)
        let process = device.apps[place].process
        let isVisible = device.apps[place].index.map { device.system.isVisible($0) } ?? false
        return Look(
            state: device.state(place), isVisible: isVisible, pid: device.known(place)?.pid,
            processes: process?.count ?? 0, isFrozen: process?.isFrozen ?? false, isLocking: device.isLocking(place),
            isListening: device.isListening(place),
            isSlowed: process?.priority == .background,
            isReady: process.map { !$0.isStarting } ?? false,
            wasAskedToEnd: device.apps[place].lastStatus == .signaled(15))
    }

    func heard(by app: String) throws(Breach) -> [Heard] {
        device.apps[try place(app)].calls.map { call in
            let isURL = call.kind == .openURL
            let options = call.callback.options
            return Heard(
                call.kind, at: device.system.wall(call.at), url: isURL ? options.url : nil,
                source: isURL ? options.sourceApplication : nil, scene: isURL ? nil : call.callback.scene)
        }
    }

    func log() throws(Breach) -> [Entry] {
        device.log.map { entry in
            Entry(
                number: entry.sequence.rawValue, at: entry.at, app: entry.app.map { device.name(of: $0) },
                event: entry.event, reason: entry.reason.sentence, cause: entry.cause?.rawValue)
        }
    }

    func reports(about app: String) throws(Breach) -> [Report] {
        device.reports.filter { device.name(of: $0.app) == app }.map { Report(code: $0.code, reason: $0.reason) }
    }

    func protection(heardBy app: String) throws(Breach) -> [Bool] {
        var wasAvailable = true
        return device.apps[try place(app)].protection.compactMap { state in
            let isAvailable = state == .available
            defer { wasAvailable = isAvailable }
            return isAvailable == wasAvailable ? nil : isAvailable
        }
    }

    func screenshots(heardBy app: String) throws(Breach) -> Int {
        device.apps[try place(app)].changes.count { $0 == .screenshot }
    }

    func screenHolder() throws(Breach) -> String? { device.system.screenHolder.map { device.name(of: $0) } }

    // MARK: Apps

    func order(_ app: String, _ deed: Deed) throws(Breach) {
        switch deed {
        case .openURL(let url): device.perform(.app(app, .openURL(url)))
        case .canOpenURL(let url): device.perform(.app(app, .canOpenURL(url)))
        case .beginTask(let name): device.perform(.app(app, .beginTask(name)))
        case .endTask(let name): device.perform(.app(app, .endTask(name)))
        case .block: device.inject(.freezeMainThread(app))
        case .exit(let status): device.perform(.app(app, .exit(status)))
        case .crash: device.perform(.app(app, .crash(signal: 11)))
        case .lock(let file): device.perform(.app(app, .lock(file)))
        case .use(let hold): device.perform(.app(app, .use(ServicePart("probe", hold))))
        case .leave(let hold): device.perform(.app(app, .leave(ServicePart("probe", hold))))
        case .activateScene(let scene): device.perform(.app(app, .activateScene(scene.map(Self.scene))))
        case .destroyScene(let scene): device.perform(.app(app, .destroyScene(Self.scene(scene))))
        case .draw: device.perform(.app(app, .useGPU))
        case .listen: device.perform(.app(app, .listen("listener")))
        case .fork(let children): device.perform(.app(app, .fork(1 + children)))
        case .complete(let service, let result): device.perform(.app(app, .complete(service, result)))
        case .setFetchInterval(let interval): device.perform(.app(app, .setFetchInterval(interval)))
        case .submitTask(let kind, let identifier):
            device.perform(.app(app, .submitTask(kind, identifier, after: nil, needs: nil)))
        case .keepScreenOn(let keeps): device.request(.keepScreenOn(keeps), try place(app))
        }
        try checkViolations()
    }

    func answer(heardBy app: String) throws(Breach) -> Bool? {
        switch device.apps[try place(app)].lastReply {
        case .done: true
        case .canOpen(let can): can
        case .refused: false
        case .taskBegan, .taskEnded, .remaining, .noted, .pendingTasks, .scene, nil: nil
        }
    }

    func release(_ app: String) throws(Breach) { try inject(.recover(app)) }
    func kill(_ app: String) throws(Breach) { try inject(.crash(app, signal: 9)) }

    // MARK: The service

    func holds(of app: String) throws(Breach) -> [String] {
        guard let index = device.apps[try place(app)].index, let service = device.system.broker?.services.first else {
            throw Breach("there is no service")
        }
        return service.holds.filter { $0.incarnation.app == index }
            .map { service.declaration.holds[Int($0.kind)].name }
    }

    func serviceAnswer(to app: String) throws(Breach) -> Bool? { device.apps[try place(app)].serviceAnswer }

    func wakeByService(_ app: String) throws(Breach) -> Bool {
        let before = device.services.first?.wakes.count
        device.perform(.wakeByService(app, ServicePart("probe", "news")))
        try wait(for: "the answer to the service") { device.services.first?.wakes.count != before }
        return device.services.first?.wakes.last ?? false
    }

    func killService() throws(Breach) { try inject(.killService("probe")) }
    func stallService(_ isStalled: Bool) throws(Breach) { try inject(.stallService("probe", isStalled)) }

    // MARK: What befalls

    private func inject(_ fault: Fault) throws(Breach) {
        device.inject(fault)
        try checkViolations()
    }

    func killDaemon() throws(Breach) { try inject(.killDaemon(downFor: Self.absence)) }

    func awaitDaemon() throws(Breach) {
        try wait(for: "a new daemon") { device.daemon == .running }
    }

    func connectPeer(to app: String) throws(Breach) {
        device.perform(.connect(app, lasting: .seconds(86_400)))
        try checkViolations()
    }

    func disconnectPeers(from app: String) throws(Breach) { device.disconnectPeers(from: app) }

    func setFrozen(_ app: String, _ isFrozen: Bool) throws(Breach) {
        if isFrozen { device.freezeFromOutside(app) } else { try inject(.thaw(app)) }
    }

    func setTraced(_ app: String, _ isTraced: Bool) throws(Breach) { try inject(.debugger(app, isTraced)) }
}

extension SimulatedProcess {
    /// How many processes the kernel would count.
    fileprivate var count: Int {
        if isStarting || isGone { return 0 }
        let all = Int(manners.processCount)
        return status == nil ? all : max(1, all - 1)
    }
}

extension AppScript {
    /// An app of the contract suite, as the simulation describes it.
    fileprivate init(_ app: TestApp) throws(Breach) {
        guard let identifier = AppIdentifier(app.name) else { throw Breach("\(app.name) is no identifier") }
        self.init(
            name: app.name,
            manifest: AppManifest(
                identifier: identifier, name: app.name, kind: app.kind, backgroundModes: app.backgroundModes,
                exitsOnSuspend: app.exitsOnSuspend, urlSchemes: app.urlSchemes, isFreezable: !app.isGraphical,
                taskIdentifiers: app.taskIdentifiers, scenes: app.scenes))
        for kind in app.slow { callbackTimes[kind] = app.slowness }
        manners.hangsIn = Set(app.holds)
        manners.ignoresTermination = app.ignoresTermination
        manners.leavesOthers = app.leavesChild
        manners.processCount = app.leavesChild ? 2 : 1
        switch app.launch {
        case .works: break
        case .exits: reactions[.didFinishLaunching] = [.exit(3)]
        case .crashes: reactions[.didFinishLaunching] = [.crash(signal: 11)]
        case .neverConnects: manners.connects = false
        case .cannotBeExecuted:
            manners.launchFailure = LaunchFailure(
                stage: "execve", errorNumber: 2, message: "No such file or directory")
        }
    }
}
