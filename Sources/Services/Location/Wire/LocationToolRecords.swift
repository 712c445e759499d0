package import LocationModel
package import Wire

/// The answer of `status`.
package struct LocationStatusInfo: WireRecord {
    package var apps: [LocationAppInfo]
    package var sources: [LocationSourceInfo]
    package var fix: Fix?
    package var tower: String?
    /// When the next look for regions comes, and why; empty: nobody monitors any.
    package var look: String

    package init(
        apps: [LocationAppInfo], sources: [LocationSourceInfo], fix: Fix?, tower: String?, look: String
    ) {
        self.apps = apps
        self.sources = sources
        self.fix = fix
        self.tower = tower
        self.look = look
    }

    package init(json: JSONValue) throws(RPCError) {
        apps = try json.records("apps")
        sources = try json.records("sources")
        fix = try json.optionalRecord("fix")
        tower = try json.optionalString("tower")
        look = try json.string("look")
    }

    package var json: JSONValue {
        var object: JSONObject = [
            "apps": .array(apps.map(\.json)), "sources": .array(sources.map(\.json)), "look": .string(look),
        ]
        object["fix"] = fix?.json
        object["tower"] = tower.map(JSONValue.string)
        return .object(object)
    }
}

package struct LocationAppInfo: WireRecord {
    package var app: String
    package var name: String
    package var authorization: LocationAuthorization
    package var reduced: Bool
    /// `nil`: it wants no standard updates.
    package var updates: UpdateSettings?
    /// Seconds since 1970.
    package var since: Double?
    package var paused: Bool
    /// The user is to see now that it knows the location out of sight.
    package var indicator: Bool
    package var significant: Bool
    package var visits: Bool
    package var regions: [LocationRegionInfo]
    /// What another service watches for it.
    package var places: [LocationRegionInfo]
    /// What it has yet to hear.
    package var waiting: Int

    package init(
        app: String, name: String, authorization: LocationAuthorization, reduced: Bool, updates: UpdateSettings?,
        since: Double?, paused: Bool, indicator: Bool = false, significant: Bool, visits: Bool,
        regions: [LocationRegionInfo], places: [LocationRegionInfo] = [], waiting: Int
    ) {
        self.app = app
        self.name = name
        self.authorization = authorization
        self.reduced = reduced
        self.updates = updates
        self.since = since
        self.paused = paused
        self.indicator = indicator
        self.significant = significant
        self.visits = visits
        self.regions = regions
        self.places = places
        self.waiting = waiting
    }

    package init(json: JSONValue) throws(RPCError) {
        app = try json.string("app")
        name = try json.string("name")
        authorization = try json.word("authorization")
        reduced = try json.bool("reduced")
        updates = try json.optionalRecord("updates")
        since = try json.optionalNumber("since")
        paused = try json.bool("paused")
        indicator = try json.bool("indicator", default: false)
        significant = try json.bool("significant")
        visits = try json.bool("visits")
        regions = try json.records("regions")
        places = try json.records("places")
        waiting = try json.optionalInt("waiting") ?? 0
    }

    package var json: JSONValue {
        var object: JSONObject = [
            "app": .string(app), "name": .string(name), "authorization": .string(authorization.rawValue),
            "reduced": .bool(reduced), "paused": .bool(paused), "indicator": .bool(indicator),
            "significant": .bool(significant), "visits": .bool(visits), "regions": .array(regions.map(\.json)),
            "waiting": .int(Int64(waiting)),
        ]
        if !places.isEmpty { object["places"] = .array(places.map(\.json)) }
        object["updates"] = updates?.json
        object["since"] = since.map(JSONValue.double)
        return .object(object)
    }
}

package struct LocationRegionInfo: WireRecord {
    package var region: Region
    package var state: RegionState

    package init(region: Region, state: RegionState) {
        self.region = region
        self.state = state
    }

    package init(json: JSONValue) throws(RPCError) {
        region = try Region(json: json)
        state = try json.word("state")
    }

    package var json: JSONValue {
        var object = region.json.object ?? [:]
        object["state"] = .string(state.rawValue)
        return .object(object)
    }
}

package struct LocationSourceInfo: WireRecord {
    package var source: FixSource
    package var there: Bool
    /// Why it is not.
    package var problem: String?
    /// It is powered.
    package var on: Bool
    /// Seconds since 1970.
    package var since: Double?
    /// The apps for which it is.
    package var users: [String]

    package init(source: FixSource, there: Bool, problem: String?, on: Bool, since: Double?, users: [String]) {
        self.source = source
        self.there = there
        self.problem = problem
        self.on = on
        self.since = since
        self.users = users
    }

    package init(json: JSONValue) throws(RPCError) {
        source = try json.word("source")
        there = try json.bool("there")
        problem = try json.optionalString("problem")
        on = try json.bool("on")
        since = try json.optionalNumber("since")
        users = try json.elements("users").compactMap(\.string)
    }

    package var json: JSONValue {
        var object: JSONObject = [
            "source": .string(source.rawValue), "there": .bool(there), "on": .bool(on),
            "users": .array(users.map(JSONValue.string)),
        ]
        object["problem"] = problem.map(JSONValue.string)
        object["since"] = since.map(JSONValue.double)
        return .object(object)
    }
}

/// The parameters of `permit`.
package struct LocationToolPermit: WireRecord {
    package var app: String
    package var authorization: LocationAuthorization
    package var reduced: Bool

    package init(app: String, authorization: LocationAuthorization, reduced: Bool) {
        self.app = app
        self.authorization = authorization
        self.reduced = reduced
    }

    package init(json: JSONValue) throws(RPCError) {
        app = try json.string("app")
        authorization = try json.word("authorization")
        reduced = try json.bool("reduced", default: false)
    }

    package var json: JSONValue {
        ["app": .string(app), "authorization": .string(authorization.rawValue), "reduced": .bool(reduced)]
    }
}

/// The parameters of `fix`: somebody pretends that the device is there.
package struct LocationToolFix: WireRecord {
    package var coordinate: Coordinate
    package var accuracy: Double

    package init(coordinate: Coordinate, accuracy: Double) {
        self.coordinate = coordinate
        self.accuracy = accuracy
    }

    package init(json: JSONValue) throws(RPCError) {
        coordinate = try Coordinate(json: json)
        accuracy = try json.optionalNumber("accuracy") ?? 5
        guard accuracy.isFinite, accuracy >= 0 else {
            throw .invalidParameter("accuracy", "an accuracy is a number of metres")
        }
    }

    package var json: JSONValue {
        var object = coordinate.json.object ?? [:]
        object["accuracy"] = .double(accuracy)
        return .object(object)
    }
}

/// The parameters of `cell`; no name: the device is in no cell.
package struct LocationToolCell: WireRecord {
    package var name: String?
    package var coordinate: Coordinate?
    package var reach: Double?

    package init(name: String?, coordinate: Coordinate? = nil, reach: Double? = nil) {
        self.name = name
        self.coordinate = coordinate
        self.reach = reach
    }

    package init(json: JSONValue) throws(RPCError) {
        name = try json.optionalString("name")
        coordinate = json["latitude"] == nil ? nil : try Coordinate(json: json)
        reach = try json.optionalNumber("reach")
        guard reach.map({ $0.isFinite && $0 > 0 }) ?? true else {
            throw .invalidParameter("reach", "a reach is a number of metres")
        }
    }

    package var json: JSONValue {
        var object = coordinate?.json.object ?? [:]
        object["name"] = name.map(JSONValue.string)
        object["reach"] = reach.map(JSONValue.double)
        return .object(object)
    }
}

/// The parameters of `route`: a track that the device goes along; no path: the one under way ends.
package struct LocationToolRoute: WireRecord {
    /// Of a file with a track, absolute.
    package var path: String?
    /// How often as fast as it was.
    package var pace: Double

    package init(path: String?, pace: Double = 1) {
        self.path = path
        self.pace = pace
    }

    package init(json: JSONValue) throws(RPCError) {
        path = try json.optionalString("path")
        pace = try json.optionalNumber("pace") ?? 1
        guard pace.isFinite, pace > 0, pace <= 1000 else {
            throw .invalidParameter("pace", "a pace is more than 0 and at most 1000")
        }
    }

    package var json: JSONValue {
        var object: JSONObject = ["pace": .double(pace)]
        object["path"] = path.map(JSONValue.string)
        return .object(object)
    }
}
