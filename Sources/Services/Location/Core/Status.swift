package import LocationModel
package import Model
internal import ServiceCore

/// What the service knows, for people and their tools.
package struct LocationStatus: Sendable {
    package struct App: Sendable {
        package var app: AppIdentifier
        package var name: String
        package var authorization: LocationAuthorization
        package var isReduced: Bool
        package var updates: UpdateSettings?
        package var updatesSince: Instant?
        package var isPaused: Bool
        /// The user is to see now that it knows the location out of sight.
        package var isIndicated: Bool
        package var significantChanges: Bool
        package var visits: Bool
        package var regions: [(region: Region, state: RegionState)]
        /// What another service watches for it.
        package var places: [(region: Region, state: RegionState)]
        /// What it has yet to hear.
        package var waiting: Int
    }

    package struct Source: Sendable {
        package var source: FixSource
        package var state: SourceState?
        package var isPowered: Bool
        /// For whom.
        package var users: [AppIdentifier]
        package var since: Instant?
    }

    package var apps: [App]
    package var sources: [Source]
    package var fix: Fix?
    package var tower: CellTower?
    /// Why the next look for regions comes when it comes; empty: nobody monitors anything.
    package var look: String
}

extension LocationSystem {
    /// As it is then, whether or not anything has happened since.
    package func status(at instant: Instant) -> LocationStatus { later(instant).status }
    package func why(_ app: AppIdentifier, at instant: Instant) -> String { later(instant).why(app) }

    private func later(_ instant: Instant) -> LocationSystem {
        var system = self
        system.now = max(now, instant)
        return system
    }

    package var status: LocationStatus {
        let apps = Set(parties.keys).union(records.keys).sorted { $0.rawValue < $1.rawValue }
        return LocationStatus(
            apps: apps.map(status(of:)),
            sources: FixSource.allCases.map { source in
                LocationStatus.Source(
                    source: source, state: sources[source], isPowered: powered.contains(source),
                    users: source == .gps ? users : [], since: source == .gps ? satellitesSince : nil)
            }, fix: lastFix?.fix, tower: tower, look: lookSentence)
    }

    private func status(of app: AppIdentifier) -> LocationStatus.App {
        let (party, record) = (parties[app], records[app])
        return LocationStatus.App(
            app: app, name: record?.name ?? "", authorization: authorization(of: app), isReduced: isReduced(app),
            updates: party?.updates?.settings, updatesSince: party?.updates?.since,
            isPaused: party?.updates?.isPaused ?? false, isIndicated: party.map(isIndicated) ?? false,
            significantChanges: record?.significant != nil, visits: record?.visits != nil,
            regions: record?.regions.map { ($0.region, $0.state) } ?? [],
            places: record?[.places].map { ($0.region, $0.state) } ?? [],
            waiting: record?.news.count ?? 0)
    }

    private var lookSentence: String {
        switch look.phase {
        case .unneeded: ""
        case .resting: "no look is planned: \(look.because)"
        case .waiting(let until): "the next look comes in \((until - now).words): \(look.because)"
        case .looking(let since): "it looks for a fix since \((now - since).words)"
        }
    }

    // MARK: Why

    /// What there is to say of an app's location.
    package func why(_ app: AppIdentifier) -> String {
        guard let record = records[app] else { return "\(app) has not used location" }
        var sentences: [String] = []
        if !record.authorization.allows { sentences.append(LocationRefusal.denied.sentence) }
        if let party = parties[app], let updates = party.updates { sentences.append(sentence(party, updates)) }
        if let party = parties[app], isIndicated(party) { sentences.append(indicatorSentence(party)) }
        for known in record.regions { sentences.append("region \(sentence(known, .own, app))") }
        if !record[.places].isEmpty, record.isReduced {
            sentences.append("notifications wait for places of which the app may only know roughly where the device is")
        }
        for known in record[.places] {
            sentences.append("place for \(record.places?.asker ?? "") \(sentence(known, .places, app))")
        }
        if !record.regions.isEmpty || !record[.places].isEmpty, !lookSentence.isEmpty { sentences.append(lookSentence) }
        if record.significant != nil { sentences.append(changeSentence(app)) }
        if !record.news.isEmpty { sentences.append("it has yet to hear \(record.news.count) of what happened") }
        return sentences.isEmpty ? "it wants to know nothing" : sentences.joined(separator: "; ")
    }

    private func sentence(_ party: Party, _ updates: Party.Updates) -> String {
        let exactness = updates.settings.accuracy > 0 ? "\(updates.settings.accuracy.whole) m" : "the best"
        let began = "standard updates (\(exactness)) since \((now - updates.since).words)"
        if updates.isPaused { return "\(began), paused: the device stood still" }
        guard receives(party) else {
            return party.standing.isRunning
                ? "\(began), of no effect: it is not on the screen, and lacks the key location or "
                    + "allowsBackgroundLocationUpdates" : "\(began), of no effect: it does not run"
        }
        if updates.hasFailed { return "\(began), without a fix: \(missing)" }
        let chosen = source(for: updates.settings, isOverdue: isOverdue(updates)).sorted()
        return "\(began), by \(chosen.map(\.words).joined(separator: " and "))"
    }

    private func sentence(
        _ known: AppRecord.MonitoredRegion, _ list: RegionList, _ app: AppIdentifier
    ) -> String {
        let name = "“\(known.region.identifier.prefix(60))”: \(known.state.rawValue)"
        let trace = traces[RegionKey(app: app, identifier: known.region.identifier, list: list)] ?? RegionTrace()
        let least = max(rules.decisiveAccuracy, known.region.radius / 2)
        // Of one far away no fix is compared with its edge one by one.
        let newest = lastFix.flatMap { last in
            last.fix.accuracy <= least
                ? (
                    distance: known.region.center.nearDistance(to: last.fix.coordinate), accuracy: last.fix.accuracy,
                    at: last.at
                ) : nil
        }
        guard let last = [trace.last, newest].compactMap(\.self).max(by: { $0.at < $1.at }) else {
            return "\(name), and no fix better than \(least.whole) m since"
        }
        let edge = known.state == .inside ? known.region.radius + rules.exitDistance : known.region.radius
        let gap = (last.distance - edge).whole
        var text =
            "\(name); \((now - last.at).words) ago it was \(abs(gap)) m \(gap > 0 ? "outside" : "inside") of the edge "
            + "that counts, give or take \(last.accuracy.whole) m"
        if let candidate = trace.candidate {
            text +=
                "; it may be \(candidate.state.rawValue) for \((now - candidate.since).words), "
                + "and that counts after \(rules.dwell.words)"
        }
        if let told = trace.told {
            text +=
                "; \((now - told.at).words) ago it was told \(told.state.rawValue), "
                + "\(told.delay.words) after the first fix there"
        }
        return text
    }

    private func changeSentence(_ app: AppIdentifier) -> String {
        guard hasRadio else { return LocationRefusal.noCellRadio.sentence }
        guard let party = parties[app], party.changePending != nil, let at = party.changedAt else {
            return "significant changes: nothing since the last one"
        }
        let asleep = conditions.isLocked ? ", as the screen is off" : ""
        return "a significant change waits for \((at + pauseOfChanges(party) - now).words)\(asleep)"
    }
}
