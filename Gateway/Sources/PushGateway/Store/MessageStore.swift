package import NIOCore
package import PushCore

/// A device's connection, as a store sees it. What it is told it does on its own event loop.
package protocol DeviceLink: AnyObject, Sendable {
    /// It takes messages as they come: nothing of the store waits for it.
    var isReading: Bool { get }
    func deliver(_ message: PushMessage)
    /// Something is kept for it that it was not given: it has to be loaded.
    func missed()
    /// The device has connected again.
    func replaced()
}

/// What became of a message that was to be stored.
package enum StoreOutcome: Sendable, Equatable {
    /// It is durable, or its device has it.
    case accepted
    /// The device has not been seen for longer than tokens live; since when, in milliseconds since 1970.
    case deviceGone(since: Int64)
    /// The store takes no more for now.
    case full
    /// The store is elsewhere, and does not answer.
    case unavailable
    case failed
}

/// What waits for a store, and where its answer is heard.
package struct StoreWaiter<Answer: Sendable>: Sendable {
    package var eventLoop: any EventLoop
    package var body: @Sendable (Answer) -> Void

    package init(eventLoop: any EventLoop, body: @escaping @Sendable (Answer) -> Void) {
        self.eventLoop = eventLoop
        self.body = body
    }

    package func callAsFunction(_ answer: Answer) {
        let body = body
        eventLoop.execute { body(answer) }
    }
}

/// Where messages are kept for devices until they have them. One gateway has an `EmbeddedStore`; the gateways of a
/// fleet share what each has a `NATSStore` for.
package protocol MessageStore: Sendable {
    /// A number that is greater than that of every message before.
    func number() -> Int64

    /// Delivers a message to its device if that is connected, and keeps it for as long as it does not have it.
    ///
    /// The answer comes when the message is durable, unless the device has acknowledged it before.
    func accept(_ message: PushMessage, _ waiter: StoreWaiter<StoreOutcome>)

    /// A device is connected. Any older connection of it is told so.
    func attach(_ device: DeviceID, _ link: any DeviceLink)
    func detach(_ device: DeviceID, _ link: any DeviceLink)

    /// What is kept for a device, urgent messages first, and whether that is all; `nil` if it cannot be read.
    func load(_ device: DeviceID, limit: Int, _ waiter: StoreWaiter<StoredPage?>)

    /// The device has the message.
    func acknowledge(_ device: DeviceID, _ number: Int64)

    /// Makes a registration's token, once it is durable that there is one.
    func register(_ device: DeviceID, topic: String, _ waiter: StoreWaiter<RegistrationOutcome>)
    func unregister(_ device: DeviceID, topic: String, _ waiter: StoreWaiter<RegistrationOutcome>)

    /// Reads a provider's token.
    func read(token: Substring, topic: String) throws(PushRejection) -> DeviceToken

    /// Why it does not work, for `/healthz`; `nil` if it does.
    var trouble: String? { get }

    /// Ends after everything has been written.
    func close() async
}

package struct StoredPage: Sendable {
    package var messages: [PushMessage]
    package var isAll: Bool
}

package enum RegistrationOutcome: Sendable {
    case token(DeviceToken)
    case ended
    case refused(String)
}
