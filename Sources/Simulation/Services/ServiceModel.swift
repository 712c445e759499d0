package import Model

/// What decides in a real service, in virtual time: the same value that decides there, behind a shell that pretends.
/// A simulated service without one does what apps ask of it at once.
///
/// It sees the broker's messages (docs/SERVICES.md) and those of apps, here in words, and says what its shell is to do.
package protocol ServiceModel: Sendable {
    init()

    static var declaration: ServiceDeclaration { get }
    /// What is wrong with what an app says; `nil`: it is understood.
    static func misunderstanding(of words: String) -> String?
    /// What an app might say, for storms.
    ///
    /// - Parameter canBegin: something that the app will be woken for. An app that begins more each time that it is
    ///   woken never comes to rest.
    static func words(_ random: inout SplitMix64, canBegin: Bool) -> String

    /// Its process begins, with what the one before it had stored: nothing else outlives a death.
    mutating func start(seed: UInt64)
    mutating func handle(_ news: ServiceModelNews, at now: Instant) -> [ServiceModelAct]
    /// When it wants a `timer` at the latest.
    mutating func nextDeadline() -> Instant?

    /// It has something to do, whether or not anybody is connected.
    var isUnfinished: Bool { get }
    /// What is not as it has to be, after every event.
    func brokenPromises() -> [String]
}

/// What a service's process hears.
package enum ServiceModelNews: Sendable {
    case timer
    /// Wall clock minus boot clock: first of all, and when somebody has set the clock.
    case clock(offset: Span)
    /// The machine, as the daemon says it.
    case conditions(ServiceModelConditions)
    /// The daemon has answered its hello, or is gone.
    case arrived, lost
    /// Of an app that ever connected.
    case app(AppIdentifier, LifecycleState, awaitsCall: Bool)
    /// In the switcher; `ends`: what it has under way ends with that.
    case closed(AppIdentifier, ends: Bool)
    case removed(AppIdentifier)
    /// A connection of an app; on a new one the app says again what had not been answered, and what is to be kept.
    case attached(connection: UInt64, AppIdentifier)
    case detached(connection: UInt64)
    /// An app says something. Numbers grow; what comes again comes with the number that it had.
    case said(connection: UInt64, number: UInt64, String)
    /// An app's main thread has dealt with what it was told.
    case heard(connection: UInt64, number: UInt64)
    /// The daemon's answer to `wake`; `nil`: it died before.
    case woken(number: UInt64, isAllowed: Bool?)
    /// So many bytes have arrived so far of what was asked for by `move`.
    case moved(traffic: UInt64, bytes: Int64, isDone: Bool)
    /// The network under it is another one, or none.
    case broken(traffic: UInt64)
}

package struct ServiceModelConditions: Hashable, Sendable {
    package var network: NetworkKind
    package var isCharging: Bool
    /// Percent.
    package var battery: Int32
    /// What is sent now costs little more.
    package var isRadioWarm: Bool
    package var isLowPower: Bool
}

/// What a service wants done.
package enum ServiceModelAct: Sendable {
    /// What an app said is durable.
    case answer(connection: UInt64, number: UInt64, keeps: ServiceModelKeepsake?)
    /// The app's main thread is to know; answered by `heard`.
    case tell(connection: UInt64, number: UInt64, String)
    /// It has to be thawed or launched for that.
    case wake(AppIdentifier, window: String, payload: String, number: UInt64)
    /// So many bytes are to be had over the network, for an app.
    case move(traffic: UInt64, bytes: Int64, Direction, AppIdentifier)
    case stop(traffic: UInt64)
}

/// The services that run by the logic of real ones, by what they are called.
package struct ServiceModels: Sendable {
    package let types: [String: any ServiceModel.Type]

    package init(_ types: [String: any ServiceModel.Type] = [:]) { self.types = types }

    package var names: [String] { types.keys.sorted() }
}

extension ServiceScript {
    /// A service that runs by the logic of a real one, which declares itself when the device boots.
    package init(model: String) {
        self.init(ServiceDeclaration(name: model))
        self.model = model
    }
}

/// What an app says of something on each new connection; what it said of it before it says no more.
package struct ServiceModelKeepsake: Hashable, Sendable {
    package var subject: String
    /// `nil`: nothing.
    package var words: String?

    package init(subject: String, words: String?) {
        self.subject = subject
        self.words = words
    }
}
