import AppRuntime
import Foundation
import Synchronization
import Testing
import UIKit
import Wire

extension UIKitTests {
    /// An app that comes and goes while the process stays, as on a simulated device.
    @Suite("The shared app")
    @MainActor
    struct SharedTests {
        @Test("UIApplication.shared where no app runs ends the process and says what to do")
        func explained() throws {
            // Not an exit test of Swift Testing: that waits for whatever child of the process ends first, and here
            // others leave theirs.
            let program = Process()
            program.executableURL = Bundle.main.executableURL?.deletingLastPathComponent().appending(path: "Misbehaver")
            program.arguments = ["share-too-early"]
            let errors = Pipe()
            program.standardError = errors
            try program.run()
            let text = String(decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
            program.waitUntilExit()
            #expect(program.terminationReason == .uncaughtSignal)
            #expect(text.contains("UIApplication.shared was used where no app runs"))
            #expect(text.contains("TestDevice"))
        }

        @Test("A device, a window and a screen exist without an app")
        func withoutApp() {
            UIApplication().becomeShared()
            UIApplication.running?.end()
            let window = UIWindow(frame: UIScreen.main.bounds)
            #expect(!window.isKeyWindow)
            #expect(window.next == nil)
            #expect(UIDevice.current.isMultitaskingSupported)
        }

        @Test("An app that has ended is released with its delegate, and the next one is another")
        func ended() throws {
            let link = SilentLink()
            weak var seen: AnyObject?
            weak var delegate: AnyObject?
            do {
                let (first, lifecycle) = try ApplicationLauncher.start(
                    principal: UIApplication.self, delegate: SampleAppDelegate.self, link)
                _ = lifecycle.handle(
                    Callback(seq: 1, name: .didFinishLaunching, params: ["state": "inactive", "options": [:]]))
                #expect(UIApplication.shared === first)
                #expect(first.keyWindow != nil)
                (seen, delegate) = (first, first.delegate)
                first.end()
            }
            #expect(seen == nil)
            #expect(delegate == nil)
            #expect(UIApplication.running == nil)
            #expect(link.isStopped)
            let (second, _) = try ApplicationLauncher.start(
                principal: UIApplication.self, delegate: SampleAppDelegate.self, link)
            #expect(UIApplication.shared === second)
            #expect(second.windows.isEmpty)
        }

        @Test("Requests go through whatever links the app with the system")
        func linked() async throws {
            let link = SilentLink()
            let (application, _) = try ApplicationLauncher.start(
                principal: UIApplication.self, delegate: SampleAppDelegate.self, link)
            let url = try #require(URL(string: "other://x"))
            #expect(application.canOpenURL(url))
            #expect(await application.open(url))
            #expect(link.methods == [.canOpenURL, .openURL])
        }
    }
}

/// A system that agrees to everything.
private final class SilentLink: AppLink {
    private let state = Mutex((methods: [AppMethod](), isStopped: false))
    let greeting: JSONValue? = nil
    var methods: [AppMethod] { state.withLock { $0.methods } }
    var isStopped: Bool { state.withLock { $0.isStopped } }

    func request(
        _ method: AppMethod, _ params: JSONValue,
        completion: @escaping @MainActor @Sendable (Result<JSONValue, RPCError>) -> Void
    ) {
        state.withLock { $0.methods.append(method) }
        Task { await completion(.success(["opened": true])) }
    }

    func requestAndWait(_ method: AppMethod, _ params: JSONValue, seconds: Double) -> Result<JSONValue, RPCError>? {
        state.withLock { $0.methods.append(method) }
        return .success(["canOpen": true])
    }

    func stop() { state.withLock { $0.isStopped = true } }
}
