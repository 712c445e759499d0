package import AppRuntime
internal import CUIKit
internal import Foundation
internal import Wire

/// Creates the app and its delegate and runs the main loop. Never returns in an app that Greenroom started.
///
/// - Parameters:
///   - argc: as `main` got it; not used.
///   - argv: as `main` got it; not used.
///   - principalClassName: the class of the app; `nil` for `NSPrincipalClass` of `Info.plist`, or `UIApplication`.
///   - delegateClassName: the class of the delegate, for example `NSStringFromClass(AppDelegate.self)`; `nil` if the
///     app is its own delegate.
@MainActor @discardableResult
public func UIApplicationMain(
    _ argc: Int32, _ argv: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>, _ principalClassName: String?,
    _ delegateClassName: String?
) -> Int32 {
    var delegate: AnyClass?
    if let delegateClassName {
        delegate = NSClassFromString(delegateClassName)
        guard delegate is any UIApplicationDelegate.Type else {
            ApplicationLauncher.complain("there is no class \(delegateClassName) that is a UIApplicationDelegate")
            return 2
        }
    }
    return ApplicationLauncher.run(
        principal: ApplicationLauncher.principalClass(named: principalClassName), delegate: delegate)
}

/// Brings an app into being.
@MainActor
package enum ApplicationLauncher {
    /// Of `Info.plist` if no name is given.
    package static func principalClass(named name: String?) -> AnyClass {
        let declared = name ?? Bundle.main.object(forInfoDictionaryKey: "NSPrincipalClass") as? String
        guard let declared, let found = NSClassFromString(declared) as? UIApplication.Type else {
            return UIApplication.self
        }
        return found
    }

    /// Returns only if the app cannot run: 2, after having said why on stderr.
    package static func run(principal: AnyClass, delegate: AnyClass?) -> Int32 {
        // Into a file or a pipe C would write in blocks, and a suspended or ended app's last words would be missing.
        cuikit_buffer_output_by_line()
        guard let environment = LaunchEnvironment.take() else {
            complain(
                """
                this is an app for Greenroom, which starts it: install its bundle with 'greenroom install NAME.app', \
                then open it with 'greenroom open IDENTIFIER'
                """)
            return 2
        }
        do throws(Instantiation.Failure) {
            try start(principal: principal, delegate: delegate, environment)
        } catch {
            complain(error.description)
            return 2
        }
        // Returns when it thinks that nothing can happen any more; the daemon can always make something happen.
        while true { RunLoop.main.run() }
    }

    /// Creates the app and its delegate and connects them with the daemon.
    @discardableResult
    package static func start(
        principal: AnyClass, delegate: AnyClass?, _ environment: LaunchEnvironment
    ) throws(Instantiation.Failure) -> UIApplication {
        let manifest = SceneManifest(
            information: Bundle.main.infoDictionary ?? [:], module: delegate.flatMap(module(of:)))
        let application = try create(principal, delegate, manifest)
        let lifecycle = Lifecycle(application)
        let tasks = application.backgroundTasks
        let changes = SystemChanges(changesProcess: true)
        application.systemChanges = changes
        let connection = AppConnection(
            environment, client: clientName, refused: refused,
            notified: { notification, params in
                switch notification {
                case .tasksExpire: tasks.expire(params)
                case .windowExpires:
                    guard let window = params["window"]?.int else { return }
                    DispatchQueue.main.async { BackgroundLaunches.shared.expire(window) }
                case .takeSnapshot:
                    DispatchQueue.main.async { MainActor.assumeIsolated { application.snapshots.take(params) } }
                // Before the callbacks that came behind it, which get there the same way.
                case .systemChanged:
                    DispatchQueue.main.async {
                        MainActor.assumeIsolated { changes.take(params, for: application) }
                    }
                }
            },
            handler: { lifecycle.handle($0) })
        application.connection = connection
        let errands = ErrandTasks(tasks)
        ServiceErrands.shared.use { errands.set($0, isOut: $1) }
        ServiceConnections.shared.use(connection)
        connection.start()
        return application
    }

    /// Creates the app and its delegate for a system in the same process, which calls the lifecycle itself.
    ///
    /// - Returns: the app, until `UIApplication.end()` the one that is shared, and what turns callbacks into calls.
    package static func start(
        principal: AnyClass, delegate: AnyClass?, scenes manifest: SceneManifest? = nil, _ link: any AppLink
    ) throws(Instantiation.Failure) -> (UIApplication, Lifecycle) {
        let application = try create(principal, delegate, manifest)
        application.connection = link
        application.systemChanges = SystemChanges(changesProcess: false)
        let errands = ErrandTasks(application.backgroundTasks)
        ServiceErrands.shared.use { errands.set($0, isOut: $1) }
        return (application, Lifecycle(application))
    }

    /// The module of a class: what its name begins with.
    private static func module(of type: AnyClass) -> String? {
        String(reflecting: type).split(separator: ".").first.map(String.init)
    }

    private static func create(
        _ principal: AnyClass, _ delegate: AnyClass?, _ manifest: SceneManifest?
    ) throws(Instantiation.Failure) -> UIApplication {
        guard let application = try Instantiation.make(principal) as? UIApplication else {
            throw .notAnNSObject(String(describing: principal))
        }
        application.becomeShared()
        Departure.use(Preferences.keep)
        application.scenes = manifest.map { Scenes($0, application) }
        application.notifications.begin()
        application.remoteControl.begin()
        if let delegate {
            application.delegate = try Instantiation.make(delegate) as? any UIApplicationDelegate
        } else {
            application.delegate = application as? any UIApplicationDelegate
        }
        return application
    }

    /// Runs on the thread that reads. After a restart of the daemon the app goes on trying.
    private nonisolated static func refused(_ error: RPCError, isFirst: Bool) {
        guard isFirst else { return }
        complain("Greenroom refused this app: \(error.message)")
        exit(2)
    }

    private static var clientName: String {
        let version = Bundle.main.object(forInfoDictionaryKey: "CFBundleShortVersionString") as? String
        return "\(ProcessInfo.processInfo.processName)/\(version ?? "0")"
    }

    nonisolated static func complain(_ text: String) {
        let line = "\(ProcessInfo.processInfo.processName): \(text)\n"
        try? FileHandle.standardError.write(contentsOf: Data(line.utf8))
    }
}
