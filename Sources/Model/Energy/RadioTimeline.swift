/// What a radio is doing.
package enum RadioPhase: Hashable, Sendable, Codable {
    case idle
    /// On the way up: from idle, or from the tail with this number.
    case promoting(fromTail: Int?)
    /// Data flows.
    case high
    /// Lingering in the tail with this number.
    case tail(Int)

    package var isWarm: Bool { self != .idle }

    package var name: String {
        switch self {
        case .idle: "idle"
        case .promoting: "promoting"
        case .high: "high"
        case .tail: "tail"
        }
    }
}

/// What is sent or fetched over a radio: asked for at a moment, and how long its bytes take once they can flow.
package struct RadioTransfer: Hashable, Sendable, Codable {
    package var at: Instant
    package var lasts: Span
    package var sent: Int64
    package var received: Int64

    package init(at: Instant, lasts: Span, sent: Int64 = 0, received: Int64 = 0) {
        self.at = at
        self.lasts = lasts
        self.sent = sent
        self.received = received
    }
}

/// One radio over time: told of transfers in the order in which they are asked for, it says what they cost, to the
/// picojoule, and what it is doing at any moment that is not before the last of them.
///
/// Every transfer starts the tails anew. That few small packets do not (`RadioModel.SmallTraffic`) is left out, since
/// this is for planning; the account of what was really spent (`Radio`) minds it.
package struct RadioTimeline: Hashable, Sendable, Codable {
    package let model: RadioModel
    /// What was spent until `settled`.
    private var spent = Energy.zero
    private var settled = Instant.zero
    /// The last promotion: from when, until when, at what power, and out of which tail.
    private var promotedFrom = Instant.zero
    private var promotedUntil = Instant.zero
    private var promotionPower = Power.zero
    private var promotedTail: Int?
    /// Until here data flows or will; `nil`: none has.
    private var dataEnds: Instant?

    package init(_ model: RadioModel) { self.model = model }

    // MARK: Transfers

    /// Returns when its data has arrived.
    @discardableResult
    package mutating func add(_ transfer: RadioTransfer) -> Instant {
        let start = max(transfer.at, settled)
        settle(to: start)
        spent += model.sentByte * transfer.sent + model.receivedByte * transfer.received
        var ready = start
        switch phase(at: start) {
        case .high: break
        case .promoting: ready = promotedUntil
        case .idle: ready = promote(model.promotion, fromTail: nil, at: start)
        case .tail(let tail): ready = promote(model.tails[tail].promotion, fromTail: tail, at: start)
        }
        let ends = ready + max(.zero, transfer.lasts)
        dataEnds = max(dataEnds ?? ends, ends)
        return ends
    }

    private mutating func promote(_ promotion: RadioModel.Promotion?, fromTail: Int?, at start: Instant) -> Instant {
        promotedFrom = start
        promotedUntil = start + (promotion?.lasts ?? .zero)
        promotionPower = promotion?.power ?? .zero
        promotedTail = fromTail
        return promotedUntil
    }

    // MARK: Looking

    package func phase(at moment: Instant) -> RadioPhase {
        guard let dataEnds else { return .idle }
        if moment >= promotedFrom, moment < promotedUntil { return .promoting(fromTail: promotedTail) }
        if moment < dataEnds { return .high }
        var end = dataEnds
        for (number, tail) in model.tails.enumerated() {
            end = end + tail.lasts
            if moment < end { return .tail(number) }
        }
        return .idle
    }

    /// Data that is asked for now need not wake the radio.
    package func isWarm(at moment: Instant) -> Bool { phase(at: moment).isWarm }

    /// When it falls asleep if nothing more is asked for; `nil`: it sleeps from the beginning.
    package var idleFrom: Instant? { dataEnds.map { $0 + model.tailLength } }

    /// What is spent until a moment that is not before the last transfer.
    package func energy(until moment: Instant) -> Energy {
        var copy = self
        copy.settle(to: moment)
        return copy.spent
    }

    /// All that is spent if nothing more is asked for.
    package var energy: Energy { energy(until: idleFrom ?? settled) }

    /// What one more transfer adds, if none follows.
    package func marginalCost(of transfer: RadioTransfer) -> Energy {
        var with = self
        with.add(transfer)
        return with.energy - energy
    }

    private mutating func settle(to moment: Instant) {
        guard moment > settled else { return }
        defer { settled = moment }
        guard let dataEnds else { return }
        func overlap(_ from: Instant, _ until: Instant) -> Span {
            max(.zero, min(until, moment) - max(from, settled))
        }
        spent += promotionPower * overlap(promotedFrom, promotedUntil)
        spent += model.power * overlap(promotedUntil, dataEnds)
        var end = dataEnds
        for tail in model.tails {
            spent += tail.power * overlap(end, end + tail.lasts)
            end = end + tail.lasts
        }
    }
}

extension RadioModel {
    /// What transfers cost together, tails included, in any order given.
    package func energy(of transfers: [RadioTransfer]) -> Energy {
        var timeline = RadioTimeline(self)
        for transfer in transfers.sorted(by: { $0.at < $1.at }) { timeline.add(transfer) }
        return timeline.energy
    }
}

/// What a planner knows of the radio at the moment when it asks.
package struct RadioState: Hashable, Sendable, Codable {
    /// `nil`: there is no network.
    package var model: RadioModel?
    package var phase: RadioPhase
    /// How long it stays awake if nothing more is asked for.
    package var warmFor: Span

    package init(_ model: RadioModel?, _ phase: RadioPhase = .idle, warmFor: Span = .zero) {
        self.model = model
        self.phase = phase
        self.warmFor = warmFor
    }

    package init(_ timeline: RadioTimeline, at moment: Instant) {
        let rest = timeline.idleFrom.map { max(.zero, $0 - moment) } ?? .zero
        self.init(timeline.model, timeline.phase(at: moment), warmFor: rest)
    }

    package static let noNetwork = RadioState(nil)

    package var isWarm: Bool { model != nil && phase.isWarm }
}

extension RadioState {
    /// What a transfer that is asked for now adds, if nothing else happens; nothing where there is no network.
    package func marginalCost(lasting: Span, sent: Int64, received: Int64) -> Energy {
        guard let model else { return .zero }
        let own = model.power * lasting + model.sentByte * sent + model.receivedByte * received
        let tails = model.tails.reduce(Energy.zero) { $0 + $1.power * $1.lasts }
        func promotion(_ promotion: RadioModel.Promotion?) -> Energy {
            promotion.map { $0.power * $0.lasts } ?? .zero
        }
        switch phase {
        case .idle: return promotion(model.promotion) + own + tails
        // It goes up, and lingers, anyway.
        case .promoting, .high: return own
        case .tail(let number):
            guard number < model.tails.count else { return own + tails }
            // What is left of the tails is spent anyway.
            return promotion(model.tails[number].promotion) + own + tails - remainder(of: model)
        }
    }

    /// What the tails still cost.
    private func remainder(of model: RadioModel) -> Energy {
        var left = warmFor
        var rest = Energy.zero
        for tail in model.tails.reversed() {
            let part = min(left, tail.lasts)
            rest += tail.power * part
            left = left - part
        }
        return rest
    }
}
