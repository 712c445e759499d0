import Testing
import Wire

@Suite("Messages")
struct MessageTests {
    private func parse(_ text: String) throws(RPCParseError) -> RPCMessage { try RPCMessage.parse(Array(text.utf8)) }

    @Test("The examples of the specification are read and written")
    func examples() throws {
        let hello =
            #"{"jsonrpc":"2.0","id":1,"method":"hello","params":{"protocol":1,"client":"journal/1.0","executed":null}}"#
        #expect(
            try parse(hello)
                == .request(id: 1, method: "hello", params: ["protocol": 1, "client": "journal/1.0", "executed": nil]))
        #expect(try String(decoding: parse(hello).encoded(), as: UTF8.self) == hello + "\n")
        #expect(try parse(#"{"jsonrpc":"2.0","id":3,"result":{}}"#) == .response(id: 3, result: [:]))
        #expect(
            try parse(#"{"jsonrpc":"2.0","id":"ping-7","method":"ping"}"#)
                == .request(id: "ping-7", method: "ping", params: .null))
    }

    @Test("Messages are read back as they were written", arguments: 0..<500)
    func roundTrip(seed: Int) throws {
        var random = Seeded(UInt64(seed))
        let message = random.message()
        var line = message.encoded()
        #expect(line.popLast() == 0x0A)
        #expect(try RPCMessage.parse(line) == message)
    }

    @Test(
        "What is not a message is answered with the right code and identifier",
        arguments: [
            ("{", -32700, nil), ("nonsense", -32700, nil), ("[]", -32600, nil), ("3", -32600, nil),
            ("null", -32600, nil),
            (#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, -32600, nil), ("{}", -32600, nil),
            (#"{"jsonrpc":"1.0","id":4,"method":"ping"}"#, -32600, RPCID.int(4)),
            (#"{"id":"x","method":"ping"}"#, -32600, "x"), (#"{"jsonrpc":2.0,"id":4,"method":"ping"}"#, -32600, 4),
            (#"{"jsonrpc":"2.0","id":4}"#, -32600, 4), (#"{"jsonrpc":"2.0","id":4,"method":7}"#, -32600, 4),
            (#"{"jsonrpc":"2.0","id":4,"method":"a","params":"b"}"#, -32600, 4),
            (#"{"jsonrpc":"2.0","id":null,"method":"a"}"#, -32600, nil),
            (#"{"jsonrpc":"2.0","id":1.5,"method":"a"}"#, -32600, nil),
            (#"{"jsonrpc":"2.0","id":9007199254740993,"method":"a"}"#, -32600, nil),
            (#"{"jsonrpc":"2.0","id":[1],"method":"a"}"#, -32600, nil),
            (#"{"jsonrpc":"2.0","result":{}}"#, -32600, nil),
            (#"{"jsonrpc":"2.0","id":4,"method":"a","result":1}"#, -32600, 4),
            (#"{"jsonrpc":"2.0","id":4,"result":1,"error":{"code":1,"message":"m"}}"#, -32600, 4),
            (#"{"jsonrpc":"2.0","id":4,"error":{"code":"1"}}"#, -32600, 4),
            (#"{"jsonrpc":"2.0","id":true,"error":{"code":1,"message":"m"}}"#, -32600, nil),
        ] as [(String, Int, RPCID?)])
    func refused(text: String, code: Int, id: RPCID?) throws {
        let error = try #require(throws: RPCParseError.self) { try parse(text) }
        #expect(error.error.code.rawValue == code)
        #expect(error.id == id)
        #expect(error.answer == .failure(id: id, error.error))
        #expect(!error.description.isEmpty)
    }

    @Test("Identifiers reach 53 bits and 128 bytes, and no further")
    func identifiers() throws {
        #expect(RPCID(json: 9_007_199_254_740_992) == 9_007_199_254_740_992)
        #expect(RPCID(json: -9_007_199_254_740_992) != nil)
        #expect(RPCID(json: -9_007_199_254_740_993) == nil)
        #expect(RPCID(json: .int(.min)) == nil)
        let longest = String(repeating: "é", count: 64)
        #expect(RPCID(json: .string(longest)) == .string(longest))
        #expect(RPCID(json: .string(longest + "a")) == nil)
    }

    @Test("A failure may have no identifier")
    func failureWithoutIdentifier() throws {
        let line = #"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}"#
        #expect(try parse(line) == .failure(id: nil, RPCError(.parseError, "no")))
    }

    @Test("Random bytes give a message or an error, never a crash", arguments: 0..<40)
    func randomBytes(seed: Int) {
        var random = Seeded(UInt64(seed))
        let alphabet =
            Array(#"{}[]":,\u0123456789abcdefntrl-+.eE "jsonrpc":"2.0","id":1,"method":"a""#.utf8) + [
                0x00, 0x80, 0xC3, 0xF0, 0xFF,
            ]
        for _ in 0..<500 {
            let line = (0..<random.below(60)).map { _ in alphabet[random.below(alphabet.count)] }
            check(line)
        }
    }

    @Test("Damaged messages give a message or an error, never a crash", arguments: 0..<40)
    func damaged(seed: Int) {
        var random = Seeded(UInt64(seed) &+ 1_000)
        for _ in 0..<200 {
            var line = random.message().encoded().dropLast().map { $0 }
            for _ in 0...random.below(4) where !line.isEmpty {
                let index = random.below(line.count)
                switch random.below(4) {
                case 0: line[index] = UInt8.random(in: 0...255, using: &random)
                case 1: line.remove(at: index)
                case 2: line.insert(UInt8.random(in: 0...255, using: &random), at: index)
                default: line.removeSubrange(index...)
                }
            }
            check(line)
        }
    }

    /// A line that is taken must survive being written and read again; one that is not has one of the two codes.
    private func check(_ line: [UInt8]) {
        do {
            let message = try RPCMessage.parse(line)
            var again = message.encoded()
            again.removeLast()
            #expect(try RPCMessage.parse(again) == message)
        } catch {
            #expect([.parseError, .invalidRequest].contains(error.error.code), "\(line)")
        }
    }
}

extension RPCID: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral {
    /// For tests, `3` is an identifier.
    public init(integerLiteral value: Int64) { self = .int(value) }
    /// For tests, `"ping-7"` is an identifier.
    public init(stringLiteral value: String) { self = .string(value) }
}
