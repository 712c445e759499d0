import UIKit
import UIKitNetworking

/// Finds new episodes before the user looks, or is told of them by a push, and downloads them while nobody looks: the
/// example of “Multitasking in iOS 7”, with a real server.
@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    private let library = Library(folder: AppDelegate.documents)
    private let announcements = Announcements()
    private lazy var downloads = Downloads(library: library, announcements: announcements)

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
        announcements.begin()
        application.registerForRemoteNotifications()
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
        announcements.ask()
        print("· subscribed to \(text)")
        return true
    }

    // MARK: Pushes

    func application(
        _ application: UIApplication, didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
    ) {
        // An app would tell its provider.
        let digits = deviceToken.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
        print("· registered for pushes: \(digits.joined())")
    }

    func application(_ application: UIApplication, didFailToRegisterForRemoteNotificationsWithError error: any Error) {
        print("· without pushes: \(error.localizedDescription)")
    }

    /// {"aps": {"content-available": 1}, "content-id": 2}
    func application(
        _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any],
        fetchCompletionHandler completionHandler: @escaping @Sendable (UIBackgroundFetchResult) -> Void
    ) {
        guard let number = userInfo["content-id"] as? Int,
            let audio = URL(string: "episode-\(number).mp3", relativeTo: library.feed)
        else { return completionHandler(.failed) }
        let title = userInfo["title"] as? String ?? "Episode \(number)"
        let episode = Episode(id: "episode-\(number)", title: title, audio: audio.absoluteURL)
        let new = library.add([episode])
        print("· told of \(episode.id): \(new.count) new")
        for episode in new { downloads.begin(episode) }
        completionHandler(new.isEmpty ? .noData : .newData)
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
