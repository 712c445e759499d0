package import Model

// What was seen of the network is charged to whose it was (E1). No decision follows from that by itself: whoever plans
// asks what the radio is doing, and what a fetch moved is known when the next one is planned.
extension System {
    /// What an app does with the network at present, as far as its bytes are told apart: the host counts at the app,
    /// and asks this whenever it may have changed. On screen it browses, whatever else it does. `nil`: it stands still,
    /// or is not there.
    package func activity(of app: AppIndex) -> Purpose? {
        let i = Int(app.rawValue)
        guard i < apps.count, apps[i].state.isRunning else { return nil }
        if apps[i].state.isForeground || presence(i) != .hidden { return .browsing }
        if apps[i].windows.holds(.fetch) { return .fetch }
        return apps[i].assertions.activity ?? .use
    }

    /// What a service says that it moved, for an app or for itself.
    mutating func trafficSeen(
        _ app: AppIndex?, _ purpose: Purpose, sent: Int64, received: Int64, from: Instant, to: Instant
    ) {
        if let app, self.app(app)?.isInstalled != true { return }
        let (start, end) = (max(.zero, from), min(to, now))
        guard from <= end else { return }
        if let app, purpose == .transfer { transferReceived(app, Self.bounded(received)) }
        charge(
            Consumer(app: app, purpose), sent: Self.bounded(sent), received: Self.bounded(received), from: start,
            to: end)
    }

    /// A report may come after the network has changed. Bytes from before the change went over the earlier network. If
    /// a report covers the change, each network gets the share of its time.
    private mutating func charge(_ consumer: Consumer, sent: Int64, received: Int64, from: Instant, to: Instant) {
        guard let before = energy?.before, from < before.until else {
            return charge(consumer, over: connection.part, sent: sent, received: received, from: from, to: to)
        }
        guard to > before.until else {
            return charge(consumer, over: before.part, sent: sent, received: received, from: from, to: to)
        }
        let (early, whole) = ((before.until - from).nanoseconds, (to - from).nanoseconds)
        let old = (sent: sent.scaled(by: early, over: whole), received: received.scaled(by: early, over: whole))
        charge(consumer, over: before.part, sent: old.sent, received: old.received, from: from, to: before.until)
        charge(
            consumer, over: connection.part, sent: sent - old.sent, received: received - old.received,
            from: before.until, to: to)
    }

    private mutating func charge(
        _ consumer: Consumer, over part: EnergyPart?, sent: Int64, received: Int64, from: Instant, to: Instant
    ) {
        guard let part else { return }
        let isLost = !connection.isOn
        withAccount {
            $0.traffic(consumer, over: part, sent: sent, received: received, from: from, to: to)
            // A late report does not turn on a radio that has lost its network.
            if isLost { $0.networkLost(part, at: to) }
        }
    }

    mutating func networkChanged(from old: NetworkKind, to new: NetworkKind) {
        let (part, moment) = (Self.connection(over: old).part, now)
        withAccount { $0.networkChanged(from: part, isLost: new == .none, at: moment) }
    }

    /// What was counted at an app while its activity was this.
    mutating func trafficCounted(_ app: AppIndex, _ purpose: Purpose, _ count: CountedTraffic) {
        guard self.app(app)?.isInstalled == true else { return }
        let bytes = FetchBytes(sent: Self.bounded(count.sent), received: Self.bounded(count.received))
        // That a fetch has ended may be all that there is to tell.
        if bytes != .zero {
            trafficSeen(app, purpose, sent: bytes.sent, received: bytes.received, from: count.from, to: count.to)
            withTally { $0.add(Consumer(app: app, purpose), sent: bytes.sent, received: bytes.received) }
        }
        if count.processor > .zero {
            let time = min(count.processor, Self.maxProcessorTime)
            withAccount { $0.processed(Consumer(app: app, purpose), for: time) }
        }
        if purpose == .fetch { fetch.planner.moved(app, bytes, model: radioModel) }
    }

    /// Of the radio in use; a cable is one that costs nothing.
    private var radioModel: RadioModel {
        switch connection.part {
        case .cellular: profile.cellularModel
        case .wifi: .wifi
        default: .wired
        }
    }

    /// No report is of more, so that sums of picojoules stay far from an overflow.
    private static let maxProcessorTime = Span.seconds(86_400)

    /// No report is of more: sums of picojoules stay far from where they would overflow.
    private static func bounded(_ bytes: Int64) -> Int64 { min(max(0, bytes), 1 << 36) }

    mutating func forgetEnergy(of app: AppIndex) {
        if $energy { withAccount { $0.forget(app) } }
        if $moved { withTally { $0.forget(app) } }
    }

    /// How the device is connected, as far as energy goes.
    private var connection: (part: EnergyPart?, isOn: Bool) {
        guard case .network(let kind)? = conditions.value(.network) else { return (.wifi, true) }
        return Self.connection(over: kind)
    }

    private static func connection(over kind: NetworkKind) -> (part: EnergyPart?, isOn: Bool) {
        switch kind {
        case .none: return (nil, false)
        case .wifi: return (.wifi, true)
        case .cellular: return (.cellular, true)
        case .wired: return (nil, true)
        }
    }

    /// What the radio in use is doing, as an account has it. A cable is a radio that costs nothing.
    package func radio(in account: EnergyAccount) -> RadioState {
        guard connection.isOn else { return .noNetwork }
        return connection.part.map { account.state(of: $0) } ?? RadioState(.wired)
    }

    /// The account as it stands at a moment.
    package func energyAccount(at moment: Instant) -> EnergyAccount {
        var account = energy ?? EnergyAccount(cellular: profile.cellularModel)
        account.settle(to: max(now, moment))
        return account
    }

    /// Bytes of apps' own sockets, by what they were for, over whatever network.
    package var trafficTally: TrafficTally { moved ?? TrafficTally() }
}
