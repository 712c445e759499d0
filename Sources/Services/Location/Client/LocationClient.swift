package import AppRuntime
internal import Dispatch
package import LocationModel
package import LocationWire
internal import Synchronization
package import Wire

/// An app's end of the wire to the location service: what the app wants to know, and what it was last told. What the
/// service tells the app is in `LocationClient+News`.
///
/// Nothing is connected until the app uses location. Its methods may be called on any thread.
package final class LocationClient: ServiceListener {
    package typealias Link = @Sendable (any ServiceListener) -> any ServiceLink

    struct State {
        var link: (any ServiceLink)?
        var makeLink: Link
        /// What each user of standard updates wants.
        var wishes: [Int64: UpdateSettings] = [:]
        /// Those that want to know the heading.
        var headings: Set<Int64> = []
        /// What the service last said; `nil`: nothing yet.
        var surroundings: LocationSurroundings?
        /// Why there is no service for this app, where that is so.
        var absence: RPCError?
        /// The service had its time to greet the app: nothing waits for it again.
        var hasWaited = false
        /// Regions that the service has not answered for yet; `nil`: one that is not monitored any more.
        var changes: [String: Change] = [:]
        var news = News()
    }

    struct Change {
        var region: Region?
        var count: Int
    }

    /// The app's.
    package static let shared = LocationClient(link: system)
    /// The app's `Info.plist`; `nil`: it is that of the process's bundle.
    package static var information: [String: Any]? { AppInformation.substitute }

    /// The way to the service of the machine.
    package static let system: Link = { ServiceClient("location", errand: "location", listener: $0) }

    let state: Mutex<State>
    let resets = Mutex<[@Sendable () -> Void]>([])
    /// Not a part of the state: what an app made before it was forgotten is never mistaken for something newer.
    private let numbers = Mutex<Int64>(0)

    /// - Parameter link: makes the way to the service when it is needed; called again after `reset`.
    package init(link: @escaping Link) { state = Mutex(State(makeLink: link)) }

    /// Another way to the service from now on, as if the app had not used it yet.
    package func use(_ link: @escaping Link) {
        reset()
        state.withLock { $0.makeLink = link }
    }

    /// Forgets the app, where its end is not the end of the process.
    package func reset() {
        let link = state.withLock { state in
            defer {
                // Frameworks outlive an app that is not the whole process.
                let audience = state.news.audience
                state = State(makeLink: state.makeLink)
                state.news.audience = audience
            }
            return state.link
        }
        link?.stop()
        for reset in resets.withLock({ $0 }) { reset() }
    }

    /// The way to the service, where the app has used it.
    package var currentLink: (any ServiceLink)? { state.withLock { $0.link } }

    private var link: any ServiceLink {
        state.withLock { state in
            if let link = state.link { return link }
            let link = state.makeLink(self)
            state.link = link
            return link
        }
    }

    /// Connects, so that the app hears what the service has for it.
    package func start() { link.start() }

    /// A number for something that wants to know the location or the heading.
    package func makeNumber() -> Int64 {
        numbers.withLock { number in
            number += 1
            return number
        }
    }

    // MARK: Asking

    /// How long what Apple's API has without a handler waits, in seconds.
    private static let patience = 5.0

    /// - Parameters:
    ///   - isErrand: the app runs until it is answered.
    ///   - completion: called on any thread.
    func request(
        _ method: LocationClientMethod, _ params: JSONValue, isErrand: Bool = true,
        completion: @escaping @Sendable (Result<JSONValue, RPCError>) -> Void
    ) {
        link.request(method.rawValue, params, isErrand: isErrand) { [self] result in
            if case .failure(let error) = result, error.saysThatThereIsNoService {
                state.withLock { $0.absence = error }
            }
            completion(result)
        }
    }

    /// A question that changes nothing. Whatever it is answered, the service's greeting is there before that.
    private func probe(_ completion: @escaping @Sendable () -> Void) {
        request(.state, ["identifier": ""], isErrand: false) { _ in completion() }
    }

    // MARK: What surrounds the app

    /// What the service has said, without waiting for it.
    package var known: LocationSurroundings? { state.withLock { $0.surroundings } }

    /// Why there is no service for this app, where that is so.
    package var absence: RPCError? { state.withLock { $0.absence } }

    /// What surrounds the app. The first time it waits for the service; `nil`: the service says nothing.
    package var surroundings: LocationSurroundings? {
        let (known, isHopeless) = state.withLock { ($0.surroundings, $0.absence != nil || $0.hasWaited) }
        if known != nil || isHopeless { return known }
        let arrival = DispatchSemaphore(value: 0)
        link.whileWaiting { probe { arrival.signal() } }
        _ = arrival.wait(timeout: .now() + Self.patience)
        return state.withLock { state in
            state.hasWaited = true
            return state.surroundings
        }
    }

    /// Calls when the service has greeted the app, or when it is clear that there is none. On any thread.
    package func whenKnown(_ body: @escaping @Sendable () -> Void) {
        let isKnown = state.withLock { $0.surroundings != nil || $0.absence != nil }
        if isKnown { return body() }
        probe(body)
    }

    /// Asks the user for more than the app may know now.
    ///
    /// - Parameter completion: called on any thread, when the surroundings are as the answer says.
    package func authorize(
        _ level: LocationAuthorize.Level, completion: @escaping @Sendable (Result<Void, RPCError>) -> Void
    ) {
        // A person may take any time to answer.
        request(.authorize, LocationAuthorize(level: level).json, isErrand: false) { [self] result in
            do throws(RPCError) {
                let answer = try result.get()
                let authorization = try answer.word("authorization", of: LocationAuthorization.self)
                let isReduced = try answer.bool("reduced", default: false)
                take(authorization, isReduced)
                completion(.success(()))
            } catch {
                completion(.failure(error))
            }
        }
    }

    private func take(_ authorization: LocationAuthorization, _ isReduced: Bool) {
        guard var news = known else { return }
        (news.authorization, news.isReduced) = (authorization, isReduced)
        surround(news)
    }

    /// The service says this now. Fixes are told by themselves, so an older one does not replace a newer one.
    func surround(_ news: LocationSurroundings) {
        let (became, isOther) = state.withLock { state in
            let before = state.surroundings
            var news = news
            if news.authorization.allows, let fix = before?.lastFix, fix.time > news.lastFix?.time ?? -.infinity {
                news.lastFix = fix
            }
            state.surroundings = news
            state.absence = nil
            return (before?.authorization.allows == false && news.authorization.allows, before != news)
        }
        // What the service refused before begins now, as it does on iOS.
        if became { restate() }
        guard isOther else { return }
        tellAudience { $0.surroundingsChanged() }
    }

    // MARK: ServiceListener

    package func hello(running: [Int64]) -> JSONValue {
        state.withLock { state in
            LocationHello(
                updates: UpdateSettings.merged(state.wishes.values), heading: !state.headings.isEmpty, running: running
            ).json
        }
    }

    package func greeted(_ answer: JSONValue) {
        guard let surroundings = try? LocationSurroundings(json: answer) else { return }
        surround(surroundings)
    }

    package func refused(_ error: RPCError) { state.withLock { $0.absence = error } }
}

extension RPCError {
    var saysThatThereIsNoService: Bool { locationCode == nil && (code == .unknown || code == .methodNotFound) }
}
