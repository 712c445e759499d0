package import Model

/// What the radios and positioning of a device and its apps' fetches spent, and on whom (E1–E3), from what was seen of
/// its traffic.
///
/// The rule: a byte's own energy goes to whose byte it is. While the radio is promoted or carries data, its power is
/// shared equally by those for whom data flows or waits; in the tails, by those whose data would have kept it awake by
/// itself until then. So what wakes it pays for waking it, whoever joins pays a share from then on, and the sum of all
/// shares is the whole, to the picojoule.
package struct EnergyAccount: Hashable, Sendable, Codable {
    /// Data of one consumer, as far as it has been seen: one flow for each.
    private struct Flow: Hashable, Codable {
        let id: TrafficID
        let consumer: Consumer
        /// On which radio.
        let part: EnergyPart
        var bytes: Int64
        var began: Instant
        var ends: Instant
    }

    /// The network before the present one.
    struct NetworkBefore: Hashable, Codable {
        let part: EnergyPart?
        let until: Instant
    }

    package private(set) var ledger = EnergyLedger()
    /// `nil`: it has not changed.
    private(set) var before: NetworkBefore?
    private var cellular: Radio
    private var wifi: Radio
    /// In the order of their ends, then of their numbers.
    private var flows: [Flow] = []
    private var nextFlow: UInt64 = 1
    /// Who uses satellites, in order.
    private var satelliteUsers: [Consumer] = []
    /// Until here everything is in the ledger.
    package private(set) var settled = Instant.zero
    /// What was sent and received in all.
    package private(set) var sent: Int64 = 0
    package private(set) var received: Int64 = 0

    package init(cellular: RadioModel = .lte) {
        self.cellular = Radio(cellular, part: .cellular)
        wifi = Radio(.wifi, part: .wifi)
    }

    // MARK: What is seen

    /// Bytes flowed from a moment until another. Reports come in the order of their ends; of a report, what lies before
    /// the end of the one before counts as if it had flowed then, so traffic that lasts is best told in pieces.
    package mutating func traffic(
        _ consumer: Consumer, over part: EnergyPart, sent: Int64, received: Int64, from: Instant, to: Instant
    ) {
        guard part == .cellular || part == .wifi, sent >= 0, received >= 0, sent &+ received > 0 else { return }
        settle(to: from)
        self.sent &+= sent
        self.received &+= received
        let start = settled
        let length = max(.zero, to - max(from, start))
        let cost = radio(part).cost(of: sent, .up) + radio(part).cost(of: received, .down)
        ledger.add(cost, to: consumer, by: part)
        if let place = flows.firstIndex(where: { $0.consumer == consumer && $0.part == part }) {
            var flow = flows.remove(at: place)
            flow.bytes &+= sent &+ received
            flow.ends = max(flow.ends, start + length)
            insert(flow)
            return
        }
        let id = TrafficID(nextFlow)
        nextFlow += 1
        var ready = start
        withRadio(part) { ready = $0.open(id, for: consumer, at: start) }
        insert(
            Flow(
                id: id, consumer: consumer, part: part, bytes: sent &+ received, began: ready, ends: ready + length))
        settle(to: start)
    }

    /// Processes of an app kept a core at work for so long.
    package mutating func processed(_ consumer: Consumer, for time: Span) {
        guard time > .zero else { return }
        ledger.add(Power.core * time, to: consumer, by: .processor)
    }

    /// These share what satellites cost from now on; none: they are off.
    package mutating func setSatelliteUsers(_ consumers: [Consumer], at moment: Instant) {
        settle(to: moment)
        satelliteUsers = Set(consumers).sorted()
    }

    /// Another network, or none, in place of one with that radio.
    mutating func networkChanged(from part: EnergyPart?, isLost: Bool, at moment: Instant) {
        before = NetworkBefore(part: part, until: moment)
        if isLost, let part { networkLost(part, at: moment) }
    }

    /// The network went: the radio is idle at once, and what flowed has ended.
    package mutating func networkLost(_ part: EnergyPart, at moment: Instant) {
        settle(to: moment)
        let now = settled
        for flow in flows where flow.part == part {
            withRadio(part) { $0.close(flow.id, bytes: 0, in: .zero, at: now) }
        }
        flows.removeAll { $0.part == part }
        withRadio(part) { $0.turnOff() }
    }

    /// The app is gone; what it spent is the system's from now on.
    package mutating func forget(_ app: AppIndex) {
        satelliteUsers.removeAll { $0.app == app }
        ledger.forget(app)
    }

    /// Everything until a moment goes into the ledger.
    package mutating func settle(to moment: Instant) {
        while true {
            guard let next = nextChange, next <= moment else { break }
            // An end may lie before what is settled, where reports came late.
            integrate(to: max(next, settled))
            cellular.pass(settled)
            wifi.pass(settled)
            let now = settled
            while let flow = flows.first, flow.ends <= now {
                flows.removeFirst()
                withRadio(flow.part) {
                    $0.close(flow.id, bytes: flow.bytes, in: max(.zero, flow.ends - flow.began), at: now)
                }
            }
        }
        integrate(to: max(moment, settled))
    }

    private var nextChange: Instant? {
        var next = cellular.nextChange
        if let change = wifi.nextChange { next = min(next ?? change, change) }
        if let end = flows.first?.ends { next = min(next ?? end, end) }
        return next
    }

    // MARK: Looking

    /// The same at a later moment, with an empty ledger: to ask what the radios do without a copy of all that was
    /// spent.
    func withoutLedger(at moment: Instant) -> EnergyAccount {
        var account = self
        account.ledger = EnergyLedger()
        account.settle(to: moment)
        return account
    }

    /// What is spent in all, until `settled`.
    package var total: Energy { ledger.total }

    /// What the radio is doing, for whoever plans.
    package func state(of part: EnergyPart) -> RadioState {
        let radio = radio(part)
        switch radio.state {
        case .idle: return RadioState(radio.model)
        case .promoting(let tail, _):
            return RadioState(radio.model, .promoting(fromTail: tail), warmFor: radio.model.tailLength)
        case .carrying: return RadioState(radio.model, .high, warmFor: radio.model.tailLength)
        case .tail(let number, let until):
            let later = radio.model.tails.dropFirst(number + 1).reduce(Span.zero) { $0 + $1.lasts }
            return RadioState(radio.model, .tail(number), warmFor: max(.zero, until - settled) + later)
        }
    }

    package var wakeups: Int { cellular.wakeups }

    // MARK: Parts

    private func radio(_ part: EnergyPart) -> Radio { part == .wifi ? wifi : cellular }

    private mutating func withRadio(_ part: EnergyPart, _ body: (inout Radio) -> Void) {
        if part == .wifi { body(&wifi) } else { body(&cellular) }
    }

    private mutating func insert(_ flow: Flow) {
        let place = flows.firstIndex { ($0.ends, $0.id) > (flow.ends, flow.id) } ?? flows.count
        flows.insert(flow, at: place)
    }

    private mutating func integrate(to moment: Instant) {
        cellular.settle(to: moment, &ledger)
        wifi.settle(to: moment, &ledger)
        if !satelliteUsers.isEmpty {
            let spent = Positioning.satellite.power * (moment - settled)
            ledger.add(spent, sharedBy: satelliteUsers, by: .gps)
        }
        settled = moment
    }
}
