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
    /// What an app does, in a storm, when it is told some of these words; one of the lists for each app.
    static var habits: [[String: [AppAction]]] { get }

    /// What is wrong with what people and other machines say; `nil`: it is understood.
    static func misunderstandingFromOutside(of words: String) -> String?
    /// What they might say of an app, for storms; `nil`: nobody speaks to it.
    static func wordsFromOutside(_ random: inout SplitMix64, of app: AppIdentifier) -> String?
    /// Which numbers a storm draws for it: those of the other services are as they are without it.
    static var stormStream: UInt64 { get }

    /// Its process begins, with what the one before it had stored: nothing else outlives a death.
    mutating func start(_ life: ServiceModelLife)
    mutating func handle(_ news: ServiceModelNews, at now: Instant) -> [ServiceModelAct]
    /// What people and other machines say, whether or not its process lives: they are not of the device.
    mutating func hear(_ words: String, isAlive: Bool, at now: Instant) -> [ServiceModelAct]
    /// What it would tell a tool that asks; `nil`: it does not understand.
    func answer(_ question: String, at now: Instant) -> String?
    /// When it wants a `timer` at the latest.
    mutating func nextDeadline() -> Instant?

    /// What it states to a daemon that is new, or to the one that it finds itself: all else is dropped.
    var holds: [ServiceModelHold] { get }
    /// It is told of plain programs with its key, which say nothing to it.
    static var hearsPrograms: Bool { get }
    /// The services that it may ask for something.
    static var asks: Set<String> { get }

    /// It has something to do, whether or not anybody is connected.
    var isUnfinished: Bool { get }
    /// What is not as it has to be, after every event.
    func brokenPromises() -> [String]
}

/// What most services have no use for.
extension ServiceModel {
    package static var habits: [[String: [AppAction]]] { [] }
    package static func misunderstandingFromOutside(of words: String) -> String? { "nobody outside speaks to it" }
    package static func wordsFromOutside(_ random: inout SplitMix64, of app: AppIdentifier) -> String? { nil }
    package static var stormStream: UInt64 { 0x7a41 }
    package var holds: [ServiceModelHold] { [] }
    package static var hearsPrograms: Bool { false }
    package static var asks: Set<String> { [] }
    package mutating func hear(_ words: String, isAlive: Bool, at now: Instant) -> [ServiceModelAct] { [] }
    package func answer(_ question: String, at now: Instant) -> String? { nil }
}

/// What a process begins with.
package struct ServiceModelLife: Sendable {
    package var seed: UInt64
    /// When the machine was started: another moment, another start.
    package var booted: Instant
    /// The device's, by its name: the daemon tells it with its greeting.
    package var profile: String

    package init(seed: UInt64, booted: Instant, profile: String) {
        self.seed = seed
        self.booted = booted
        self.profile = profile
    }
}

/// Something that it holds for an app's process.
package struct ServiceModelHold: Hashable, Sendable {
    package var app: AppIdentifier
    package var process: Int64
    package var hold: String

    package init(_ app: AppIdentifier, process: Int64, _ hold: String) {
        (self.app, self.process, self.hold) = (app, process, hold)
    }
}

/// The app's end of a connection.
package struct ServiceModelClient: Hashable, Sendable {
    /// The numbers of what its process was told, over whichever connection.
    package var heard: Set<UInt64>
    /// It is the code of a real app, and says what that says.
    package var isProgram: Bool
    package var modes: BackgroundModes
    /// The number of its process.
    package var process: Int64

    package init(heard: Set<UInt64>, isProgram: Bool, modes: BackgroundModes, process: Int64) {
        self.heard = heard
        self.isProgram = isProgram
        self.modes = modes
        self.process = process
    }
}

/// What a service's process hears.
package enum ServiceModelNews: Sendable {
    case timer
    /// Wall clock minus boot clock: first of all, and when somebody has set the clock.
    case clock(offset: Span)
    /// Seconds east of Greenwich: first of all, and whenever the device is in another zone.
    case zone(String, offset: Int32)
    /// The way to the network is this from now on. Connections through another one are dead, and nobody says so.
    case network(NetworkKind)
    /// The machine, as the daemon says it.
    case conditions(ServiceModelConditions)
    /// The daemon has answered its hello; has said then how everything is; or is gone.
    case arrived, greeted, lost
    /// Of an app that ever connected.
    case app(AppIdentifier, LifecycleState, awaitsCall: Bool, process: Int64, isVisible: Bool)
    /// A plain program with its key runs.
    case program(AppIdentifier, process: Int64, modes: BackgroundModes)
    /// In the switcher; `ends`: what it has under way ends with that.
    case closed(AppIdentifier, ends: Bool)
    case removed(AppIdentifier)
    /// A connection of an app; on a new one the app says again what had not been answered, and what is to be kept.
    case attached(connection: UInt64, AppIdentifier, ServiceModelClient)
    case detached(connection: UInt64)
    /// An app says something. Numbers grow; what comes again comes with the number that it had.
    case said(connection: UInt64, number: UInt64, String)
    /// An app's main thread has dealt with what it was told.
    case heard(connection: UInt64, number: UInt64)
    /// The daemon's answer to `wake`.
    case woken(number: UInt64, ServiceModelAnswer)
    /// The daemon's answer to `hold`.
    case held(number: UInt64, ServiceModelAnswer)
    /// It lacks the key, and has left the screen: what is held is to end, which `stopped` says.
    case stop(ServiceModelHold, order: UInt64)
    /// It counts no longer.
    case holdEnded(ServiceModelHold)
    /// The app is done with what it was woken for, took too long, or ended.
    case windowEnded(AppIdentifier, window: String, ServiceModelEnd)
    /// So many bytes have arrived so far of what was asked for by `move`.
    case moved(traffic: UInt64, bytes: Int64, isDone: Bool)
    /// The network under it is another one, or none.
    case broken(traffic: UInt64)
    /// What arrived could not be written: room on the disk is short. No more comes of it.
    case noRoom(traffic: UInt64)
    /// Another service wants something, which `reply` answers.
    case asked(number: UInt64, by: String, String)
    /// The answer to `ask`. None comes when the daemon dies.
    case replied(number: UInt64, ServiceModelReply)
}

/// What another service says to what it was asked.
package enum ServiceModelReply: Hashable, Sendable {
    case done(String)
    case refused(String)
    /// It ended before it answered.
    case ended
}

package struct ServiceModelConditions: Hashable, Sendable {
    package var network: NetworkKind
    package var isCharging: Bool
    /// Percent.
    package var battery: Int32
    /// What is sent now costs little more.
    package var isRadioWarm: Bool
    package var isLowPower: Bool
    package var isLocked: Bool
    package var call: CallState
}

package enum ServiceModelAnswer: Hashable, Sendable {
    case allowed
    /// Not now.
    case refused
    /// There is no such app any more.
    case impossible
    /// The daemon died before it answered.
    case lost
}

package enum ServiceModelEnd: String, Hashable, Sendable { case done, late, gone }

/// What a service wants done.
package enum ServiceModelAct: Sendable {
    /// What an app said is durable.
    case answer(connection: UInt64, number: UInt64, keeps: ServiceModelKeepsake?)
    /// The app's main thread is to know; answered by `heard`.
    ///
    /// - Parameter sequence: grows with each thing that an app is told by it, whatever dies in between: a process
    ///   hears each once, and answers each time.
    case tell(connection: UInt64, number: UInt64, String, sequence: UInt64? = nil)
    /// It has to be thawed, launched or opened for that.
    case wake(AppIdentifier, window: String, because: String = "", payload: String, number: UInt64)
    /// It is not suspended from when that is answered.
    case hold(ServiceModelHold, because: String, number: UInt64)
    case drop(ServiceModelHold)
    /// The answer to `stop`.
    case stopped(order: UInt64)
    /// What it did about an app, for whoever asks why.
    case note(AppIdentifier, String)
    /// So many bytes are to be had over the network, for an app or for none.
    case move(traffic: UInt64, bytes: Int64, Direction, AppIdentifier?, Purpose = .transfer)
    case stop(traffic: UInt64)
    /// For whom satellites are received from now on, and for nobody else.
    case satellites([AppIdentifier])
    /// Another service is to do something; answered by `replied`.
    case ask(String, String, number: UInt64)
    /// The answer to `asked`.
    case reply(number: UInt64, ServiceModelReply)
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
