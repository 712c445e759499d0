import Foundation
import Model
import PolicyCore
import Testing

/// A model world around a `System`, as async-http-client's `MockConnectionPool` is one around its state machine:
/// processes that start, connect, freeze and die, and a host that performs effects and refuses illegal ones.
///
/// Nothing happens by itself. An effect makes a *step* possible (a delegate returns, the kernel confirms a freeze):
/// `run` takes all steps in a fixed order, a storm takes them in any. After every event the device checks the Core's
/// invariants, the order and causes of the effects, and the event's coding; `finish` replays the whole recording.
final class TestDevice {
    var system: System
    var now = Instant(nanoseconds: 1_000_000_000)
    /// By app index; `nil` while the Core has to believe that there is none.
    var processes: [FakeProcess?] = []
    var behaviours: [Behaviour] = []
    /// The delegate methods that really ran, by app.
    var calls: [[CallbackKind]] = []
    var launchOptions: [[Callback]] = []

    var log: [LogEntry] = []
    var reports: [ReportFacts] = []
    var answers: [CommandID: Answer] = [:]
    var unanswered: Set<CommandID> = []
    var replies: [RequestID: AppReply] = [:]
    /// What services were told; tests answer in their place.
    var toldServices: [ServiceAction] = []
    /// What apps were told; tests end the tasks themselves.
    var snapshots: [AppIndex] = []
    var told: [(app: AppIndex, conditions: DeviceConditions)] = []
    var expirations: [(app: AppIndex, expiration: Expiration)] = []
    var expiredWindows: [(app: AppIndex, window: WindowID, left: Model.Span)] = []
    /// What was asked about memory; tests answer themselves.
    var sampled: [AppIndex] = []
    var reclaimed: [AppIndex] = []
    var sensings = 0
    /// How often the disk was to be measured, and whose caches were to be emptied.
    var measurings = 0
    var emptied: [AppIndex] = []
    var launches = 0
    var thaws = 0
    var hasHalted = false
    /// The daemon dies after so many effects of the next event; the rest is lost.
    var effectsUntilDeath: Int?
    var isDaemonDead = false

    /// What is told is not what is: effects are not performed.
    var isLawless = false
    /// A storm keeps only the last entries.
    var keepsLog = true

    let label: String
    let profile: DeviceProfile
    private(set) var faults: [String] = []
    private(set) var eventCount = 0
    private var recording = ByteWriter()
    private var effectHashes: [Int] = []
    private var nextCommand: UInt64 = 1
    private var nextRequest: UInt64 = 1
    private var lastSequence: UInt64 = 0
    private var nextPID: Int32 = 100

    init(_ profile: DeviceProfile = .linux, label: String = "") {
        self.profile = profile
        self.label = label
        system = System(profile: profile)
        send(.clockChanged(wallOffset: 1_700_000_000_000_000_000))
    }

    func fault(_ text: String) {
        faults.append(text)
        let tail = log.suffix(6).map { "\($0.app.map { "\($0.rawValue)" } ?? "device") \($0.event.name)" }
        if faults.count < 4 { Issue.record("\(label) event \(eventCount): \(text); after: \(tail)") }
    }

    // MARK: Telling the Core

    @discardableResult
    func send(_ event: Event) -> [Effect] {
        eventCount += 1
        record(event)
        let effects = system.handle(event, at: now)
        var hasher = Hasher()
        hasher.combine(effects)
        effectHashes.append(hasher.finalize())
        check(effects, after: event)
        for (number, effect) in effects.enumerated() {
            if let limit = effectsUntilDeath, number >= limit { break }
            if !isLawless { perform(effect.action) }
        }
        if effectsUntilDeath != nil {
            effectsUntilDeath = nil
            isDaemonDead = true
        }
        return effects
    }

    func install(_ manifest: AppManifest) -> AppIndex {
        send(.installed(manifest))
        guard let index = system.index(of: manifest.identifier) else {
            fault("\(manifest.identifier) is not installed")
            return AppIndex(0)
        }
        while processes.count <= Int(index.rawValue) {
            processes.append(nil)
            behaviours.append(Behaviour())
            calls.append([])
            launchOptions.append([])
        }
        return index
    }

    /// A command on its way: its identifier, to look for the answer later.
    func begin(_ command: Command) -> CommandID {
        let id = CommandID(nextCommand)
        nextCommand += 1
        unanswered.insert(id)
        send(.command(id, command))
        return id
    }

    /// A command and everything that follows from it without the passing of time.
    @discardableResult
    func perform(_ command: Command) -> Answer? {
        let id = begin(command)
        run()
        return answers[id]
    }

    @discardableResult
    func request(_ app: AppIndex, _ request: AppRequest) -> AppReply? {
        let id = sendRequest(app, request)
        run()
        return replies[id]
    }

    @discardableResult
    func sendRequest(_ app: AppIndex, _ request: AppRequest) -> RequestID {
        let id = RequestID(nextRequest)
        nextRequest += 1
        send(.request(app, id, request))
        return id
    }

    func newPID() -> Int32 {
        nextPID += 1
        return nextPID
    }

    // MARK: Time

    /// Lets time pass in virtual time, deadline by deadline.
    func pass(_ span: Span) {
        let target = now + span
        run()
        while let next = system.nextDeadline(), next <= target, !isDaemonDead {
            now = max(now, next)
            send(.timer)
            run()
        }
        now = target
    }

    /// Takes every possible step, those of the first app first, until nothing is possible.
    func run() {
        for _ in 0..<10_000 {
            guard !isDaemonDead, let i = processes.indices.first(where: { !possibleSteps($0).isEmpty }) else { return }
            take(possibleSteps(i).first, i)
        }
        fault("it never settles")
    }

    func possibleSteps(_ i: Int) -> Steps { processes[i]?.steps(behaviours[i]) ?? [] }

    // MARK: Checks

    private func record(_ event: Event) {
        var writer = ByteWriter()
        event.encode(into: &writer)
        var reader = ByteReader(writer.bytes[...])
        let decoded = try? Event(from: &reader)
        if decoded != event || !reader.isAtEnd {
            fault("\(event) does not survive its coding: \(String(describing: decoded))")
        }
        recording.write(now.nanoseconds)
        event.encode(into: &recording)
    }

    private func check(_ effects: [Effect], after event: Event) {
        var hasAnswered = false
        for effect in effects {
            switch effect.action {
            case .answer, .halt: hasAnswered = true
            default: if hasAnswered { fault("\(effect.action) after an answer, on \(event)") }
            }
            if let cause = effect.cause, cause >= system.nextSequence { fault("\(effect) has no earlier cause") }
            if case .log(let entry) = effect.action { check(entry) }
            if case .report(let facts) = effect.action, keepsLog { reports.append(facts) }
        }
        for broken in system.brokenInvariants() { fault("\(broken), after \(event)") }
    }

    private func check(_ entry: LogEntry) {
        if entry.sequence.rawValue != lastSequence + 1 {
            fault("entry \(entry.sequence) does not follow \(lastSequence)")
        }
        lastSequence = entry.sequence.rawValue
        if let cause = entry.cause, cause >= entry.sequence { fault("entry \(entry) is caused by a later one") }
        let comesFromOutside: [LogEvent] = [
            .peerConnected, .methodCalled, .wakeRequested, .wakeRefused, .cachesEmptied,
        ]
        if entry.cause == nil, entry.app != nil, !comesFromOutside.contains(entry.event) {
            fault("entry \(entry) has no cause")
        }
        if !keepsLog, log.count == 100 { log.removeFirst(50) }
        log.append(entry)
    }

    /// Replays the recording through a fresh System: the same events give the same effects.
    func finish() {
        var replayed = System(profile: profile)
        var reader = ByteReader(recording.bytes[...])
        for (number, expected) in effectHashes.enumerated() {
            guard let nanoseconds = try? reader.signed(), let event = try? Event(from: &reader) else {
                return fault("the recording is damaged at event \(number)")
            }
            var hasher = Hasher()
            hasher.combine(replayed.handle(event, at: Instant(nanoseconds: nanoseconds)))
            if hasher.finalize() != expected {
                return fault("event \(number), \(event), has other effects when replayed")
            }
        }
        if !reader.isAtEnd { fault("the recording goes on") }
    }

    /// The Core as a checkpoint would give it back.
    func checkpoint() -> System {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        do {
            return try JSONDecoder().decode(System.self, from: try encoder.encode(system))
        } catch {
            fault("the checkpoint cannot be read: \(error)")
            return system
        }
    }
}
