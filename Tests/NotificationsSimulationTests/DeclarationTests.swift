import Foundation
import Model
import NotificationsSimulation
import Simulation
import Testing

@Suite("Notifications in virtual time")
struct DeclarationTests {
    private struct File: Decodable {
        struct Window: Decodable {
            var name, sentence: String
            var time: Double
            var callback, option: String?
        }
        var name: String
        var windows: [Window]
        var asks: [String]
    }

    private func callback(_ window: File.Window) -> WindowCallback? {
        switch (window.callback, window.option) {
        case (nil, nil): .serviceEvents
        case (nil, LaunchNotification.remoteKey): .serviceEventsAtLaunch
        case ("open", LaunchNotification.localKey): .localOpening
        case ("open", LaunchNotification.remoteKey): .remoteOpening
        default: nil
        }
    }

    @Test("They declare what the real ones declare")
    func declaration() throws {
        let path = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/Services/Notifications/notifications.json")
        let file = try JSONDecoder().decode(File.self, from: Data(contentsOf: path))
        let declaration = SimulatedNotifications.declaration
        #expect(file.name == declaration.name && file.windows.count == declaration.windows.count)
        #expect(Set(file.asks) == SimulatedNotifications.asks)
        for (real, simulated) in zip(file.windows, declaration.windows) {
            #expect(real.name == simulated.name && real.sentence == simulated.sentence)
            #expect(Model.Span.seconds(real.time) == simulated.time)
            #expect(callback(real) == simulated.callback, "\(real.name)")
        }
    }

    @Test("What an app may say is understood, and anything else is refused with what may be said")
    func requests() {
        let known = [
            "authorize alert badge sound", "authorize provisional", "register", "unregister", "presents nothing",
            "notify a now", "notify a in 5m say it is time", "notify a every 2h badge 3 sound default category c",
            "notify a daily 7:30:00 say Good morning", "notify a on 2024-02-29 12:00:00", "cancel a", "cancel all",
            "withdraw all", "notify a entering 46/14.5/150 say Milk", "notify a crossing 46/14.5/150",
            "category c reply:text open:foreground later dismissals", "badge 0", "list pending",
            "list delivered",
        ]
        for text in known { #expect(SimulatedNotifications.misunderstanding(of: text) == nil, "\(text)") }
        let unknown = [
            "", "authorize", "authorize everything", "notify", "notify a", "notify a in 5", "notify a at 7:30",
            "notify a on 2024-02 12:00:00", "notify a entering 46/14.5", "notify a now badge", "notify a now badge -1",
            "notify a now shout x",
            "cancel", "badge", "badge -1", "list", "presents", "category", "category c x:y", "register now",
        ]
        for text in unknown {
            let complaint = SimulatedNotifications.misunderstanding(of: text)
            #expect(complaint?.contains("notify ID WHEN") == true, "\(text)")
        }
    }

    @Test("What people and providers may say is understood, and anything else is refused with what may be said")
    func deeds() {
        let known = [
            "push news silent", "push news alert Two words", "push news {\"aps\":{}}", "deliver news {\"aps\":{}}",
            "push news collapse c priority 5 expires 3h id AAAAAAAA-0000-4000-8000-000000000001 silent",
            "push news expires now silent", "tap news", "tap news n1", "dismiss news", "answer news later",
            "answer news reply with two words", "allow news", "deny news", "gateway down", "gateway up",
        ]
        for text in known { #expect(SimulatedNotifications.misunderstandingFromOutside(of: text) == nil, "\(text)") }
        let unknown = [
            "", "push", "push news", "push news loud", "push news collapse c", "push news expires soon silent",
            "deliver news", "tap", "tap news a b", "answer news", "answer news a b", "allow news now", "gateway",
            "gateway sideways",
        ]
        for text in unknown {
            let complaint = SimulatedNotifications.misunderstandingFromOutside(of: text)
            #expect(complaint?.contains("push APP") == true, "\(text)")
        }
    }

    @Test("What storms say is understood")
    func storms() throws {
        var random = SplitMix64(seed: 1)
        let app = try #require(AppIdentifier("org.example.app"))
        for number in 0..<2000 {
            let words = SimulatedNotifications.words(&random, canBegin: number % 2 == 0)
            #expect(SimulatedNotifications.misunderstanding(of: words) == nil, "\(words)")
            let deed = try #require(SimulatedNotifications.wordsFromOutside(&random, of: app))
            #expect(SimulatedNotifications.misunderstandingFromOutside(of: deed) == nil, "\(deed)")
        }
    }
}
