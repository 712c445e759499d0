package import Model

/// What was spent, on whom and by what. The sum of its entries is all that the device spent.
package struct EnergyLedger: Hashable, Sendable, Codable {
    package struct Entry: Hashable, Sendable, Codable {
        package let consumer: Consumer
        package let part: EnergyPart
        package fileprivate(set) var energy: Energy
    }

    /// In the order of apps, purposes and parts.
    package private(set) var entries: [Entry] = []
    package private(set) var total = Energy.zero

    package init() {}

    package mutating func add(_ energy: Energy, to consumer: Consumer, by part: EnergyPart) {
        guard energy != .zero else { return }
        _ = add(energy, to: consumer, by: part, from: 0)
    }

    /// Shares it equally; what nobody caused is the system's. The first consumers pay the odd picojoules.
    package mutating func add(_ energy: Energy, sharedBy consumers: [Consumer], by part: EnergyPart) {
        add(energy, sharedByEach: consumers, by: part)
    }

    mutating func add(_ energy: Energy, sharedByEach consumers: some Collection<Consumer>, by part: EnergyPart) {
        let count = consumers.count
        guard count > 0 else { return add(energy, to: .system, by: part) }
        let (share, odd) = energy.picojoules.quotientAndRemainder(dividingBy: Int64(count))
        var (number, place, before): (Int64, Int, UInt64) = (0, 0, 0)
        for consumer in consumers {
            let own = Energy(picojoules: share + (number < odd ? 1 : 0))
            // Nothing is left for those that follow either.
            if own == .zero { break }
            // They are in order, and often neighbours: each is looked for behind the one before.
            let order = Self.order(consumer, part)
            place = add(own, to: consumer, by: part, from: order > before ? place : 0) + 1
            (number, before) = (number + 1, order)
        }
    }

    /// The consumer's entry, or its place if there is none, is not before `first`. Returns the place.
    private mutating func add(
        _ energy: Energy, to consumer: Consumer, by part: EnergyPart, from first: Int
    ) -> Int {
        total += energy
        let order = Self.order(consumer, part)
        let isNext = first < entries.count && Self.order(entries[first]) == order
        let place = isNext ? first : self.place(order, from: first)
        if isNext || place < entries.count && Self.order(entries[place]) == order {
            entries[place].energy += energy
        } else {
            entries.insert(Entry(consumer: consumer, part: part, energy: energy), at: place)
        }
        return place
    }

    /// What was spent on the app is the system's from now on; the total stays.
    package mutating func forget(_ app: AppIndex) {
        let gone = entries.filter { $0.consumer.app == app }
        entries.removeAll { $0.consumer.app == app }
        for entry in gone {
            total = total - entry.energy
            add(entry.energy, to: Consumer(app: nil, entry.consumer.purpose), by: entry.part)
        }
    }

    /// Apps, purposes and parts as one number, in their order.
    @inline(__always)
    private static func order(_ consumer: Consumer, _ part: EnergyPart) -> UInt64 {
        let app = consumer.app.map { UInt64($0.rawValue) + 1 } ?? 0
        return app << 16 | UInt64(consumer.purpose.rawValue) << 8 | UInt64(part.rawValue)
    }

    @inline(__always)
    private static func order(_ entry: Entry) -> UInt64 { order(entry.consumer, entry.part) }

    /// The first entry that is not before this one, none of which lies before `first`: near to it, in ever longer
    /// steps, then between the last two.
    private func place(_ order: UInt64, from first: Int) -> Int {
        var (low, high, step) = (first, entries.count, 1)
        while low < high {
            let probe = min(low + step, high) - 1
            guard Self.order(entries[probe]) < order else {
                high = probe
                break
            }
            low = probe + 1
            step *= 2
        }
        while low < high {
            let middle = (low + high) / 2
            if Self.order(entries[middle]) < order { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private func sum(where matches: (Entry) -> Bool) -> Energy {
        entries.reduce(.zero) { matches($1) ? $0 + $1.energy : $0 }
    }

    package func total(of app: AppIndex?) -> Energy { sum { $0.consumer.app == app } }
    package func total(of part: EnergyPart) -> Energy { sum { $0.part == part } }
    package func total(of app: AppIndex?, _ purpose: Purpose) -> Energy {
        sum { $0.consumer == Consumer(app: app, purpose) }
    }
    package func total(of app: AppIndex?, by part: EnergyPart) -> Energy {
        sum { $0.consumer.app == app && $0.part == part }
    }
}
