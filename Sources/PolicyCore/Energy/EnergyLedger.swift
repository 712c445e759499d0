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
        total += energy
        let place = place(consumer, part)
        if place < entries.count, entries[place].consumer == consumer, entries[place].part == part {
            entries[place].energy += energy
        } else {
            entries.insert(Entry(consumer: consumer, part: part, energy: energy), at: place)
        }
    }

    /// Shares it equally; what nobody caused is the system's. The first consumers pay the odd picojoules.
    package mutating func add(_ energy: Energy, sharedBy consumers: [Consumer], by part: EnergyPart) {
        guard !consumers.isEmpty else { return add(energy, to: .system, by: part) }
        for (index, consumer) in consumers.enumerated() {
            add(energy.part(index, of: consumers.count), to: consumer, by: part)
        }
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

    private func place(_ consumer: Consumer, _ part: EnergyPart) -> Int {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            let entry = entries[middle]
            let isBefore =
                entry.consumer < consumer || (entry.consumer == consumer && entry.part.rawValue < part.rawValue)
            if isBefore { low = middle + 1 } else { high = middle }
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
