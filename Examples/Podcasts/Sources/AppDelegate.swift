import UIKit
import UIKitNetworking

/// Finds new episodes before the user looks, and downloads them while nobody does: the example of “Multitasking in
/// iOS 7”, with a real server.
@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    private let library = Library(folder: AppDelegate.documents)
    private lazy var downloads = Downloads(library: library)

    private static var documents: URL {
        FileManager.default.urls(for: .documentDirectory, in: .userDomainMask).first
            ?? URL(fileURLWithPath: NSHomeDirectory()).appending(path: "Documents")
    }

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        print("· launched in the background: \(application.applicationState == .background)")
        application.setMinimumBackgroundFetchInterval(UIApplication.backgroundFetchIntervalMinimum)
        application.snapshotProvider = { [library] in .svg(library.picture) }
        // Whatever was under way when the app ended is heard of as soon as there is a session again.
        downloads.join()
        return true
    }

    func applicationDidBecomeActive(_ application: UIApplication) { print(library.screen) }

    /// podcasts://subscribe?feed=http://127.0.0.1:8091/feed.xml
    func application(
        _ app: UIApplication, open url: URL, options: [UIApplication.OpenURLOptionsKey: Any] = [:]
    ) -> Bool {
        let items = URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems
        guard url.host == "subscribe", let text = items?.first(where: { $0.name == "feed" })?.value,
            let feed = URL(string: text)
        else { return false }
        library.subscribe(to: feed)
        print("· subscribed to \(text)")
        return true
    }

    // MARK: In the background

    func application(
        _ application: UIApplication,
        performFetchWithCompletionHandler completionHandler: @escaping @Sendable (UIBackgroundFetchResult) -> Void
    ) {
        guard let feed = library.feed else { return completionHandler(.noData) }
        let task = URLSession.shared.dataTask(with: feed) { [library, downloads] data, _, error in
            guard error == nil, let data, let episodes = Feed.episodes(in: data) else {
                return completionHandler(.failed)
            }
            let new = library.add(episodes)
            print("· fetched the feed: \(new.count) new")
            // An episode takes longer than the 30 seconds of a fetch; the transfer service has as long as it likes.
            for episode in new { downloads.begin(episode) }
            completionHandler(new.isEmpty ? .noData : .newData)
        }
        task.resume()
    }

    func application(
        _ application: UIApplication, handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping @Sendable () -> Void
    ) {
        print("· rejoining session \(identifier)")
        downloads.join(then: completionHandler)
    }
}
