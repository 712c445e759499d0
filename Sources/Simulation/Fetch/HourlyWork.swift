package import Model
internal import PolicyCore

/// Apps that each have something to do with the network every hour, over a day: each at its own minute, or together.
package struct HourlyWork: Hashable, Sendable {
    package var apps = 20
    package var hours = 24
    package var costs = FetchCosts()
    /// Each piece of work may wait so long: enough for the last app's minute to come round.
    package var tolerance = Span.seconds(3420)

    package init() {}

    package struct Outcome: Hashable, Sendable {
        package var total = Energy.zero
        package var perApp: [Energy] = []
        package var wakeups = 0
        package var pieces = 0
    }

    private var hour: Span { .seconds(3600) }

    private func starts(_ app: Int, _ piece: Int) -> Instant {
        let phase = hour.nanoseconds / Int64(max(1, apps)) * Int64(app)
        return .zero + (hour * Int64(piece) + Span(nanoseconds: phase))
    }

    /// Every app's timer wakes the radio for itself.
    package func apart() -> Outcome {
        var account = EnergyAccount(cellular: costs.radio)
        for piece in 0..<hours {
            for app in 0..<apps { transfer(app, at: starts(app, piece), &account) }
        }
        return outcome(account)
    }

    /// The same pieces of work, each within its time.
    package func together() -> Outcome {
        var account = EnergyAccount(cellular: costs.radio)
        var coalescer = WorkCoalescer()
        for piece in 0..<hours {
            for app in 0..<apps {
                let earliest = starts(app, piece)
                coalescer.add(
                    WorkCoalescer.Work(
                        AppIndex(UInt32(app)), UInt64(piece), earliest: earliest, latest: earliest + tolerance))
            }
        }
        var now = Instant.zero
        while let look = coalescer.nextLook(radio: account.state(of: .cellular)) {
            // A radio that is awake may sleep before there is something to do.
            let asleep = account.state(of: .cellular)
            if asleep.isWarm, look > now + asleep.warmFor {
                now = now + asleep.warmFor
                account.settle(to: now)
                if account.state(of: .cellular).isWarm { now = now + .milliseconds(1) }
            } else {
                now = max(now, look)
            }
            account.settle(to: now)
            let due = coalescer.due(at: now, radio: account.state(of: .cellular))
            for work in due { transfer(Int(work.app.rawValue), at: now, sharedBy: due.count, &account) }
        }
        return outcome(account)
    }

    /// Those who go together share the line.
    private func transfer(_ app: Int, at moment: Instant, sharedBy sharers: Int = 1, _ account: inout EnergyAccount) {
        account.traffic(
            Consumer(app: AppIndex(UInt32(app)), .fetch), over: .cellular, sent: costs.sent, received: costs.received,
            from: moment, to: moment + costs.length * Int64(sharers))
    }

    private func outcome(_ account: EnergyAccount) -> Outcome {
        var account = account
        account.settle(to: .zero + hour * Int64(hours + 3))
        return Outcome(
            total: account.total, perApp: (0..<apps).map { account.ledger.total(of: AppIndex(UInt32($0))) },
            wakeups: account.wakeups, pieces: apps * hours)
    }
}
