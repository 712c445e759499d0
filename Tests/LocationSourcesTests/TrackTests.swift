import LinuxSystem
import LocationModel
import LocationSources
import Testing

@Suite("Tracks of NMEA sentences")
struct NMEATests {
    private func track(_ lines: String...) throws(TrackError) -> Track {
        try Track(Array((lines.map { Sentences.sentence($0) }.joined(separator: "\r\n") + "\r\n").utf8))
    }

    @Test func `A drive is read with its places, times, speeds and courses`() throws {
        let track = try Track(Array(Sentences.drive.utf8))
        #expect(track.points.count == 60 && track.skipped == 0)
        #expect(track.points.map(\.time) == (0..<60).map(Double.init))
        let point = track.points[10]
        #expect(abs(point.coordinate.latitude - 48.00135) < 1e-6 && point.coordinate.longitude == 11)
        #expect(abs((point.speed ?? 0) - 15.02) < 0.01 && point.course == 0 && point.altitude == 520)
        #expect(point.accuracy == 4.5)
        #expect(abs(track.length - 59 * 15) < 5 && track.duration == 59)
    }

    @Test func `Any talker counts, and sentences of another kind do not`() throws {
        let track = try track(
            "GNGGA,120000,0000.00,N,00100.00,E,1,8,1,1,M,,,,", "GLGGA,120001,0000.00,S,00200.00,W,1,8,1,1,M,,,,",
            "GAGGA,120002,0030.00,S,00300.00,W,1,8,1,1,F,,,,", "AIGGA,120003,0000.00,N,00400.00,E,1,8,1,1,M,,,,",
            "GPGSV,1,1,00", "PUBX,00,1")
        let places = track.points.map { [$0.coordinate.latitude, $0.coordinate.longitude] }
        #expect(places == [[0, 1], [0, -2], [-0.5, -3], [0, 4]])
        #expect(track.points.map(\.altitude) == [1, 1, nil, 1] && track.skipped == 0)
    }

    /// A drive as a program may have written it.
    static let writings: [(name: String, change: @Sendable (String) -> String)] = [
        ("times before", { $0.split(separator: "\r\n").map { "12:00:00.123 \($0)\r\n" }.joined() }),
        (
            "names before and times behind",
            { $0.split(separator: "\r\n").map { "NMEA,\($0),1777600000000\n" }.joined() }
        ),
        ("tag blocks", { $0.split(separator: "\r\n").map { "\\s:gps,c:1777600000*12\\\($0)\r\n" }.joined() }),
        ("one line", { $0.replacing("\r\n", with: "") }), ("old line ends", { $0.replacing("\r\n", with: "\r") }),
        ("blank lines and blanks", { "\u{FEFF}\n\n" + $0.replacing("\r\n", with: " \t\r\r\n\n") }),
        (
            "small letters",
            {
                $0.split(separator: "\r\n").map {
                    Sentences.sentence(
                        $0.dropFirst().prefix { $0 != "*" }.lowercased()
                            .replacing(",n,", with: ",N,").replacing(",e,", with: ",E,").replacing(",a,", with: ",A,")
                            .replacing(",m,", with: ",M,")) + "\n"
                }.joined()
            }
        ),
        (
            "other talkers",
            {
                $0.split(separator: "\r\n").map {
                    Sentences.sentence("II" + $0.dropFirst(3).prefix { $0 != "*" }) + "\n"
                }.joined()
            }
        ),
        ("no checksums", { $0.split(separator: "\r\n").map { $0.prefix { $0 != "*" } + "\n" }.joined() }),
        (
            "blanks around fields",
            {
                $0.split(separator: "\r\n").map {
                    Sentences.sentence($0.dropFirst().prefix { $0 != "*" }.replacing(",", with: " , ")) + "\n"
                }.joined()
            }
        ),
    ]

    @Test(arguments: writings.indices)
    func `Programs write sentences in many ways`(_ index: Int) throws {
        let track = try Track(Array(Self.writings[index].change(Sentences.drive).utf8))
        #expect(track.points.count == 60 && track.skipped == 0, "\(Self.writings[index].name)")
        #expect(track.duration == 59 && abs(track.length - 59 * 15) < 5)
    }

    @Test func `A sentence without a checksum is damaged where others have one`() throws {
        let cut = String(Sentences.drive.prefix(Sentences.drive.count - 30))
        #expect(try Track(Array(cut.utf8)).skipped == 1)
    }

    @Test func `Places without anything else, and those of several systems, are read`() throws {
        let track = try track(
            "GPGLL,0000.00,N,00100.00,E,120000,A,A", "GPGLL,,,,,120001,V,N",
            "GNGNS,120002,0000.00,N,00200.00,E,AN,8,1.2,7.5,47,,", "GNGNS,120003,,,,,NN,,,,,,")
        #expect(track.points.map(\.coordinate.longitude) == [1, 2] && track.points.map(\.altitude) == [nil, 7.5])
        #expect(track.points.map(\.accuracy) == [nil, 6] && track.skipped == 0)
    }

    @Test func `Sentences in UTF-16 are read`() throws {
        let units = Array(Sentences.drive.utf16)
        #expect(try Track([0xFF, 0xFE] + units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }).points.count == 60)
        #expect(try Track(units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }).points.count == 60)
    }

    @Test func `Errors that the receiver states are better than dilutions`() throws {
        let track = try track(
            "GPGGA,120000,0000.00,N,00100.00,E,1,8,2.5,1,M,,,,", "GPGST,120000,9,,,,3.0,4.0,7.0",
            "GPRMC,120001,A,0000.00,N,00100.00,E,1,90,210926,,", "GPGSA,A,3,1,2,3,4,,,,,,,,,1,2.0,1",
            "GPRMC,120002,A,0000.00,N,00100.00,E,1,90,210926,,")
        #expect(track.points.map(\.accuracy) == [5, 10, nil])
    }

    @Test func `A damaged sentence is skipped and counted, and its neighbours count`() throws {
        var text = Sentences.drive
        text.replace("$GPRMC,120005", with: "$GPRMC,120006", maxReplacements: 1)
        text.replace("$GPGGA,120007.00,", with: "$GPGGA,", maxReplacements: 1)
        text = "rubbish\n$\n$GPGGA*\n$GPGGA,1*ZZ\n\u{0}\n" + text
        let track = try Track(Array(text.utf8))
        #expect(track.points.count == 60 && track.skipped == 5)
    }

    @Test func `A track goes on after midnight, with or without a date`() throws {
        let dated = try track(
            "GPRMC,235959,A,0000.00,N,00100.00,E,1,90,311226,,", "GPRMC,000001,A,0000.00,N,00100.00,E,1,90,010127,,")
        #expect(dated.points.map(\.time) == [0, 2])
        let undated = try track(
            "GPGGA,235959,0000.00,N,00100.00,E,1,8,1,1,M,,,,", "GPGGA,000001,0000.00,N,00100.00,E,1,8,1,1,M,,,,")
        #expect(undated.points.map(\.time) == [0, 2])
    }

    @Test func `Moments at which the receiver is lost are left out`() throws {
        let track = try track(
            "GPRMC,120000,V,,,,,,,210926,,", "GPGGA,120001,,,,,0,0,,,M,,M,,",
            "GPRMC,120002,A,0000.00,N,00100.00,E,1,90,210926,,")
        #expect(track.points.count == 1 && track.points[0].time == 0 && track.skipped == 0)
    }

    @Test(arguments: [
        ("", "neither GPX nor NMEA"), ("hello\nworld\n", "neither GPX nor NMEA"),
        (Sentences.sentence("GPGGA,120001,,,,,0,0,,,M,,M,,"), "clear sky"), ("$GPGGA,1,2*00\n", "damaged"),
        (Sentences.sentence("GPGGA,120001,9100.00,N,00100.00,E,1,0,,,M,,M,,"), "damaged"),
        (Sentences.sentence("GPGGA,129901,0100.00,N,00100.00,E,1,0,,,M,,M,,"), "damaged"),
        (Sentences.sentence("GPGGA,120001,nan,N,00100.00,E,1,0,,,M,,M,,"), "damaged"),
    ])
    func `What holds no place says why`(_ text: String, _ reason: String) {
        let error = #expect(throws: TrackError.self) { try Track(Array(text.utf8)) }
        #expect(error?.description.contains(reason) == true)
    }

    @Test func `No changed byte makes a place that cannot be, checksum or not`() throws {
        let sentences = [
            "GPGGA,120000.00,4800.0000,N,01100.0000,E,1,08,0.9,520.0,M,47.0,M,,",
            "GPRMC,120000.00,A,4800.0000,N,01100.0000,E,29.2,0.0,210926,,,A", "GPGST,120000.00,9,,,,3.0,4.0,7.0",
            "GPGSA,A,3,1,2,3,4,,,,,,,,,1,2.0,1",
        ]
        for sentence in sentences {
            let bytes = Array(sentence.utf8)
            for index in bytes.indices {
                for byte in Array(",-+.9AeVx*$".utf8) {
                    var changed = bytes
                    changed[index] = byte
                    let text = Sentences.sentence(String(decoding: changed, as: UTF8.self))
                    guard let track = try? Track(Array((text + "\n" + text).utf8)) else { continue }
                    #expect(track.points.allSatisfy { $0.coordinate.isValid && $0.time.isFinite }, "\(text)")
                }
            }
        }
    }

    @Test func `A checksum is that of all between the marks`() {
        let sentence = Array("GPGLL,1*4A".utf8)
        for wrong in 0..<255 {
            var bytes = sentence
            let digits = Array((wrong < 16 ? "0" : "").utf8) + Array(String(wrong, radix: 16).utf8)
            bytes.replaceSubrange(8..., with: digits)
            let isRight = wrong == "GPGLL,1".utf8.reduce(0, ^)
            #expect((NMEAReader.fields(bytes[...]) != nil) == isRight)
        }
    }
}

@Suite("Tracks of GPX")
struct GPXTests {
    private func gpx(_ inside: String) -> [UInt8] {
        Array("<?xml version=\"1.0\"?>\n<gpx version=\"1.1\">\n\(inside)\n</gpx>\n".utf8)
    }

    private func points(_ inside: String) throws -> [TrackPoint] { try GPXReader.read(gpx(inside)).points }

    @Test func `Points have their places, altitudes and times, and speeds and courses that follow from them`() throws {
        let points = try points(
            """
            <trk><name>a &amp; b</name><trkseg>
            <trkpt lat="0" lon="0"><ele>10.5</ele><time>2026-05-01T12:00:00Z</time></trkpt>
            <trkpt lat='0' lon='0.001'><time>2026-05-01T14:00:10.5+02:00</time></trkpt>
            </trkseg><trkseg><trkpt lon="0.001" lat="0.001"><time>2026-05-01T12:00:20</time></trkpt></trkseg></trk>
            """)
        #expect(points.map(\.time) == [0, 10.5, 20] && points.map(\.altitude) == [10.5, nil, nil])
        #expect(points.map { Int((($0.speed ?? -1) * 10).rounded()) } == [106, 106, 117])
        #expect(points.map { Int(($0.course ?? -1).rounded()) } == [90, 90, 0])
    }

    @Test func `A device that stands keeps its course, and what the file says of its speed counts`() throws {
        let points = try points(
            """
            <trk><trkseg><trkpt lat="0" lon="0"><time>2026-05-01T12:00:00Z</time><speed>3</speed></trkpt>
            <trkpt lat="0.001" lon="0"><time>2026-05-01T12:01:00Z</time></trkpt>
            <trkpt lat="0.001" lon="0"><time>2026-05-01T12:02:00Z</time></trkpt>
            <trkpt lat="0.001" lon="0"><time>2026-05-01T12:02:00Z</time><extensions><x:a xmlns:x="y">
            <x:speed>7</x:speed><x:course>33</x:course></x:a></extensions></trkpt></trkseg></trk>
            """)
        #expect(points.map(\.course) == [0, 0, 0, 33])
        #expect(points.map { ($0.speed ?? -1).rounded() } == [3, 2, 0, 7])
    }

    @Test func `Of tracks, routes and waypoints the first kind that is there counts`() throws {
        let (way, route) = ("<wpt lat=\"1\" lon=\"1\"/>", "<rte><rtept lat=\"2\" lon=\"2\"/></rte>")
        let track = "<trk><trkseg><trkpt lat=\"3\" lon=\"3\"></trkpt></trkseg></trk>"
        #expect(try points(way + route + track).map(\.coordinate.latitude) == [3])
        #expect(try points(way + route).map(\.coordinate.latitude) == [2])
        #expect(try points(way + way).map(\.coordinate.latitude) == [1, 1])
    }

    @Test func `Points without times get some, at the usual speed or evenly between those that have one`() throws {
        func point(_ longitude: Double, _ time: String? = nil) -> String {
            "<trkpt lat=\"0\" lon=\"\(longitude)\">\(time.map { "<time>2026-05-01T12:\($0)Z</time>" } ?? "")</trkpt>"
        }
        let degree = Coordinate(0, 0).roughDistance(to: Coordinate(0, 1))
        let untimed = try points("<trk>\(point(0))\(point(1))\(point(3))</trk>")
        #expect(untimed.map { $0.time.rounded() } == [0, 1, 3].map { ($0 * degree / Track.usualSpeed).rounded() })
        #expect(untimed.allSatisfy { abs(($0.speed ?? 0) - Track.usualSpeed) < 1e-6 })
        let same = try points("<trk>\(point(0, "00:00"))\(point(1, "00:00"))</trk>")
        #expect(same.map { $0.time.rounded() } == [0, (degree / Track.usualSpeed).rounded()])
        let some = try points("<trk>\(point(0, "00:00"))\(point(1))\(point(4, "40:00"))\(point(4))</trk>")
        #expect(some.map { $0.time.rounded() } == [0, 600, 2400, 2400])
    }

    @Test func `Points whose times go back are left out`() throws {
        let track = try GPXReader.read(
            gpx(
                ["00:10", "00:20", "00:15", "00:30"].map {
                    "<wpt lat=\"0\" lon=\"0\"><time>2026-05-01T12:\($0)Z</time></wpt>"
                }.joined()))
        #expect(track.points.map(\.time) == [0, 10, 20] && track.skipped == 1)
    }

    @Test(arguments: [
        ("<gpx><wpt lat=\"1\"/></gpx>", 1, "no “lon”"),
        ("<gpx>\n<wpt lat=\"x\" lon=\"1\"/></gpx>", 2, "“x” is no number"),
        ("<gpx>\n\n<wpt lat=\"91\" lon=\"1\"/></gpx>", 3, "no place on earth"),
        ("<gpx><wpt lat=\"nan\" lon=\"1\"/></gpx>", 1, "no number"),
        ("<gpx><wpt lat=\"1e999\" lon=\"1\"/></gpx>", 1, "no number"),
        ("<gpx></gpx>", 1, "no track"), ("<gpx>\n<trk>\n", 3, "cut off"),
        ("<gpx><trk></gpx>", 1, "</gpx> ends nothing"),
        ("<html/>", 1, "no GPX"), ("<", 1, "a name is expected"), ("<gpx", 1, "not complete"),
        ("<gpx a></gpx>", 1, "has no value"), ("<gpx a=1/>", 1, "no quotation marks"),
        ("<gpx a=\"1", 1, "does not end"),
        ("<gpx a=\"1\" a=\"2\"/>", 1, "twice"),
        ("<?xml version='1.0' encoding='klingon'?><gpx/>", 1, "“KLINGON” is not known"),
        ("<gpx/><gpx/>", 1, "after the end"),
        ("<gpx/>text", 1, "outside"), ("<!-- \n", 1, "“-->” is missing"), ("<?xml ?>", 1, "no element"),
        ("<!DOCTYPE gpx [<!ENTITY a SYSTEM \"file:///etc/passwd\">]><gpx>&a;</gpx>", 1, "a document type"),
        ("<gpx><wpt lat=\"&a;\" lon=\"1\"/></gpx>", 1, "“&a;” is no number"),
    ])
    func `What cannot be read names its line and the reason`(_ text: String, _ line: Int, _ reason: String) {
        let error = #expect(throws: TrackError.self) { try Track(Array(text.utf8)) }
        #expect(error?.line == line && error?.reason.contains(reason) == true, "\(error?.description ?? "")")
    }

    @Test func `Files that would cost too much are refused`() {
        let deep = String(repeating: "<gpx>", count: 100)
        #expect(throws: TrackError.self) { try Track(Array(deep.utf8)) }
        let wide = "<gpx \((0..<100).map { "a\($0)=\"\"" }.joined(separator: " "))/>"
        #expect(throws: TrackError.self) { try Track(Array(wide.utf8)) }
    }

    static let altitudes: [(text: String, metres: Double?)] = [
        ("<ele/>", nil), ("<ele></ele>", nil), ("<ele> </ele>", nil), ("<ele>nan</ele>", nil), ("<ele>NaN</ele>", nil),
        ("<ele>inf</ele>", nil), ("<ele>1e999</ele>", nil), ("<ele>high</ele>", nil), ("<ele>300 m</ele>", nil),
        ("<ele>\n 300.5 \n</ele>", 300.5), ("<ele>300,5</ele>", 300.5), ("<ele>3.005e2</ele>", 300.5),
        ("<ele><![CDATA[300.5]]></ele>", 300.5), ("<ele>300.5</ele><ele/>", 300.5),
    ]

    @Test(arguments: altitudes.indices)
    func `A point counts without an altitude that is none`(_ index: Int) throws {
        let (text, metres) = Self.altitudes[index]
        let points = try points("<wpt lat=\"1\" lon=\"2\">\(text)<time>2026-05-01T12:00:00Z</time></wpt>")
        #expect(points.map(\.altitude) == [metres] && points.map(\.coordinate.longitude) == [2])
    }

    @Test(arguments: ["<time/>", "<time>noon</time>", "<time> </time>", "<time>2026-13-41T12:00:00Z</time>"])
    func `A point counts without a time that is none`(_ time: String) throws {
        func point(_ longitude: Int, _ time: String) -> String { "<wpt lat=\"0\" lon=\"\(longitude)\">\(time)</wpt>" }
        let points = try points(
            point(0, "<time>2026-05-01T12:00:00Z</time>") + point(1, time)
                + point(2, "<time>2026-05-01T12:20:00Z</time>"))
        #expect(points.map { $0.time.rounded() } == [0, 600, 1200])
    }

    @Test func `A point without a place is left out and counted where others have one`() throws {
        let track = try GPXReader.read(
            gpx(
                "<wpt lat=\"0\" lon=\"1\"/><wpt lat=\"\" lon=\"2\"/><wpt lon=\"3\"><ele>3</ele></wpt>"
                    + "<wpt lat=\"nan\" lon=\"4\"/><wpt lat=\" 0,5 \" lon=\"5\"/>"))
        #expect(track.points.map(\.coordinate.longitude) == [1, 5] && track.skipped == 3)
        #expect(track.points[1].coordinate.latitude == 0.5 && track.points.allSatisfy { $0.altitude == nil })
    }

    @Test(arguments: [
        "Tom & Jerry", "&nbsp;", "&#0;", "& ", "&&amp;", "&\u{301}amp;", "a &amp;\u{338} b", "&toolongtobeanentity;",
        String(repeating: "x", count: 100_000),
    ])
    func `What a name holds loses no point`(_ name: String) throws {
        let track = try GPXReader.read(gpx("<metadata><name>\(name)</name></metadata><wpt lat=\"1\" lon=\"2\"/>"))
        #expect(track.points.count == 1)
    }

    static let encodings: [(declared: String, hut: [UInt8])] = [
        ("ISO-8859-1", [0x48, 0xFC, 0x74, 0x74, 0x65]), ("iso-8859-15", [0xA4, 0xFC]),
        ("windows-1252", [0x93, 0xFC, 0x94]), ("Windows-1251", [0xC3, 0xEE, 0xF0, 0xE0]),
        ("KOI8-R", [0xE7, 0xCF, 0xD2, 0xC1]), ("Shift_JIS", [0x8E, 0x52]), ("UTF-8", [0xC3, 0xBC]),
        // Damaged, or another one than it says.
        ("UTF-8", [0x48, 0xFC, 0x74]), ("US-ASCII", [0xFC]), ("Shift_JIS", [0x8E]),
    ]

    @Test(arguments: encodings.indices)
    func `A file has the encoding that it declares, and what is none of it loses no point`(_ index: Int) throws {
        let (declared, hut) = Self.encodings[index]
        for quote in ["\"", "'"] {
            let head =
                "<?xml version=\"1.0\" encoding=\(quote)\(declared)\(quote)?><gpx><wpt lat=\"1\" lon=\"2\"><name>"
            let bytes = Array(head.utf8) + hut + Array("</name><ele>3</ele></wpt></gpx>".utf8)
            let track = try Track(bytes)
            #expect(track.points.map(\.altitude) == [3])
        }
    }

    @Test func `Files in UTF-16 and UTF-32 are read, with a mark or without`() throws {
        let text =
            "<?xml version=\"1.0\" encoding=\"UTF-16\"?><gpx><wpt lat=\"1\" lon=\"2\"><name>Hütte</name></wpt></gpx>"
        let little = text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        let big = text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        let wide = text.unicodeScalars.flatMap { [UInt8($0.value & 0xFF), UInt8($0.value >> 8), 0, 0] }
        for bytes in [little, [0xFF, 0xFE] + little, big, [0xFE, 0xFF] + big, [0xFF, 0xFE, 0, 0] + wide] {
            #expect(try Track(bytes).points.count == 1)
        }
    }

    @Test func `No piece of a file, and no changed byte, makes it crash`() throws {
        let text = gpx("<!-- c --><trk><![CDATA[<>]]><trkpt lat=\"1\" lon=\"&#49;\"><ele>1</ele></trkpt></trk>")
        #expect(try GPXReader.read(text).points.count == 1)
        for count in 0..<text.count - 1 {
            if count < text.count - 2 {
                #expect(throws: TrackError.self) { try GPXReader.read(Array(text.prefix(count))) }
            }
            for byte in [UInt8(ascii: "<"), 0, 0xff, UInt8(ascii: "&"), UInt8(ascii: "\"")] {
                var changed = text
                changed[count] = byte
                _ = try? GPXReader.read(changed)
            }
        }
    }

    @Test(
        arguments: [
            ("2024-02-29T00:00:00Z", "2024-03-01T00:00:00Z", 86_400),
            ("1999-12-31T23:59:59Z", "2000-01-01T00:00:00", 1),
            ("2026-05-01T00:00:00+02:00", "2026-05-01T00:00:00Z", 7200),
            ("2026-05-01", "2026-05-01T00:00:01.250Z", 1.25),
            ("1901-12-13T20:45:52.25Z", "1901-12-13 20:45:53Z", 0.75),
            ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00Z", 0),
            ("2026-05-01T12:00Z", "2026-05-01T12:01-0000", 60), ("2023-02-29T00:00:00Z", "2024-03-01T00:00:00Z", 0),
            ("2026-13-01", "2027-01-01", 0), ("2026-05-01T24:00:00Z", "2027-01-01", 0),
            ("0000-01-01", "2027-01-01", 0),
            ("2026-05-01T12:00:00.Z", "2027-01-01", 0), ("2026-05-01T12:00:00Zx", "2027-01-01", 0),
        ] as [(String, String, Double)])
    func `Times are read as people write them`(_ from: String, _ to: String, _ seconds: Double) throws {
        func point(_ time: String) -> String { "<wpt lat=\"0\" lon=\"0\"><time>\(time)</time></wpt>" }
        // One that is none counts as not there.
        #expect(try GPXReader.read(gpx(point(from) + point(to))).duration == seconds)
    }

    @Test func `A file that is not there is told`() {
        let error = #expect(throws: TrackError.self) { try Track(file: "/nonexistent/a.gpx") }
        #expect(error?.description == "there is no file /nonexistent/a.gpx")
    }

    /// Beside the repository, where there are any. They belong to real people and are not part of it.
    private static let folder = {
        let place = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        return "/\(place)/shared/traces/routes"
    }()

    @Test(.enabled(if: FileSystem.exists(folder), "NOT TESTED: needs recordings of routes in \(folder)"))
    func `Recordings of real devices are read`() throws {
        let files = FileSystem.names(in: Self.folder).filter { $0.hasSuffix(".gpx") }
        #expect(!files.isEmpty)
        for file in files {
            let track = try Track(file: "\(Self.folder)/\(file)")
            #expect(track.points.count > 10 && track.duration > 0 && track.length > 100, "\(file)")
            #expect(zip(track.points, track.points.dropFirst()).allSatisfy { $0.time <= $1.time }, "\(file)")
            #expect(track.points.allSatisfy { $0.speed?.isFinite == true && $0.coordinate.isValid }, "\(file)")
        }
    }
}
