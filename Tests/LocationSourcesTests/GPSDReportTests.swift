import LocationModel
import LocationSources
import Testing

@Suite("What gpsd says")
struct GPSDReportTests {
    private func read(_ text: String) -> GPSDReport? { GPSDReport(Array(text.utf8)) }

    private func fix(_ more: String, mode: Int = 3) -> Fix? {
        guard case .fix(let fix, "/dev/ttyS0") = read(report(8.5, second: 1, mode: mode, more: more)) else {
            return nil
        }
        return fix
    }

    @Test func `A fix with everything is read with everything`() {
        let line = """
            {"class":"TPV","device":"/dev/pts/1","mode":3,"time":"2026-09-21T12:00:10.250Z","ept":0.005,\
            "lat":48.0013,"lon":11.5,"altHAE":567.0,"altMSL":520.0,"alt":521.0,"epx":3,"epy":4,"epv":9.5,\
            "track":271.5,"speed":15.022,"climb":0.1,"eps":0.5,"epd":2.5,"eph":17.1}
            """
        let expected = Fix(
            Coordinate(48.0013, 11.5), accuracy: 17.1, time: 1_789_992_010.25, source: .gps, altitude: 520,
            altitudeAccuracy: 9.5, speed: 15.022, speedAccuracy: 0.5, course: 271.5, courseAccuracy: 2.5)
        #expect(read(line) == .fix(expected, device: "/dev/pts/1"))
    }

    @Test(arguments: [
        (#","eph":7"#, 3, 7.0), (#","epx":3,"epy":4"#, 3, 5), (#","epx":3"#, 3, 15), ("", 3, 15), ("", 2, 50),
        (#","eph":-1"#, 3, 15), (#","eph":"many""#, 3, 15), (#","eph":null,"epx":6,"epy":8"#, 3, 10),
    ])
    func `The accuracy is what gpsd says, or what a receiver usually has`(_ more: String, _ mode: Int, _ metres: Double)
    {
        #expect(fix(more, mode: mode)?.accuracy == metres)
    }

    @Test(
        arguments: [
            (#","altMSL":5,"alt":6,"altHAE":7"#, 3, 5.0), (#","alt":6"#, 3, 6), (#","altHAE":50,"geoidSep":47"#, 3, 3),
            (#","altHAE":50"#, 3, nil), (#","altMSL":5"#, 2, nil), (#","altMSL":"high""#, 3, nil),
        ] as [(String, Int, Double?)])
    func `The altitude is the one above the sea`(_ more: String, _ mode: Int, _ metres: Double?) {
        #expect(fix(more, mode: mode)?.altitude == metres)
    }

    @Test func `Numbers that cannot be are left out, and with a place that cannot be the whole fix`() {
        #expect(fix(#","speed":-1,"track":400,"eps":1,"epd":1"#) == fix(""))
        #expect(fix(#","track":360"#)?.course == 0)
        #expect(read(report(181, second: 1)) == nil)
        #expect(read(#"{"class":"TPV","mode":3,"time":"2026-05-01T12:00:00Z","lat":1}"#) == nil)
        let huge = fix(#","eph":1e300,"altMSL":1e300,"epv":1,"speed":1e300,"eps":1,"epd":1e300,"track":1"#)
        #expect(huge?.accuracy == 20_037_508 && huge?.altitude == nil && huge?.altitudeAccuracy == nil)
        #expect(huge?.speed == nil && huge?.speedAccuracy == nil && huge?.course == 1 && huge?.courseAccuracy == nil)
    }

    @Test(arguments: ["", #","time":"yesterday""#, #","time":1e300"#, #","time":-1"#, #","time":null"#])
    func `A fix without a time that can be is told apart`(_ time: String) {
        let expected = Fix(Coordinate(1, 1), accuracy: 15, time: 0, source: .gps)
        #expect(read(#"{"class":"TPV","mode":3,"lat":1,"lon":1\#(time)}"#) == .untimedFix(expected, device: nil))
    }

    @Test(arguments: [
        "", "{", "[]", "null", "\"TPV\"", #"{"class":"TPV","mode":3,"lat":NaN,"lon":1,"time":"2026-05-01T12:00:00Z"}"#,
        #"{"class":"TPV","mode":3,"lat":1e999,"lon":1,"time":"2026-05-01T12:00:00Z"}"#, #"{"class":7}"#,
        #"{"class":"SKY","hdop":1}"#, #"{"class":"DEVICE"}"#, #"{"class":"TPV","mode":3,"lat":0,"#,
        "\u{0}\u{1}",
    ])
    func `Rubbish is passed over`(_ text: String) { #expect(read(text) == nil) }

    @Test func `Rubbish that is nested deeply is passed over`() {
        #expect(read(String(repeating: "[", count: 60_000)) == nil)
        #expect(read(String(repeating: #"{"class":"#, count: 6_000)) == nil)
    }

    @Test func `Lines without a fix are told apart`() {
        #expect(read(FakeGPSD.version) == .version("3.22"))
        #expect(read(FakeGPSD.devices) == .devices(["/dev/ttyS0"]))
        #expect(read(#"{"class":"DEVICES","devices":[{"path":"a","activated":0},{"path":"b"},7]}"#) == .devices(["b"]))
        #expect(read(#"{"class":"DEVICE","path":"a","activated":0}"#) == .device("a", isActive: false))
        #expect(read(#"{"class":"DEVICE","path":"a","activated":1269959537.20}"#) == .device("a", isActive: true))
        #expect(read(#"{"class":"TPV","device":"a","mode":1}"#) == .noFix(device: "a"))
        #expect(read(#"{"class":"TPV"}"#) == .noFix(device: nil))
        #expect(read(#"{"class":"ERROR","message":"no"}"#) == .error("no"))
    }

    @Test func `No changed byte makes a line more than a fix that can be`() {
        let line = Array(report(8.5, second: 1, more: #","eph":7,"altMSL":5,"speed":1,"track":2"#).utf8)
        for index in line.indices {
            for byte in [0, 0xff] + Array("\"{}[],:-+.eE019".utf8) {
                var changed = line
                changed[index] = byte
                switch GPSDReport(changed) {
                case .fix(let fix, _)?, .untimedFix(let fix, _)?: #expect(fix.isSound)
                default: break
                }
                _ = GPSDReport(Array(changed.prefix(index)))
            }
        }
    }

    @Test func `Lines are cut wherever the pieces end, and one that is too long is dropped alone`() {
        var cutter = LineCutter()
        let text = Array("one\r\n\ntwo\n".utf8)
        for size in 1...text.count {
            var lines: [[UInt8]] = []
            var rest = text[...]
            while !rest.isEmpty {
                lines += cutter.cut(Array(rest.prefix(size)))
                rest = rest.dropFirst(size)
            }
            #expect(lines == [Array("one".utf8), Array("two".utf8)])
        }
        let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 10_000)
        for _ in 0..<1_000 { #expect(cutter.cut(piece).isEmpty) }
        #expect(cutter.cut(Array("end\nthree\n".utf8)) == [Array("three".utf8)])
        #expect(cutter.dropped == 1)
        let longest = [UInt8](repeating: UInt8(ascii: "x"), count: LineCutter.longestLine)
        #expect(cutter.cut(longest + Array("\n".utf8)) == [longest])
    }

    @Test(
        arguments: [
            ("127.0.0.1", GPSDAddress.standard), ("10.0.0.1:3000", .tcp(host: "10.0.0.1", port: 3000)),
            ("gps.local", .tcp(host: "gps.local", port: 2947)), ("[::1]:3000", .tcp(host: "::1", port: 3000)),
            ("[::1]", .tcp(host: "::1", port: 2947)), ("/run/gps", .unix("/run/gps")), ("", nil), (":1", nil),
            ("a:", nil),
            ("a:b", nil), ("a:0", nil), ("a:70000", nil), ("::1", nil), ("[", nil), ("[]:1", nil), ("[a]b", nil),
        ] as [(String, GPSDAddress?)])
    func `An address is read as people write it`(_ text: String, _ address: GPSDAddress?) {
        #expect(GPSDAddress(text) == address)
        if let address { #expect(GPSDAddress(address.description) == address) }
    }
}
