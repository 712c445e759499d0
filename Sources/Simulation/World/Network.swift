package import Model
package import PolicyCore

/// The ways to the network, and what moves over them. All transfers in one direction share the line equally.
package struct Network: Hashable, Sendable, Codable {
    package struct Interface: Hashable, Sendable, Codable {
        package internal(set) var radio: Radio
        package internal(set) var link: Link

        package init(_ model: RadioModel, _ link: Link, part: EnergyPart) {
            radio = Radio(model, part: part)
            self.link = link
        }
    }

    package private(set) var cellular: Interface
    package private(set) var wifi: Interface
    package private(set) var reachability: Reachability
    /// In the order in which they were begun.
    package private(set) var transfers: [Transfer] = []
    /// Bytes that have arrived since the beginning, of transfers that are gone too.
    package private(set) var movedBytes: Int64 = 0
    private var nextTransfer: UInt64 = 1
    /// Since when the line is shared as it is.
    private var sharedSince = Instant.zero
    private var movingUp: Int64 = 0
    private var movingDown: Int64 = 0

    package init(cellular: Interface, wifi: Interface, reachability: Reachability = .none) {
        self.cellular = cellular
        self.wifi = wifi
        self.reachability = reachability
    }

    package func transfer(_ id: TrafficID) -> Transfer? { index(id).map { transfers[$0] } }

    private func index(_ id: TrafficID) -> Int? { transfers.firstIndex { $0.id == id } }

    private var interface: Interface? {
        switch reachability {
        case .none: nil
        case .cellular: cellular
        case .wifi: wifi
        }
    }

    /// What the radios draw, without what single bytes cost.
    var power: Power { cellular.radio.power + wifi.radio.power }

    /// Whether moving bytes cost energy of their own at present.
    var bytesCost: Bool {
        guard let model = interface?.radio.model else { return false }
        return (movingUp > 0 && model.sentByte > .zero) || (movingDown > 0 && model.receivedByte > .zero)
    }

    // MARK: The line

    private func rate(_ direction: Direction) -> Rate {
        let line = interface?.link.bytesPerSecond(direction) ?? 0
        let sharers = direction == .up ? movingUp : movingDown
        return Rate(numerator: line, denominator: max(1, sharers) * 1_000_000_000)
    }

    private func moved(_ transfer: Transfer, at now: Instant) -> Int64 {
        guard transfer.state == .moving else { return transfer.moved }
        let more = rate(transfer.direction).amount(in: now - sharedSince)
        return transfer.base + min(transfer.bytes - transfer.base, more)
    }

    /// What the bytes that move from now until then cost.
    func costOfBytes(until then: Instant) -> Energy {
        guard bytesCost, let radio = interface?.radio else { return .zero }
        return transfers.reduce(.zero) { sum, transfer in
            sum + radio.cost(of: moved(transfer, at: then) - transfer.moved, transfer.direction)
        }
    }

    var nextChange: Instant? {
        var next = Instant.earliest(cellular.radio.nextChange, wifi.radio.nextChange)
        for transfer in transfers {
            switch transfer.state {
            case .paused, .stalled: continue
            case .waiting(let until): next = .earliest(next, until)
            case .moving:
                let rest = rate(transfer.direction).time(for: transfer.bytes - transfer.base)
                next = .earliest(next, rest.map { sharedSince + $0 })
            }
        }
        return next
    }

    mutating func settle(to now: Instant, _ ledger: inout EnergyLedger) {
        cellular.radio.settle(to: now, &ledger)
        wifi.radio.settle(to: now, &ledger)
        guard movingUp + movingDown > 0, let radio = interface?.radio else { return }
        for index in transfers.indices where transfers[index].state == .moving {
            let moved = moved(transfers[index], at: now)
            let more = moved - transfers[index].moved
            transfers[index].moved = moved
            movedBytes += more
            let cost = radio.cost(of: more, transfers[index].direction)
            ledger.add(cost, to: transfers[index].consumer, by: radio.part)
        }
    }

    /// The line is shared anew from now on.
    private mutating func share(at now: Instant) {
        sharedSince = now
        (movingUp, movingDown) = (0, 0)
        for index in transfers.indices {
            transfers[index].base = transfers[index].moved
            guard transfers[index].state == .moving else { continue }
            switch transfers[index].direction {
            case .up: movingUp += 1
            case .down: movingDown += 1
            }
        }
    }

    // MARK: What happens by itself; the caller has settled

    mutating func pass(_ now: Instant, _ changes: inout [WorldChange]) {
        cellular.radio.pass(now)
        wifi.radio.pass(now)
        var isSharedAnew = false
        for index in transfers.indices {
            if case .waiting(let until) = transfers[index].state, until <= now {
                transfers[index].state = .moving
                isSharedAnew = true
            }
        }
        for transfer in transfers where transfer.state == .moving && transfer.moved == transfer.bytes {
            close(transfer, at: now)
            changes.append(.transferFinished(transfer.id))
            isSharedAnew = true
        }
        guard isSharedAnew else { return }
        transfers.removeAll { $0.state == .moving && $0.moved == $0.bytes }
        share(at: now)
    }

    // MARK: What is done to it; the caller has settled

    mutating func begin(_ bytes: Int64, _ direction: Direction, for consumer: Consumer, at now: Instant) -> TrafficID {
        let id = TrafficID(nextTransfer)
        nextTransfer += 1
        transfers.append(Transfer(id: id, consumer: consumer, direction: direction, bytes: bytes))
        open(transfers.count - 1, at: now)
        return id
    }

    mutating func pause(_ id: TrafficID, at now: Instant) {
        guard let index = index(id) else { return }
        close(transfers[index], at: now)
        transfers[index].state = .paused
        share(at: now)
    }

    mutating func resume(_ id: TrafficID, at now: Instant) {
        guard let index = index(id), transfers[index].state == .paused else { return }
        open(index, at: now)
    }

    /// What has arrived is gone with it.
    mutating func cancel(_ id: TrafficID, at now: Instant) {
        guard let index = index(id) else { return }
        close(transfers[index], at: now)
        transfers.remove(at: index)
        share(at: now)
    }

    mutating func setLink(_ link: Link, of reachability: Reachability, at now: Instant) {
        switch reachability {
        case .none: return
        case .cellular: cellular.link = link
        case .wifi: wifi.link = link
        }
        share(at: now)
    }

    /// The way to the network changes: what moves goes on over the new one, or stalls.
    mutating func reach(_ new: Reachability, at now: Instant, _ changes: inout [WorldChange]) {
        guard new != reachability else { return }
        let open = transfers.indices.filter { transfers[$0].isOpen || transfers[$0].state == .stalled }
        let hadNetwork = reachability != .none
        for index in open {
            close(transfers[index], at: now)
            transfers[index].state = .stalled
        }
        reachability = new
        changes.append(.reachability(new))
        for index in open {
            if new != .none { self.open(index, at: now) }
            if hadNetwork != (new != .none) {
                let id = transfers[index].id
                changes.append(hadNetwork ? .transferStalled(id) : .transferResumed(id))
            }
        }
        share(at: now)
    }

    /// The cellular radio is idle at once.
    mutating func turnOffCellular() { if reachability != .cellular { cellular.radio.turnOff() } }

    private mutating func open(_ index: Int, at now: Instant) {
        let transfer = transfers[index]
        var ready = now
        switch reachability {
        case .none:
            transfers[index].state = .stalled
            return
        case .cellular:
            ready = cellular.radio.open(transfer.id, for: transfer.consumer, at: now) + cellular.link.latency
        case .wifi:
            ready = wifi.radio.open(transfer.id, for: transfer.consumer, at: now) + wifi.link.latency
        }
        transfers[index].state = .waiting(until: ready)
        transfers[index].opened = ready
        transfers[index].movedBefore = transfer.moved
    }

    private mutating func close(_ transfer: Transfer, at now: Instant) {
        guard transfer.isOpen else { return }
        let bytes = transfer.moved - transfer.movedBefore
        let span = max(.zero, now - transfer.opened)
        switch reachability {
        case .none: return
        case .cellular: cellular.radio.close(transfer.id, bytes: bytes, in: span, at: now)
        case .wifi: wifi.radio.close(transfer.id, bytes: bytes, in: span, at: now)
        }
    }
}
