import Foundation
import GreenroomTesting
import Testing
import UIKit

private final class NotesApp: UIResponder, UIApplicationDelegate {
    var discarded: [String] = []
    var errors: [UISceneError.Code] = []

    func application(_ application: UIApplication, didDiscardSceneSessions sceneSessions: Set<UISceneSession>) {
        discarded += sceneSessions.map(\.persistentIdentifier)
    }

    /// As a button of the app would.
    func ask(for session: UISceneSession? = nil, _ note: String? = nil) {
        let activity = note.map { note in
            let activity = NSUserActivity(activityType: "org.example.note")
            activity.userInfo = ["note": note]
            return activity
        }
        UIApplication.shared.requestSceneSessionActivation(session, userActivity: activity, options: nil) { error in
            if let error = error as? UISceneError { self.errors.append(error.code) }
        }
    }
}

private final class NoteScene: UIResponder, UIWindowSceneDelegate {
    var note = "none"
    var urls: [String] = []
    var shortcut: String?

    func scene(
        _ scene: UIScene, willConnectTo session: UISceneSession, options connectionOptions: UIScene.ConnectionOptions
    ) {
        let activity = connectionOptions.userActivities.first ?? session.stateRestorationActivity
        note = activity?.userInfo?["note"] as? String ?? "none"
        shortcut = connectionOptions.shortcutItem?.type
        self.scene(scene, openURLContexts: connectionOptions.urlContexts)
    }

    func scene(_ scene: UIScene, continue userActivity: NSUserActivity) {
        note = userActivity.userInfo?["note"] as? String ?? note
    }

    func scene(_ scene: UIScene, openURLContexts URLContexts: Set<UIOpenURLContext>) {
        urls += URLContexts.map(\.url.absoluteString)
    }

    func stateRestorationActivity(for scene: UIScene) -> NSUserActivity? {
        let activity = NSUserActivity(activityType: "org.example.note")
        activity.userInfo = ["note": note]
        return activity
    }
}

extension TestingTests {
    @Suite("Several scenes")
    @MainActor
    struct SeveralSceneTests {
        private func install(_ device: TestDevice, several: Bool = true) throws -> TestedApp<NotesApp> {
            try device.install(
                NotesApp.self, identifier: "org.example.Notes", urlSchemes: ["notes"], sceneDelegate: NoteScene.self,
                supportsMultipleScenes: several)
        }

        private var notes: [String: UIScene.ActivationState] {
            var notes: [String: UIScene.ActivationState] = [:]
            for scene in UIApplication.shared.connectedScenes {
                notes[(scene.delegate as? NoteScene)?.note ?? "?"] = scene.activationState
            }
            return notes
        }

        private func session(_ note: String) throws -> UISceneSession {
            try #require(
                UIApplication.shared.connectedScenes.first { ($0.delegate as? NoteScene)?.note == note }?.session)
        }

        @Test("An app asks for another scene, which gets the activity; each goes its own way")
        func asking() async throws {
            let device = try TestDevice()
            let app = try install(device)
            try await device.open(app)
            #expect(UIApplication.shared.supportsMultipleScenes)
            try await app.perform { $0.ask("milk") }
            #expect(notes == ["none": .foregroundActive, "milk": .foregroundActive])
            let other = try device.installScripted("org.example.Mail")
            try await device.open(other)
            #expect(notes == ["none": .background, "milk": .foregroundActive])
            #expect(app.state == .active && UIApplication.shared.applicationState == .active)
            // One that is connected is told what it is to go on with.
            let none = try session("none")
            try await app.perform { $0.ask(for: none, "bread") }
            #expect(notes == ["bread": .foregroundActive, "milk": .foregroundActive])
            #expect(UIApplication.shared.openSessions.count == 2)
            try await device.lock()
            #expect(notes == ["bread": .background, "milk": .background] && app.state == .suspended)
        }

        @Test("Each scene comes back as it was left, in another process too, and a new one is as new")
        func restoration() async throws {
            let device = try TestDevice()
            let app = try install(device)
            try await device.open(app)
            try await app.perform { $0.ask("milk") }
            let milk = try session("milk").persistentIdentifier
            try await device.home()
            try await app.crash(signal: 9)
            try await device.open(app)
            // The one that was shown last; the other has a session alone.
            #expect(notes == ["milk": .foregroundActive] && UIApplication.shared.openSessions.count == 2)
            #expect(try session("milk").persistentIdentifier == milk)
            let rest = try #require(UIApplication.shared.openSessions.first { $0.scene == nil })
            try await device.openScene(of: app, rest)
            #expect(notes == ["milk": .background, "none": .foregroundActive])
            try await device.openScene(of: app)
            #expect(UIApplication.shared.connectedScenes.count == 3)
        }

        @Test("What is closed is gone: the app hears of it at once, or at its next launch")
        func closing() async throws {
            let device = try TestDevice()
            let app = try install(device)
            try await device.open(app)
            try await app.perform { $0.ask("milk") }
            let (none, milk) = (try session("none"), try session("milk"))
            try await device.closeScene(milk, of: app)
            #expect(app.delegate?.discarded == [milk.persistentIdentifier])
            #expect(UIApplication.shared.openSessions == [none] && notes == ["none": .foregroundActive])
            try await device.home()
            try await app.crash(signal: 9)
            try await device.closeScene(none, of: app)
            try await device.open(app)
            #expect(app.delegate?.discarded == [none.persistentIdentifier])
            #expect(UIApplication.shared.openSessions.count == 1 && !UIApplication.shared.openSessions.contains(none))
            // By the app itself.
            let last = try session("none")
            try await app.perform { _ in
                UIApplication.shared.requestSceneSessionDestruction(last, options: nil)
            }
            #expect(UIApplication.shared.openSessions.isEmpty && app.state == .suspended)
        }

        @Test("When memory is short a scene that nobody sees is disconnected, and its delegate goes")
        func memory() async throws {
            let device = try TestDevice(.iOS7)
            let app = try install(device)
            try await device.open(app)
            weak let delegate = try session("none").scene?.delegate as? NoteScene
            delegate?.note = "first"
            try await app.perform { $0.ask("milk") }
            #expect(notes == ["first": .background, "milk": .foregroundActive])
            try await device.setMemoryPressure(.warning)
            #expect(notes == ["milk": .foregroundActive] && delegate == nil)
            let first = try #require(UIApplication.shared.openSessions.first { $0.scene == nil })
            try await device.openScene(of: app, first)
            #expect(notes == ["first": .foregroundActive, "milk": .background])
        }

        @Test("An app that may have one scene is told why it gets no other")
        func single() async throws {
            let device = try TestDevice()
            let app = try install(device, several: false)
            try await device.open(app)
            try await app.perform { $0.ask("milk") }
            #expect(app.delegate?.errors == [.multipleScenesNotSupported] && notes == ["none": .foregroundActive])
            await #expect(throws: TestDeviceError.self) { try await device.openScene(of: app) }
        }

        @Test("A shortcut that is chosen before there is a scene comes with its connection")
        func shortcut() async throws {
            let device = try TestDevice(.iOS7)
            let app = try device.install(
                NotesApp.self, identifier: "org.example.Notes", backgroundModes: ["fetch"],
                sceneDelegate: NoteScene.self)
            try await device.fetch(app, launching: true)
            var isDone = false
            UIApplication.shared.choose(UIApplicationShortcutItem(type: "new", localizedTitle: "New")) { isDone = $0 }
            try await device.open(app)
            let scene = try session("none").scene?.delegate as? NoteScene
            #expect(isDone && scene?.shortcut == "new")
        }
    }
}
