package import LocationModel
package import Wire

extension JSONValue {
    /// A number that can be one.
    fileprivate func finite(_ key: String) throws(RPCError) -> Double {
        let value = try number(key)
        guard value.isFinite else { throw .invalidParameter(key, "the parameter \(key) must be finite") }
        return value
    }

    fileprivate func optionalFinite(_ key: String) throws(RPCError) -> Double? {
        guard let value = try optionalNumber(key) else { return nil }
        guard value.isFinite else { throw .invalidParameter(key, "the parameter \(key) must be finite") }
        return value
    }
}

extension Coordinate: WireRecord {
    package init(json: JSONValue) throws(RPCError) {
        self.init(try json.finite("latitude"), try json.finite("longitude"))
        guard isValid else {
            throw .invalidParameter("latitude", "a latitude is from -90 to 90, a longitude from -180 to 180")
        }
    }

    package var json: JSONValue { ["latitude": .double(latitude), "longitude": .double(longitude)] }
}

extension Fix: WireRecord {
    package init(json: JSONValue) throws(RPCError) {
        self.init(
            try Coordinate(json: json), accuracy: try json.finite("accuracy"), time: try json.finite("time"),
            source: try json.word("source"), altitude: try json.optionalFinite("altitude"),
            altitudeAccuracy: try json.optionalFinite("altitudeAccuracy"), speed: try json.optionalFinite("speed"),
            speedAccuracy: try json.optionalFinite("speedAccuracy"), course: try json.optionalFinite("course"),
            courseAccuracy: try json.optionalFinite("courseAccuracy"))
    }

    package var json: JSONValue {
        var object: JSONObject = [
            "latitude": .double(coordinate.latitude), "longitude": .double(coordinate.longitude),
            "accuracy": .double(accuracy), "time": .double(time), "source": .string(source.rawValue),
        ]
        object["altitude"] = altitude.map(JSONValue.double)
        object["altitudeAccuracy"] = altitudeAccuracy.map(JSONValue.double)
        object["speed"] = speed.map(JSONValue.double)
        object["speedAccuracy"] = speedAccuracy.map(JSONValue.double)
        object["course"] = course.map(JSONValue.double)
        object["courseAccuracy"] = courseAccuracy.map(JSONValue.double)
        return .object(object)
    }
}

extension Region: WireRecord {
    package init(json: JSONValue) throws(RPCError) {
        self.init(
            try json.string("identifier"), center: try Coordinate(json: json), radius: try json.finite("radius"),
            notifiesOnEntry: try json.bool("entry", default: true), notifiesOnExit: try json.bool("exit", default: true)
        )
    }

    package var json: JSONValue {
        [
            "identifier": .string(identifier), "latitude": .double(center.latitude),
            "longitude": .double(center.longitude), "radius": .double(radius), "entry": .bool(notifiesOnEntry),
            "exit": .bool(notifiesOnExit),
        ]
    }
}

extension Visit: WireRecord {
    package init(json: JSONValue) throws(RPCError) {
        self.init(
            try Coordinate(json: json), accuracy: try json.finite("accuracy"),
            arrival: try json.optionalFinite("arrival"), departure: try json.optionalFinite("departure"))
    }

    package var json: JSONValue {
        var object: JSONObject = [
            "latitude": .double(coordinate.latitude), "longitude": .double(coordinate.longitude),
            "accuracy": .double(accuracy),
        ]
        object["arrival"] = arrival.map(JSONValue.double)
        object["departure"] = departure.map(JSONValue.double)
        return .object(object)
    }
}

extension Heading: WireRecord {
    package init(json: JSONValue) throws(RPCError) {
        self.init(
            magnetic: try json.finite("magnetic"), geographic: try json.optionalFinite("geographic"),
            accuracy: try json.optionalFinite("accuracy"), time: try json.finite("time"))
    }

    package var json: JSONValue {
        var object: JSONObject = ["magnetic": .double(magnetic), "time": .double(time)]
        object["geographic"] = geographic.map(JSONValue.double)
        object["accuracy"] = accuracy.map(JSONValue.double)
        return .object(object)
    }
}

extension UpdateSettings: WireRecord {
    package init(json: JSONValue) throws(RPCError) {
        self.init(
            accuracy: try json.optionalFinite("accuracy") ?? 0,
            distanceFilter: try json.optionalFinite("distanceFilter") ?? 0,
            activity: try json.optionalWord("activity") ?? .other,
            pausesAutomatically: try json.bool("pauses", default: true),
            allowsBackground: try json.bool("background", default: false),
            showsIndicator: try json.bool("indicator", default: false))
    }

    package var json: JSONValue {
        [
            "accuracy": .double(accuracy), "distanceFilter": .double(distanceFilter),
            "activity": .string(activity.rawValue), "pauses": .bool(pausesAutomatically),
            "background": .bool(allowsBackground), "indicator": .bool(showsIndicator),
        ]
    }
}

extension LocationSurroundings: WireRecord {
    package init(json: JSONValue) throws(RPCError) {
        self.init(
            authorization: try json.word("authorization"), isReduced: try json.bool("reduced", default: false),
            lastFix: try json.optionalRecord("fix"),
            hasSignificantChanges: try json.bool("significantChanges", default: false),
            hasRegions: try json.bool("regionMonitoring", default: true),
            hasHeading: try json.bool("headings", default: false), regions: try json.records("regions"))
    }

    package var json: JSONValue {
        var object: JSONObject = [
            "authorization": .string(authorization.rawValue), "reduced": .bool(isReduced),
            "significantChanges": .bool(hasSignificantChanges), "regionMonitoring": .bool(hasRegions),
            "headings": .bool(hasHeading), "regions": .array(regions.map(\.json)),
        ]
        object["fix"] = lastFix?.json
        return .object(object)
    }
}

/// The parameters of an app's `hello`: how its side stands, for a service that may be a new one.
package struct LocationHello: WireRecord {
    /// `nil`: it wants no standard updates.
    package var updates: UpdateSettings?
    package var heading: Bool
    /// The numbers of what it deals with.
    package var running: [Int64]

    package init(updates: UpdateSettings? = nil, heading: Bool = false, running: [Int64] = []) {
        self.updates = updates
        self.heading = heading
        self.running = running
    }

    package init(json: JSONValue) throws(RPCError) {
        updates = try json.optionalRecord("updates")
        heading = try json.bool("heading", default: false)
        running = try json.elements("running").compactMap(\.int).map { Int64($0) }
    }

    package var json: JSONValue {
        var object: JSONObject = [
            "protocol": .int(Int64(locationProtocolVersion)), "heading": .bool(heading),
            "running": .array(running.map { .int($0) }),
        ]
        object["updates"] = updates?.json
        return .object(object)
    }
}

/// What an app is told, and by which number.
package struct LocationTold: WireRecord {
    package var seq: Int64
    package var news: LocationNews

    package init(seq: Int64, news: LocationNews) {
        self.seq = seq
        self.news = news
    }

    package var message: LocationClientMessage {
        switch news {
        case .significantChange: .significant
        case .entered: .entered
        case .exited: .exited
        case .visit: .visit
        case .paused: .paused
        case .resumed: .resumed
        }
    }

    package init(json: JSONValue) throws(RPCError) {
        seq = try json.integer("seq")
        func fix() throws(RPCError) -> Fix { try Fix(json: json.object("fix")) }
        switch try json.word("news", of: LocationClientMessage.self) {
        case .significant: news = .significantChange(try fix())
        case .entered: news = .entered(try Region(json: json.object("region")), try fix())
        case .exited: news = .exited(try Region(json: json.object("region")), try fix())
        case .visit: news = .visit(try Visit(json: json.object("visit")))
        case .paused: news = .paused
        case .resumed: news = .resumed
        case .fixes, .failed, .heading, .surroundings:
            throw .invalidParameter("news", "the parameter news is none of what is numbered")
        }
    }

    package var json: JSONValue {
        var object: JSONObject = ["seq": .int(seq), "news": .string(message.rawValue)]
        switch news {
        case .significantChange(let fix): object["fix"] = fix.json
        case .entered(let region, let fix), .exited(let region, let fix):
            object["region"] = region.json
            object["fix"] = fix.json
        case .visit(let visit): object["visit"] = visit.json
        case .paused, .resumed: break
        }
        return .object(object)
    }
}

/// The parameters of `fixes`: what standard updates bring, the oldest first.
package struct LocationFixes: WireRecord {
    package var fixes: [Fix]

    package init(fixes: [Fix]) { self.fixes = fixes }
    package init(json: JSONValue) throws(RPCError) { fixes = try json.records("fixes") }
    package var json: JSONValue { ["fixes": .array(fixes.map(\.json))] }
}

/// The parameters of `failed`: standard updates bring nothing now.
package struct LocationFailed: WireRecord {
    package var code: LocationFailure
    package var message: String

    package init(code: LocationFailure, message: String) {
        self.code = code
        self.message = message
    }

    package init(json: JSONValue) throws(RPCError) {
        code = try json.word("code")
        message = try json.string("message")
    }

    package var json: JSONValue { ["code": .string(code.rawValue), "message": .string(message)] }
}

/// The parameters of `authorize`, and the answer's `authorization` and `reduced` say what became of it.
package struct LocationAuthorize: WireRecord {
    package enum Level: String, Sendable, CaseIterable { case whenInUse, always, fullAccuracy }

    package var level: Level

    package init(level: Level) { self.level = level }
    package init(json: JSONValue) throws(RPCError) { level = try json.word("level") }
    package var json: JSONValue { ["level": .string(level.rawValue)] }
}

/// The answer of `state`.
package struct LocationStateAnswer: WireRecord {
    package var state: RegionState

    package init(state: RegionState) { self.state = state }
    package init(json: JSONValue) throws(RPCError) { state = try json.word("state") }
    package var json: JSONValue { ["state": .string(state.rawValue)] }
}
