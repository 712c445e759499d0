package import Model
internal import PolicyCore

package struct WorkID: Hashable, Comparable, Sendable, Codable {
    package let rawValue: UInt64
    package init(_ rawValue: UInt64) { self.rawValue = rawValue }
    package static func < (a: WorkID, b: WorkID) -> Bool { a.rawValue < b.rawValue }
}

/// What wants processor time: one thread of somebody's.
package struct Work: Hashable, Sendable, Codable {
    package let id: WorkID
    package let consumer: Consumer
    /// Its share in relation to others'.
    package let weight: Int64
    /// In thousandths of a core; a thread cannot use more than one.
    package let limit: Int64
    /// How much processor time it takes; `nil`: it goes on until it is ended.
    package let total: Span?
    /// How much it has had.
    package internal(set) var used = Span.zero
    package internal(set) var isPaused = false

    var base = Span.zero
    var rate = Rate(numerator: 0, denominator: 1)

    var isRunning: Bool { !isPaused && total != used }
}

/// Cores, shared by weight among what wants to run. Shares are fluid: there are no time slices to wait for.
package struct Processor: Hashable, Sendable, Codable {
    package let cores: Int64
    /// Of a core at work, beyond what it takes idle.
    package let power: Power
    package private(set) var works: [Work] = []
    /// Processor time of those who had any, in order.
    package private(set) var times: [ConsumerTime] = []
    private var nextWork: UInt64 = 1
    private var sharedSince = Instant.zero

    package struct ConsumerTime: Hashable, Sendable, Codable {
        package let consumer: Consumer
        package fileprivate(set) var time: Span
    }

    package init(cores: Int64 = 1, power: Power) {
        self.cores = max(1, cores)
        self.power = power
    }

    package func work(_ id: WorkID) -> Work? { works.first { $0.id == id } }

    package func time(of app: AppIndex?) -> Span {
        times.reduce(.zero) { $1.consumer.app == app ? $0 + $1.time : $0 }
    }

    package var time: Span { times.reduce(.zero) { $0 + $1.time } }

    var isBusy: Bool { works.contains(where: \.isRunning) }

    private func used(_ work: Work, at now: Instant) -> Span {
        guard work.isRunning else { return work.used }
        let had = work.base + Span(nanoseconds: work.rate.amount(in: now - sharedSince))
        return work.total.map { min($0, had) } ?? had
    }

    /// What running from now until then costs.
    func cost(until then: Instant) -> Energy {
        works.reduce(.zero) { $0 + power * (used($1, at: then) + Span(nanoseconds: -$1.used.nanoseconds)) }
    }

    var nextChange: Instant? {
        var next: Instant?
        for work in works where work.isRunning {
            guard let total = work.total else { continue }
            let rest = work.rate.time(for: total.nanoseconds - work.base.nanoseconds)
            next = .earliest(next, rest.map { sharedSince + $0 })
        }
        return next
    }

    /// Returns the energy that running has cost until now.
    mutating func settle(to now: Instant) -> Energy {
        var cost = Energy.zero
        for index in works.indices where works[index].isRunning {
            let used = used(works[index], at: now)
            let more = Span(nanoseconds: used.nanoseconds - works[index].used.nanoseconds)
            works[index].used = used
            guard more > .zero else { continue }
            let consumer = works[index].consumer
            let place = times.firstIndex { $0.consumer >= consumer } ?? times.count
            if place == times.count || times[place].consumer != consumer {
                times.insert(ConsumerTime(consumer: consumer, time: .zero), at: place)
            }
            times[place].time = times[place].time + more
            cost += power * more
        }
        return cost
    }

    // The caller has settled.

    mutating func pass(_ now: Instant, _ changes: inout [WorldChange]) {
        guard works.contains(where: { $0.total == $0.used }) else { return }
        for work in works where work.total == work.used { changes.append(.workDone(work.id)) }
        works.removeAll { $0.total == $0.used }
        share(at: now)
    }

    mutating func begin(_ total: Span?, for consumer: Consumer, weight: Int64, limit: Int64, at now: Instant) -> WorkID
    {
        let id = WorkID(nextWork)
        nextWork += 1
        works.append(
            Work(
                id: id, consumer: consumer, weight: max(1, min(weight, 10_000)), limit: max(1, min(limit, 1000)),
                total: total.map { max(.zero, $0) }))
        share(at: now)
        return id
    }

    mutating func setPaused(_ id: WorkID, _ isPaused: Bool, at now: Instant) {
        guard let index = works.firstIndex(where: { $0.id == id }) else { return }
        works[index].isPaused = isPaused
        share(at: now)
    }

    mutating func end(_ id: WorkID, at now: Instant) {
        works.removeAll { $0.id == id }
        share(at: now)
    }

    /// Everybody gets their share by weight; what somebody cannot use goes to the others.
    private mutating func share(at now: Instant) {
        sharedSince = now
        for index in works.indices { works[index].base = works[index].used }
        // Those who reach their limit first, come first.
        let running = works.indices.filter { works[$0].isRunning }.sorted { a, b in
            let (left, right) = (works[a].limit * works[b].weight, works[b].limit * works[a].weight)
            return left == right ? a < b : left < right
        }
        var free = cores * 1000
        var weights = running.reduce(0) { $0 + works[$1].weight }
        for index in running {
            let work = works[index]
            if work.limit * weights <= free * work.weight {
                works[index].rate = Rate(numerator: work.limit, denominator: 1000)
                free -= work.limit
                weights -= work.weight
            } else {
                works[index].rate = Rate(numerator: free * work.weight, denominator: weights * 1000)
            }
        }
    }
}
