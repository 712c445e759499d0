import GreenroomTesting
import Testing
import UIKit

private final class ErrandApp: UIResponder, UIApplicationDelegate {
    var launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    var shortcuts: [UIApplicationShortcutItem] = []
    var activities: [NSUserActivity] = []
    var opened: [URL] = []
    var accepts = true

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        self.launchOptions = launchOptions
        return accepts
    }

    func application(
        _ app: UIApplication, open url: URL, options: [UIApplication.OpenURLOptionsKey: Any] = [:]
    ) -> Bool {
        opened.append(url)
        return true
    }

    func application(
        _ application: UIApplication, performActionFor shortcutItem: UIApplicationShortcutItem,
        completionHandler: @escaping (Bool) -> Void
    ) {
        shortcuts.append(shortcutItem)
        completionHandler(true)
    }

    func application(
        _ application: UIApplication, continue userActivity: NSUserActivity,
        restorationHandler: @escaping ([any UIUserActivityRestoring]?) -> Void
    ) -> Bool {
        activities.append(userActivity)
        return true
    }
}

extension TestingTests {
    @Suite("What apps are opened for")
    @MainActor
    struct ErrandTests {
        private func install(_ device: TestDevice, accepts: Bool = true) throws -> TestedApp<ErrandApp> {
            try device.install(ErrandApp.self, identifier: "org.example.Errands", urlSchemes: ["https"]) {
                $0.accepts = accepts
            }
        }

        private var shortcut: UIApplicationShortcutItem {
            UIApplicationShortcutItem(type: "new/one", localizedTitle: "New", userInfo: ["page": 3 as NSNumber])
        }

        @Test("A shortcut is in the options of the launch, and then performed; later it is performed alone")
        func shortcuts() async throws {
            let device = try TestDevice()
            let app = try install(device)
            try await device.open(app, shortcut: shortcut)
            let options = try #require(app.delegate?.launchOptions)
            #expect((options[.shortcutItem] as? UIApplicationShortcutItem)?.type == "new/one")
            #expect(options[.url] == nil)
            #expect(app.delegate?.shortcuts.map { $0.userInfo?["page"] as? Int } == [3])
            try await device.home()
            try await device.open(app, shortcut: shortcut)
            #expect(app.delegate?.shortcuts.count == 2)
            #expect(app.delegate?.opened.isEmpty == true)
            #expect(app.state == .active)
        }

        @Test("A launch method that returns false has dealt with the shortcut: it is not performed again")
        func dealtWith() async throws {
            let device = try TestDevice()
            let app = try install(device, accepts: false)
            try await device.open(app, shortcut: shortcut)
            #expect(app.delegate?.launchOptions?[.shortcutItem] != nil)
            #expect(app.delegate?.shortcuts.isEmpty == true)
        }

        @Test("Shortcuts that an app sets are there again at its next launch, whole")
        func kept() async throws {
            let device = try TestDevice()
            let app = try install(device)
            try await device.open(app)
            #expect(UIApplication.shared.shortcutItems == nil)
            try await app.perform { _ in
                UIApplication.shared.shortcutItems = [
                    shortcut,
                    UIApplicationShortcutItem(
                        type: "play", localizedTitle: "Play", localizedSubtitle: "again",
                        icon: UIApplicationShortcutIcon(type: .play)),
                ]
            }
            try await app.crash(signal: 9)
            try await device.open(app)
            let items = try #require(UIApplication.shared.shortcutItems)
            #expect(items.map(\.type) == ["new/one", "play"])
            #expect(items.map(\.localizedSubtitle) == [nil, "again"])
            #expect(items.first?.userInfo?["page"] as? Int == 3)
            #expect(items.first?.icon == nil && items.last?.icon != nil)
        }

        @Test("An activity is in the options of the launch and goes on then; a site's URL is one as well")
        func activities() async throws {
            let device = try TestDevice()
            let app = try install(device)
            let activity = NSUserActivity(activityType: "org.example.edit")
            activity.userInfo = ["note": "milk", "line": 4]
            try await device.open(app, toContinue: activity)
            let given = try #require(app.delegate?.launchOptions?[.userActivityDictionary] as? [AnyHashable: Any])
            #expect(given[UIApplication.LaunchOptionsKey.userActivityType] as? String == "org.example.edit")
            #expect(given["UIApplicationLaunchOptionsUserActivityKey"] is NSUserActivity)
            let told = try #require(app.delegate?.activities.first)
            #expect(told.userInfo?["note"] as? String == "milk" && told.userInfo?["line"] as? Int == 4)
            let page = NSUserActivity(activityType: NSUserActivityTypeBrowsingWeb)
            page.webpageURL = URL(string: "https://example.org/milk")
            try await device.open(app, toContinue: page)
            #expect(app.delegate?.activities.last?.webpageURL == page.webpageURL)
            #expect(app.delegate?.opened.isEmpty == true)
            activity.userInfo = ["now": Date()]
            await #expect(throws: TestDeviceError.self) { try await device.open(app, toContinue: activity) }
        }

        @Test("No app can hand another a shortcut, and to an app without code it is a URL")
        func others() async throws {
            let device = try TestDevice()
            let app = try install(device)
            let other = try device.installScripted("org.example.Other")
            try await device.open(other, shortcut: shortcut)
            #expect(other.state == .active && other.callbacks.contains(.openURL))
            try await device.open(app)
            let url = try #require(URL(string: "greenroom-app:org.example.Other/shortcut/new%2Fone"))
            var isOpened: Bool?
            try await app.perform { _ in
                #expect(!UIApplication.shared.canOpenURL(url))
                UIApplication.shared.open(url) { isOpened = $0 }
            }
            #expect(isOpened == false && app.state == .active)
        }
    }
}
