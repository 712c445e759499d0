/// A device token: 32 bytes that only a gateway with the same secret can make, so none has to be stored.
///
///     device 12 | SHA-256 of the topic, first 6 | epoch 2 | HMAC of these 20 and the topic, first 12
package struct DeviceToken: Hashable, Sendable {
    package let device: DeviceID
    package let topic: TopicHash
    /// How many registrations of the topic had ended when it was given out.
    package let epoch: UInt16
    fileprivate let seal: [UInt8]

    static let length = 32

    /// Fails unless the text is 64 hexadecimal digits.
    package init?(_ text: some StringProtocol) {
        guard text.utf8.count == 2 * Self.length, let bytes = Hexadecimal.bytes(text),
            let device = DeviceID(bytes[..<12])
        else { return nil }
        self.device = device
        topic = TopicHash(bytes[12..<18])
        epoch = UInt16(bytes[18]) << 8 | UInt16(bytes[19])
        seal = Array(bytes[20...])
    }

    fileprivate init(device: DeviceID, topic: TopicHash, epoch: UInt16, seal: [UInt8]) {
        self.device = device
        self.topic = topic
        self.epoch = epoch
        self.seal = seal
    }

    package var text: String { Hexadecimal.text(sealed + seal) }

    fileprivate var sealed: [UInt8] {
        device.bytes + topic.bytes + [UInt8(epoch >> 8), UInt8(truncatingIfNeeded: epoch)]
    }
}

/// The first six bytes of SHA-256 of a topic.
package struct TopicHash: Hashable, Sendable {
    package let rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }

    init(_ bytes: ArraySlice<UInt8>) { rawValue = bytes.prefix(6).reduce(0) { $0 << 8 | UInt64($1) } }

    fileprivate var bytes: [UInt8] { (0..<6).map { UInt8(truncatingIfNeeded: rawValue >> UInt64(40 - 8 * $0)) } }
}

/// Makes device tokens and knows its own again. The cryptography is its owner's.
package struct TokenAuthority: Sendable {
    /// HMAC-SHA256 under the gateway's secret.
    private let seal: @Sendable ([UInt8]) -> [UInt8]
    /// SHA-256.
    private let digest: @Sendable ([UInt8]) -> [UInt8]

    package init(
        seal: @escaping @Sendable ([UInt8]) -> [UInt8], digest: @escaping @Sendable ([UInt8]) -> [UInt8]
    ) {
        self.seal = seal
        self.digest = digest
    }

    package func hash(_ topic: String) -> TopicHash { TopicHash(digest(Array(topic.utf8))[...]) }

    package func token(device: DeviceID, topic: String, epoch: UInt16) -> DeviceToken {
        let unsealed = DeviceToken(device: device, topic: hash(topic), epoch: epoch, seal: [])
        let seal = seal(of: unsealed, topic)
        return DeviceToken(device: device, topic: unsealed.topic, epoch: epoch, seal: seal)
    }

    private func seal(of token: DeviceToken, _ topic: String) -> [UInt8] {
        Array(seal(token.sealed + Array(topic.utf8)).prefix(12))
    }

    /// Reads a token that a provider sends to a topic.
    /// - Parameter known: the topic behind a hash, of those that some device has registered.
    package func read(
        _ text: some StringProtocol, topic: String, known: (TopicHash) -> String?
    ) throws(PushRejection) -> DeviceToken {
        guard let token = DeviceToken(text) else { throw PushRejection(.badDeviceToken) }
        if token.topic == hash(topic), isOurs(token, topic) { return token }
        if let other = known(token.topic), other != topic, isOurs(token, other) {
            throw PushRejection(.deviceTokenNotForTopic)
        }
        throw PushRejection(.badDeviceToken)
    }

    /// Takes as long for any seal: the time must not tell how much of a guess was right.
    private func isOurs(_ token: DeviceToken, _ topic: String) -> Bool {
        let right = seal(of: token, topic)
        guard right.count == token.seal.count else { return false }
        var difference: UInt8 = 0
        for index in right.indices { difference |= right[index] ^ token.seal[index] }
        return difference == 0
    }
}
