import AppRuntime
import Synchronization
import Testing
import UIKit
import Wire

private final class Album: UIViewController {
    static var told: [String] = []
    override func didReceiveMemoryWarning() {
        super.didReceiveMemoryWarning()
        Album.told.append(title ?? "")
    }
}

extension UIKitTests {
    @Suite("Memory warnings")
    @MainActor
    struct WarningTests {
        let application = UIApplication()
        let recorder = Recorder()
        let lifecycle: Lifecycle

        init() {
            application.becomeShared()
            lifecycle = Lifecycle(application)
            application.delegate = recorder
            recorder.observe(application)
            Album.told = []
        }

        private func warn(_ level: JSONValue = "warning") {
            #expect(
                lifecycle.handle(Callback(seq: 1, name: .didReceiveMemoryWarning, params: ["level": level])) == [:])
        }

        @Test("A warning reaches the delegate, then its observers, and leaves the app's state alone")
        func order() {
            defer { recorder.forget() }
            _ = lifecycle.handle(Callback(seq: 1, name: .willFinishLaunching, params: ["state": "background"]))
            recorder.events = []
            warn()
            #expect(
                recorder.events == [
                    "didReceiveMemoryWarning background", "DidReceiveMemoryWarningNotification background",
                ])
        }

        @Test("Every controller of a visible window hears it, and those that it has presented; no others")
        func controllers() {
            defer { recorder.forget() }
            func album(_ title: String) -> Album {
                let album = Album()
                album.title = title
                return album
            }
            let window = UIWindow(frame: .zero)
            let hidden = UIWindow(frame: .zero)
            let (root, sheet, popover) = (album("root"), album("sheet"), album("popover"))
            window.rootViewController = root
            hidden.rootViewController = album("hidden")
            root.present(sheet, animated: false)
            sheet.present(popover, animated: false)
            window.makeKeyAndVisible()
            warn("critical")
            #expect(Album.told == ["root", "sheet", "popover"])
            sheet.dismiss(animated: false)
            warn()
            #expect(Album.told == ["root", "sheet", "popover", "root", "sheet"])
        }

        @Test("A memory pressure source fires for the levels of its mask and says which came")
        func sources() async {
            defer { recorder.forget() }
            let queue = DispatchQueue(label: "pressure")
            let (events, continuation) = AsyncStream.makeStream(of: String.self)
            func listen(_ name: String, _ mask: DispatchSource.MemoryPressureEvent)
                -> any DispatchSourceMemoryPressure
            {
                let source = DispatchSource.makeMemoryPressureSource(eventMask: mask, queue: queue)
                source.setEventHandler { [weak source] in
                    guard let level: DispatchSource.MemoryPressureEvent = source?.data else { return }
                    continuation.yield("\(name) \(level.rawValue)")
                }
                source.activate()
                return source
            }
            let every = listen("every", .all)
            let critical = listen("critical", .critical)
            #expect((critical.mask, every.mask) == (DispatchSource.MemoryPressureEvent.critical, .all))
            warn()
            warn("critical")
            var heard: Set<String> = []
            for await event in events {
                heard.insert(event)
                if event.hasPrefix("critical") { break }
            }
            // The first handler may have run between the two warnings or after both.
            queue.sync {}
            #expect(heard.contains("critical 4"))
            #expect(heard.isSubset(of: ["every 2", "every 4", "every 6", "critical 4"]))
            every.cancel()
            critical.cancel()
        }

        @Test("A source hears that memory is no longer short, once for each time")
        func recovery() async {
            defer { recorder.forget() }
            let changes = SystemChanges(changesProcess: false)
            let (events, continuation) = AsyncStream.makeStream(of: UInt.self)
            let source = DispatchSource.makeMemoryPressureSource(eventMask: [.normal], queue: .global())
            source.setEventHandler { [weak source] in
                guard let level: DispatchSource.MemoryPressureEvent = source?.data else { return }
                continuation.yield(level.rawValue)
            }
            source.activate()
            var heard = events.makeAsyncIterator()
            changes.take(["memoryRecoveries": 4], for: application)
            for count in [5, 5, 6] as [Int64] {
                changes.take(["memoryRecoveries": .int(count)], for: application)
                if count == 5 { changes.take(["memoryRecoveries": 5], for: application) }
            }
            #expect(await heard.next() == DispatchSource.MemoryPressureEvent.normal.rawValue)
            source.cancel()
        }

        @Test("A source that was cancelled or released is silent, one that is suspended fires when it is resumed")
        func silence() async {
            defer { recorder.forget() }
            let fired = Mutex(0)
            let queue = DispatchQueue(label: "pressure")
            func make() -> any DispatchSourceMemoryPressure {
                let source = DispatchSource.makeMemoryPressureSource(eventMask: .warning, queue: queue)
                source.setEventHandler { fired.withLock { $0 += 1 } }
                return source
            }
            do {
                let released = make()
                released.activate()
            }
            let cancelled = make()
            cancelled.activate()
            cancelled.cancel()
            let suspended = make()
            warn()
            queue.sync {}
            #expect(fired.withLock { $0 } == 0)
            await withCheckedContinuation { continuation in
                suspended.setEventHandler { continuation.resume() }
                suspended.activate()
            }
            suspended.cancel()
        }
    }
}
