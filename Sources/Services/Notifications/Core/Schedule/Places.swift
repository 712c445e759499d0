internal import Model

/// A place that a request waits for; its identifier is the request's.
package struct WatchedPlace: Hashable, Sendable {
    package var identifier: String
    package var region: RegionTrigger
}

/// What became of `watch`.
package enum WatchAnswer: Hashable, Sendable {
    case watched
    /// It would be refused again.
    case refused(String)
    /// It ended before it answered, or is too busy: it is asked again.
    case failed
}

/// How far the service that knows where the device is has heard of an app's places.
struct PlaceWatching: Sendable {
    /// `nil`: this process has not asked yet.
    var told: [WatchedPlace]?
    var asked: [WatchedPlace]?
    var tries = 0
    var retryAt: Instant?
}

extension NotificationSystem {
    private func places(of entry: AppEntry) -> [WatchedPlace] {
        let places = entry.pending.compactMap { pending -> WatchedPlace? in
            guard case .region(let region, _) = pending.record.request.trigger else { return nil }
            return WatchedPlace(identifier: pending.record.request.identifier, region: region)
        }
        return places.sorted { $0.identifier < $1.identifier }
    }

    /// The other service is to know the places that requests of the app wait for, and no others.
    mutating func settlePlaces(_ app: AppIdentifier) {
        guard let entry = entries[app] else { return }
        let places = places(of: entry)
        guard !places.isEmpty || entry.record.hasPlaces == true else { return }
        if !places.isEmpty { change(app) { $0.hasPlaces = true } }
        guard hasSystem, wallOffset != nil, entry.places.asked == nil else { return }
        let isKnown = entry.places.told == places
        if !isKnown, let retryAt = entry.places.retryAt, retryAt > now { return }
        entries[app]?.places.retryAt = nil
        due.set(.places(app), nil)
        guard !isKnown else { return }
        entries[app]?.places.asked = places
        effects.append(.watch(app, places))
    }

    mutating func watched(_ app: AppIdentifier, _ answer: WatchAnswer) {
        guard let asked = entries[app]?.places.asked else { return }
        entries[app]?.places.asked = nil
        touched.insert(app)
        if case .failed = answer {
            let tries = entries[app]?.places.tries ?? 0
            entries[app]?.places.tries = tries + 1
            let retryAt = now + .seconds(Double(1 << min(tries, 6)))
            entries[app]?.places.retryAt = retryAt
            return due.set(.places(app), retryAt)
        }
        if case .refused(let reason) = answer, !asked.isEmpty { report(.unwatched(app, reason)) }
        entries[app]?.places.told = asked
        entries[app]?.places.tries = 0
        if asked.isEmpty { change(app) { $0.hasPlaces = nil } }
    }

    /// Nobody answers what was asked by way of the system that is gone.
    mutating func forgetWatching() {
        for app in placed.inOrder {
            entries[app]?.places.asked = nil
            entries[app]?.places.retryAt = nil
            due.set(.places(app), nil)
        }
    }

    /// The device has come to a place, or left it.
    ///
    /// - Parameter number: grows with each of the app's: what comes again is answered and not shown again.
    mutating func placeCrossed(_ app: AppIdentifier, _ place: String, _ isEntry: Bool, _ number: Int64) -> Int {
        guard let entry = entries[app], number > entry.record.lastCrossing ?? 0 else { return 0 }
        change(app) { $0.lastCrossing = number }
        guard let waiting = entry.pending.first(where: { $0.record.request.identifier == place }),
            case .region(let region, _) = waiting.record.request.trigger, isEntry ? region.onEntry : region.onExit
        else { return 0 }
        deliver(arrive(waiting, in: app), to: app)
        schedule(app)
        return 1
    }
}
