package import Model

/// Who energy is spent for: an app, or the system where none is named; and what for.
package struct Consumer: Hashable, Comparable, Sendable, Codable {
    package var app: AppIndex?
    package var purpose: Purpose

    package init(app: AppIndex?, _ purpose: Purpose = .use) {
        self.app = app
        self.purpose = purpose
    }

    package static let system = Consumer(app: nil)

    package static func < (a: Consumer, b: Consumer) -> Bool { a.order < b.order }

    private var order: (UInt64, UInt8) { (app.map { UInt64($0.rawValue) + 1 } ?? 0, purpose.rawValue) }
}

/// What an app does with energy, as far as the account tells apart (E1).
package enum Purpose: UInt8, Sendable, Codable, CaseIterable {
    /// What it does by itself, seen or unseen.
    case use
    case transfer, streaming, browsing, keepAlive, push, fetch, location

    package var name: String { "\(self)" }
}

/// What of the device spends it.
package enum EnergyPart: UInt8, Sendable, Codable, CaseIterable {
    case cellular, wifi, gps, screen, processor, idle

    package var name: String { "\(self)" }
}

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

    mutating func add(_ energy: Energy, to consumer: Consumer, by part: EnergyPart) {
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
    mutating func add(_ energy: Energy, sharedBy consumers: [Consumer], by part: EnergyPart) {
        guard !consumers.isEmpty else { return add(energy, to: .system, by: part) }
        for (index, consumer) in consumers.enumerated() {
            add(energy.part(index, of: consumers.count), to: consumer, by: part)
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
