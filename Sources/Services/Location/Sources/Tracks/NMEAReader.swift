internal import LocationModel

/// Reads what satellite receivers say: sentences of NMEA 0183.
///
/// GGA, RMC, GLL, GNS, GST and GSA of any talker count, wherever in a line they stand: programs write times and marks
/// before them and behind them. A sentence that is damaged is skipped and counted; one of another kind, or a line that
/// holds none, is passed over.
package enum NMEAReader {
    package static func read(_ bytes: [UInt8]) throws(TrackError) -> Track {
        guard bytes.count <= Track.mostBytes else { throw .tooLarge }
        var log = Log()
        // Receivers may leave checksums out. Where others have one, a sentence without was cut off.
        log.needsChecksums = bytes.split(whereSeparator: endsSentence).contains { fields($0) != nil }
        var (lines, start) = (1, bytes.startIndex)
        while let dollar = bytes[start...].firstIndex(of: UInt8(ascii: "$")) {
            lines += bytes[start..<dollar].count { $0 == UInt8(ascii: "\n") }
            start = dollar + 1
            let end = bytes[start...].firstIndex(where: endsSentence) ?? bytes.endIndex
            log.add(bytes[start..<end])
            guard log.points.count <= Track.mostPoints else { throw .tooManyPoints }
            start = end
        }
        log.close()
        guard log.sentences > 0 else {
            throw TrackError(
                line: 1, "this is neither GPX nor NMEA: expected “<gpx” or a sentence such as “$GPGGA,…”")
        }
        guard !log.points.isEmpty else {
            throw TrackError(
                line: lines,
                log.skipped > 0
                    ? "all \(log.skipped) sentences that could hold a place are damaged: check the recording"
                    : "the receiver never knew where it was: record again under a clear sky")
        }
        return try Track(log.points, skipped: log.skipped)
    }

    private static func endsSentence(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") || byte == UInt8(ascii: "$")
    }

    /// The fields of a sentence that follows its `$`, up to its `*`; `nil` if it is damaged.
    ///
    /// - Parameter needsChecksum: whether one without a checksum is damaged as well. What follows a checksum is no part
    ///   of the sentence.
    package static func fields(_ sentence: ArraySlice<UInt8>, needsChecksum: Bool = true) -> [String]? {
        guard let star = sentence.prefix(longestSentence).firstIndex(of: UInt8(ascii: "*")) else {
            guard !needsChecksum, sentence.count <= longestSentence else { return nil }
            return split(sentence)
        }
        let digits = sentence[(star + 1)...].prefix(3)
        guard digits.count >= 2, let sum = UInt8(String(decoding: digits.prefix(2), as: UTF8.self), radix: 16),
            digits.count == 2 || !isHexadecimal(digits[digits.index(before: digits.endIndex)])
        else { return nil }
        let content = sentence[..<star]
        return content.reduce(0, ^) == sum ? split(content) : nil
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool { Character(Unicode.Scalar(byte)).isHexDigit }

    private static func split(_ content: ArraySlice<UInt8>) -> [String]? {
        guard content.allSatisfy({ (0x20..<0x7f).contains($0) }) else { return nil }
        return content.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map { field in
            let text = String(decoding: field, as: UTF8.self).drop { $0 == " " }
            return String(text.reversed().drop { $0 == " " }.reversed())
        }
    }

    /// The standard says 82, and receivers say more.
    private static let longestSentence = 256
}

/// Sentences of one moment belong together.
private struct Log {
    var points: [RawPoint] = []
    var skipped = 0
    var sentences = 0
    var needsChecksums = true
    private var epoch = Epoch()
    /// Days since 1970 of the last date, and the time of day that came last.
    private var day: Int?
    private var lastTime = 0.0

    private struct Epoch {
        var time: Double?
        var day: Int?
        var point: RawPoint?
        /// Dilution of precision, which becomes an accuracy where the receiver gives none.
        var dilution: Double?
        var accuracy: Double?
        /// The receiver says itself that it does not know.
        var isVoid = false
    }

    /// Metres that a receiver errs by, for each unit of horizontal dilution.
    private static let rangeError = 5.0

    mutating func add(_ sentence: ArraySlice<UInt8>) {
        guard let fields = NMEAReader.fields(sentence, needsChecksum: needsChecksums) else {
            skipped += 1
            sentences += 1
            return
        }
        // Two letters for the talker, and three for what it says.
        let name = fields[0].uppercased()
        guard name.utf8.count == 5, name.allSatisfy({ $0.isASCII && $0.isLetter }) else { return }
        sentences += 1
        let isRead: Bool
        switch name.suffix(3) {
        case "GGA": isRead = readGGA(fields)
        case "RMC": isRead = readRMC(fields)
        case "GLL": isRead = readGLL(fields)
        case "GNS": isRead = readGNS(fields)
        case "GST": isRead = readGST(fields)
        case "GSA": isRead = readGSA(fields)
        default: return
        }
        if !isRead { skipped += 1 }
    }

    /// The last moment has come to its end.
    mutating func close() {
        defer { epoch = Epoch() }
        guard let time = epoch.time else { return }
        if let date = epoch.day {
            day = date
        } else if let before = day, time < lastTime - 43_200 {
            day = before + 1
        } else if day == nil {
            day = 0
        }
        lastTime = time
        guard var point = epoch.point, !epoch.isVoid else { return }
        point.time = Double(day ?? 0) * 86_400 + time
        point.accuracy = epoch.accuracy ?? epoch.dilution.map { $0 * Self.rangeError }
        points.append(point)
    }

    private mutating func begin(_ time: Double) {
        if let current = epoch.time, current != time { close() }
        epoch.time = time
    }

    private mutating func readGGA(_ fields: [String]) -> Bool {
        guard fields.count >= 12, let time = Self.time(fields[1]) else { return false }
        begin(time)
        guard let quality = Int(fields[6]) else { return false }
        guard quality > 0 else {
            epoch.isVoid = true
            return true
        }
        guard let place = Self.place(fields[2...5]) else { return false }
        var point = epoch.point ?? RawPoint(coordinate: place)
        point.coordinate = place
        point.altitude = fields[10] == "M" ? Self.number(fields[9]) : nil
        epoch.dilution = Self.number(fields[8])?.asAmount ?? epoch.dilution
        epoch.point = point
        return true
    }

    private mutating func readRMC(_ fields: [String]) -> Bool {
        guard fields.count >= 10, let time = Self.time(fields[1]) else { return false }
        begin(time)
        epoch.day = Self.day(fields[9]) ?? epoch.day
        guard fields[2] == "A" else {
            epoch.isVoid = true
            return fields[2] == "V"
        }
        guard let place = Self.place(fields[3...6]) else { return false }
        // The place of GGA stays: receivers give it there with as many digits or more.
        var point = epoch.point ?? RawPoint(coordinate: place)
        let knot = 1852.0 / 3600
        point.speed = Self.number(fields[7])?.asAmount.map { $0 * knot }
        point.course = Self.number(fields[8])?.asCourse
        epoch.point = point
        return true
    }

    /// Latitude and longitude alone.
    private mutating func readGLL(_ fields: [String]) -> Bool {
        guard fields.count >= 6, let time = Self.time(fields[5]) else { return false }
        begin(time)
        guard fields.count < 7 || fields[6] == "A" else {
            epoch.isVoid = true
            return fields[6] == "V"
        }
        guard let place = Self.place(fields[1...4]) else { return false }
        epoch.point = epoch.point ?? RawPoint(coordinate: place)
        return true
    }

    /// As GGA, of several systems of satellites: a letter for each, which is N where it has nothing.
    private mutating func readGNS(_ fields: [String]) -> Bool {
        guard fields.count >= 10, let time = Self.time(fields[1]) else { return false }
        begin(time)
        guard fields[6].contains(where: { $0 != "N" }) else {
            epoch.isVoid = true
            return !fields[6].isEmpty
        }
        guard let place = Self.place(fields[2...5]) else { return false }
        var point = epoch.point ?? RawPoint(coordinate: place)
        point.altitude = point.altitude ?? Self.number(fields[9])
        epoch.dilution = epoch.dilution ?? Self.number(fields[8])?.asAmount
        epoch.point = point
        return true
    }

    /// Errors of latitude and longitude.
    private mutating func readGST(_ fields: [String]) -> Bool {
        guard fields.count >= 9, let time = Self.time(fields[1]) else { return false }
        begin(time)
        if let north = Self.number(fields[6])?.asAmount, let east = Self.number(fields[7])?.asAmount {
            epoch.accuracy = (north * north + east * east).squareRoot()
        }
        return true
    }

    /// It has no time, and belongs to what came before.
    private mutating func readGSA(_ fields: [String]) -> Bool {
        guard fields.count >= 18, let mode = Int(fields[2]), (1...3).contains(mode) else { return false }
        epoch.dilution = epoch.dilution ?? Self.number(fields[16])?.asAmount
        return true
    }

    // MARK: Fields

    private static func number(_ text: String) -> Double? {
        // `Double` reads “nan” and “0x1p3” as well.
        guard !text.isEmpty, text.utf8.count <= 20, text.allSatisfy({ "0123456789.-+".contains($0) }) else {
            return nil
        }
        return Double(text)
    }

    /// `hhmmss.ss`
    private static func time(_ text: String) -> Double? {
        guard text.utf8.count >= 6, let value = number(text), value >= 0, value < 240_000 else { return nil }
        let whole = Int(value)
        let (hours, minutes) = (whole / 10_000, whole / 100 % 100)
        let seconds = value - Double(whole / 100 * 100)
        guard hours < 24, minutes < 60, seconds < 61 else { return nil }
        return Double(hours * 3600 + minutes * 60) + seconds
    }

    /// `ddmmyy`
    private static func day(_ text: String) -> Int? {
        guard text.utf8.count == 6, text.allSatisfy({ ("0"..."9").contains($0) }), let value = Int(text) else {
            return nil
        }
        let year = value % 100
        return Timestamp.days(year >= 80 ? 1900 + year : 2000 + year, value / 100 % 100, value / 10_000)
    }

    /// `ddmm.mmmm`, north or south, `dddmm.mmmm`, east or west.
    private static func place(_ fields: ArraySlice<String>) -> Coordinate? {
        let fields = Array(fields)
        guard let latitude = angle(fields[0], fields[1], "N", "S"),
            let longitude = angle(fields[2], fields[3], "E", "W")
        else { return nil }
        let place = Coordinate(latitude, longitude)
        return place.isValid ? place : nil
    }

    private static func angle(_ text: String, _ side: String, _ positive: String, _ negative: String) -> Double? {
        guard let value = number(text), value >= 0, value < 100_000, side == positive || side == negative else {
            return nil
        }
        let degrees = (value / 100).rounded(.down)
        let minutes = value - degrees * 100
        guard minutes < 60 else { return nil }
        return (side == positive ? 1 : -1) * (degrees + minutes / 60)
    }
}
