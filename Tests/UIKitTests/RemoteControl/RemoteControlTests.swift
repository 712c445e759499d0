import AppRuntime
import AudioClient
import AudioModel
import AudioWire
import Foundation
import Synchronization
import Testing
import UIKit
import Wire

/// The audio service as UIKit sees it.
private final class Service: ServiceLink {
    private struct State: Sendable {
        weak var listener: (any ServiceListener)?
        var remotes: [AudioRemote] = []
        var hasStarted = false
    }

    private let state = Mutex(State())

    func client() -> AudioClient {
        AudioClient { [self] listener in
            state.withLock { $0.listener = listener }
            return self
        }
    }

    var remotes: [AudioRemote] { state.withLock { $0.remotes } }
    var hasStarted: Bool { state.withLock { $0.hasStarted } }

    func start() { state.withLock { $0.hasStarted = true } }
    func stop() {}
    func settle(_ done: @escaping @Sendable () -> Void) { done() }

    func request(_ method: String, _ params: JSONValue, isErrand: Bool, completion: @escaping Answered) {
        start()
        if method == AudioClientMethod.remote.rawValue, let remote = try? AudioRemote(json: params) {
            state.withLock { $0.remotes.append(remote) }
        }
    }

    /// Tells the app, and waits for its answer; `nil` while that is held.
    func call(_ command: AudioCommand, seq: Int64 = 1, _ answered: @escaping @Sendable (AudioCommandStatus?) -> Void) {
        let told = AudioTold(seq: seq, news: .command(command))
        let listener = state.withLock { $0.listener }
        listener?.called(
            ServiceCall(seq: seq, method: told.message.rawValue, params: told.json) { result in
                answered((try? result.get()).flatMap { try? AudioStatusAnswer(json: $0) }?.status)
            })
    }

    func press(_ command: AudioCommand) async -> AudioCommandStatus? {
        await withCheckedContinuation { continuation in call(command) { continuation.resume(returning: $0) } }
    }
}

private class Responder: UIResponder {
    var heard: [Int] = []
    var after: UIResponder?
    override var next: UIResponder? { after }
    override var canBecomeFirstResponder: Bool { true }
    override func remoteControlReceived(with event: UIEvent?) {
        heard.append(event?.subtype.rawValue ?? -1)
    }
}

private final class Passing: UIResponder {
    var after: UIResponder?
    override var next: UIResponder? { after }
    override var canBecomeFirstResponder: Bool { true }
}

@MainActor private final class Application: UIApplication {
    var heard: [UIEvent] = []
    override func remoteControlReceived(with event: UIEvent?) { event.map { heard.append($0) } }
}

extension UIKitTests {
    @MainActor @Suite struct `Remote control events` {
        private let service = Service()
        private let client: AudioClient

        init() { client = service.client() }

        private func control(_ application: UIApplication? = nil) -> ApplicationRemoteControl {
            let control = ApplicationRemoteControl(application, client)
            client.use(events: control)
            client.start()
            return control
        }

        @Test func `are asked for by the app`() {
            let application = UIApplication()
            application.remoteControl = ApplicationRemoteControl(application, client)
            #expect(!service.hasStarted)
            application.beginReceivingRemoteControlEvents()
            application.endReceivingRemoteControlEvents()
            #expect(service.remotes.map(\.events) == [true, false])
        }

        @Test func `go to the first responder, each by Apple's number`() async {
            let control = control()
            control.isWanted = true
            let responder = Responder()
            #expect(responder.becomeFirstResponder())
            let commands: [AudioCommand] = [
                .play, .pause, .stop, .toggle, .next, .previous, .beginSeekingBackward, .endSeekingBackward,
                .beginSeekingForward, .endSeekingForward,
            ]
            for command in commands { #expect(await service.press(command) == .success) }
            #expect(responder.heard == Array(100...109))
            responder.resignFirstResponder()
        }

        @Test func `pass up the responder chain`() async {
            let control = control()
            control.isWanted = true
            let (first, last) = (Passing(), Responder())
            first.after = last
            #expect(first.becomeFirstResponder())
            #expect(await service.press(.toggle) == .success)
            #expect(last.heard == [103])
            first.resignFirstResponder()
        }

        @Test func `go to the application where there is no first responder`() async throws {
            let application = Application()
            let control = control(application)
            control.isWanted = true
            #expect(await service.press(.next) == .success)
            let event = try #require(application.heard.first)
            #expect(event.type == .remoteControl)
            #expect(event.subtype == .remoteControlNextTrack)
            #expect(event.timestamp > 0)
        }

        @Test func `do not come to an app that did not ask, nor without a number`() async {
            let control = control()
            let responder = Responder()
            #expect(responder.becomeFirstResponder())
            #expect(await service.press(.play) == .failed)
            control.isWanted = true
            #expect(await service.press(.skipForward(15)) == .failed)
            #expect(responder.heard == [])
            responder.resignFirstResponder()
        }

        @Test func `wait until the app has been launched, and end what woke it`() async {
            let application = Application()
            let control = control(application)
            control.isWanted = true
            client.beginLaunching()
            let answer = Mutex<AudioCommandStatus?>(nil)
            let done = Mutex(false)
            service.call(.play, seq: 7) { status in answer.withLock { $0 = status } }
            client.woken(upTo: "7") { done.withLock { $0 = true } }
            await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
            #expect(answer.withLock { $0 } == nil)
            #expect(application.heard.isEmpty)
            control.finishLaunching()
            await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
            #expect(application.heard.map(\.subtype) == [.remoteControlPlay])
            #expect(answer.withLock { $0 } == .success)
            #expect(done.withLock { $0 })
        }
    }
}
