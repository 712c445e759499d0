internal import Dispatch
internal import TransferCore

// Transfers that give way: docs/architecture/transfers.md.
extension Service {
    private static let linkInterval = DispatchTimeInterval.milliseconds(100)

    /// The link is looked at only while something gives way.
    func giveWay(_ ids: [TransferID], limit: Int64?) {
        gate.set(ids, limit: limit)
        isLinkLimited = limit != nil
        guard !ids.isEmpty else {
            if meter != nil { LinkMeter.leaveAlone() }
            meter = nil
            return
        }
        guard meter == nil else { return }
        var meter = LinkMeter()
        _ = meter.read(isLimited: false, isBounded: false)
        _ = gate.takeCounts()
        self.meter = meter
        if !isLookingAtLink { lookAtLinkSoon() }
    }

    private func lookAtLinkSoon() {
        isLookingAtLink = true
        queue.asyncAfter(deadline: .now() + Self.linkInterval) { [weak self] in self?.lookAtLink() }
    }

    private func lookAtLink() {
        isLookingAtLink = false
        guard meter != nil, !isEnding else { return }
        let counts = gate.takeCounts()
        if let reading = meter?.read(isLimited: isLinkLimited, isBounded: counts.free == 0) {
            gate.refill(reading.elapsed)
            let sample = LinkSample(
                elapsed: reading.elapsed, link: reading.link, own: reading.own, free: counts.free, isHeld: counts.isHeld
            )
            post(.link(sample))
        }
        if meter != nil { lookAtLinkSoon() }
    }
}
