package import Model

/// Bytes that were counted at an app's processes between two moments of the boot clock, and the processor time that
/// they used, where it is charged.
package struct CountedTraffic: Hashable, Sendable {
    package var sent: Int64
    package var received: Int64
    package var from: Instant
    package var to: Instant
    /// Of all cores together. Only that of fetches is told.
    package var processor: Span

    package init(sent: Int64, received: Int64, from: Instant, to: Instant, processor: Span = .zero) {
        self.sent = sent
        self.received = received
        self.from = from
        self.to = to
        self.processor = processor
    }
}

/// How many bytes were counted at apps, whatever they cost.
package struct TrafficTally: Hashable, Sendable, Codable {
    package struct Entry: Hashable, Sendable, Codable {
        package let consumer: Consumer
        package fileprivate(set) var sent: Int64
        package fileprivate(set) var received: Int64
    }

    /// In the order of the consumers.
    package private(set) var entries: [Entry] = []

    package init() {}

    package var isEmpty: Bool { entries.isEmpty }

    mutating func add(_ consumer: Consumer, sent: Int64, received: Int64) {
        guard sent > 0 || received > 0 else { return }
        var (place, high) = (0, entries.count)
        while place < high {
            let middle = (place + high) / 2
            if entries[middle].consumer < consumer { place = middle + 1 } else { high = middle }
        }
        if place < entries.count, entries[place].consumer == consumer {
            entries[place].sent &+= sent
            entries[place].received &+= received
        } else {
            entries.insert(Entry(consumer: consumer, sent: sent, received: received), at: place)
        }
    }

    /// What the app moved is the system's from now on.
    mutating func forget(_ app: AppIndex) {
        let gone = entries.filter { $0.consumer.app == app }
        entries.removeAll { $0.consumer.app == app }
        for entry in gone {
            add(Consumer(app: nil, entry.consumer.purpose), sent: entry.sent, received: entry.received)
        }
    }
}
