internal import LocationModel
internal import Model
internal import ServiceCore

// Places that other services watch for apps: those are told of a crossing, in the app's place.
extension LocationSystem {
    /// These are the app's from now on. One that stays goes on as it was.
    mutating func setPlaces(_ asker: String, _ app: AppIdentifier, _ places: [Region], _ request: RequestID) {
        do throws(LocationRefusal) {
            guard rules.hasRegions else { throw .noRegions }
            guard places.count <= rules.mostPlaces else { throw .tooManyRegions(rules.mostPlaces) }
            for place in places { if let fault = place.fault { throw .invalidRegion(fault) } }
            guard Set(places.map(\.identifier)).count == places.count else {
                throw .invalidRegion("two places have the same identifier")
            }
            replacePlaces(asker, app, places)
            emit(.reply(request, .done))
        } catch {
            emit(.refuse(request, error))
        }
    }

    private mutating func replacePlaces(_ asker: String, _ app: AppIdentifier, _ places: [Region]) {
        let before = records[app]?.places
        guard before != nil || !places.isEmpty else { return }
        guard before?.asker != asker || before?.regions.map(\.region) != places else { return }
        let staying = (before?.regions ?? []).filter { places.contains($0.region) }
        for known in before?.regions ?? [] where !staying.contains(known) {
            unwatch(RegionKey(app: app, identifier: known.region.identifier, list: .places))
        }
        change(app) { record in
            var next = before ?? AppRecord.Places(asker: asker)
            next.asker = asker
            next.regions = places.map { place in
                staying.first { $0.region == place } ?? AppRecord.MonitoredRegion(region: place, state: .unknown)
            }
            // Of a place that is watched no longer nobody wants to know any more.
            next.crossings.removeAll { crossing in !places.contains { $0.identifier == crossing.place } }
            record.places = next
        }
        for place in places where !staying.contains(where: { $0.region == place }) { begin(place, .places, of: app) }
    }

    mutating func noteCrossing(_ key: RegionKey, isEntry: Bool) {
        change(key.app) { [rules, time] record in
            guard var places = record.places else { return }
            // Should this record be lost, numbers grow all the same.
            let number = max(places.lastNumber + 1, Int64(max(0, min(time, 1e12)) * 1000))
            places.lastNumber = number
            if places.crossings.count >= rules.mostCrossings { places.crossings.removeFirst() }
            places.crossings.append(AppRecord.Crossing(number: number, place: key.identifier, isEntry: isEntry))
            record.places = places
        }
    }

    /// The next of each app, where its service has heard the one before.
    mutating func settleCrossings() {
        if !crossingsTold.isEmpty {
            // Of a place that is watched no longer.
            crossingsTold = crossingsTold.filter {
                records[$0.key]?.places?.crossings.first?.number == $0.value.number
            }
        }
        guard hasSystem, !registrations.crossed.isEmpty else { return }
        for app in registrations.crossed.sorted(by: { $0.rawValue < $1.rawValue }) {
            guard let places = records[app]?.places, let crossing = places.crossings.first else { continue }
            var told = crossingsTold[app] ?? ToldCrossing()
            if told.number != crossing.number { told = ToldCrossing(number: crossing.number) }
            guard !told.isAsked, told.retryAt ?? now <= now else { continue }
            told.isAsked = true
            crossingsTold[app] = told
            emit(.ask(service: places.asker, CrossingQuestion(app: app, crossing: crossing)))
        }
    }

    mutating func crossingTold(_ app: AppIdentifier, _ number: Int64, _ answer: ServiceAnswer) {
        switch answer {
        case .heard: change(app) { $0.places?.crossings.removeAll { $0.number == number } }
        // Nobody is left who would take the places back, as when it was asked while the app was being removed.
        case .refused:
            guard let asker = records[app]?.places?.asker else { return }
            replacePlaces(asker, app, [])
        case .lost: tellAgain(app, number)
        }
    }

    private mutating func tellAgain(_ app: AppIdentifier, _ number: Int64) {
        guard var told = crossingsTold[app], told.number == number, told.isAsked else { return }
        told.isAsked = false
        told.retryAt = now + .seconds(Double(1 << min(told.tries, 6)))
        told.tries += 1
        crossingsTold[app] = told
    }

    /// What was on its way to a service nobody will answer.
    mutating func forgetCrossingsTold() { crossingsTold = [:] }

    var crossingDeadline: Instant? {
        hasSystem ? crossingsTold.values.compactMap { $0.isAsked ? nil : $0.retryAt }.min() : nil
    }
}

/// How far the first crossing of an app is on its way to the service that watches.
struct ToldCrossing: Sendable {
    var number: Int64 = 0
    var isAsked = false
    var tries = 0
    var retryAt: Instant?
}
