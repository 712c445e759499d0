import UIKit

/// Plays a station, also behind the lock screen: README.md.
@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    var window: UIWindow?
    private let radio = Radio()

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        // Before this returns: the app may have been launched for a press on the headset's button.
        radio.prepare()
        window = UIWindow(frame: UIScreen.main.bounds)
        window?.rootViewController = RadioViewController(radio)
        window?.makeKeyAndVisible()
        return true
    }

    func applicationDidBecomeActive(_ application: UIApplication) { radio.show() }

    /// radio:play?url=ADDRESS, with the address of a file or a stream; radio:play plays the last one. radio:pause
    func application(
        _ app: UIApplication, open url: URL, options: [UIApplication.OpenURLOptionsKey: Any] = [:]
    ) -> Bool {
        guard let parts = URLComponents(url: url, resolvingAgainstBaseURL: false) else { return false }
        switch parts.path {
        case "play":
            if let address = parts.queryItems?.first(where: { $0.name == "url" })?.value {
                guard let station = URL(string: address) else { return false }
                radio.tune(to: station)
            }
            radio.play()
        case "pause": radio.pause()
        default: return false
        }
        return true
    }
}
