import Model
import PushCore
import PushLink

/// A node of the model: what a desk does for one device.
final class ModelNode {
    typealias Waiting = FleetModel.Waiting

    final class Stay {
        var keeper: MailboxKeeper<Waiting>
        var link: ModelLink?
        var loads: [(Int, ModelLink)] = []
        var next: Stay?

        init(_ keeper: MailboxKeeper<Waiting>, _ link: ModelLink) {
            self.keeper = keeper
            self.link = link
        }
    }

    final class Errand {
        var courier: MailboxCourier<Waiting>
        init(_ courier: MailboxCourier<Waiting>) { self.courier = courier }
    }

    unowned let model: FleetModel
    let index: Int
    /// Each death makes another node of it.
    private(set) var life = 0
    private var stay: Stay?
    private var errand: Errand?
    private var visits: UInt64 = 0
    private var lastNumber: Int64 = 0

    init(_ model: FleetModel, _ index: Int) {
        self.model = model
        self.index = index
    }

    private var id: UInt64 { UInt64(index + 1) << 32 | UInt64(life) }

    private static let limit = 500_000

    func number() -> Int64 {
        lastNumber = max(lastNumber + 1, model.now.nanoseconds / 1_000_000)
        return lastNumber
    }

    /// Everything that it had is gone.
    func kill() {
        life += 1
        stay?.link?.lost()
        (stay, errand) = (nil, nil)
    }

    private func living(_ body: @escaping () -> Void) -> () -> Void {
        let born = life
        return { if self.life == born { body() } }
    }

    // MARK: As a desk

    func attach(_ link: ModelLink) {
        if let stay {
            if let old = stay.link, old !== link { old.replaced() }
            if !stay.keeper.isEnding {
                stay.link = link
                return
            }
        }
        visits += 1
        let visit = Mailbox.Visit(node: id, number: visits)
        let stay = Stay(MailboxKeeper(visit: visit, limit: Self.limit, now: model.now), link)
        let last = self.stay
        self.stay = stay
        last?.next = stay
        if last == nil { perform(stay.keeper.open(now: model.now), stay) }
    }

    func detach(_ link: ModelLink) {
        guard let stay, stay.link === link else { return }
        stay.link = nil
        stay.loads = []
        perform(stay.keeper.release(now: model.now), stay)
    }

    func load(_ limit: Int, _ link: ModelLink) {
        guard let stay else { return }
        stay.loads.append((limit, link))
        answerLoads(stay)
    }

    private func answerLoads(_ stay: Stay) {
        guard stay.keeper.isOpen else { return }
        let loads = stay.loads
        stay.loads = []
        for (limit, link) in loads {
            let page = stay.keeper.page(limit: limit, now: model.now)
            link.loaded(page.messages, page.isAll)
        }
    }

    func acknowledge(_ number: Int64, _ id: String, _ link: ModelLink) {
        guard let stay, stay.link === link, !stay.keeper.isEnding else { return }
        model.acknowledged[id] = stay.keeper.visit
        perform(stay.keeper.acknowledge(number, now: model.now), stay)
    }

    func accept(_ message: PushMessage, _ waiter: Waiting) {
        guard errand == nil, let stay, stay.keeper.isOpen else { return send(message, waiter) }
        perform(
            stay.keeper.accept(message, isReading: stay.link?.isReading ?? false, waiter, now: model.now), stay)
    }

    private func send(_ message: PushMessage, _ waiter: Waiting) {
        let errand =
            errand ?? Errand(MailboxCourier(holder: nil, rules: model.rules, limit: Self.limit))
        self.errand = errand
        perform(errand.courier.accept(message, waiter, until: Instant(nanoseconds: .max)), errand)
    }

    private func deliver(_ message: PushMessage, _ waiter: Waiting) {
        guard let stay else { return answer(waiter, .moved) }
        perform(
            stay.keeper.accept(message, isReading: stay.link?.isReading ?? false, waiter, now: model.now), stay)
    }

    func tick() {
        guard let stay else { return }
        perform(stay.keeper.check(fromLeader: false, now: model.now), stay)
    }

    // MARK: What the machines want

    private func answer(_ waiter: Waiting, _ outcome: MailboxOutcome) {
        switch waiter {
        case .request(let id):
            // As a desk does for what is its own.
            if outcome == .moved, let again = model.outstanding[id] {
                send(again, waiter)
            } else {
                model.answer(id, outcome)
            }
        case .ticket(let node, let ticket, let life):
            let teller = model.nodes[node]
            let isLost = model.chance(model.faults.lostAnswers)
            model.later { teller.told(ticket, isLost ? nil : outcome, life) }
        case .removal: break
        }
    }

    private func told(_ ticket: UInt64, _ outcome: MailboxOutcome?, _ life: Int) {
        guard life == self.life, let errand else { return }
        perform(errand.courier.told(ticket, outcome), errand)
    }

    private func perform(_ actions: [MailboxKeeper<Waiting>.Action], _ stay: Stay) {
        for action in actions {
            switch action {
            case .read(let fromLeader):
                let done = life
                model.read(fromLeader: fromLeader) { reading in
                    if self.life == done { self.perform(stay.keeper.read(reading, now: self.model.now), stay) }
                }
            case .write(let mailbox, let sequence):
                let done = life
                model.write(mailbox, after: sequence) { writing in
                    if self.life == done { self.perform(stay.keeper.wrote(writing, now: self.model.now), stay) }
                }
            case .pause: model.later(living { self.perform(stay.keeper.resume(now: self.model.now), stay) })
            case .flushSoon: model.later(living { self.perform(stay.keeper.flush(now: self.model.now), stay) })
            case .answer(let waiter, let outcome): answer(waiter, outcome)
            case .deliver(let message): stay.link?.deliver(message)
            case .missed: stay.link?.missed()
            case .opened: answerLoads(stay)
            case .replaces(let visit, let sequence):
                model.tell(visit.node) { $0.replaced(visit.number, by: sequence) }
            case .replaced: stay.link?.replaced()
            case .closed:
                if self.stay === stay { self.stay = nil }
                if let next = stay.next { perform(next.keeper.open(now: model.now), next) }
            case .superseded, .expired: break
            }
        }
    }

    private func replaced(_ visit: UInt64, by sequence: UInt64) {
        guard let stay else { return }
        perform(stay.keeper.replaced(visit, by: sequence, now: model.now), stay)
    }

    private func perform(_ actions: [MailboxCourier<Waiting>.Action], _ errand: Errand) {
        for action in actions {
            switch action {
            case .read(let fromLeader):
                let done = life
                model.read(fromLeader: fromLeader) { reading in
                    if self.life == done { self.perform(errand.courier.read(reading, now: self.model.now), errand) }
                }
            case .write(let mailbox, let sequence):
                let done = life
                model.write(mailbox, after: sequence) { writing in
                    if self.life == done { self.perform(errand.courier.wrote(writing, now: self.model.now), errand) }
                }
            case .tell(let node, let message, let ticket): tell(node, message, ticket, errand)
            case .warn(let node):
                model.tell(node) { node in
                    if let stay = node.stay {
                        node.perform(stay.keeper.check(fromLeader: true, now: node.model.now), stay)
                    }
                }
            case .pause: model.later(living { self.perform(errand.courier.resume(), errand) })
            case .answer(let waiter, let outcome): answer(waiter, outcome)
            case .superseded: break
            }
        }
        if errand.courier.isIdle, self.errand === errand { self.errand = nil }
    }

    private func tell(_ node: UInt64, _ message: PushMessage, _ ticket: UInt64, _ errand: Errand) {
        let waiter = Waiting.ticket(node: index, ticket, life: life)
        if node == id { return deliver(message, waiter) }
        model.later { [self] in
            guard let other = model.nodes.first(where: { $0.id == node }), !model.chance(model.faults.unreachable)
            else { return answer(waiter, .moved) }
            other.deliver(message, waiter)
        }
    }

    fileprivate var identifier: UInt64 { id }
}

extension FleetModel {
    /// A word to a node that may be lost, or come after the node has died.
    func tell(_ node: UInt64, _ body: @escaping (ModelNode) -> Void) {
        later { [self] in
            guard let other = nodes.first(where: { $0.identifier == node }), !chance(faults.unreachable) else { return }
            body(other)
        }
    }
}

/// A device's connection, with the session that a gateway has for it.
final class ModelLink {
    unowned let model: FleetModel
    let node: ModelNode
    private var session = LinkSession(at: .zero)
    private var numbers: Set<Int64> = []
    private var acknowledging = ""
    private var unacknowledged: [(number: Int64, id: String)] = []
    /// The device's end.
    private(set) var isOpen = true
    private var isClosed = false

    init(_ model: FleetModel, _ node: ModelNode) {
        self.model = model
        self.node = node
    }

    var isReading: Bool { session.isReading }

    func open() {
        let proof = LinkProof(
            names: ["gateway"], digest: { _ in FleetModel.device.bytes }, isSigned: { _, _, _ in true })
        for record in [
            AgentRecord.hello(key: [4] + [UInt8](repeating: 1, count: 64)),
            .prove(signature: [UInt8](repeating: 1, count: 64)),
        ] {
            perform(session.receive(record, rules: model.rules, proof: proof, nonce: { [] }, at: .zero))
        }
    }

    func deliver(_ message: PushMessage) { perform(session.deliver(message, rules: model.rules, at: .zero)) }
    func missed() { perform(session.missed(rules: model.rules)) }
    func loaded(_ messages: [PushMessage], _ isAll: Bool) {
        model.later { [self] in
            perform(session.loaded(messages, isAll: isAll, rules: model.rules, now: model.now))
        }
    }

    func replaced() {
        perform(session.end(.replaced))
    }

    /// The network is gone; the gateway hears of it after a while.
    func lost() {
        guard isOpen else { return }
        isOpen = false
        model.later { [self] in close() }
    }

    private func close() {
        guard !isClosed else { return }
        isClosed = true
        session.closed()
        node.detach(self)
    }

    /// The device acknowledges one of those that it has.
    func acknowledgeOne() {
        guard isOpen, !unacknowledged.isEmpty else { return }
        let index = Int.random(in: 0..<unacknowledged.count, using: &model.random)
        let (number, id) = unacknowledged.remove(at: index)
        acknowledging = id
        let proof = LinkProof(names: [], digest: { $0 }, isSigned: { _, _, _ in false })
        perform(session.receive(.ack(number: number), rules: model.rules, proof: proof, nonce: { [] }, at: .zero))
    }

    var hasUnacknowledged: Bool { isOpen && !unacknowledged.isEmpty }

    private func perform(_ actions: [LinkSession.Action]) {
        for action in actions {
            switch action {
            case .send(.push(let push)):
                guard isOpen else { continue }
                if !numbers.insert(push.number).inserted { model.problems.append("number \(push.number) came twice") }
                if model.forgotten.contains(push.id), model.isFaultless {
                    model.problems.append("\(push.id) came again after it was acknowledged")
                }
                model.received.append(push.id)
                unacknowledged.append((push.number, push.id))
            case .send: break
            case .attach: node.attach(self)
            case .load(_, let limit): node.load(limit, self)
            case .acknowledge(_, let number): node.acknowledge(number, acknowledging, self)
            case .register, .unregister: break
            case .close:
                isOpen = false
                close()
            }
        }
    }
}
