import UIKit

/// The reel as an app. Its screen is text on standard output; it is used by opening URLs:
/// `iconreel://keep/cache`, `iconreel://page/7`, `iconreel://scroll`, and `iconreel://columns/3` as beside another app.
class AppDelegate: UIResponder, UIApplicationDelegate {
    /// Draws a column; tests have no time to.
    static var draw: @Sendable (Int) -> Data = Icons.draw

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

    func applicationDidReceiveMemoryWarning(_ application: UIApplication) {
        reel?.relieve()
        report("memory warning")
    }

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
            guard let number = Int(word), (0..<(reel?.pages ?? 0)).contains(number) else { return false }
            show(number)
        case "columns":
            guard let count = Int(word), (1...Icons.columnsPerPage).contains(count), let reel else { return false }
            show(reel.layOut(columns: count, showing: page))
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
            let columns = reel?.columnsPerPage ?? Icons.columnsPerPage
            // The old one goes first: there may be no room for both.
            reel = nil
            let reel = try Reel(strategy, folder: folder, draw: Self.draw)
            _ = reel.layOut(columns: columns, showing: 0)
            self.reel = reel
            show(page)
        } catch {
            print("the icons cannot be kept in \(folder.path): \(error)")
        }
    }

    private func show(_ number: Int) {
        reel?.flick(to: number)
        _ = reel?.page(number)
        reel?.settle(on: number)
        page = number
    }

    private func report(_ what: String) {
        print("\(what): \(strategy.rawValue), page \(page), \(Footprint.now.text)")
    }
}
