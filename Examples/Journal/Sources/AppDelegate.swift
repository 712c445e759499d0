import UIKit

/// The journal of WWDC 2010, session 105: entries with text, a link and a photo. Whatever happens to the app, the user
/// finds the entry that was open, as it was.
@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    var window: UIWindow?
    let journal = JournalViewController(store: EntryStore(folder: AppDelegate.documents))

    private static var documents: URL {
        FileManager.default.urls(for: .documentDirectory, in: .userDomainMask).first
            ?? URL(fileURLWithPath: NSHomeDirectory()).appendingPathComponent("Documents")
    }

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        note("didFinishLaunching")
        window = UIWindow(frame: UIScreen.main.bounds)
        window?.rootViewController = journal
        window?.makeKeyAndVisible()
        application.snapshotProvider = { [journal] in .svg(ScreenText.picture(of: journal.screen)) }
        return true
    }

    func applicationDidBecomeActive(_ application: UIApplication) {
        note("didBecomeActive")
        journal.draw()
    }

    func applicationWillResignActive(_ application: UIApplication) {
        note("willResignActive")
    }

    func applicationDidEnterBackground(_ application: UIApplication) {
        note("didEnterBackground")
        // The app may be ended from now on without another word. Entries were saved when they changed.
        journal.savePlace()
        journal.dropPhoto()
    }

    func applicationWillEnterForeground(_ application: UIApplication) {
        note("willEnterForeground")
    }

    func applicationWillTerminate(_ application: UIApplication) {
        note("willTerminate")
        journal.savePlace()
    }

    func application(
        _ app: UIApplication, open url: URL, options: [UIApplication.OpenURLOptionsKey: Any] = [:]
    ) -> Bool {
        note("open \(url.absoluteString)")
        guard let command = Command(url) else { return false }
        journal.perform(command)
        return true
    }

    private func note(_ callback: String) {
        print("· \(callback)")
    }
}
