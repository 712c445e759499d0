package import Model

/// A radio: idle, on the way up, carrying data, or lingering. Its energy goes to those who keep it awake.
package struct Radio: Hashable, Sendable, Codable {
    package enum State: Hashable, Sendable, Codable {
        case idle
        /// From idle, or from the tail with this number.
        case promoting(fromTail: Int?, until: Instant)
        case carrying
        case tail(Int, until: Instant)
    }

    /// Somebody for whom data flows, or waits to.
    private struct Flow: Hashable, Codable {
        let transfer: TrafficID
        let consumer: Consumer
    }

    /// A consumer whose data would by itself have kept the radio awake until then.
    private struct Cause: Hashable, Codable {
        let consumer: Consumer
        var until: Instant
    }

    private struct Burst: Hashable, Codable {
        let at: Instant
        let bytes: Int64
    }

    package let model: RadioModel
    package let part: EnergyPart
    package private(set) var state = State.idle
    private var flows: [Flow] = []
    private var causes: [Cause] = []
    /// Those whose flows are open, each once, in order.
    private var carried: [Consumer] = []
    /// What counts as the last of the data: the tails follow from here.
    private var lastData = Instant.zero
    /// Small traffic that still counts.
    private var recent: [Burst] = []
    /// Until here the energy is in the ledger.
    private var settled = Instant.zero
    /// How often it has left idle.
    package private(set) var wakeups = 0

    package init(_ model: RadioModel, part: EnergyPart) {
        self.model = model
        self.part = part
    }

    package var power: Power {
        switch state {
        case .idle: .zero
        case .promoting(nil, _): model.promotion?.power ?? .zero
        case .promoting(let tail?, _): model.tails[tail].promotion?.power ?? .zero
        case .carrying: model.power
        case .tail(let tail, _): model.tails[tail].power
        }
    }

    /// When it changes by itself.
    package var nextChange: Instant? {
        switch state {
        case .idle, .carrying: nil
        case .promoting(_, let until): until
        case .tail(_, let until): causes.reduce(until) { min($0, $1.until) }
        }
    }

    /// Who pays for the present state.
    package var payers: [Consumer] {
        switch state {
        case .idle: []
        case .promoting, .carrying: carried.isEmpty ? causes.map(\.consumer) : carried
        case .tail: causes.map(\.consumer)
        }
    }

    package mutating func settle(to now: Instant, _ ledger: inout EnergyLedger) {
        switch state {
        case .idle: break
        case .promoting where !carried.isEmpty, .carrying where !carried.isEmpty:
            ledger.add(power * (now - settled), sharedBy: carried, by: part)
        case .promoting, .carrying, .tail:
            ledger.add(power * (now - settled), sharedByEach: causes.lazy.map(\.consumer), by: part)
        }
        settled = now
    }

    /// What moving the bytes costs beyond the state's power.
    package func cost(of bytes: Int64, _ direction: Direction) -> Energy {
        switch direction {
        case .up: model.sentByte * bytes
        case .down: model.receivedByte * bytes
        }
    }

    // MARK: Flows; the caller has settled

    /// Data is to flow; returns when it can.
    package mutating func open(_ transfer: TrafficID, for consumer: Consumer, at now: Instant) -> Instant {
        flows.append(Flow(transfer: transfer, consumer: consumer))
        countCarried()
        switch state {
        case .carrying: return now
        case .promoting(_, let until):
            keepAwake(consumer, until: until + model.tailLength)
            return until
        case .idle:
            wakeups += 1
            return promote(by: model.promotion, fromTail: nil, for: consumer, at: now)
        case .tail(let tail, _):
            return promote(by: model.tails[tail].promotion, fromTail: tail, for: consumer, at: now)
        }
    }

    private mutating func promote(
        by promotion: RadioModel.Promotion?, fromTail tail: Int?, for consumer: Consumer, at now: Instant
    ) -> Instant {
        guard let promotion else {
            if tail == nil { resetTails(consumer, at: now) }
            state = .carrying
            return now
        }
        let until = now + promotion.lasts
        state = .promoting(fromTail: tail, until: until)
        keepAwake(consumer, until: until + model.tailLength)
        return until
    }

    /// No more data flows; so many bytes did, in such a time.
    package mutating func close(_ transfer: TrafficID, bytes: Int64, in span: Span, at now: Instant) {
        guard let index = flows.firstIndex(where: { $0.transfer == transfer }) else { return }
        let consumer = flows.remove(at: index).consumer
        countCarried()
        // While it is being promoted nothing has flowed; the promotion goes on.
        guard state == .carrying else { return }
        if bytes > 0 { noteData(consumer, bytes: bytes, in: span, at: now) }
        if flows.isEmpty { linger(at: now) }
    }

    private mutating func noteData(_ consumer: Consumer, bytes: Int64, in span: Span, at now: Instant) {
        guard let small = model.smallTraffic else { return resetTails(consumer, at: now) }
        recent.removeAll { now - $0.at > small.window }
        let inWindow =
            span > small.window ? bytes.scaled(by: small.window.nanoseconds, over: span.nanoseconds) : bytes
        recent.append(Burst(at: now, bytes: inWindow))
        guard recent.reduce(0, { $0 + $1.bytes }) <= small.bytes else { return resetTails(consumer, at: now) }
        // The first tail has run out below the data: the second one begins now, and this data is its cause.
        guard let first = model.tails.first, now - lastData > first.lasts else { return }
        lastData = now + Span(nanoseconds: -first.lasts.nanoseconds)
        keepAwake(consumer, until: lastData + model.tailLength)
    }

    private mutating func resetTails(_ consumer: Consumer, at now: Instant) {
        lastData = now
        keepAwake(consumer, until: now + model.tailLength)
    }

    private mutating func keepAwake(_ consumer: Consumer, until: Instant) {
        var (place, high) = (0, causes.count)
        while place < high {
            let middle = (place + high) / 2
            if causes[middle].consumer < consumer { place = middle + 1 } else { high = middle }
        }
        if place < causes.count, causes[place].consumer == consumer {
            causes[place].until = max(causes[place].until, until)
        } else {
            causes.insert(Cause(consumer: consumer, until: until), at: place)
        }
    }

    private mutating func countCarried() {
        carried.removeAll(keepingCapacity: true)
        for flow in flows where !carried.contains(flow.consumer) { carried.append(flow.consumer) }
        carried.sort()
    }

    // MARK: Time

    /// What it does by itself at this moment.
    package mutating func pass(_ now: Instant) {
        switch state {
        case .idle, .carrying: return
        case .promoting(_, let until):
            guard until <= now else { return }
            lastData = now
            if flows.isEmpty { linger(at: now) } else { state = .carrying }
        case .tail(_, let until):
            causes.removeAll { $0.until <= now }
            if until <= now { linger(at: now) }
        }
    }

    /// Goes to the tail that this moment belongs to.
    private mutating func linger(at now: Instant) {
        var end = lastData
        for (number, tail) in model.tails.enumerated() {
            end = end + tail.lasts
            guard end > now else { continue }
            causes.removeAll { $0.until <= now }
            state = .tail(number, until: end)
            return
        }
        turnOff()
    }

    /// Idle at once, as when the user turns it off.
    package mutating func turnOff() {
        state = .idle
        causes.removeAll(keepingCapacity: true)
        recent.removeAll(keepingCapacity: true)
    }
}
