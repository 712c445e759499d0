package import AppRuntime
internal import Dispatch
internal import Foundation
package import NotificationsWire
internal import Synchronization
package import Wire

/// What is under way between the service and the app.
struct Delivery {
    /// Held weakly, as Apple's center does.
    // It is called on the main thread only.
    struct WeakDelegate: @unchecked Sendable {
        weak var delegate: (any UNUserNotificationCenterDelegate)?
    }

    var delegate = WeakDelegate()
    weak var center: UNUserNotificationCenter?
    var application: (any NotificationApplication)?
    var isLaunched = false
    /// What came before the app has said who is to hear it.
    var held: [ServiceCall] = []
    /// The numbers of what the app deals with, however that came.
    var running: Set<Int64> = []
    /// The last things that it has dealt with, and what it answered.
    var done: [(seq: Int64, answer: JSONValue)] = []
    /// What is to be called when something is: that with a number, or the next one.
    var waiting: [(seq: Int64?, done: @Sendable (JSONValue) -> Void)] = []
}

/// What UIKit does about notifications: pushes, and all that no delegate of the center hears.
@MainActor
package protocol NotificationApplication: AnyObject, Sendable {
    /// A push has come, with the whole payload.
    func didReceive(
        push payload: [AnyHashable: Any], _ completion: @escaping @Sendable (NotificationPushResult) -> Void)
    /// A notification has come while the app is on the screen, and there is no delegate: it is not shown.
    func willPresent(_ notification: UNNotification)
    /// The user has done something about a notification, and there is no delegate.
    func didReceive(_ response: UNNotificationResponse, _ completion: @escaping @Sendable () -> Void)
}

extension NotificationClient {
    /// The app is there; until it has been launched, what comes is held.
    package func use(_ application: any NotificationApplication) {
        state.withLock { $0.delivery.application = application }
    }

    /// `didFinishLaunching` has returned. What has no delegate by now is UIKit's.
    package func finishLaunching() {
        let isHeld = state.withLock { state in
            state.delivery.isLaunched = true
            return !state.delivery.held.isEmpty
        }
        if isHeld { deliverHeld() }
    }

    var delegate: (any UNUserNotificationCenterDelegate)? {
        get { state.withLock { $0.delivery.delegate }.delegate }
        set {
            let box = Delivery.WeakDelegate(delegate: newValue)
            state.withLock { $0.delivery.delegate = box }
            guard newValue != nil else { return }
            start()
            deliverHeld()
        }
    }

    /// The service has spoken with this process: an answer does not take long.
    package var isGreeted: Bool { state.withLock { $0.badge != nil } }

    /// What the user did that brings the app to the screen, while the app has not dealt with it. It waits for the
    /// service, and is no reason not to tell the delegate: that comes by itself.
    package func opening() -> NotificationDidReceive? {
        let answer: NotificationOpening?? = waiting { answer in
            request(.opening, [:], as: NotificationOpening.self) { answer(try? $0.get()) }
        }
        return answer??.told
    }

    /// Calls with its answer when the app has dealt with what the service asks it under this number; `nil`: with the
    /// next thing.
    package func whenDone(with seq: Int64?, _ done: @escaping @Sendable (JSONValue) -> Void) {
        let answer = state.withLock { state -> JSONValue? in
            if let seq, let known = state.delivery.done.last(where: { $0.seq == seq }) { return known.answer }
            state.delivery.waiting.append((seq, done))
            return nil
        }
        if let answer { done(answer) }
    }

    /// The number is new: nothing else has brought the same.
    private func begin(_ seq: Int64) -> Bool {
        state.withLock { state in
            !state.delivery.done.contains { $0.seq == seq } && state.delivery.running.insert(seq).inserted
        }
    }

    package func called(_ call: ServiceCall) {
        guard NotificationClientMessage(rawValue: call.method) != nil else {
            return call.answer(.failure(.methodNotFound(call.method)))
        }
        // A push may have come before, with what woke the app, and the service has not heard what became of it.
        guard begin(call.seq) else { return whenDone(with: call.seq) { call.answer(.success($0)) } }
        DispatchQueue.main.async { MainActor.assumeIsolated { self.deliver(call) } }
    }

    /// A push for which the system has woken the app. It may come again by the app's connection, and the other way
    /// round: the app is told once.
    @MainActor
    package func take(_ push: NotificationPush, _ done: @escaping @Sendable (NotificationPushResult) -> Void) {
        let isNew = begin(push.seq)
        whenDone(with: push.seq) { done((try? NotificationPushAnswer(json: $0))?.result ?? .noData) }
        guard isNew else { return }
        deliver(ServiceCall(seq: push.seq, method: NotificationClientMessage.push.rawValue, params: push.json) { _ in })
    }

    private func deliverHeld() {
        DispatchQueue.main.async {
            MainActor.assumeIsolated {
                let held = self.state.withLock { state in
                    defer { state.delivery.held = [] }
                    return state.delivery.held
                }
                for call in held { self.deliver(call) }
            }
        }
    }

    /// Whoever hears something, or `nil` where that is not said yet.
    private enum Audience {
        case delegate(any UNUserNotificationCenterDelegate, UNUserNotificationCenter)
        case application(any NotificationApplication)
    }

    @MainActor private func audience(of call: ServiceCall) -> Audience? {
        let delivery = state.withLock { $0.delivery }
        // An app that is being launched is told when it has been.
        guard delivery.application == nil || delivery.isLaunched else { return nil }
        if call.method != NotificationClientMessage.push.rawValue, let delegate = delivery.delegate.delegate {
            return .delegate(delegate, delivery.center ?? .current())
        }
        return delivery.application.map { .application($0) }
    }

    @MainActor private func deliver(_ call: ServiceCall) {
        guard let audience = audience(of: call) else { return state.withLock { $0.delivery.held.append(call) } }
        do throws(RPCError) {
            switch NotificationClientMessage(rawValue: call.method) {
            case .willPresent: willPresent(try NotificationWillPresent(json: call.params), call, audience)
            case .didReceive: didReceive(try NotificationDidReceive(json: call.params), call, audience)
            case .push: push(try NotificationPush(json: call.params), call, audience)
            case .openSettings: openSettings(try NotificationOpenSettings(json: call.params), call, audience)
            case .badge, nil: throw .methodNotFound(call.method)
            }
        } catch {
            call.answer(.failure(error))
            end(call.seq, [:])
        }
    }

    /// The app has dealt with it: the service is told, and whatever waited for that goes on.
    private func finish(_ call: ServiceCall, _ answer: JSONValue = [:]) {
        call.answer(.success(answer))
        end(call.seq, answer)
    }

    private func end(_ seq: Int64, _ answer: JSONValue) {
        let ready = state.withLock { state in
            state.delivery.running.remove(seq)
            state.delivery.done.append((seq, answer))
            if state.delivery.done.count > NotificationLimits.keptAnswers { state.delivery.done.removeFirst() }
            let ready = state.delivery.waiting.filter { $0.seq == seq || $0.seq == nil }
            state.delivery.waiting.removeAll { $0.seq == seq || $0.seq == nil }
            return ready
        }
        for one in ready { one.done(answer) }
    }

    @MainActor private func willPresent(
        _ params: NotificationWillPresent, _ call: ServiceCall, _ audience: Audience
    ) {
        let notification = UNNotification(params.notification)
        let decision = Once<UNNotificationPresentationOptions>(otherwise: []) { options in
            self.finish(call, NotificationPresentationAnswer(options: options.today.words).json)
        }
        switch audience {
        case .delegate(let delegate, let center):
            delegate.userNotificationCenter(center, willPresent: notification) { decision.give($0) }
        case .application(let application):
            application.willPresent(notification)
            decision.give([])
        }
    }

    @MainActor private func didReceive(
        _ params: NotificationDidReceive, _ call: ServiceCall, _ audience: Audience
    ) {
        guard let info = params.response else { return finish(call) }
        let response = UNNotificationResponse.make(info)
        let end = Once(otherwise: ()) { self.finish(call) }
        switch audience {
        case .delegate(let delegate, let center):
            delegate.userNotificationCenter(center, didReceive: response) { end.give(()) }
        case .application(let application): application.didReceive(response) { end.give(()) }
        }
    }

    @MainActor private func push(_ params: NotificationPush, _ call: ServiceCall, _ audience: Audience) {
        let result = Once<NotificationPushResult>(otherwise: .noData) { result in
            self.finish(call, NotificationPushAnswer(result: result).json)
        }
        guard case .application(let application) = audience, let payload = Self.payload(params.payload) else { return }
        application.didReceive(push: payload) { result.give($0) }
    }

    @MainActor private func openSettings(
        _ params: NotificationOpenSettings, _ call: ServiceCall, _ audience: Audience
    ) {
        if case .delegate(let delegate, let center) = audience {
            delegate.userNotificationCenter(center, openSettingsFor: params.notification.map(UNNotification.init))
        }
        finish(call)
    }

    /// A push's payload in Foundation's types; `nil` if it is no JSON object.
    package static func payload(_ text: String) -> [AnyHashable: Any]? {
        (try? JSONValue(parsing: text, limits: .answer))?.object?.dictionary
    }
}
