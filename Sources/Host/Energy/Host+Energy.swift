internal import LinuxSystem
internal import Model
internal import PolicyCore
internal import Wire

extension Host {
    /// Services say what they moved; an app's own sockets are counted (`TrafficKeeper`).
    func trafficSeen(
        _ app: AppIndex?, _ purpose: Purpose, sent: Int64, received: Int64, from: Instant, to: Instant
    ) {
        guard sent > 0 || received > 0 else { return }
        post(.trafficSeen(app, purpose, sent: sent, received: received, from: from, to: to))
    }

    var energyInfo: EnergyInfo {
        traffic.countNow()
        let account = system.energyAccount(at: Instant(nanoseconds: Clock.boot()))
        let state = system.radio(in: account)
        let shares = account.ledger.entries.map { entry in
            EnergyInfo.Share(
                app: name(of: entry.consumer), service: entry.consumer.purpose.name, part: entry.part.name,
                joules: entry.energy.joules)
        }
        let moved = system.trafficTally.entries.map { entry in
            EnergyInfo.Traffic(
                app: name(of: entry.consumer), service: entry.consumer.purpose.name, sent: entry.sent,
                received: entry.received)
        }
        return EnergyInfo(
            radio: state.model?.name, state: state.phase.name, awakeFor: state.warmFor.seconds,
            wakeups: account.wakeups, sent: account.sent, received: account.received, joules: account.total.joules,
            shares: shares, traffic: moved, counting: traffic.mechanism)
    }

    private func name(of consumer: Consumer) -> String? { consumer.app.map { system.name(of: $0) } }
}
