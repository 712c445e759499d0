package import AppRuntime
internal import Dispatch
internal import Foundation
internal import NotificationsWire
internal import Synchronization
package import Wire

/// An app's end of the wire to the notification service: what it asks for, and what it was last told. What the service
/// asks of the app is in `NotificationClient+Delivery`.
///
/// Nothing is connected until the app uses notifications.
package final class NotificationClient: ServiceListener {
    package typealias Link = @Sendable (any ServiceListener) -> any ServiceLink

    struct State {
        var link: (any ServiceLink)?
        var makeLink: Link
        /// What the service last said of the app.
        var badge: Int?
        var token: String?
        var delivery = Delivery()
    }

    /// The app's. It is made when the app first uses notifications, or is woken for one.
    package static let shared = NotificationClient(link: system)

    /// The way to the service of the machine.
    package static let system: Link = { ServiceClient("notifications", errand: "notifications", listener: $0) }

    let state: Mutex<State>

    /// - Parameter link: makes the way to the service when it is needed; called again after `reset`.
    package init(link: @escaping Link) { state = Mutex(State(makeLink: link)) }

    /// Another way to the service from now on, as if the app had not used it yet.
    package func use(_ link: @escaping Link) {
        let application = state.withLock { $0.delivery.application }
        reset()
        state.withLock { state in
            state.makeLink = link
            state.delivery.application = application
        }
    }

    /// Forgets the app, where its end is not the end of the process.
    package func reset() {
        let link = state.withLock { state in
            defer {
                let center = state.delivery.center
                state = State(makeLink: state.makeLink)
                state.delivery.center = center
            }
            return state.link
        }
        link?.stop()
    }

    /// The way to the service, where the app has used it.
    package var currentLink: (any ServiceLink)? { state.withLock { $0.link } }

    var link: any ServiceLink {
        state.withLock { state in
            if let link = state.link { return link }
            let link = state.makeLink(self)
            state.link = link
            return link
        }
    }

    /// Connects, so that the app hears what the service has for it.
    package func start() { link.start() }

    // MARK: Asking

    /// - Parameters:
    ///   - isErrand: the app runs until it is answered.
    ///   - completion: called on any thread.
    func request<Answer: WireRecord>(
        _ method: NotificationClientMethod, _ params: JSONValue, as answer: Answer.Type, isErrand: Bool = true,
        completion: @escaping @Sendable (Result<Answer, any Error>) -> Void
    ) {
        link.request(method.rawValue, params, isErrand: isErrand) { result in
            do throws(RPCError) {
                completion(.success(try Answer(json: try result.get())))
            } catch {
                completion(.failure(UNError.make(error)))
            }
        }
    }

    /// What has no answer but that it is done.
    func tell(
        _ method: NotificationClientMethod, _ params: JSONValue = [:],
        completion: @escaping @Sendable ((any Error)?) -> Void = { _ in }
    ) {
        link.request(method.rawValue, params, isErrand: true) { result in
            switch result {
            case .success: completion(nil)
            case .failure(let error): completion(UNError.make(error))
            }
        }
    }

    /// A list that comes in pages; what was had until an error.
    func list<Page: NotificationPage>(
        _ method: NotificationClientMethod, _ page: Page.Type, after last: String? = nil, known: [Page.Item] = [],
        completion: @escaping @Sendable ([Page.Item]) -> Void
    ) {
        request(method, NotificationPageParameters(after: last).json, as: page) { result in
            guard case .success(let page) = result else { return completion(known) }
            let all = known + page.items
            guard page.more, let last = page.last else { return completion(all) }
            self.list(method, Page.self, after: last, known: all, completion: completion)
        }
    }

    // MARK: What UIKit asks for

    /// Registers for pushes. It may take until there is a network.
    ///
    /// - Parameter completion: called on any thread, with the token.
    package func register(completion: @escaping @Sendable (Result<Data, any Error>) -> Void) {
        request(.register, [:], as: NotificationToken.self, isErrand: false) { result in
            completion(
                result.map { answer in
                    self.state.withLock { $0.token = answer.token }
                    return Data(hexadecimal: answer.token)
                })
        }
    }

    package func unregister() {
        state.withLock { $0.token = nil }
        tell(.unregister)
    }

    /// Whether there is a token. The first time it waits for the service.
    package var isRegistered: Bool {
        known()
        return state.withLock { $0.token != nil }
    }

    /// The number on the app's icon. The first time it waits for the service.
    package var badge: Int {
        get {
            known()
            return state.withLock { $0.badge } ?? 0
        }
        set { setBadge(newValue) { _ in } }
    }

    func setBadge(_ count: Int, completion: @escaping @Sendable ((any Error)?) -> Void) {
        guard count >= 0 else {
            return DispatchQueue.global().async { completion(UNError(.badgeInputInvalid)) }
        }
        state.withLock { $0.badge = count }
        tell(.setBadge, NotificationBadge(count: Int64(count)).json, completion: completion)
    }

    /// Waits for the service's greeting, as long as for other things that Apple's API has without a handler.
    private func known() {
        guard state.withLock({ $0.badge == nil }) else { return }
        // Any request: the greeting is there before its answer.
        _ = waiting { answer in tell(.settings) { _ in answer(()) } }
    }

    // MARK: ServiceListener

    package func hello(running: [Int64]) -> JSONValue {
        // Also what came with the app's waking.
        let all = state.withLock { $0.delivery.running }.union(running)
        return NotificationHello.client(running: all.sorted()).json
    }

    package func greeted(_ answer: JSONValue) {
        guard let greeting = try? NotificationGreeting(json: answer) else { return }
        state.withLock { state in
            state.badge = Int(greeting.badge)
            state.token = greeting.registered
        }
    }

    package func refused(_ error: RPCError) {
        Self.complain("the notification service refuses this app: \(error.message)")
    }

    package func told(_ method: String, _ params: JSONValue) {
        guard method == NotificationClientMessage.badge.rawValue, let badge = try? NotificationBadge(json: params)
        else { return }
        state.withLock { $0.badge = Int(badge.count) }
    }

    static func complain(_ sentence: String) {
        try? FileHandle.standardError.write(contentsOf: Data("\(sentence)\n".utf8))
    }
}

/// A part of a list.
protocol NotificationPage: WireRecord {
    associatedtype Item: Sendable
    var items: [Item] { get }
    var more: Bool { get }
    /// What names the last item.
    var last: String? { get }
}

extension NotificationPendingPage: NotificationPage {
    var items: [NotificationRequestInfo] { requests }
    var last: String? { requests.last?.identifier }
}

extension NotificationDeliveredPage: NotificationPage {
    var items: [NotificationInfo] { notifications }
    var last: String? { notifications.last?.request.identifier }
}

extension Data {
    /// Pairs of hexadecimal digits; what is none is left out.
    fileprivate init(hexadecimal text: String) {
        let digits = Array(text.utf8)
        self.init(
            stride(from: 0, to: digits.count - 1, by: 2).compactMap { start in
                UInt8(String(decoding: digits[start...start + 1], as: UTF8.self), radix: 16)
            })
    }
}
