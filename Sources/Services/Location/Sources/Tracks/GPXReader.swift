internal import LocationModel

/// Reads GPX 1.0 and 1.1 in UTF-8: the points of its tracks; of its routes where it has no track; or else its
/// waypoints.
package enum GPXReader {
    package static func read(_ bytes: [UInt8]) throws(TrackError) -> Track {
        guard bytes.count <= Track.mostBytes else { throw .tooLarge }
        var scanner = XMLScanner(bytes)
        var document = Document()
        while let event = try scanner.next() { try document.handle(event, line: scanner.line) }
        guard let points = document.points.first(where: { !$0.isEmpty }) else {
            throw document.firstFault ?? TrackError(line: scanner.line, "there is no track, route or waypoint in it")
        }
        return try Track(points, skipped: document.faults)
    }
}

private struct Document {
    /// Of tracks, of routes, and waypoints.
    var points: [[RawPoint]] = [[], [], []]
    /// Points without a place that can be: they are left out, and say why where there are no others.
    private(set) var faults = 0
    private(set) var firstFault: TrackError?
    private var path: [String] = []
    /// `nil` within the point as well, if it has no place.
    private var point: RawPoint?
    private var pointDepth = 0
    private var text = ""

    private static let kinds = ["trkpt", "rtept", "wpt"]
    /// Of a text that is read: all are numbers or times.
    private static let longestText = 64

    mutating func handle(_ event: XMLScanner.Event, line: Int) throws(TrackError) {
        switch event {
        case .begin(let name, let attributes):
            if path.isEmpty, name != "gpx" {
                throw TrackError(line: line, "<\(name)> is no GPX: its first element is <gpx>")
            }
            path.append(name)
            text = ""
            if point == nil, Self.kinds.contains(name) { begin(attributes, line) }
        case .text(let more):
            if point != nil, text.utf8.count + more.utf8.count <= Self.longestText + 64 { text += more }
        case .end(let name):
            try end(name, line)
            path.removeLast()
            text = ""
        }
    }

    private mutating func begin(_ attributes: [String: String], _ line: Int) {
        do throws(TrackError) {
            point = RawPoint(coordinate: try Self.place(attributes, line))
            pointDepth = path.count
        } catch {
            faults += 1
            firstFault = firstFault ?? error
        }
    }

    private mutating func end(_ name: String, _ line: Int) throws(TrackError) {
        guard let point else { return }
        if path.count == pointDepth {
            self.point = nil
            guard let kind = Self.kinds.firstIndex(of: name) else { return }
            points[kind].append(point)
            guard points[kind].count <= Track.mostPoints else { throw .tooManyPoints }
            return
        }
        let isOwn = path.count == pointDepth + 1
        var value = text.drop { $0.isWhitespace }
        while value.last?.isWhitespace == true { value.removeLast() }
        // Rubbish is as good as nothing: the point counts without it.
        switch name {
        case "ele" where isOwn: self.point?.altitude = Self.number(value) ?? point.altitude
        case "time" where isOwn: self.point?.time = Timestamp.seconds(String(value)) ?? point.time
        // Elements of GPX 1.0, and of extensions of 1.1.
        case "speed": self.point?.speed = Self.number(value)?.asAmount ?? point.speed
        case "course": self.point?.course = Self.number(value)?.asCourse ?? point.course
        default: return
        }
    }

    private static func place(_ attributes: [String: String], _ line: Int) throws(TrackError) -> Coordinate {
        func angle(_ name: String) throws(TrackError) -> Double {
            guard let text = attributes[name] else { throw TrackError(line: line, "a point has no “\(name)”") }
            guard let value = number(text[...]) else { throw noNumber(name, text[...], line) }
            return value
        }
        let place = Coordinate(try angle("lat"), try angle("lon"))
        guard place.isValid else {
            throw TrackError(line: line, "\(place.latitude), \(place.longitude) is no place on earth")
        }
        return place
    }

    private static func number(_ text: Substring) -> Double? {
        var digits = String(text.drop { $0.isWhitespace })
        while digits.last?.isWhitespace == true { digits.removeLast() }
        // As some languages write it.
        if !digits.contains("."), let comma = digits.firstIndex(of: ",") {
            digits.replaceSubrange(comma...comma, with: ".")
        }
        // `Double` reads “nan” and “0x1p3” as well.
        guard text.utf8.count <= longestText, digits.allSatisfy({ "0123456789.-+eE".contains($0) }) else { return nil }
        return Double(digits).flatMap { $0.isFinite ? $0 : nil }
    }

    private static func noNumber(_ name: String, _ text: Substring, _ line: Int) -> TrackError {
        TrackError(line: line, "“\(text.prefix(longestText))” is no number for “\(name)”")
    }
}
