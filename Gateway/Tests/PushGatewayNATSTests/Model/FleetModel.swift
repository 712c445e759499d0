import Model
import PushCore
import PushLink

/// A fleet without machines: nodes with their real couriers, keepers and sessions, and a store that is slow, loses
/// writes and answers, and gives old values. Whatever is under way happens in an order that a seed chooses.
final class FleetModel {
    struct Random: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var z = state
            z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
            z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
            return z ^ (z >> 31)
        }
    }

    /// Named by the identifier of its message.
    typealias Waiter = Waiting

    enum Waiting: Sendable, Hashable {
        case request(String)
        /// A node that was told a message answers the node that told it.
        case ticket(node: Int, UInt64, life: Int)
        case removal
    }

    struct Sent {
        var topic: String
        var submitted: Int
        var answered: Int?
        var outcome: MailboxOutcome?
    }

    /// What can go wrong.
    struct Faults {
        var lostWrites = 0.0
        var lateWrites = 0.0
        var oldReads = 0.0
        var failedReads = 0.0
        var lostAnswers = 0.0
        var kills = 0.0
        /// A node that is there is not found.
        var unreachable = 0.0
    }

    /// Then a message that was acknowledged does not come again.
    var isFaultless: Bool {
        [
            faults.lostWrites, faults.lateWrites, faults.failedReads, faults.lostAnswers, faults.kills,
            faults.unreachable,
        ].allSatisfy { $0 == 0 }
    }

    static let device: DeviceID = {
        guard let device = DeviceID([UInt8](repeating: 7, count: 12)) else {
            // Twelve bytes are a device.
            preconditionFailure("twelve bytes are a device")
        }
        return device
    }()

    var random: Random
    let faults: Faults
    var rules = PushRules()
    var nodes: [ModelNode] = []
    private(set) var history: [(mailbox: Mailbox?, sequence: UInt64)] = [(nil, 0)]
    private var events: [() -> Void] = []
    private(set) var clock = 0
    var sent: [String: Sent] = [:]
    /// By identifiers, in the order in which the device got them, repetitions included.
    var received: [String] = []
    /// Those whose acknowledgement a gateway has heard, and on which visit; and those of them that it has removed from
    /// the store. The others come again if the device goes to another gateway at that moment.
    var acknowledged: [String: Mailbox.Visit] = [:]
    private(set) var forgotten: Set<String> = []
    var problems: [String] = []
    /// What was sent, for a node that has to send it again.
    private(set) var outstanding: [String: PushMessage] = [:]
    var link: ModelLink?
    private var lastSequence: UInt64 = 0

    init(seed: UInt64, nodes count: Int, faults: Faults) {
        random = Random(state: seed)
        self.faults = faults
        rules.unacknowledged = 4
        for index in 0..<count { nodes.append(ModelNode(self, index)) }
    }

    var now: WallTime { WallTime(nanoseconds: 1_800_000_000_000_000_000 + Int64(clock) * 1_000_000) }

    func chance(_ probability: Double) -> Bool {
        probability > 0 && Double.random(in: 0..<1, using: &random) < probability
    }

    func later(_ event: @escaping () -> Void) { events.append(event) }

    /// Something that is under way happens. `false`: nothing is.
    func step() -> Bool {
        guard !events.isEmpty else { return false }
        clock += 1
        let index = Int.random(in: 0..<events.count, using: &random)
        events.remove(at: index)()
        return true
    }

    func settle() {
        for _ in 0..<200_000 where step() {}
        if !events.isEmpty { problems.append("it does not come to rest") }
    }

    // MARK: The store

    func read(fromLeader: Bool, _ answer: @escaping (MailboxReading) -> Void) {
        later { [self] in
            if chance(faults.failedReads) { return answer(.failed) }
            var value = history[history.count - 1]
            if !fromLeader, chance(faults.oldReads) {
                value = history[Int.random(in: 0..<history.count, using: &random)]
            }
            later { answer(.found(value.mailbox, sequence: value.sequence)) }
        }
    }

    func write(_ mailbox: Mailbox, after sequence: UInt64, _ answer: @escaping (MailboxWriting) -> Void) {
        later { [self] in
            if chance(faults.lostWrites) { return later { answer(.unknown) } }
            if chance(faults.lateWrites) {
                later { self.later { _ = self.put(mailbox, after: sequence) } }
                return later { answer(.unknown) }
            }
            let result = put(mailbox, after: sequence)
            let isLost = chance(faults.lostAnswers)
            later { answer(isLost ? .unknown : result) }
        }
    }

    private func put(_ mailbox: Mailbox, after sequence: UInt64) -> MailboxWriting {
        guard let last = history.last, last.sequence == sequence else { return .conflict }
        // As bytes: what is not written is not there.
        guard let copy = try? Mailbox(mailbox.encoded, device: Self.device), copy == mailbox else {
            problems.append("a mailbox is another one when it is read")
            return .conflict
        }
        lastSequence += UInt64.random(in: 1...3, using: &random)
        history.append((copy, lastSequence))
        let present = Set(copy.messages.map(\.id))
        for (id, visit) in acknowledged where visit == copy.visit && !present.contains(id) { forgotten.insert(id) }
        if history.count > 20 { history.removeFirst() }
        return .done(sequence: lastSequence)
    }

    // MARK: What is asked of it

    func send(_ id: String, topic: String, collapse: String? = nil, to node: Int) {
        sent[id] = Sent(topic: topic, submitted: clock)
        let message = PushMessage(
            number: nodes[node].number(), device: Self.device, topic: topic, id: id, type: .alert, priority: 10,
            expires: now.nanoseconds / 1_000_000_000 + 100_000, collapse: collapse, at: now, payload: Array("{}".utf8))
        outstanding[id] = message
        nodes[node].accept(message, .request(id))
    }

    func answer(_ id: String, _ outcome: MailboxOutcome) {
        if sent[id]?.outcome != nil { problems.append("\(id) was answered twice") }
        sent[id]?.outcome = outcome
        sent[id]?.answered = clock
    }

    /// The device connects. Its old connection may be open yet at its other end.
    func connect(to node: Int) {
        link?.lost()
        let link = ModelLink(self, nodes[node])
        self.link = link
        link.open()
    }

    /// The last messages that the device must have got, and those that it may not have got.
    func check() {
        let got = Set(received)
        for (id, message) in sent where message.outcome == .accepted && !got.contains(id) {
            // It may have been superseded by one that came later, or at the same time.
            let isSuperseded = sent.contains { other, later in
                other != id && later.topic == message.topic && got.contains(other)
                    && (later.answered ?? .max) >= message.submitted
            }
            if !isSuperseded { problems.append("\(id) of \(message.topic) was accepted and never delivered") }
        }
        if let mailbox = history.last?.mailbox, !mailbox.messages.isEmpty {
            problems.append("left in the mailbox: \(mailbox.messages.map(\.id))")
        }
    }
}
