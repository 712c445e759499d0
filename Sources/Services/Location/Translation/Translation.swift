package import LocationCore
package import LocationModel
package import LocationWire
package import Model
package import Wire

extension LocationRequest {
    /// What an app asks, as it says it.
    package init(_ method: LocationClientMethod, _ params: JSONValue) throws(RPCError) {
        func isOn() throws(RPCError) -> Bool { try params.bool("on") }
        switch method {
        case .hello:
            try params.checkVersion(locationProtocolVersion)
            let hello = try LocationHello(json: params)
            self = .hello(updates: hello.updates, heading: hello.heading, running: Set(hello.running))
        case .update: self = .update(try UpdateSettings(json: params))
        case .stopUpdates: self = .stopUpdates
        case .once: self = .once(try UpdateSettings(json: params))
        case .significant: self = .significantChanges(try isOn())
        case .visits: self = .visits(try isOn())
        case .heading: self = .heading(try isOn())
        case .monitor: self = .monitor(try Region(json: params))
        case .unmonitor: self = .unmonitor(try params.string("identifier"))
        case .state: self = .state(try params.string("identifier"))
        case .authorize:
            switch try LocationAuthorize(json: params).level {
            case .whenInUse: self = .authorize(.whenInUse)
            case .always: self = .authorize(.always)
            case .fullAccuracy: self = .authorize(.fullAccuracy)
            }
        }
    }
}

extension LocationReply {
    package var json: JSONValue {
        switch self {
        case .done: [:]
        case .hello(let surroundings): surroundings.json
        case .fix(let fix): ["fix": fix.json]
        case .state(let state): LocationStateAnswer(state: state).json
        case .authorization(let authorization, let isReduced):
            ["authorization": .string(authorization.rawValue), "reduced": .bool(isReduced)]
        }
    }
}

extension RPCError {
    package init(_ refusal: LocationRefusal) {
        let sentence = refusal.sentence
        self =
            switch refusal {
            case .notGreeted: RPCError(.outOfOrder, sentence)
            case .denied: .location(.denied, sentence)
            case .needsAlways: .location(.regionMonitoringDenied, sentence)
            case .noRegions, .tooManyRegions, .invalidRegion, .noSuchRegion:
                .location(.regionMonitoringFailure, sentence)
            case .noCellRadio, .unknown, .tooMany: .location(.locationUnknown, sentence)
            case .noCompass: .location(.headingFailure, sentence)
            case .noSuchApp: RPCError(.refused, sentence)
            }
    }
}

extension LocationStatusInfo {
    /// - Parameter since: what the clock on the wall said at a moment, in seconds since 1970.
    package init(_ status: LocationStatus, since: (Instant) -> Double) {
        self.init(
            apps: status.apps.map { LocationAppInfo($0, since: since) },
            sources: status.sources.map { LocationSourceInfo($0, since: since) }, fix: status.fix,
            tower: status.tower?.name, look: status.look)
    }
}

extension LocationAppInfo {
    fileprivate init(_ app: LocationStatus.App, since: (Instant) -> Double) {
        self.init(
            app: app.app.rawValue, name: app.name, authorization: app.authorization, reduced: app.isReduced,
            updates: app.updates, since: app.updatesSince.map(since), paused: app.isPaused,
            indicator: app.isIndicated, significant: app.significantChanges, visits: app.visits,
            regions: app.regions.map { LocationRegionInfo(region: $0.region, state: $0.state) },
            places: app.places.map { LocationRegionInfo(region: $0.region, state: $0.state) }, waiting: app.waiting)
    }
}

extension LocationSourceInfo {
    fileprivate init(_ source: LocationStatus.Source, since: (Instant) -> Double) {
        var problem: String?
        if case .absent(let why)? = source.state { problem = why }
        self.init(
            source: source.source, there: source.state?.isPresent ?? false, problem: problem, on: source.isPowered,
            since: source.since.map(since), users: source.users.map(\.rawValue))
    }
}

// What other services ask, and are told.
extension PlaceWatch {
    package func read() throws(RPCError) -> (app: AppIdentifier, places: [Region]) {
        guard let app = AppIdentifier(app) else {
            throw .invalidParameter("app", "the parameter app is no identifier")
        }
        let places = try places.map { place throws(RPCError) in
            let center = Coordinate(place.latitude, place.longitude)
            guard center.isValid, place.radius.isFinite else {
                throw .invalidParameter("places", "a place has a latitude, a longitude and a radius")
            }
            return Region(
                place.identifier, center: center, radius: place.radius, notifiesOnEntry: place.onEntry,
                notifiesOnExit: place.onExit)
        }
        return (app, places)
    }
}

extension PlaceCrossing {
    package init(_ app: AppIdentifier, _ crossing: AppRecord.Crossing) {
        self.init(app: app.rawValue, place: crossing.place, entered: crossing.isEntry, number: crossing.number)
    }
}
