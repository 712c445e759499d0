import UIKit

/// The reel as an app. Its screen is text on standard output; it is used by opening URLs:
/// `iconreel://keep/cache`, `iconreel://page/7`, `iconreel://scroll`.
class AppDelegate: UIResponder, UIApplicationDelegate {
    var window: UIWindow?
    private(set) var strategy = Strategy.threePages
    private(set) var page = 0
    private(set) var reel: Reel?

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        keep(.threePages)
        return true
    }

    func applicationDidReceiveMemoryWarning(_ application: UIApplication) { report("memory warning") }

    func applicationDidEnterBackground(_ application: UIApplication) { report("background") }

    func applicationWillEnterForeground(_ application: UIApplication) { report("foreground") }

    func application(
        _ app: UIApplication, open url: URL, options: [UIApplication.OpenURLOptionsKey: Any] = [:]
    ) -> Bool {
        let word = url.lastPathComponent
        switch url.host {
        case "keep":
            guard let strategy = Strategy(rawValue: word) else { return false }
            keep(strategy)
        case "page":
            guard let number = Int(word), (0..<Icons.pages).contains(number) else { return false }
            show(number)
        case "scroll":
            for number in Measurement.route { show(number) }
        default: return false
        }
        report("\(url.absoluteString)")
        return true
    }

    private func keep(_ strategy: Strategy) {
        self.strategy = strategy
        let caches = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first
        let folder = caches ?? FileManager.default.temporaryDirectory
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            // The old one goes first: there may be no room for both.
            reel = nil
            reel = try Reel(strategy, folder: folder)
            show(page)
        } catch {
            print("the icons cannot be kept in \(folder.path): \(error)")
        }
    }

    private func show(_ number: Int) {
        _ = reel?.page(number)
        reel?.settle(on: number)
        page = number
    }

    private func report(_ what: String) {
        print("\(what): \(strategy.rawValue), page \(page), \(Footprint.now.text)")
    }
}
