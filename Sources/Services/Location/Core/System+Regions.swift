internal import LocationModel
internal import Model
internal import ServiceCore

// Regions: registered, entered and left.
extension LocationSystem {
    mutating func watch(_ region: Region, _ state: RegionState, _ list: RegionList, of app: AppIdentifier) {
        index.insert(RegionKey(app: app, identifier: region.identifier, list: list), region, state)
    }

    mutating func unwatch(_ key: RegionKey) {
        index.remove(key)
        traces[key] = nil
        candidates[key] = nil
    }

    mutating func monitor(_ region: Region, _ app: AppIdentifier) throws(LocationRefusal) {
        guard rules.hasRegions else { throw .noRegions }
        try require(.always, app)
        if isReduced(app) { throw .needsAlways }
        if let fault = region.fault { throw .invalidRegion(fault) }
        let known = records[app]?.regions ?? []
        let isNew = !known.contains { $0.region.identifier == region.identifier }
        guard !isNew || known.count < rules.mostRegions else { throw .tooManyRegions(rules.mostRegions) }
        guard known.first(where: { $0.region.identifier == region.identifier })?.region != region else { return }
        unwatch(RegionKey(app: app, identifier: region.identifier))
        change(app) { record in
            record.regions.removeAll { $0.region.identifier == region.identifier }
            record.regions.append(AppRecord.MonitoredRegion(region: region, state: .unknown))
            // What was to be told of the one before is of no use.
            record.dropNews(of: region.identifier)
        }
        begin(region, .own, of: app)
    }

    /// One that is new, and on whose side the device is nobody knows.
    mutating func begin(_ region: Region, _ list: RegionList, of app: AppIdentifier) {
        watch(region, .unknown, list, of: app)
        if let last = lastFix, now - last.at < .seconds(60), isStillSure(last, of: region) {
            decide(RegionKey(app: app, identifier: region.identifier, list: list), last.fix)
            replan(last.fix)
        } else if look.phase != .unneeded {
            lookSoon()
        }
    }

    /// Whether the device cannot have come to its edge since that fix.
    private func isStillSure(_ last: (fix: Fix, at: Instant), of region: Region) -> Bool {
        let speed = max(last.fix.speed ?? 0, look.pace?.speed ?? 0, rules.leastSpeed)
        let gap = abs(region.center.nearDistance(to: last.fix.coordinate) - region.radius)
        return now == last.at || gap > (now - last.at).seconds * speed
    }

    mutating func unmonitor(_ identifier: String, _ app: AppIdentifier) {
        unwatch(RegionKey(app: app, identifier: identifier))
        change(app) { record in
            record.regions.removeAll { $0.region.identifier == identifier }
            record.dropNews(of: identifier)
        }
    }

    func state(of identifier: String, _ app: AppIdentifier) throws(LocationRefusal) -> RegionState {
        guard let region = records[app]?.regions.first(where: { $0.region.identifier == identifier }) else {
            throw .noSuchRegion(identifier)
        }
        return region.state
    }

    // MARK: A fix

    mutating func decideRegions(_ fix: Fix) {
        guard !index.isEmpty else { return }
        let keys = index.candidates(at: fix.coordinate)
        for key in keys { decide(key, fix) }
        guard !candidates.isEmpty else { return }
        // Where the device comes back from, too.
        let seen = Set(keys)
        for key in candidates.keys.sorted() where !seen.contains(key) { decide(key, fix) }
    }

    private mutating func decide(_ key: RegionKey, _ fix: Fix) {
        guard let record = records[key.app], record.mayHear(key.list),
            let place = record[key.list].firstIndex(where: { $0.region.identifier == key.identifier })
        else { return }
        let known = record[key.list][place]
        let region = known.region
        // Of a large region also a rough fix says something.
        guard fix.accuracy <= max(rules.decisiveAccuracy, region.radius / 2) else { return }
        let distance = region.center.nearDistance(to: fix.coordinate)
        var trace = traces[key] ?? RegionTrace()
        trace.last = (distance, fix.accuracy, now)
        defer { traces[key] = trace }
        guard let side = side(distance, region, known.state) else {
            trace.candidate = nil
            candidates[key] = nil
            store(nil, key, place, &trace)
            return
        }
        // What it is at first nobody has crossed.
        if known.state == .unknown {
            index.note(key, side)
            return change(key.app) { $0[key.list][place].state = side }
        }
        guard let candidate = trace.candidate, candidate.state == side else {
            trace.candidate = (side, now)
            candidates[key] = now
            store(AppRecord.Candidate(state: side, since: time), key, place, &trace)
            return
        }
        guard now - candidate.since >= rules.dwell else { return }
        trace.told = (side, now - candidate.since, now)
        trace.candidate = nil
        candidates[key] = nil
        store(nil, key, place, &trace)
        crossed(key, place, region, side, fix)
    }

    /// On an edge fixes come from both sides, and each that is stored costs a write.
    private mutating func store(
        _ candidate: AppRecord.Candidate?, _ key: RegionKey, _ place: Int, _ trace: inout RegionTrace
    ) {
        if candidate != nil {
            if let stored = trace.storedAt, now - stored < .seconds(5) { return }
            trace.storedAt = now
        }
        change(key.app) { $0[key.list][place].candidate = candidate }
    }

    /// The clock is known by which the process before this one said since when.
    mutating func resumeCandidates() {
        guard hasStoredCandidates else { return }
        hasStoredCandidates = false
        for (app, record) in records {
            for list in RegionList.allCases {
                for known in record[list] {
                    resume(known, RegionKey(app: app, identifier: known.region.identifier, list: list))
                }
            }
        }
    }

    private mutating func resume(_ known: AppRecord.MonitoredRegion, _ key: RegionKey) {
        guard let candidate = known.candidate else { return }
        // Of one that is older nobody knows whether the device was there all the time.
        let age = max(0, time - candidate.since)
        guard age <= rules.candidateLife.seconds else { return }
        let since = now + Span.seconds(-age)
        traces[key, default: RegionTrace()].candidate = (candidate.state, since)
        candidates[key] = since
    }

    /// On which side of the edge that is, where it is another one than before.
    private func side(_ distance: Double, _ region: Region, _ state: RegionState) -> RegionState? {
        switch state {
        case .unknown: distance <= region.radius ? .inside : .outside
        case .outside: distance <= region.radius ? .inside : nil
        case .inside: distance >= region.radius + rules.exitDistance ? .outside : nil
        }
    }

    private mutating func crossed(
        _ key: RegionKey, _ place: Int, _ region: Region, _ state: RegionState, _ fix: Fix
    ) {
        change(key.app) { $0[key.list][place].state = state }
        index.note(key, state)
        let isTold = state == .inside ? region.notifiesOnEntry : region.notifiesOnExit
        guard key.list == .own else {
            if isTold { noteCrossing(key, isEntry: state == .inside) }
            return
        }
        let verb = state == .inside ? "entered" : "left"
        emit(.note(key.app, "the device has \(verb) “\(region.identifier.prefix(60))”"))
        if isTold { tell(key.app, state == .inside ? .entered(region, fix) : .exited(region, fix)) }
    }

    private mutating func replan(_ fix: Fix) { noteLook(fix) }

    // MARK: Edges

    /// Since when the first of all that may have been crossed may have been.
    var earliestCandidate: Instant? { candidates.values.min() }

    /// Metres to the nearest edge that would count, of those within so many.
    mutating func nearestEdge(_ fix: Fix, from before: Coordinate?, within metres: Double) -> Double {
        let (records, rules) = (records, rules)
        return index.visit(fix.coordinate, within: metres) { key in
            guard let known = records[key.app]?.known(key) else { return .infinity }
            let distance = known.region.center.nearDistance(to: fix.coordinate)
            guard known.state == .outside else { return abs(distance - known.region.radius - rules.exitDistance) }
            let gap = abs(distance - known.region.radius)
            // It would have to turn round first.
            return Self.isAhead(known.region.center, of: fix, from: before) ? gap : gap * 2
        }
    }

    /// The device goes there, or nobody knows where it goes.
    private static func isAhead(_ place: Coordinate, of fix: Fix, from before: Coordinate?) -> Bool {
        guard let before, before.roughDistance(to: fix.coordinate) > max(30, fix.accuracy * 2) else { return true }
        let turn = abs(before.bearing(to: fix.coordinate) - fix.coordinate.bearing(to: place))
        return min(turn, 360 - turn) < 100
    }

    /// Nowhere in the cell is an edge.
    mutating func isFarFromEdges(_ cell: Fix) -> Bool {
        if !registrations.visiting.isEmpty { return false }
        let records = records
        let rules = rules
        let reach = cell.accuracy * 1.5
        let nearest = index.visit(cell.coordinate, within: .infinity) { key in
            guard let known = records[key.app]?.known(key) else { return .infinity }
            let distance = known.region.center.nearDistance(to: cell.coordinate)
            return switch known.state {
            case .unknown: 0
            case .outside: max(0, distance - known.region.radius)
            case .inside: max(0, known.region.radius + rules.exitDistance - distance)
            }
        }
        return nearest > reach
    }
}

extension Region {
    /// Why it cannot be monitored.
    var fault: String? {
        guard (1...Region.longestIdentifier).contains(identifier.utf8.count) else {
            return "an identifier has 1 to \(Region.longestIdentifier) bytes"
        }
        guard radius > 0, radius <= Region.largestRadius else {
            return "a radius is more than 0 and at most \(Int(Region.largestRadius)) metres"
        }
        return nil
    }
}

extension AppRecord {
    fileprivate func known(_ key: RegionKey) -> MonitoredRegion? {
        self[key.list].first { $0.region.identifier == key.identifier }
    }

    mutating func dropNews(of identifier: String) {
        news.removeAll { item in
            switch item.news {
            case .entered(let region, _), .exited(let region, _): region.identifier == identifier
            case .significantChange, .visit, .paused, .resumed: false
            }
        }
    }
}
