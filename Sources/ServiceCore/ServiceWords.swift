/// The words of one service: what its apps, tools and other services say to it, what it says to them, what it keeps,
/// and the events and effects that no other service has. `Never` stands for what a service lacks.
package protocol ServiceWords: Sendable {
    /// What an app asks for. The policy answers with `reply` or `refuse`.
    associatedtype Request: Hashable & Sendable
    /// What a tool asks for, or a person by way of it. The policy answers.
    associatedtype Command: Hashable & Sendable
    /// What another service asks for. The policy answers.
    associatedtype Inquiry: Hashable & Sendable
    associatedtype Reply: Hashable & Sendable
    associatedtype Refusal: Error & Hashable

    /// What an app is told under a number, and answers.
    associatedtype News: Hashable & Sendable
    /// An app's answer to news.
    associatedtype Answer: Hashable & Sendable
    /// What an app is told and does not answer. The host leaves it out for an app that does not read.
    associatedtype Notice: Hashable & Sendable

    /// The holds of its declaration, by their names.
    associatedtype Hold: RawRepresentable<String> & Hashable & Sendable
    /// The windows of its declaration, by their names.
    associatedtype Window: RawRepresentable<String> & Hashable & Sendable
    /// What it asks of other services.
    associatedtype Question: Hashable & Sendable

    /// What outlives the process.
    associatedtype Record: Hashable & Sendable
    associatedtype RecordKey: Hashable & Sendable

    /// What happens in the world of this service.
    associatedtype Event: Hashable & Sendable
    /// What this service does in its world.
    associatedtype Effect: Hashable & Sendable

    static func key(of record: Record) -> RecordKey
    static func durability(of key: RecordKey) -> RecordDurability

    /// The command changes what must survive a loss of power. If a tool repeats such a command, it changes nothing any
    /// more, so it is refused as long as any such record waits to be stored.
    static func isPromise(_ command: Command) -> Bool
}

extension ServiceWords {
    package static func isPromise(_ command: Command) -> Bool { true }
}

/// How safe a record is before the effects behind it are performed.
package enum RecordDurability: Hashable, Comparable, Sendable {
    /// It survives the end of the process soon: within a second.
    case soon
    /// It survives the end of the process.
    case process
    /// It survives a loss of power. A request that changed it is not answered with success before.
    case power
}
