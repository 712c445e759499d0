import BackgroundTasks
import GreenroomTesting
import Testing
import UIKit

extension TestingTests {
    /// An app that is fetched, writes down what it is told, and does what a test puts in.
    final class Reader: UIResponder, UIApplicationDelegate {
        var trace: [String] = []
        var interval: TimeInterval? = UIApplication.backgroundFetchIntervalMinimum
        var onFetch: (@escaping @Sendable (UIBackgroundFetchResult) -> Void) -> Void = { $0(.newData) }
        var onTask: (BGTask) -> Void = { $0.setTaskCompleted(success: true) }
        var sessions: [String] = []
        var pictures = 0

        func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool {
            if let interval { application.setMinimumBackgroundFetchInterval(interval) }
            application.snapshotProvider = { [unowned self] in
                pictures += 1
                return .svg("<svg width=\"1\" height=\"1\"/>")
            }
            for identifier in ["reader.refresh", "reader.index"] {
                BGTaskScheduler.shared.register(forTaskWithIdentifier: identifier, using: nil) { [unowned self] task in
                    MainActor.assumeIsolated {
                        trace.append("task \(task.identifier)")
                        onTask(task)
                    }
                }
            }
            return true
        }

        func application(
            _ application: UIApplication,
            performFetchWithCompletionHandler completionHandler: @escaping @Sendable (UIBackgroundFetchResult) -> Void
        ) {
            trace.append("fetch \(application.applicationState.rawValue)")
            onFetch(completionHandler)
        }

        func application(
            _ application: UIApplication, handleEventsForBackgroundURLSession identifier: String,
            completionHandler: @escaping @Sendable () -> Void
        ) {
            sessions.append(identifier)
            completionHandler()
        }
    }

    @Suite("What an app's own code is woken for")
    @MainActor
    struct BackgroundFetchTests {
        private static let tasks = ["reader.refresh", "reader.index"]

        private func install(
            _ device: TestDevice, tasks: [String] = [], configure: @escaping (Reader) -> Void = { _ in }
        ) throws -> TestedApp<Reader> {
            try device.install(
                Reader.self, identifier: "org.example.Reader", backgroundModes: ["fetch", "processing"],
                backgroundTasks: tasks, configure: configure)
        }

        @Test("A fetch thaws the app, calls it in the background, takes its picture anew and suspends it")
        func fetch() async throws {
            let device = try TestDevice(.iOS7)
            let reader = try install(device) { $0.interval = nil }
            try await device.open(reader)
            try await device.home()
            _ = reader.takeCallbacks()
            let pictures = reader.delegate?.pictures
            try await device.fetch(reader)
            #expect(reader.takeCallbacks() == [.performFetch])
            #expect(reader.delegate?.trace == ["fetch \(UIApplication.State.background.rawValue)"])
            #expect(reader.delegate?.pictures == pictures.map { $0 + 1 })
            #expect(reader.state == .suspended)
        }

        @Test("An app that does not run is launched for it")
        func launch() async throws {
            let device = try TestDevice()
            let reader = try install(device)
            try await device.fetch(reader)
            #expect(
                reader.callbacks == [.willFinishLaunching, .didFinishLaunching, .didEnterBackground, .performFetch])
            #expect(reader.state == .suspended)
            try await device.fetch(reader, launching: true)
            #expect(reader.launches == 2)
        }

        @Test("The handler may be called on any thread; a second call counts for nothing")
        func otherThread() async throws {
            let device = try TestDevice()
            let reader = try install(device) { reader in
                reader.onFetch = { handler in
                    Task.detached {
                        handler(.newData)
                        handler(.failed)
                    }
                }
            }
            try await device.fetch(reader)
            #expect(reader.state == .suspended)
            #expect(device.log.filter { $0.event == "windowCompleted" }.map(\.reason).count == 1)
            #expect(device.log.contains { $0.reason.contains("there was new data") })
        }

        @Test("Who never calls the handler is ended with a report, or on a device of 2013 suspended")
        func never() async throws {
            for (profile, isEnded) in [(TestDevice.Profile.linux, true), (.iOS7, false)] {
                let device = try TestDevice(profile)
                let reader = try install(device) { $0.onFetch = { _ in } }
                try await device.fetch(reader)
                #expect(reader.state == (isEnded ? .notRunning : .suspended))
                #expect(reader.reports.map(\.code) == (isEnded ? [0x2182_bad4] : []))
            }
        }

        @Test("A refresh request that is submitted again in its handler runs every quarter of an hour, 48 times a day")
        func renewed() async throws {
            for date in [nil, Date.distantPast, Date(timeIntervalSinceNow: -.infinity)] {
                let device = try TestDevice()
                let reader = try install(device, tasks: Self.tasks) { reader in
                    reader.interval = nil
                    reader.onTask = { task in
                        let request = BGAppRefreshTaskRequest(identifier: "reader.refresh")
                        request.earliestBeginDate = date
                        try? BGTaskScheduler.shared.submit(request)
                        task.setTaskCompleted(success: true)
                    }
                }
                try await device.open(reader)
                let first = BGAppRefreshTaskRequest(identifier: "reader.refresh")
                first.earliestBeginDate = date
                try BGTaskScheduler.shared.submit(first)
                try await device.home()
                try await device.advance(by: .seconds(3590))
                #expect(reader.delegate?.trace.count == 4)
                try await device.advance(by: .seconds(23 * 3600 - 50))
                #expect(reader.delegate?.trace.count == 48)
            }
        }

        @Test("A date that never comes is accepted, is given back, and traps nothing; nor does any other number")
        func numbers() async throws {
            let device = try TestDevice()
            let reader = try install(device, tasks: Self.tasks)
            try await device.open(reader)
            for seconds in [Double.infinity, .greatestFiniteMagnitude, 1e18, 7e10] {
                let request = BGAppRefreshTaskRequest(identifier: "reader.refresh")
                request.earliestBeginDate = seconds == 7e10 ? .distantFuture : Date(timeIntervalSinceNow: seconds)
                try BGTaskScheduler.shared.submit(request)
                let waiting = await BGTaskScheduler.shared.pendingTaskRequests()
                #expect(waiting.map(\.earliestBeginDate) == [.distantFuture])
            }
            for interval in [Double.infinity, -.infinity, .nan, 1e300, -1e300, 0] {
                UIApplication.shared.setMinimumBackgroundFetchInterval(interval)
            }
            for brightness in [Double.nan, .infinity, -.infinity, 0.4] { try await device.setBrightness(brightness) }
            try await device.setBattery(.max)
            try await device.setTimeZone("Etc/Far", secondsFromGMT: .min)
            try await device.home()
            try await device.advance(by: .seconds(7 * 86_400))
            #expect(reader.delegate?.trace.contains { $0.hasPrefix("task") } == false)
        }

        @Test("The user can forbid it: the app hears of it, and is not fetched")
        func forbidden() async throws {
            let device = try TestDevice()
            let reader = try install(device)
            try await device.open(reader)
            #expect(reader.application?.backgroundRefreshStatus == .available)
            var heard = 0
            let observer = NotificationCenter.default.addObserver(
                forName: UIApplication.backgroundRefreshStatusDidChangeNotification, object: nil, queue: nil
            ) { _ in MainActor.assumeIsolated { heard += 1 } }
            defer { NotificationCenter.default.removeObserver(observer) }
            try await device.setBackgroundRefresh(of: reader, false)
            try await device.advance(by: .seconds(1))
            #expect(heard == 1)
            #expect(reader.application?.backgroundRefreshStatus == .denied)
            try await device.home()
            await #expect(throws: TestDeviceError.self) { try await device.fetch(reader) }
        }

        @Test("Opened at the same hour every day, an app is fetched before that")
        func learnt() async throws {
            let device = try TestDevice()
            let reader = try install(device)
            try await device.setNetwork(.wifi)
            for _ in 0..<10 {
                try await device.open(reader)
                try await device.advance(by: .seconds(60))
                try await device.home()
                try await device.advance(by: .seconds(24 * 3600 - 60))
            }
            #expect(reader.callbacks.contains(.performFetch))
        }

        @Test("The events of a URL session wake the app, which is suspended when it has handled them")
        func transfers() async throws {
            let device = try TestDevice()
            let reader = try install(device)
            try await device.endTransfers(of: reader, session: "music")
            #expect(reader.delegate?.sessions == ["music"])
            #expect(reader.state == .suspended)
            try await device.open(reader)
            try await device.endTransfers(of: reader, session: "music")
            #expect(reader.delegate?.sessions == ["music"])
        }

        @Test("A task is launched when its date has come, and told to hurry before its time is over")
        func task() async throws {
            let device = try TestDevice()
            let reader = try install(device, tasks: Self.tasks) { reader in
                reader.interval = nil
                reader.onTask = { task in
                    task.expirationHandler = { [unowned reader] in
                        MainActor.assumeIsolated { reader.trace.append("expired") }
                        task.setTaskCompleted(success: false)
                    }
                }
            }
            try await device.open(reader)
            let request = BGProcessingTaskRequest(identifier: "reader.index")
            request.earliestBeginDate = Date(timeIntervalSinceNow: 3600)
            try BGTaskScheduler.shared.submit(request)
            try await device.settle()
            #expect(await BGTaskScheduler.shared.pendingTaskRequests().map(\.identifier) == ["reader.index"])
            try await device.home()
            try await device.advance(by: .seconds(3590))
            #expect(reader.delegate?.trace == [])
            try await device.advance(by: .seconds(60))
            #expect(reader.delegate?.trace == ["task reader.index"])
            #expect(reader.state == .background)
            try await device.advance(by: .seconds(180))
            #expect(reader.delegate?.trace == ["task reader.index", "expired"])
            #expect(reader.state == .suspended && reader.reports.isEmpty)
        }

        @Test("What Info.plist does not name is not permitted, and one refresh may wait")
        func refused() async throws {
            let device = try TestDevice()
            let reader = try install(device, tasks: Self.tasks)
            try await device.open(reader)
            func code(_ request: BGTaskRequest) -> BGTaskScheduler.Error.Code? {
                do {
                    try BGTaskScheduler.shared.submit(request)
                    return nil
                } catch {
                    return (error as? BGTaskScheduler.Error)?.code
                }
            }
            #expect(code(BGAppRefreshTaskRequest(identifier: "other")) == .notPermitted)
            let later = BGAppRefreshTaskRequest(identifier: "reader.refresh")
            later.earliestBeginDate = Date(timeIntervalSinceNow: 60)
            #expect(code(later) == nil)
            try await device.settle()
            #expect(code(BGAppRefreshTaskRequest(identifier: "reader.index")) == .tooManyPendingTaskRequests)
            BGTaskScheduler.shared.cancelAllTaskRequests()
            try await device.settle()
            #expect(await BGTaskScheduler.shared.pendingTaskRequests().isEmpty)
            #expect(!BGTaskScheduler.shared.register(forTaskWithIdentifier: "late", using: nil) { _ in })
        }
    }
}
