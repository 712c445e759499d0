import UIKit

/// Two flags, and who carries which: README.md.
@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    private let game = Game()

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        if launchOptions?[.location] != nil { print("· launched since the device is elsewhere") }
        // Before this returns: what the app was launched for is held until there is a manager with a delegate.
        game.begin()
        return true
    }

    func applicationDidBecomeActive(_ application: UIApplication) {
        print(game.screen)
        game.showMap()
    }

    /// capture:play?mine=LATITUDE,LONGITUDE&theirs=LATITUDE,LONGITUDE&radius=METRES, and with &name=NAME&server=ADDRESS
    /// everyone's map; or capture:stop
    func application(
        _ app: UIApplication, open url: URL, options: [UIApplication.OpenURLOptionsKey: Any] = [:]
    ) -> Bool {
        guard let parts = URLComponents(url: url, resolvingAgainstBaseURL: false) else { return false }
        let words = Dictionary((parts.queryItems ?? []).map { ($0.name, $0.value ?? "") }) { $1 }
        switch parts.path {
        case "play":
            guard let mine = Game.place(words["mine"]), let theirs = Game.place(words["theirs"]) else { return false }
            game.play(mine: mine, theirs: theirs, radius: words["radius"].flatMap(Double.init) ?? 100)
            if let name = words["name"], let server = words["server"].flatMap(URL.init(string:)) {
                game.join(server, as: name)
            }
        case "stop": game.stop()
        default: return false
        }
        print(game.screen)
        return true
    }
}
