internal import Wire

/// What the agent on a device says to the gateway.
package enum AgentRecord: LinkRecord {
    /// First of all: the device's public key, a point of P-256 in the form of ANSI X9.63.
    case hello(key: [UInt8])
    /// Answers the challenge: ECDSA over SHA-256 of `LinkRules.proof`, r and s.
    case prove(signature: [UInt8])
    case register(topic: String)
    case unregister(topic: String)
    /// The message is durable on the device: the gateway may forget it.
    case ack(number: Int64)
    case ping
    /// Background pushes of a topic wait for something else that goes over the connection, for so many seconds, or not
    /// at all. `nil`: as `patience` has it.
    case hold(topic: String, LinkHold<Int>?)
    /// Each background push may wait so many seconds for something else that goes over the connection.
    case patience(seconds: Int)

    package init(_ members: LinkMembers) throws(LinkError) {
        switch members.record {
        case "hello":
            let one = Int64(LinkRules.version)
            _ = try members.integer("v", one...one)
            let key = try members.bytes("key", count: LinkRules.keyLength)
            guard key[0] == 4 else {
                throw .badMember(record: "hello", member: "key", wanted: "an uncompressed point of P-256")
            }
            self = .hello(key: key)
        case "prove": self = .prove(signature: try members.bytes("signature", count: LinkRules.signatureLength))
        case "register": self = .register(topic: try members.topic())
        case "unregister": self = .unregister(topic: try members.topic())
        case "ack": self = .ack(number: try members.integer("n", 1...LinkRules.greatestNumber))
        case "ping": self = .ping
        case "hold":
            let seconds = try members.optionalInteger("seconds", 0...Int64(LinkRules.longestWait))
            self = .hold(topic: try members.topic(), seconds.map { $0 == 0 ? .never : .until(Int($0)) })
        case "patience":
            self = .patience(seconds: Int(try members.integer("seconds", 0...Int64(LinkRules.longestWait))))
        default: throw members.unknown
        }
    }

    package var line: [UInt8] {
        switch self {
        case .hello(let key):
            Self.line("hello", ["v": .int(Int64(LinkRules.version)), "key": .string(LinkBase64.text(key))])
        case .prove(let signature): Self.line("prove", ["signature": .string(LinkBase64.text(signature))])
        case .register(let topic): Self.line("register", ["topic": .string(topic)])
        case .unregister(let topic): Self.line("unregister", ["topic": .string(topic)])
        case .ack(let number): Self.line("ack", ["n": .int(number)])
        case .ping: Self.line("ping")
        case .hold(let topic, nil): Self.line("hold", ["topic": .string(topic)])
        case .hold(let topic, .never): Self.line("hold", ["topic": .string(topic), "seconds": .int(0)])
        case .hold(let topic, .until(let seconds)):
            Self.line("hold", ["topic": .string(topic), "seconds": .int(Int64(seconds))])
        case .patience(let seconds): Self.line("patience", ["seconds": .int(Int64(seconds))])
        }
    }
}
