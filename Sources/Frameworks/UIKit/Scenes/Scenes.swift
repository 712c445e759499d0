internal import AppRuntime
internal import Foundation
internal import UserNotifications
internal import Wire

/// The scenes of an app, each with a session that outlives it. The system says what becomes of them, by the numbers of
/// the sessions.
@MainActor
package final class Scenes {
    /// What a scene is to be given when it connects.
    struct Delivery {
        var urls: [UIOpenURLContext] = []
        var activities: [NSUserActivity] = []
        var shortcut: UIApplicationShortcutItem?
        var response: UNNotificationResponse?
    }

    let manifest: SceneManifest
    private unowned let application: UIApplication
    private var saved = SavedSessions()
    /// By the system's numbers.
    private(set) var sessions: [Int: UISceneSession] = [:]
    /// Connected, by the numbers of their sessions.
    private(set) var connected: [Int: UIScene] = [:]
    /// The one that was in front last.
    private var newest: Int?
    /// For scenes that are yet to connect.
    private var waiting: [Int: Delivery] = [:]
    /// For whatever scene connects next.
    private var shortcut: UIApplicationShortcutItem?
    /// What the app asked for and is not connected yet, by its own names for that.
    private var wishes: [Int: NSUserActivity] = [:]
    private var lastWish = 0
    /// The app is being launched onto the screen, and no scene has entered the foreground.
    var isComing = false

    init(_ manifest: SceneManifest, _ application: UIApplication) {
        self.manifest = manifest
        self.application = application
        for complaint in manifest.complaints { ApplicationLauncher.complain(complaint) }
        for kept in saved.read() { sessions[kept.number] = restore(kept) }
    }

    /// The scene that was in front last, of those that are connected.
    var front: UIScene? { newest.flatMap { connected[$0] } ?? connected.min { $0.key < $1.key }?.value }

    // MARK: What the system says

    /// - Returns: false for what is not about a scene.
    func handle(_ callback: Callback) -> Bool {
        guard let number = callback.params["scene"]?.int else { return false }
        switch callback.name {
        case .sceneWillConnect: connect(number, wish: callback.params["wish"]?.int ?? 0)
        case .sceneWillEnterForeground: enterForeground(number)
        case .sceneDidBecomeActive: becomeActive(number)
        case .sceneWillResignActive: resignActive(number)
        case .sceneDidEnterBackground: enterBackground(number)
        case .sceneDidDisconnect: disconnect(number)
        case .didDiscardScene: discard(number)
        default: return false
        }
        return true
    }

    private func enterForeground(_ number: Int) {
        newest = number
        step(number, .enterForeground, UIScene.willEnterForegroundNotification) { $1.sceneWillEnterForeground($0) }
        guard isComing else { return }
        isComing = false
        NotificationCenter.default.post(name: UIApplication.willEnterForegroundNotification, object: application)
    }

    private func becomeActive(_ number: Int) {
        newest = number
        application.state = .active
        step(number, .becomeActive, UIScene.didActivateNotification, isBefore: true) { $1.sceneDidBecomeActive($0) }
    }

    private func resignActive(_ number: Int) {
        step(number, .resignActive, UIScene.willDeactivateNotification) { $1.sceneWillResignActive($0) }
    }

    private func enterBackground(_ number: Int) {
        let others = connected.filter { $0.key != number }.values
        if others.allSatisfy({ $0.activation == .background }) { application.state = .background }
        step(number, .enterBackground, UIScene.didEnterBackgroundNotification, isBefore: true) {
            $1.sceneDidEnterBackground($0)
        }
        keep(number)
        write()
    }

    private func disconnect(_ number: Int) {
        step(number, .disconnect, UIScene.didDisconnectNotification, isBefore: true) { $1.sceneDidDisconnect($0) }
        connected[number] = nil
        sessions[number]?.scene = nil
    }

    private func discard(_ number: Int) {
        guard let session = sessions.removeValue(forKey: number) else { return }
        waiting[number] = nil
        if newest == number { newest = nil }
        application.delegate?.application(application, didDiscardSceneSessions: [session])
        write()
    }

    /// The app is about to end.
    func disconnectAll() {
        for (number, scene) in connected.sorted(by: { $0.key < $1.key }) {
            if scene.activation == .foregroundActive { resignActive(number) }
            if scene.activation == .foregroundInactive { keep(number) }
            disconnect(number)
        }
        write()
    }

    /// - Parameter number: the scene's; `nil`: a daemon from before there were several says nothing of it.
    /// - Returns: Whether it is, or will be, with the scene.
    func open(_ errand: Errand, in number: Int?) -> Bool {
        guard let number = number ?? newest else { return false }
        guard let scene = connected[number] else {
            switch errand {
            case .url(let context): waiting[number, default: Delivery()].urls.append(context)
            case .activity(let activity): waiting[number, default: Delivery()].activities.append(activity)
            case .shortcut(let shortcut): waiting[number, default: Delivery()].shortcut = shortcut
            }
            return true
        }
        guard let delegate = scene.delegate else { return false }
        switch errand {
        case .url(let context): delegate.scene(scene, openURLContexts: [context])
        case .activity(let activity): go(on: activity, in: scene)
        case .shortcut(let shortcut):
            guard let scene = scene as? UIWindowScene, let delegate = delegate as? any UIWindowSceneDelegate else {
                return false
            }
            delegate.windowScene(scene, performActionFor: shortcut) { _ in }
        }
        return true
    }

    private func go(on activity: NSUserActivity, in scene: UIScene) {
        guard let delegate = scene.delegate else { return }
        delegate.scene(scene, willContinueUserActivityWithType: activity.activityType)
        delegate.scene(scene, continue: activity)
    }

    /// - Returns: whether the scene that connects next is given it.
    func give(_ shortcut: UIApplicationShortcutItem) -> Bool {
        guard connected.isEmpty else { return false }
        self.shortcut = shortcut
        return true
    }

    /// - Parameter isBefore: the scene is in its new state when it is told; else when it has been told.
    private func step(
        _ number: Int, _ step: SceneActivation.Step, _ name: Notification.Name, isBefore: Bool = false,
        _ tell: (UIScene, any UISceneDelegate) -> Void
    ) {
        guard let scene = connected[number] else { return }
        do throws(SceneActivation.IllegalStep) {
            var next = scene.activation
            try next.take(step)
            if isBefore { scene.activation = next }
            if let delegate = scene.delegate { tell(scene, delegate) }
            NotificationCenter.default.post(name: name, object: scene)
            scene.activation = next
        } catch {
            // A daemon that has forgotten what it said: the scene stays where it is.
            ApplicationLauncher.complain("a scene that is \(error.state) was to \(error.step), which is ignored")
        }
    }

    // MARK: Connection

    private func connect(_ number: Int, wish: Int) {
        guard connected[number] == nil else { return }
        var delivery = waiting.removeValue(forKey: number) ?? Delivery()
        if let activity = wishes.removeValue(forKey: wish) { delivery.activities.append(activity) }
        delivery.shortcut = delivery.shortcut ?? shortcut
        shortcut = nil
        // A notification brings the app to the screen: a scene beside one that is there comes for something else.
        let isFirst = connected.values.allSatisfy { $0.activation == .background || $0.activation == .unattached }
        if isFirst { delivery.response = application.notifications.takeOpening() }
        let options = UIScene.ConnectionOptions(delivery)
        let session = sessions[number] ?? restore(SavedSessions.Session(number: number, identifier: UUID().uuidString))
        sessions[number] = session
        if let chosen = application.delegate?.application(
            application, configurationForConnecting: session, options: options)
        {
            session.configuration = chosen
        }
        let configuration = session.configuration
        let type = configuration.sceneClass as? UIScene.Type ?? UIWindowScene.self
        let scene = type.init(session: session, connectionOptions: options)
        scene.delegate = makeDelegate(configuration)
        session.scene = scene
        connected[number] = scene
        scene.delegate?.scene(scene, willConnectTo: session, options: options)
        NotificationCenter.default.post(name: UIScene.willConnectNotification, object: scene)
        // From `unattached` there is no other way.
        try? scene.activation.take(.connect)
    }

    private func makeDelegate(_ configuration: UISceneConfiguration) -> (any UISceneDelegate)? {
        guard let type = configuration.delegateClass else {
            ApplicationLauncher.complain(
                "the scene \(configuration.name ?? "without a name") has no delegate: give UISceneDelegateClassName in "
                    + "UIApplicationSceneManifest of Info.plist, or delegateClass in "
                    + "application(_:configurationForConnecting:options:)")
            return nil
        }
        do throws(Instantiation.Failure) {
            if let delegate = try Instantiation.make(type) as? any UISceneDelegate { return delegate }
            ApplicationLauncher.complain("\(type) is no UISceneDelegate: declare it as a UIWindowSceneDelegate")
        } catch {
            ApplicationLauncher.complain(error.description)
        }
        return nil
    }

    // MARK: What the app wants

    func activate(
        _ session: UISceneSession?, _ activity: NSUserActivity?, _ errorHandler: ((any Error) -> Void)?
    ) {
        var params: JSONObject = [:]
        if let session { params["scene"] = .int(Int64(session.number)) }
        let wish = activity == nil ? 0 : lastWish + 1
        if let activity {
            lastWish = wish
            wishes[wish] = activity
            params["wish"] = .int(Int64(wish))
        }
        // Connected already: nothing else will ask for the activity.
        let scene = session.flatMap { connected[$0.number] }
        request(.activateScene, params, errorHandler) { [weak self] in
            guard let self, let scene, let activity = wishes.removeValue(forKey: wish) else { return }
            go(on: activity, in: scene)
        } failed: { [weak self] in
            self?.wishes[wish] = nil
        }
    }

    func destroy(_ session: UISceneSession, _ errorHandler: ((any Error) -> Void)?) {
        request(.destroyScene, ["scene": .int(Int64(session.number))], errorHandler)
    }

    private func request(
        _ method: AppMethod, _ params: JSONObject, _ errorHandler: ((any Error) -> Void)?,
        done: @escaping @MainActor () -> Void = {}, failed: @escaping @MainActor () -> Void = {}
    ) {
        let handler = SceneErrorHandler(handler: errorHandler, done: done, failed: failed)
        guard let connection = application.connection else { return handler.fail(.requestDenied, "no system is there") }
        connection.request(method, .object(params)) { result in
            switch result {
            case .success: handler.done()
            case .failure(let error):
                let isSingle = !UIApplication.shared.supportsMultipleScenes
                handler.fail(isSingle ? .multipleScenesNotSupported : .requestDenied, error.message)
            }
        }
    }

    // MARK: What is kept

    private func restore(_ kept: SavedSessions.Session) -> UISceneSession {
        let role = UISceneSession.Role.windowApplication
        let declared = kept.configuration.flatMap { manifest.configuration(named: $0, role) } ?? manifest.first(role)
        let configuration = UISceneConfiguration(name: declared?.name, sessionRole: role)
        configuration.sceneClass = declared?.sceneClass
        configuration.delegateClass = declared?.delegateClass
        let session = UISceneSession(
            number: kept.number, persistentIdentifier: kept.identifier, role: role, configuration: configuration)
        session.userInfo = kept.userInfo
        session.stateRestorationActivity = kept.activity.flatMap(NSUserActivity.init(propertyList:))
        return session
    }

    private func keep(_ number: Int) {
        guard let scene = connected[number] else { return }
        let session = scene.session
        session.stateRestorationActivity =
            scene.delegate.map { $0.stateRestorationActivity(for: scene) } ?? scene.userActivity
        if let activity = session.stateRestorationActivity, activity.needsSave {
            activity.delegate?.userActivityWillSave(activity)
            activity.needsSave = false
        }
    }

    private func write() {
        let kept = sessions.sorted { $0.key < $1.key }.map { number, session in
            SavedSessions.Session(
                number: number, identifier: session.persistentIdentifier, configuration: session.configuration.name,
                userInfo: session.userInfo, activity: session.stateRestorationActivity?.propertyList)
        }
        do {
            try saved.write(kept)
        } catch {
            ApplicationLauncher.complain("the state of the app's scenes could not be kept: \(error)")
        }
    }
}

/// What is called once the system has answered, on the main thread.
private struct SceneErrorHandler: @unchecked Sendable {
    // Unchecked: all three are called on the main thread alone, where the app gave them.
    let handler: ((any Error) -> Void)?
    let done: @MainActor () -> Void
    let failed: @MainActor () -> Void

    @MainActor
    func fail(_ code: UISceneError.Code, _ message: String) {
        failed()
        handler?(UISceneError(code, message))
    }
}
