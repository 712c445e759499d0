internal import LocationModel
package import Model
internal import RealModule

/// When the satellites' receiver is asked next, for regions and visits alone.
package struct Look: Hashable, Sendable {
    package enum Phase: Hashable, Sendable {
        /// Nobody monitors anything. Valid transitions are to: looking.
        case unneeded
        /// Nothing moves: a new cell, or a fix that somebody else has, leads to the next one. Valid transitions are to:
        /// looking, waiting, unneeded.
        case resting
        /// Valid transitions are to: looking, waiting (another time), resting, unneeded.
        case waiting(until: Instant)
        /// Valid transitions are to: waiting, resting, unneeded.
        case looking(since: Instant)
    }

    package internal(set) var phase = Phase.unneeded
    /// The last fix that it was planned by.
    var last: (place: Coordinate, at: Instant)?
    /// How fast the device was lately, in metres a second, and when that was said: who waits at a light goes on.
    var pace: (speed: Double, at: Instant)?
    /// How often in a row nothing had moved, and how often there was no fix.
    var still = 0
    var failures = 0
    /// Why it waits, for people.
    var because = ""

    init() {}

    package static func == (a: Look, b: Look) -> Bool { a.phase == b.phase && a.still == b.still }
    package func hash(into hasher: inout Hasher) { hasher.combine(phase) }

    func deadline(_ rules: LocationRules) -> Instant? {
        switch phase {
        case .unneeded, .resting: nil
        case .waiting(let until): until
        case .looking(let since): since + rules.lookTime
        }
    }
}

extension LocationSystem {
    /// Who would be told of regions and visits.
    var lookers: [AppIdentifier] { registrations.watching.sorted { $0.rawValue < $1.rawValue } }

    private var isWatched: Bool { !registrations.watching.isEmpty }

    var lookSources: Set<FixSource> {
        var sources: Set<FixSource> = []
        if case .looking = look.phase { sources.formUnion([best] + away.filter { $0 > best }) }
        if searchesChangeSince != nil { sources.insert(self.sources[.network]?.isPresent == true ? .network : best) }
        return sources
    }

    private var best: FixSource {
        FixSource.allCases.last { sources[$0]?.isPresent ?? false } ?? .gps
    }

    /// Sources that have gone. Only who asks one finds that it is back, and until then asking costs next to nothing.
    var away: [FixSource] { FixSource.allCases.filter { sources[$0]?.isPresent == false } }

    // MARK: After each event

    mutating func settleLook() {
        guard isWatched else {
            look = Look()
            return
        }
        switch look.phase {
        case .unneeded: look.phase = .looking(since: now)
        case .waiting(let until) where until <= now: look.phase = .looking(since: now)
        case .looking(let since) where now - since >= rules.lookTime: lookFailed()
        case .resting, .waiting, .looking: break
        }
    }

    /// No sky, or no receiver: it is not asked for ever.
    private mutating func lookFailed() {
        look.failures += 1
        if look.failures > rules.mostStillLooks {
            look.because = "there was no fix \(look.failures) times: the next one comes with another cell"
            look.phase = .resting
        } else {
            look.because = "there was no fix within \(rules.lookTime.words)"
            look.phase = .waiting(until: now + rules.firstStillPause * Int64(1 << min(look.failures - 1, 10)))
        }
    }

    /// A fix, whoever it was for: the next look need not come before the device can be at an edge.
    mutating func noteLook(_ fix: Fix) {
        guard look.phase != .unneeded, fix.accuracy <= rules.decisiveAccuracy else { return }
        let speed = speed(fix)
        let before = look.last?.place
        let isStill =
            look.last.map {
                $0.place.nearDistance(to: fix.coordinate) <= max(30, fix.accuracy * 1.5)
            } ?? false
        // Fixes that come every second say nothing of rest.
        if let last = look.last, isStill, now - last.at < rules.shortestLookPause { return }
        look.still = isStill ? look.still + 1 : 0
        look.failures = 0
        look.last = (fix.coordinate, now)
        plan(fix, speed, from: before)
    }

    private mutating func speed(_ fix: Fix) -> Double {
        var speed = max(rules.leastSpeed, (fix.speed ?? 0) * 1.3)
        if let last = look.last, now > last.at {
            speed = max(speed, last.place.nearDistance(to: fix.coordinate) / (now - last.at).seconds * 1.3)
        }
        if let pace = look.pace {
            // Half of it after as long as a light is red.
            speed = max(speed, pace.speed * Double.exp2(-(now - pace.at).seconds / rules.paceTime.seconds))
        }
        look.pace = (speed, now)
        return min(speed, rules.mostSpeed)
    }

    private mutating func plan(_ fix: Fix, _ speed: Double, from before: Coordinate?) {
        if let candidate = earliestCandidate {
            look.because = "a region may have been entered or left: that is sure \(rules.dwell.words) after it began"
            look.phase = .waiting(until: max(candidate + rules.dwell, now + .seconds(1)))
            return
        }
        let gap = max(0, nearestEdge(fix, from: before, within: .infinity) - fix.accuracy)
        if look.still >= rules.mostStillLooks, gap > rules.watchedGap {
            look.because = "nothing moves"
            look.phase = .resting
            return
        }
        var pause = Span.seconds(gap / speed)
        if look.still > 0 {
            pause = max(pause, rules.firstStillPause * Int64(1 << min(look.still - 1, rules.mostStillLooks)))
        }
        if isVisitPossible { pause = min(pause, rules.visitTime) }
        // Without cells nothing else says that it moves.
        if !hasRadio { pause = min(pause, .seconds(600)) }
        pause = max(pause, rules.shortestLookPause)
        look.because =
            gap < 1e8 ? "the nearest edge of a region is \(gap.whole) m away, at \(speed.whole) m/s" : "of a visit"
        look.phase = .waiting(until: now + pause)
    }

    private var isVisitPossible: Bool { !registrations.visiting.isEmpty }

    /// Another cell: the device moves.
    mutating func lookSoon() {
        guard look.phase != .unneeded else { return }
        look.still = 0
        look.failures = 0
        if case .looking = look.phase { return }
        if let cell = cellFix, isFarFromEdges(cell) {
            look.because = "the cell lies apart from the edges of all regions"
            look.phase = .resting
            return
        }
        let soonest = look.last.map { $0.at + rules.shortestLookPause } ?? now
        if case .waiting(let until) = look.phase, until <= soonest { return }
        look.phase = .waiting(until: max(now, soonest))
    }
}
