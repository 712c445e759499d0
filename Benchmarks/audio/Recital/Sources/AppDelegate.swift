import UIKit

/// Plays a file, obeys the controls, and writes down when it did what: what make bench-audio measures.
@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    private let recital = Recital()

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        // Before this returns: the app may have been launched for a command.
        recital.prepare()
        return true
    }

    /// recital:play?file=PATH
    func application(
        _ app: UIApplication, open url: URL, options: [UIApplication.OpenURLOptionsKey: Any] = [:]
    ) -> Bool {
        let parts = URLComponents(url: url, resolvingAgainstBaseURL: false)
        guard let file = parts?.queryItems?.first(where: { $0.name == "file" })?.value else { return false }
        return recital.play(file)
    }
}
