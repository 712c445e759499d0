import Foundation
import UIKit

@main
final class AppDelegate: UIResponder, UIApplicationDelegate {
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        Log.add("launched")
        return true
    }

    func application(
        _ application: UIApplication, configurationForConnecting connectingSceneSession: UISceneSession,
        options: UIScene.ConnectionOptions
    ) -> UISceneConfiguration {
        UISceneConfiguration(name: "Default Configuration", sessionRole: connectingSceneSession.role)
    }

    // In an app with scenes nobody calls these.
    func applicationDidBecomeActive(_ application: UIApplication) { Log.add("application") }
    func applicationDidEnterBackground(_ application: UIApplication) { Log.add("application") }

    func applicationWillTerminate(_ application: UIApplication) { Log.add("terminate") }
}

enum Log {
    static func add(_ line: String) {
        guard let documents = FileManager.default.urls(for: .documentDirectory, in: .userDomainMask).first else {
            return
        }
        let file = documents.appendingPathComponent("log")
        if !FileManager.default.fileExists(atPath: file.path) { try? Data().write(to: file) }
        guard let handle = try? FileHandle(forWritingTo: file) else { return }
        _ = try? handle.seekToEnd()
        try? handle.write(contentsOf: Data((line + "\n").utf8))
        try? handle.close()
    }
}
