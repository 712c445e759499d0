package import Model

/// What is in the battery. It is filled by the charger and emptied by all that the ledger counts.
package struct Battery: Hashable, Sendable, Codable {
    package let capacity: Energy
    /// At the last change of what it takes in or gives.
    private var stored = Energy.zero
    private var since = Instant.zero
    /// What the ledger had counted then.
    private var spent = Energy.zero
    /// What the charger gives; zero when none is connected.
    package private(set) var charger = Power.zero
    package private(set) var percent: Int

    package init(capacity: Energy, percent: Int = 100) {
        self.capacity = max(capacity, Energy(picojoules: 100))
        self.percent = max(0, min(100, percent))
        stored = energy(of: self.percent)
    }

    private func energy(of percent: Int) -> Energy {
        Energy(picojoules: capacity.picojoules.scaled(by: Int64(percent), over: 100))
    }

    package func level(at now: Instant, spent total: Energy) -> Energy {
        let level = stored + charger * (now - since) - (total - spent)
        return max(.zero, min(capacity, level))
    }

    /// What is shown changes a whole percent above or below, so that it does not flicker.
    private func percent(at level: Energy) -> Int {
        var shown = percent
        while shown > 0, level <= energy(of: shown - 1) { shown -= 1 }
        while shown < 100, level >= energy(of: shown + 1) { shown += 1 }
        return shown
    }

    /// The charger or what is drawn changes.
    mutating func settle(to now: Instant, spent total: Energy) {
        stored = level(at: now, spent: total)
        since = now
        spent = total
    }

    mutating func connect(_ charger: Power) { self.charger = charger }

    /// Another battery, as it were. It has been settled.
    mutating func fill(to percent: Int) {
        self.percent = max(0, min(100, percent))
        stored = energy(of: self.percent)
    }

    /// When another percent is reached, if so much is drawn all the time. It has been settled.
    func nextChange(drawing power: Power) -> Instant? {
        let net = power.milliwatts - charger.milliwatts
        let missing: Int64
        if net > 0 {
            guard percent > 0 else { return nil }
            missing = stored.picojoules - energy(of: percent - 1).picojoules
        } else if net < 0 {
            guard percent < 100 else { return nil }
            missing = energy(of: percent + 1).picojoules - stored.picojoules
        } else {
            return nil
        }
        let (whole, rest) = max(0, missing).quotientAndRemainder(dividingBy: abs(net))
        return since + Span(nanoseconds: whole + (rest > 0 ? 1 : 0))
    }

    func isOtherPercent(at now: Instant, spent total: Energy) -> Bool {
        percent(at: level(at: now, spent: total)) != percent
    }

    mutating func pass(_ now: Instant, spent total: Energy, _ changes: inout [WorldChange]) {
        let new = percent(at: level(at: now, spent: total))
        guard new != percent else { return }
        percent = new
        changes.append(.batteryLevel(percent: new))
    }
}
