internal import Model
internal import PushCore
internal import PushLink

extension FuzzTarget {
    /// The first byte says which of the two the rest is to be.
    static let mailbox = FuzzTarget("mailbox", "mailboxes of devices, messages between gateways", longest: 1 << 14) {
        (bytes) throws(BrokenPromise) in
        guard let first = bytes.first, let device = DeviceID([UInt8](repeating: first, count: 12)) else {
            return .refused("nothing")
        }
        let rest = Array(bytes.dropFirst())
        if first % 2 == 1 {
            guard let message = try? PushMessage(encoded: rest) else { return .refused("no message") }
            try promise(
                (try? PushMessage(encoded: message.encoded)) == message, "\(message) reads back as another message")
            return .taken("message, \(message.type.rawValue)")
        }
        guard let mailbox = try? Mailbox(rest, device: device) else { return .refused("no mailbox") }
        try promise(
            (try? Mailbox(mailbox.encoded, device: device)) == mailbox, "\(mailbox) reads back as another mailbox")
        try promise(mailbox.encodedCount == mailbox.encoded.count, "it is not as long as it says")
        try use(mailbox)
        return .taken("\(min(mailbox.messages.count, 3)) messages, \(mailbox.visit == nil ? "no " : "")visit")
    }

    /// What a gateway does with a mailbox that it has read.
    private static func use(_ mailbox: Mailbox) throws(BrokenPromise) {
        var mailbox = mailbox
        let now = WallTime(nanoseconds: 1_800_000_000_000_000_000)
        _ = mailbox.gone(at: now, rules: PushRules())
        for message in mailbox.messages {
            let greatest = mailbox.greatest
            mailbox.insert(message)
            try promise(mailbox.greatest > greatest, "a number is given again")
            _ = mailbox.accept(message, .collapse, limit: 1 << 20)
            _ = message.record
        }
        _ = mailbox.removeAll { $0.hasExpired(at: now) }
        for number in mailbox.messages.map(\.number) { _ = mailbox.remove(number) }
        try promise(mailbox.messages.isEmpty, "a message cannot be removed")
    }
}
