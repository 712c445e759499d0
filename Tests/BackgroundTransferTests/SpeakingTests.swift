import BackgroundTransfer
import Foundation
import Synchronization
import Testing
import TransferWire
import Wire

@Suite("What a program has not said yet", .timeLimit(.minutes(1)))
struct SpeakingTests {
    /// What an app with this client would hold an assertion for.
    private final class Speech: Sendable {
        private struct State {
            var isSpeaking = false
            var rests = 0
            var waiters: [CheckedContinuation<Void, Never>] = []
        }
        private let state = Mutex(State())
        var isSpeaking: Bool { state.withLock { $0.isSpeaking } }
        var rests: Int { state.withLock { $0.rests } }

        func set(_ isSpeaking: Bool) {
            let waiters = state.withLock { state in
                state.isSpeaking = isSpeaking
                guard !isSpeaking else { return [CheckedContinuation<Void, Never>]() }
                state.rests += 1
                defer { state.waiters = [] }
                return state.waiters
            }
            waiters.forEach { $0.resume() }
        }

        func rest() async {
            await withCheckedContinuation { continuation in
                let rests = state.withLock { state in
                    if state.isSpeaking { state.waiters.append(continuation) }
                    return !state.isSpeaking
                }
                if rests { continuation.resume() }
            }
        }
    }

    @Test("It speaks from the method that asks until the service has answered, also when that takes until it runs")
    func answered() async {
        let service = FakeService(connections: 0)
        let run = Run(service)
        let speech = Speech()
        run.client.whileSpeaking { speech.set($0) }
        let task = run.session("speaks", Recorder()).downloadTask(with: address)
        #expect(speech.isSpeaking)
        task.resume()
        run.client.drain()
        #expect(speech.isSpeaking && speech.rests == 0)
        service.accept()
        await speech.rest()
        #expect(service.calls.suffix(2) == [.create, .resume])
        run.end()
    }

    @Test("What the service did not answer before it died is spoken of until the next one has")
    func died() async {
        let service = FakeService()
        let run = Run(service)
        let speech = Speech()
        run.client.whileSpeaking { speech.set($0) }
        let session = run.session("dies", Recorder())
        let first = session.downloadTask(with: address)
        await speech.rest()
        service.leaveUnanswered(.resume)
        first.resume()
        _ = await service.call(.resume)
        #expect(speech.isSpeaking)
        service.leaveUnanswered()
        service.die()
        service.accept()
        _ = await service.call(.resume, 2)
        await speech.rest()
        #expect(!speech.isSpeaking)
        run.end()
    }
}
