internal import LinuxSystem
package import LocationModel

/// A way that was gone, or that is planned.
package struct Track: Hashable, Sendable {
    /// At least one. Their times never decrease.
    package let points: [TrackPoint]
    /// What was left out since it could not be read: sentences, or points whose times go back.
    package let skipped: Int

    /// Metres a second at which a way without times is gone.
    package static let usualSpeed = 5.0
    /// Bytes of a file.
    package static let mostBytes = 64 << 20
    package static let mostPoints = 500_000

    /// Seconds.
    package var duration: Double { points.last?.time ?? 0 }

    /// Metres.
    package var length: Double {
        zip(points, points.dropFirst()).reduce(0) { $0 + $1.0.coordinate.distance(to: $1.1.coordinate) }
    }

    /// Reads a file of GPX or NMEA sentences.
    package init(file path: String) throws(TrackError) {
        guard FileSystem.exists(path) else { throw TrackError("there is no file \(path)") }
        guard FileSystem.size(of: FileSystem.realPath(path)) <= Self.mostBytes else { throw .tooLarge }
        guard let bytes = FileSystem.read(path, limit: Self.mostBytes + 1) else {
            throw TrackError("the file \(path) cannot be read")
        }
        try self.init(bytes)
    }

    /// Reads GPX or NMEA sentences, whichever it is, in whichever encoding.
    package init(_ bytes: [UInt8]) throws(TrackError) {
        guard bytes.count <= Self.mostBytes else { throw .tooLarge }
        let bytes = try TrackText.utf8(bytes)
        let blank = Set(" \t\r\n".utf8)
        self =
            try bytes.first { !blank.contains($0) } == UInt8(ascii: "<")
            ? GPXReader.read(bytes) : NMEAReader.read(bytes)
    }
}

package struct TrackPoint: Hashable, Sendable {
    package var coordinate: Coordinate
    /// Metres above the sea.
    package var altitude: Double?
    /// Seconds from the first point.
    package var time: Double
    /// Metres a second. Only a track of one point may lack it.
    package var speed: Double?
    /// Degrees from north, clockwise; `nil` until the track moves.
    package var course: Double?
    /// Metres, where the track says so.
    package var accuracy: Double?

    package init(
        _ coordinate: Coordinate, altitude: Double? = nil, time: Double, speed: Double? = nil, course: Double? = nil,
        accuracy: Double? = nil
    ) {
        self.coordinate = coordinate
        self.altitude = altitude
        self.time = time
        self.speed = speed
        self.course = course
        self.accuracy = accuracy
    }
}

/// Why a track cannot be read.
package struct TrackError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Counted from 1; `nil` for what concerns the whole file.
    package let line: Int?
    package let reason: String

    /// A reason may quote the file, and that may say anything.
    package init(line: Int? = nil, _ reason: String) {
        self.line = line
        let shown = reason.unicodeScalars.prefix(300).map { scalar in
            scalar.properties.generalCategory == .control ? "\u{FFFD}" : scalar
        }
        self.reason = String(String.UnicodeScalarView(shown))
    }

    package var description: String { line.map { "line \($0): \(reason)" } ?? reason }

    static let tooLarge = TrackError(
        "the file is larger than \(Track.mostBytes >> 20) MiB: split it, or leave out points")
    static let tooManyPoints = TrackError("there are more than \(Track.mostPoints) points: leave out some")
}

/// A point as a file has it.
struct RawPoint {
    var coordinate: Coordinate
    var altitude: Double?
    /// Seconds since 1970.
    var time: Double?
    var speed: Double?
    var course: Double?
    var accuracy: Double?
}

extension Track {
    /// Fills in what the file leaves out: times, speeds and courses.
    init(_ raw: [RawPoint], skipped: Int = 0) throws(TrackError) {
        var kept: [RawPoint] = []
        kept.reserveCapacity(raw.count)
        var latest = -Double.infinity
        for point in raw {
            if let time = point.time {
                guard time >= latest else { continue }
                latest = time
            }
            kept.append(point)
        }
        guard !kept.isEmpty else { throw TrackError("there is no point in it") }
        let times = Self.times(kept)
        self.skipped = skipped + raw.count - kept.count
        points = Self.moving(
            zip(kept, times).map { point, time in
                TrackPoint(
                    point.coordinate, altitude: point.altitude, time: time - times[0], speed: point.speed,
                    course: point.course, accuracy: point.accuracy)
            })
    }

    /// A moment for each point. Between two that have one the way is gone evenly; beyond them, or where all are the
    /// same, at the usual speed.
    private static func times(_ points: [RawPoint]) -> [Double] {
        var way: [Double] = [0]
        way.reserveCapacity(points.count)
        for (one, other) in zip(points, points.dropFirst()) {
            way.append((way.last ?? 0) + one.coordinate.roughDistance(to: other.coordinate))
        }
        var known = points.indices.filter { points[$0].time != nil }
        if let first = known.first, let last = known.last, points.count > 1, points[first].time == points[last].time {
            known = []
        }
        guard let first = known.first, let last = known.last else { return way.map { $0 / usualSpeed } }
        func time(_ index: Int) -> Double { points[index].time ?? 0 }
        var times: [Double] = []
        times.reserveCapacity(points.count)
        var next = 0
        for index in points.indices {
            while next < known.count, known[next] < index { next += 1 }
            if next == known.count {
                times.append(time(last) + (way[index] - way[last]) / usualSpeed)
            } else if next == 0, known[0] > index {
                times.append(time(first) - (way[first] - way[index]) / usualSpeed)
            } else if known[next] == index {
                times.append(time(index))
            } else {
                let (from, to) = (known[next - 1], known[next])
                let whole = way[to] - way[from]
                let part = whole > 0 ? (way[index] - way[from]) / whole : 0
                times.append(time(from) + (time(to) - time(from)) * part)
            }
        }
        return times
    }

    /// Metres below which two points are the same place: a direction would be chance.
    private static let standing = 0.5

    private static func moving(_ points: [TrackPoint]) -> [TrackPoint] {
        var points = points
        for index in points.indices.dropFirst() {
            let (before, now) = (points[index - 1], points[index])
            let (way, time) = (before.coordinate.roughDistance(to: now.coordinate), now.time - before.time)
            if now.speed == nil { points[index].speed = time > 0 ? way / time : before.speed ?? 0 }
            if now.course == nil {
                points[index].course =
                    way >= standing ? before.coordinate.bearing(to: now.coordinate) : before.course
            }
        }
        if points.count > 1 {
            // Nothing leads to the first point, but something leads away from it.
            points[0].speed = points[0].speed ?? points[1].speed
            points[0].course = points[0].course ?? points[1].course
        }
        return points
    }
}
