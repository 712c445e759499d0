import Model
import Simulation
import TransferCore
import TransferSimulation

/// A shell, servers, apps and a system that misbehave by seed, around a Core that is killed at random points between
/// any two of its effects.
struct StormWorld {
    static let chunk: Int64 = 1000
    static let apps = [journal, podcasts]

    var dice: SplitMix64
    let rules: TransferRules
    var system: TransferSystem
    var store = Facts()
    var now = Instant(nanoseconds: 5_000_000_000_000)
    var offset = Span.seconds(1_800_000_000)
    var conditions = TransferConditions(network: .wifi)
    var hasSystem = true
    var broken: [String] = []
    var kills = 0
    var steps = 0
    /// Nothing goes wrong any more: what is left comes to its end.
    var isCalm = false

    var clients: [StormClient] = []
    var servers: [String: StormServer] = [:]
    var attempts: [AttemptID: StormAttempt] = [:]
    /// The part files: which version of a thing they hold, and how much.
    var parts: [TransferFile: StormPart] = [:]
    var bodies: Set<TransferFile> = []
    var nextBody: UInt64 = 1
    var nextConnection: UInt64 = 1
    var nextRequest: UInt64 = 1
    /// What the shell still has to answer.
    var moves: [(id: TransferID, file: TransferFile, app: AppIdentifier)] = []
    var announcements: [(session: SessionID, app: AppIdentifier, number: UInt64)] = []
    /// Bytes that servers sent for a task, and how many tries it took.
    var fetched: [TransferID: Int64] = [:]
    var tries: [TransferID: Int64] = [:]
    var addresses: [TransferID: String] = [:]

    init(seed: UInt64, rules: TransferRules) {
        dice = SplitMix64(seed: seed)
        self.rules = rules
        system = TransferSystem(rules: rules, seed: seed)
        clients = Self.apps.flatMap { [StormClient(app: $0, session: "a"), StormClient(app: $0, session: "b")] }
        begin()
    }

    mutating func fail(_ text: String) { if broken.count < 20 { broken.append("step \(steps): \(text)") } }

    private mutating func begin(after died: [TransferID]? = nil) {
        let before = kills
        post(.clockChanged(offset))
        // The next process was not told: the marks are read once.
        if let died, kills == before { post(.died(died)) }
        post(.conditions(conditions))
        if hasSystem { attachSystem() }
    }

    /// A system says hello, and how every app is.
    mutating func attachSystem() {
        let before = kills
        post(.systemAttached)
        // The next process has been told already.
        for app in Self.apps where kills == before {
            post(.appState(app, clients.first { $0.app == app }?.presence ?? .none))
        }
    }

    /// Hands an event to the Core, and does what it says, unless the process dies in between.
    mutating func post(_ event: TransferEvent) {
        let effects = system.handle(event, at: now)
        for text in system.brokenInvariants() { fail("\(text) after \(event)") }
        let dies = !isCalm && dice.oneIn(60)
        if dies, dice.oneIn(3) { return restart() }
        store.commit(effects)
        let rest = effects.filter { !$0.isRecord }
        if effects.prefix(effects.count - rest.count).contains(where: { !$0.isRecord }) { fail("records come late") }
        noteAcknowledgement(event)
        let count = dies ? dice.below(rest.count + 1) : rest.count
        for effect in rest.prefix(count) { perform(effect) }
        if dies { restart() }
    }

    /// kill -9 or, more seldom, a fault of its own; and another process.
    private mutating func restart() {
        kills += 1
        let died = !isCalm && dice.oneIn(8) ? Set(attempts.keys.map(\.transfer)).sorted() : nil
        attempts = [:]
        moves = []
        announcements = []
        for place in clients.indices { clients[place].loseService() }
        system = TransferSystem(restoring: store.stored, rules: rules, seed: dice.next())
        for text in system.brokenInvariants() where !text.contains("work is left over") { fail("\(text) restored") }
        let used = system.filesInUse
        for file in parts.keys where !used.contains(file) { parts[file] = nil }
        for file in bodies where !used.contains(file) { bodies.remove(file) }
        for (id, task) in store.tasks {
            let durable = store.offsets[id] ?? task.durable
            guard let file = task.file, task.phase != .ended, !task.isErrorBody, durable > 0 else { continue }
            if (parts[file]?.length ?? 0) < durable { fail("task \(id.rawValue) lost bytes that it had") }
            // What had not been counted is of no use.
            parts[file]?.length = durable
        }
        begin(after: died)
    }

    mutating func step() {
        steps += 1
        switch dice.below(20) {
        case 0: pass(Double(dice.below(100_000)) / 100)
        case 1..<10: networkStep()
        case 10..<13: clientStep()
        case 13..<16: delegateStep()
        case 16: appStep()
        case 17: shellStep()
        case 18: surroundingsStep()
        default: pass(Double(dice.below(2000)) / 1000)
        }
    }

    mutating func pass(_ seconds: Double) {
        let end = now + .seconds(seconds)
        var turns = 0
        while let next = system.nextDeadline(), next <= end {
            now = max(now, next)
            post(.timer)
            turns += 1
            guard turns < 20_000 else { return fail("the timer never rests") }
        }
        now = max(now, end)
    }

    /// Answers what the system and the disk owe.
    mutating func shellStep() {
        if !moves.isEmpty {
            let move = moves.remove(at: dice.below(moves.count))
            if !isCalm, dice.oneIn(4) {
                post(.moveFailed(move.id, .diskFull))
            } else if let path = moveNow(move.id, move.file, move.app) {
                post(.fileMoved(move.id, path: path))
            } else {
                post(.moveFailed(move.id, .targetGone))
            }
        } else if !announcements.isEmpty {
            let one = announcements.remove(at: dice.below(announcements.count))
            post(.announced(one.session, one.number))
            wake(one.app)
        }
    }

    private mutating func moveNow(_ id: TransferID, _ file: TransferFile, _ app: AppIdentifier) -> String? {
        guard let place = clients.firstIndex(where: { $0.app == app }) else { return nil }
        if let part = parts.removeValue(forKey: file) { clients[place].temporary[id] = part }
        return clients[place].temporary[id] == nil ? nil : "tmp/\(id.rawValue)"
    }

    mutating func surroundingsStep() {
        switch dice.below(8) {
        case 0: conditions.network = dice.pick(NetworkKind.allCases) ?? .wifi
        case 1: conditions.isMetered.toggle()
        case 2:
            conditions.hasExternalPower.toggle()
            if !conditions.hasExternalPower { conditions.isLowPower.toggle() }
        case 3: conditions.battery = dice.oneIn(3) ? nil : Int32(dice.below(1001))
        case 4:
            hasSystem.toggle()
            return hasSystem ? attachSystem() : post(.systemDetached)
        case 5: conditions.isAppOnScreen.toggle()
        case 6:
            let own = Int64(dice.below(1_000_000))
            let link = own + Int64(dice.below(2_000_000))
            return post(
                .link(
                    LinkSample(
                        elapsed: .milliseconds(Int64(dice.below(500))), link: link, own: own, isHeld: dice.oneIn(2))))
        default:
            offset = offset + .seconds(Double(dice.below(200) - 100))
            return post(.clockChanged(offset))
        }
        post(.conditions(conditions))
    }
}
