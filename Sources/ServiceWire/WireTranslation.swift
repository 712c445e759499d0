package import ServiceCore
package import Wire

/// The words of a service, as they are on the wire: the device's host and the one of virtual time read and write the
/// same bytes.
package protocol WireTranslation: Sendable {
    associatedtype Words: ServiceWords

    /// The version of the protocol that apps and tools name in `hello`.
    static var version: Int { get }

    // Apps.
    static func request(_ method: String, _ params: JSONValue) throws(RPCError) -> Words.Request
    static func message(for news: Words.News, _ number: NewsNumber) -> WireMessage
    static func message(for notice: Words.Notice) -> WireMessage
    /// - Parameter news: what was told under this number, where the policy still knows it.
    static func answer(_ result: Result<JSONValue, RPCError>, to news: Words.News?) -> Words.Answer?

    // Apps, tools and other services.
    static func result(of reply: Words.Reply) -> JSONValue
    static func error(of refusal: Words.Refusal) -> RPCError

    // Other services.
    static func inquiry(_ method: String, _ params: JSONValue) throws(RPCError) -> Words.Inquiry
    static func message(for question: Words.Question) -> WireMessage
}

/// A method, or the name of a notification, with its parameters.
package struct WireMessage: Hashable, Sendable {
    package var name: String
    package var params: JSONValue

    package init(_ name: String, _ params: JSONValue) {
        self.name = name
        self.params = params
    }
}

extension ServiceAnswer {
    package init(_ result: Result<JSONValue, RPCError>) {
        switch result {
        case .success: self = .heard
        case .failure(let error):
            switch error.code {
            case .unknown, .refused, .methodNotFound, .invalidParams: self = .refused
            default: self = .lost
            }
        }
    }
}

extension WakeAnswer {
    package init(_ result: Result<JSONValue, RPCError>) {
        switch result {
        case .success: self = .allowed
        case .failure(let error):
            switch error.code {
            // There is no such app any more, or nobody can be woken for that.
            case .unknown, .invalidParams: self = .never
            // It is on the screen already, or busy with the one before: later.
            default: self = .notNow
            }
        }
    }
}

extension AppStanding {
    package init(_ state: ServiceAppState) {
        self.init(
            State(rawValue: state.state) ?? .none, process: state.process, isVisible: state.visible,
            awaitsCall: state.awaitsCall)
    }
}

extension DeviceFacts {
    package init(_ conditions: ServiceConditions) {
        self.init()
        network = Network(rawValue: conditions.network.rawValue) ?? .none
        isMetered = conditions.metered
        isConstrained = conditions.constrained
        hasExternalPower = conditions.externalPower
        battery = conditions.battery.map { Int32((min(max($0, 0), 1) * 1000).rounded()) }
        isRadioWarm = conditions.radioWarm
        isAppOnScreen = conditions.appOnScreen
        isLowPower = conditions.lowPower
        isLocked = conditions.locked
        call = Call(rawValue: conditions.call.rawValue) ?? .none
    }
}
