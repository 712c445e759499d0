import BackgroundTasks
import Dispatch
import GreenroomTesting
import TestPace
import Testing
import UIKit

extension TestingTests {
    /// Apps with one fault each, and what stories make of them.
    @Suite("Stories that nobody has thought of")
    @MainActor
    struct ExplorationTests {
        private func explore(
            _ profile: TestDevice.Profile = .linux, tasks: [String] = [Careless.refresh], line: Int = #line,
            _ configure: @escaping (Careless) -> Void
        ) async throws -> TestDevice.Finding? {
            let device = try TestDevice(profile)
            let app = try device.install(
                Careless.self, identifier: "org.example.Careless", urlSchemes: ["careless"],
                backgroundModes: ["fetch"], backgroundTasks: tasks, configure: configure)
            var exploration = TestDevice.Exploration()
            exploration.stories = 60
            // Shrinking ends automatically when no step can be left out.
            exploration.shrinking = .seconds(600)
            exploration.patience = Pace.duration(seconds: 3)
            return try await device.explore(
                app, seed: 7, exploration, touches: ["write": { $0.text += "x" }], state: \.text, line: line)
        }

        @Test("An app without a fault stands them")
        func fine() async throws {
            #expect(try await explore { _ in } == nil)
        }

        @Test("A crash ends a process of its own, and the story is as short as can be")
        func crash() async throws {
            let found = try #require(
                // The fault that is looked for.
                try await explore { app in app.onMemoryWarning = { fatalError("there is no cache") } })
            #expect(found.problem == .crash && found.reason.contains("there is no cache"))
            #expect(found.steps == ["try await device.open(app)", "try await device.sendMemoryWarning()"])
            #expect(found.test.contains("virtualizesTime: true"))
        }

        @Test("A deadlock in didEnterBackground is found by what the process no longer does")
        func deadlock() async throws {
            let found = try await explore { app in
                app.onBackground = {
                    let done = DispatchSemaphore(value: 0)
                    DispatchQueue.main.async { done.signal() }
                    done.wait()
                }
            }
            #expect(found?.problem == .hang)
            #expect(found?.steps == ["try await device.open(app)", "try await device.home()"])
        }

        @Test("A task that is not ended is found")
        func task() async throws {
            let found = try await explore { app in
                app.onBackground = { _ = UIApplication.shared.beginBackgroundTask(withName: "upload") }
            }
            #expect(found?.problem == .termination && found?.reason.contains("“upload”") == true)
            #expect(found?.steps.count == 3)
        }

        @Test("A fetch whose handler is never called is found on every device", arguments: [TestDevice.Profile.linux])
        func fetch(_ profile: TestDevice.Profile) async throws {
            let found = try await explore(profile, tasks: []) { $0.onFetch = { _ in } }
            #expect(found?.problem == .termination || found?.problem == .unfinished)
            #expect(found?.steps.last?.contains("device.fetch(app") == true)
        }

        @Test("What is only saved at the end is lost")
        func lost() async throws {
            let found = try await explore { $0.savesAtEnd = true }
            #expect(found?.problem == .lostState)
            #expect(found?.steps.count { $0.contains("touchWrite") } == 1)
            #expect(found?.steps.last == "try await device.open(app)")
        }

        @Test("An observer for every visit is found")
        func observers() async throws {
            let found = try await explore { app in
                app.onForeground = {
                    _ = NotificationCenter.default.addObserver(forName: .init("never"), object: nil, queue: nil) { _ in
                    }
                }
            }
            #expect(found?.problem == .leftBehind)
            #expect(found?.reason.contains("observers of notifications") == true)
        }

        @Test("A timer for every visit is found, and one that is invalidated when the visit ends is not")
        func timers() async throws {
            func begin() -> Timer { .scheduledTimer(withTimeInterval: 864_000, repeats: false) { _ in } }
            let found = try await explore { app in app.onForeground = { _ = begin() } }
            #expect(found?.problem == .leftBehind && found?.reason.contains("timers that wait") == true)
            let none = try await explore { app in
                var timer: Timer?
                app.onForeground = { timer = begin() }
                app.onBackground = { timer?.invalidate() }
            }
            #expect(none == nil)
        }

        @Test("A task that is ended twice is found")
        func misuse() async throws {
            let found = try await explore { app in
                app.onBackground = {
                    let task = UIApplication.shared.beginBackgroundTask()
                    UIApplication.shared.endBackgroundTask(task)
                    UIApplication.shared.endBackgroundTask(task)
                }
            }
            #expect(found?.problem == .misuse)
        }

        @Test("A task of the scheduler that is completed twice is found, and one that is completed once is not")
        func completedTwice() async throws {
            let found = try await explore { app in
                app.onRefresh = { task in
                    task.setTaskCompleted(success: false)
                    task.setTaskCompleted(success: true)
                }
            }
            #expect(found?.problem == .misuse && found?.reason.contains(Careless.refresh) == true)
            #expect(try await explore { $0.onRefresh = { $0.setTaskCompleted(success: true) } } == nil)
        }

        @Test("The same seed finds the same story")
        func same() async throws {
            var found: [TestDevice.Finding?] = []
            for _ in 0..<2 {
                found.append(
                    try await explore(tasks: []) { app in
                        app.onFetch = { done in
                            // The fault that is looked for.
                            if app.text.count > 1 { fatalError("two are too many") }
                            done(.noData)
                        }
                    })
            }
            #expect(found[0] != nil && found[0] == found[1])
        }
    }

    /// Writes a text, and saves it.
    final class Careless: UIResponder, UIApplicationDelegate {
        static let refresh = "org.example.Careless.refresh"

        var savesAtEnd = false
        var onBackground: () -> Void = {}
        var onForeground: () -> Void = {}
        var onMemoryWarning: () -> Void = {}
        var onFetch: (@escaping @Sendable (UIBackgroundFetchResult) -> Void) -> Void = { $0(.noData) }
        /// Without it the app asks for no task.
        var onRefresh: ((BGTask) -> Void)?
        var text = UserDefaults.standard.string(forKey: "text") ?? "" {
            didSet { if !savesAtEnd { save() } }
        }

        private func save() { UserDefaults.standard.set(text, forKey: "text") }

        func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool {
            guard let onRefresh else { return true }
            BGTaskScheduler.shared.register(forTaskWithIdentifier: Self.refresh, using: nil) { task in
                MainActor.assumeIsolated { onRefresh(task) }
            }
            // Where nothing runs in the background there is no such task either.
            try? BGTaskScheduler.shared.submit(BGAppRefreshTaskRequest(identifier: Self.refresh))
            return true
        }

        func applicationDidEnterBackground(_ application: UIApplication) { onBackground() }
        func applicationWillEnterForeground(_ application: UIApplication) { onForeground() }
        func applicationDidReceiveMemoryWarning(_ application: UIApplication) { onMemoryWarning() }
        func applicationWillTerminate(_ application: UIApplication) { save() }

        func application(_ app: UIApplication, open url: URL, options: [UIApplication.OpenURLOptionsKey: Any]) -> Bool {
            true
        }

        func application(
            _ application: UIApplication,
            performFetchWithCompletionHandler completionHandler: @escaping @Sendable (UIBackgroundFetchResult) -> Void
        ) { onFetch(completionHandler) }
    }
}
