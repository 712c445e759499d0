import UIKit

// An app's code as it is written for iOS, unchanged.

class NotesViewController: UIViewController {
    private(set) var calls: [String] = []
    private var observers: [any NSObjectProtocol] = []

    override func viewDidLoad() {
        super.viewDidLoad()
        calls.append("viewDidLoad")
        let observer = NotificationCenter.default.addObserver(
            forName: UIApplication.didEnterBackgroundNotification, object: nil, queue: nil
        ) { [weak self] _ in
            MainActor.assumeIsolated { self?.calls.append("background") }
        }
        observers.append(observer)
    }

    override func viewWillAppear(_ animated: Bool) {
        super.viewWillAppear(animated)
        calls.append("viewWillAppear")
    }

    override func viewDidAppear(_ animated: Bool) {
        super.viewDidAppear(animated)
        calls.append("viewDidAppear")
    }

    override func viewWillDisappear(_ animated: Bool) {
        super.viewWillDisappear(animated)
        calls.append("viewWillDisappear")
    }

    override func viewDidDisappear(_ animated: Bool) {
        super.viewDidDisappear(animated)
        calls.append("viewDidDisappear")
    }
}

class SampleAppDelegate: UIResponder, UIApplicationDelegate {

    var window: UIWindow?
    var drafts: [String: Int] = ["first": 1]
    private let created = Date()

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        // Override point for customization after application launch.
        window = UIWindow(frame: UIScreen.main.bounds)
        window?.rootViewController = NotesViewController()
        window?.makeKeyAndVisible()

        if UIDevice.current.isMultitaskingSupported {
            drafts["second"] = 2
        }
        if let url = launchOptions?[.url] as? URL {
            drafts[url.absoluteString] = 3
        }
        return true
    }

    func applicationWillResignActive(_ application: UIApplication) {
        // Use this method to pause ongoing tasks, disable timers, and invalidate graphics rendering callbacks.
        precondition(application.applicationState == .active)
    }

    func applicationDidEnterBackground(_ application: UIApplication) {
        let defaults = UserDefaults.standard
        _ = defaults.object(forKey: "draft")
        drafts["saved"] = application.applicationState == .background ? 1 : 0
    }

    func applicationWillEnterForeground(_ application: UIApplication) {}

    func applicationDidBecomeActive(_ application: UIApplication) {}

    func applicationWillTerminate(_ application: UIApplication) {}

    func application(
        _ app: UIApplication, open url: URL, options: [UIApplication.OpenURLOptionsKey: Any] = [:]
    ) -> Bool {
        let source = options[.sourceApplication] as? String
        drafts[source ?? "none"] = 4
        app.open(url, options: [:], completionHandler: nil)
        return url.scheme == "notes"
    }
}

/// As old projects have it, and without UIResponder.
class OldAppDelegate: NSObject, UIApplicationDelegate {
    var launches = 0

    override init() {
        super.init()
        launches = 40
    }

    func applicationDidFinishLaunching(_ application: UIApplication) {
        launches += 2
    }
}
