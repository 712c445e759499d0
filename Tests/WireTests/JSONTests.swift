import Testing
import Wire

@Suite("JSON")
struct JSONTests {
    private func parse(_ text: String) throws(JSONError) -> JSONValue { try JSONValue(parsing: text) }

    @Test("Every kind of value is read")
    func kinds() throws {
        let text =
            #" { "n" : null , "b":[true,false],"i":-12,"d":1.5e2,"s":"a\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00", "o":{} } "#
        #expect(
            try parse(text) == [
                "n": nil, "b": [true, false], "i": -12, "d": .double(150),
                "s": "a\"\\/\u{8}\u{C}\n\r\té😀", "o": [:],
            ])
    }

    @Test(
        "What is not strict JSON is refused",
        arguments: [
            "", " ", "nul", "truex", "tru", "+1", "01", "-", "-01", "1.", ".5", "1e", "1e+", "0x1", "1 2", "[", "[1",
            "[1,", "[1,]",
            "[,]", "{", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,", "{\"a\":1,}", "{a:1}", "{1:1}", "'a'", "\"",
            "\"\\",
            "\"\\x\"", "\"\\u12\"", "\"\\u12G4\"", "\"\\ud800\"", "\"\\ud800\\n\"", "\"\\ud800\\u0041\"", "\"\\udc00\"",
            "\"a\nb\"", "\"\u{1}\"", "1e400", "-1e400", "NaN", "Infinity", "// c\n1", "\u{FEFF}1", "]", "}", ",", ":",
        ])
    func refused(text: String) {
        #expect(throws: JSONError.self) { try parse(text) }
    }

    @Test(
        "A string that is not UTF-8 is refused",
        arguments: [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xE2, 0x82], [0xF4, 0x90, 0x80, 0x80]])
    func notUTF8(bytes: [UInt8]) {
        #expect(throws: JSONError.self) { try JSONValue(parsing: [0x22] + bytes + [0x22]) }
        #expect(throws: JSONError.self) { try JSONValue(parsing: [0x22, 0x5C, 0x6E] + bytes + [0x22]) }
    }

    @Test("Integers keep all 64 bits; what does not fit becomes a double")
    func integers() throws {
        #expect(try parse("9223372036854775807") == .int(.max))
        #expect(try parse("-9223372036854775808") == .int(.min))
        #expect(try parse("9223372036854775808") == .double(9_223_372_036_854_775_808))
        #expect(try parse("-9223372036854775809") == .double(-9_223_372_036_854_775_808))
        #expect(try parse("100000000000000000000000") == .double(1e23))
        #expect(try parse("18446744073709551617") == .double(18_446_744_073_709_551_616))
        #expect(try parse("1.0") == .double(1))
        #expect(try parse("-0") == .int(0))
    }

    @Test("Nesting is taken to the limit and refused beyond")
    func depth() throws {
        let limit = JSONLimits.message.depth
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        _ = try parse(nested(limit))
        #expect(throws: JSONError.self) { try parse(nested(limit + 1)) }
        #expect(throws: JSONError.self) { try parse(String(repeating: "{\"a\":", count: 100_000)) }
    }

    @Test("A document of too many values is refused")
    func tooManyValues() throws {
        let text = "[" + String(repeating: "0,", count: 20) + "0]"
        _ = try JSONValue(parsing: text, limits: JSONLimits(values: 22))
        #expect(throws: JSONError.self) { try JSONValue(parsing: text, limits: JSONLimits(values: 21)) }
    }

    @Test(
        "Of members with the same key the last one wins, however many there are", arguments: [2, 15, 16, 17, 18, 5_000])
    func duplicates(count: Int) throws {
        let once = (0..<count).map { "\"k\($0)\":\($0)" }.joined(separator: ",")
        let twice = (0..<count).map { "\"k\($0)\":\(-$0)" }.joined(separator: ",")
        let object = try #require(parse("{\(once),\(twice)}").object)
        #expect(object.members.map(\.key) == (0..<count).map { "k\($0)" })
        #expect(object.members.map(\.value) == (0..<count).map { .int(Int64(-$0)) })
    }

    @Test("Members keep their order when written")
    func order() throws {
        let text = #"{"z":1,"a":[2,"\u0000\u001f"],"m":{"y":null,"b":1.5}}"#
        #expect(try parse(text).description == text)
    }

    @Test("What is written is read back the same", arguments: 0..<500)
    func roundTrip(seed: Int) throws {
        var random = Seeded(UInt64(seed))
        let value = random.json()
        let bytes = value.encoded
        #expect(!bytes.contains(0x0A))
        #expect(try JSONValue(parsing: bytes) == value)
    }

    @Test("A double that JSON cannot express is written as null")
    func notFinite() {
        #expect(JSONValue.array([.double(.nan), .double(.infinity)]).description == "[null,null]")
    }

    @Test("Setting a member to nil removes it, null keeps it")
    func members() {
        var object: JSONObject = ["a": 1, "b": 2, "a": 3]
        #expect(object.members.map(\.key) == ["a", "b"])
        #expect(object["a"] == 3)
        object["b"] = JSONValue.null
        #expect(object["b"] == JSONValue.null)
        object["a"] = nil as JSONValue?
        #expect(object["a"] == nil)
        #expect(JSONValue.object(object)["b"] == nil)
    }
}
