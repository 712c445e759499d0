internal import Foundation
internal import Wire

/// The scenes of an app: one that comes with the app's first time on the screen and has its states from then on.
@MainActor
package final class Scenes {
    let manifest: SceneManifest
    private unowned let application: UIApplication
    private var saved = SavedSessions()
    private(set) var session: UISceneSession?
    private(set) var scene: UIScene?
    /// What the scene is to open, from before it was there.
    private var urls: [UIOpenURLContext] = []
    private var activities: [NSUserActivity] = []

    init(_ manifest: SceneManifest, _ application: UIApplication) {
        self.manifest = manifest
        self.application = application
        for complaint in manifest.complaints { ApplicationLauncher.complain(complaint) }
    }

    // MARK: What becomes of it

    /// The app comes to the screen.
    func enterForeground() {
        if scene == nil { connect() }
        step(.enterForeground, UIScene.willEnterForegroundNotification) { $1.sceneWillEnterForeground($0) }
    }

    func becomeActive() {
        step(.becomeActive, UIScene.didActivateNotification, isBefore: true) { $1.sceneDidBecomeActive($0) }
    }

    func resignActive() {
        step(.resignActive, UIScene.willDeactivateNotification) { $1.sceneWillResignActive($0) }
    }

    func enterBackground() {
        step(.enterBackground, UIScene.didEnterBackgroundNotification, isBefore: true) {
            $1.sceneDidEnterBackground($0)
        }
        save()
    }

    /// The app is about to end.
    func disconnect() {
        guard let scene else { return }
        if scene.activation == .foregroundActive { resignActive() }
        if scene.activation == .foregroundInactive { save() }
        step(.disconnect, UIScene.didDisconnectNotification, isBefore: true) { $1.sceneDidDisconnect($0) }
        self.scene = nil
        session?.scene = nil
    }

    /// Whether it is, or will be, with the scene.
    func open(_ url: URL, sourceApplication: String?) -> Bool {
        if url.isOfSite { return visit(url) }
        let context = UIOpenURLContext(url: url, sourceApplication: sourceApplication)
        guard let scene, scene.activation != .unattached else {
            urls.append(context)
            return true
        }
        guard let delegate = scene.delegate else { return false }
        delegate.scene(scene, openURLContexts: [context])
        return true
    }

    /// A URL of a site is an activity that goes on here.
    private func visit(_ url: URL) -> Bool {
        let activity = NSUserActivity(activityType: NSUserActivityTypeBrowsingWeb)
        activity.webpageURL = url
        guard let scene, scene.activation != .unattached else {
            activities.append(activity)
            return true
        }
        guard let delegate = scene.delegate else { return false }
        delegate.scene(scene, willContinueUserActivityWithType: activity.activityType)
        delegate.scene(scene, continue: activity)
        return true
    }

    /// - Parameter isBefore: the scene is in its new state when it is told; else when it has been told.
    private func step(
        _ step: SceneActivation.Step, _ name: Notification.Name, isBefore: Bool = false,
        _ tell: (UIScene, any UISceneDelegate) -> Void
    ) {
        guard let scene else { return }
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

    private func connect() {
        let options = UIScene.ConnectionOptions(
            urlContexts: Set(urls), userActivities: Set(activities),
            sourceApplication: urls.first?.options.sourceApplication)
        (urls, activities) = ([], [])
        let session = self.session ?? restore()
        self.session = session
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
        self.scene = scene
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

    // MARK: What is kept

    private func restore() -> UISceneSession {
        let role = UISceneSession.Role.windowApplication
        let kept = saved.read()
        let declared = kept?.configuration.flatMap { manifest.configuration(named: $0, role) } ?? manifest.first(role)
        let configuration = UISceneConfiguration(name: declared?.name, sessionRole: role)
        configuration.sceneClass = declared?.sceneClass
        configuration.delegateClass = declared?.delegateClass
        let session = UISceneSession(
            persistentIdentifier: kept?.identifier ?? UUID().uuidString, role: role, configuration: configuration)
        session.userInfo = kept?.userInfo
        session.stateRestorationActivity = kept?.activity.flatMap(NSUserActivity.init(propertyList:))
        return session
    }

    private func save() {
        guard let scene, let session else { return }
        session.stateRestorationActivity =
            scene.delegate.map { $0.stateRestorationActivity(for: scene) } ?? scene.userActivity
        if let activity = session.stateRestorationActivity, activity.needsSave {
            activity.delegate?.userActivityWillSave(activity)
            activity.needsSave = false
        }
        do {
            try saved.write(
                SavedSessions.Session(
                    identifier: session.persistentIdentifier, configuration: session.configuration.name,
                    userInfo: session.userInfo, activity: session.stateRestorationActivity?.propertyList))
        } catch {
            ApplicationLauncher.complain("the state of a scene could not be kept: \(error)")
        }
    }
}

extension UIApplication {
    /// The scenes that are connected.
    public var connectedScenes: Set<UIScene> { Set([scenes?.scene].compactMap { $0 }) }

    /// The sessions of the app's scenes, connected or not, as far as this launch knows.
    public var openSessions: Set<UISceneSession> { Set([scenes?.session].compactMap { $0 }) }

    /// Whether the app may have several scenes at once; false so far.
    public var supportsMultipleScenes: Bool { false }
}
