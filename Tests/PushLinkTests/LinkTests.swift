import PushLink
import Testing
import Wire

@Suite("The link between agent and gateway")
struct LinkTests {
    static let key: [UInt8] = [4] + (1...64).map { UInt8($0) }
    static let push = LinkPush(
        number: 7, id: "123e4567-e89b-12d3-a456-426614174000", topic: "com.example.app.voip", type: .voip, priority: 10,
        expires: 0, collapse: "a\"b", at: 1_700_000_000.25, payload: #"{"aps":{"alert":"Grüße"}}"#)

    static let agent: [AgentRecord] = [
        .hello(key: key), .prove(signature: Array(repeating: 255, count: 64)), .register(topic: "com.example.app"),
        .unregister(topic: "com.example.app"), .ack(number: 1 << 53), .ping, .hold(topic: "com.example.app", nil),
        .hold(topic: "com.example.app", .never), .hold(topic: "com.example.app", .until(86_400)), .patience(seconds: 0),
    ]
    static let gateway: [GatewayRecord] = [
        .challenge(nonce: Array(0..<32)),
        .welcome(device: String(repeating: "0a", count: 12), keepAlive: 1800, server: "push.example.com"),
        .token(topic: "com.example.app", token: String(repeating: "9f", count: 32)),
        .unregistered(topic: "com.example.app"), .refused(topic: "com.example.app", reason: "TooManyTopics"),
        .push(push), .pong, .goaway(after: 2.5, reason: LinkGoodbye.shutdown.rawValue),
    ]

    /// Reads what was written, in pieces of so many bytes.
    private func read<Record: LinkRecord>(_ records: [Record], pieces: Int) throws -> [Record] {
        var reader = LinkReader<Record>()
        var read: [Record] = []
        let bytes = records.flatMap(\.line)
        for start in stride(from: 0, to: bytes.count, by: pieces) {
            reader.append(Array(bytes[start..<min(start + pieces, bytes.count)]))
            while let record = try reader.next() { read.append(record) }
        }
        #expect(reader.buffered == 0)
        return read
    }

    @Test("What one side writes is what the other reads", arguments: [1, 7, 16_384])
    func roundTrip(_ pieces: Int) throws {
        #expect(try read(Self.agent, pieces: pieces) == Self.agent)
        #expect(try read(Self.gateway, pieces: pieces) == Self.gateway)
    }

    @Test("The longest payload that a gateway takes fits into a line, whatever has to be escaped in it")
    func longest() throws {
        var push = Self.push
        push.payload = String(repeating: "\"", count: LinkRules.payloadLength)
        push.collapse = String(repeating: "\u{1}", count: LinkRules.collapseLength)
        push.topic = String(repeating: "a", count: LinkRules.topicLength)
        let line = GatewayRecord.push(push).line
        #expect(line.count <= LinkRules.lineLength)
        #expect(try GatewayRecord(line: Array(line.dropLast())) == .push(push))
    }

    @Test("A line as long as no record is refused before it has ended, and nothing is read after it")
    func tooLong() throws {
        var reader = LinkReader<AgentRecord>()
        reader.append(Array(repeating: UInt8(ascii: "a"), count: LinkRules.lineLength - 1))
        #expect(try reader.next() == nil)
        reader.append(Array("a".utf8))
        #expect(throws: LinkError.lineTooLong) { try reader.next() }
        reader.append(Array("\n".utf8) + AgentRecord.ping.line)
        #expect(throws: LinkError.lineTooLong) { try reader.next() }
        #expect(reader.buffered == 0)
    }

    @Test(
        "What an agent may not say",
        arguments: [
            "", "x", "[]", "{}", "null", #"{"t":1}"#, #"{"t":"pong"}"#, #"{"t":"push"}"#, #"{"t":"hello"}"#,
            #"{"t":"hello","v":2,"key":""}"#, #"{"t":"hello","v":1,"key":"AAAA"}"#, #"{"t":"register"}"#,
            #"{"t":"register","topic":""}"#, #"{"t":"register","topic":"a b"}"#, #"{"t":"register","topic":["a"]}"#,
            #"{"t":"register","topic":"ä"}"#, #"{"t":"ack"}"#, #"{"t":"ack","n":0}"#, #"{"t":"ack","n":"1"}"#,
            #"{"t":"ack","n":1.5}"#, #"{"t":"ack","n":9007199254740993}"#, #"{"t":"prove","signature":"===="}"#,
            #"{"t":"ping","x":[[[[[]]]]]}"#, "{\"t\":\"ping\"",
        ])
    func refused(_ line: String) {
        #expect(throws: LinkError.self) { try AgentRecord(line: Array(line.utf8)) }
    }

    @Test("A key is a point that is not compressed")
    func points() {
        let line = AgentRecord.hello(key: [2] + Self.key.dropFirst()).line
        #expect(throws: LinkError.self) { try AgentRecord(line: Array(line.dropLast())) }
    }

    /// A member of a push, and what a gateway that lies may put there.
    static let lies: [(member: String, value: JSONValue)] = [
        ("n", 0), ("n", -1), ("n", 9_007_199_254_740_993), ("n", "7"), ("id", ""), ("id", "x"), ("topic", "a/b"),
        ("topic", nil), ("type", "x"), ("type", nil), ("priority", 2), ("priority", 11), ("priority", 1.0),
        ("expires", -1), ("expires", 1e3), ("collapse", ""), ("collapse", 1),
        ("collapse", .string(String(repeating: "c", count: 65))), ("at", -1), ("at", 1e300), ("at", nil),
        ("payload", ""), ("payload", ["aps": [:]]), ("payload", .string(String(repeating: "p", count: 5121))),
    ]

    @Test("What a gateway may not say of a push", arguments: lies.indices)
    func refusedPush(_ index: Int) throws {
        var json = try #require(JSONValue(parsing: Array(GatewayRecord.push(Self.push).line.dropLast())).object)
        json[Self.lies[index].member] = Self.lies[index].value
        #expect(throws: LinkError.self) { try GatewayRecord(line: JSONValue.object(json).encoded) }
    }

    @Test("Members that a later version adds are ignored")
    func later() throws {
        #expect(try AgentRecord(line: Array(#"{"t":"ping","later":{"a":[1]}}"#.utf8)) == .ping)
    }

    @Test("A proof names the gateway, in whatever case its name was written")
    func proof() {
        let proof = LinkRules.proof(nonce: [1], gateway: "Push.Example.com")
        #expect(proof == LinkRules.proof(nonce: [1], gateway: "push.example.com"))
        #expect(proof != LinkRules.proof(nonce: [1], gateway: "push.example.org"))
        #expect(proof != LinkRules.proof(nonce: [2], gateway: "push.example.com"))
    }

    /// 32 bytes end in a digit with two bits that mean nothing, and one `=`.
    @Test("Bytes in Base64 are read only as they are written", arguments: ["B=", "==", "A", "A==", "=A", "A-", "AA=="])
    func base64(_ end: String) throws {
        func challenge(_ end: String) throws -> GatewayRecord {
            let digits = String(repeating: "A", count: 42) + end
            return try GatewayRecord(line: Array("{\"t\":\"challenge\",\"nonce\":\"\(digits)\"}".utf8))
        }
        #expect(try challenge("A=") == .challenge(nonce: Array(repeating: 0, count: 32)))
        #expect(throws: LinkError.self) { try challenge(end) }
    }
}
