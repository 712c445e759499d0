package import AVFAudio
package import AppRuntime
package import AudioClient
package import AudioDevices
package import AudioModel
package import AudioWire
internal import Foundation
internal import Synchronization
package import Wire

/// The audio service as an app sees it, in the same process: what it refuses and tells, the test says.
package final class FakeService: ServiceLink {
    private struct State: Sendable {
        weak var listener: (any ServiceListener)?
        var isStarted = false
        var calls: [(method: String, params: JSONValue)] = []
        var refusals: [AudioClientMethod: RPCError] = [:]
        var surroundings = AudioSurroundings(route: [AudioPort(.speaker, name: "Speaker")], volume: 0.5)
        var permission = AudioPermission.granted
        var seq: Int64 = 0
    }

    private let state = Mutex(State())
    /// Of its own: others may be taken by those that wait for it.
    private let queue = DispatchQueue(label: "fake audio service")

    package init() {}

    /// An app's end of the wire to it.
    package func client() -> AudioClient {
        AudioClient { [self] listener in
            state.withLock { $0.listener = listener }
            return self
        }
    }

    // MARK: As the test wants it

    package func refuse(_ method: AudioClientMethod, _ code: AudioErrorCode, _ sentence: String = "not now") {
        state.withLock { $0.refusals[method] = .audio(code, sentence) }
    }

    package func allow(_ method: AudioClientMethod) { state.withLock { $0.refusals[method] = nil } }

    package func surround(_ change: (inout AudioSurroundings) -> Void) {
        let (listener, news) = state.withLock { state in
            change(&state.surroundings)
            return (state.isStarted ? state.listener : nil, state.surroundings)
        }
        listener?.told(AudioClientMessage.surroundings.rawValue, news.json)
    }

    package func permit(_ permission: AudioPermission) { state.withLock { $0.permission = permission } }

    /// Tells the app, and waits for its answer.
    @discardableResult
    package func tell(_ news: AudioNews) async -> AudioCommandStatus? {
        let (listener, seq) = state.withLock { state in
            state.seq += 1
            return (state.listener, state.seq)
        }
        let told = AudioTold(seq: seq, news: news)
        return await withCheckedContinuation { continuation in
            guard let listener else { return continuation.resume(returning: nil) }
            listener.called(
                ServiceCall(seq: seq, method: told.message.rawValue, params: told.json) { result in
                    let answer = (try? result.get()).flatMap { try? AudioStatusAnswer(json: $0) }
                    continuation.resume(returning: answer?.status)
                })
        }
    }

    // MARK: What it sees

    package var methods: [AudioClientMethod] {
        state.withLock { $0.calls.compactMap { AudioClientMethod(rawValue: $0.method) } }
    }

    package func params(_ method: AudioClientMethod) -> [JSONValue] {
        state.withLock { $0.calls.filter { $0.method == method.rawValue }.map(\.params) }
    }

    // MARK: ServiceLink

    package func start() {
        let news = state.withLock { state in
            defer { state.isStarted = true }
            return state.isStarted ? nil : (state.listener, state.surroundings)
        }
        guard let (listener, surroundings) = news else { return }
        listener?.greeted(surroundings.json)
    }

    package func request(_ method: String, _ params: JSONValue, isErrand: Bool, completion: @escaping Answered) {
        let answer = state.withLock { state -> Result<JSONValue, RPCError> in
            state.calls.append((method, params))
            if let error = AudioClientMethod(rawValue: method).flatMap({ state.refusals[$0] }) {
                return .failure(error)
            }
            guard method == AudioClientMethod.requestPermission.rawValue else { return .success([:]) }
            return .success(["permission": .string(state.permission.rawValue)])
        }
        start()
        queue.async { completion(answer) }
    }

    package func stop() {}
    package func settle(_ done: @escaping @Sendable () -> Void) { done() }
}

/// An app's audio with a service and a device of its own.
package struct AppAudio {
    package let service = FakeService()
    package let device: ClockedDevice
    package let home: AudioHome

    package init(ahead: Double? = nil) {
        device = ClockedDevice(ahead: ahead)
        home = AudioHome(service.client(), device: device)
    }

    /// What is made within belongs to it.
    package func use<Value>(_ body: () throws -> Value) rethrows -> Value {
        try AudioHome.$current.withValue(home) { try body() }
    }

    package var session: AVAudioSession { home.session }
    /// What the only output has heard.
    package var heard: [Float] { device.outputs.first?.heard ?? [] }
}

/// What happens in a test, in its order.
package final class Bell<Value: Sendable>: Sendable {
    private struct State {
        var values: [Value] = []
        var waiters: [(count: Int, continuation: CheckedContinuation<[Value], Never>)] = []
    }

    private let state = Mutex(State())

    package init() {}

    package func ring(_ value: Value) {
        state.withLock { state in
            state.values.append(value)
            let values = state.values
            state.waiters.removeAll { waiter in
                guard values.count >= waiter.count else { return false }
                waiter.continuation.resume(returning: values)
                return true
            }
        }
    }

    package var all: [Value] { state.withLock { $0.values } }

    /// All of it, when so much has happened.
    package func first(_ count: Int) async -> [Value] {
        await withCheckedContinuation { continuation in
            state.withLock { state in
                guard state.values.count < count else { return continuation.resume(returning: state.values) }
                state.waiters.append((count, continuation))
            }
        }
    }
}

/// What was asked of the main thread so far has been done when this returns.
package func mainThreadIsDone() async {
    await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
}

extension FakeService {
    /// Which commands the app says that it obeys, each time that it says so.
    package var obeyed: [[String]] {
        params(.remote).compactMap { try? AudioRemote(json: $0) }.map { $0.commands.map(\.rawValue) }
    }

    /// What the app says that it plays, each time that it says so.
    package var nowPlaying: [NowPlaying] { params(.nowPlaying).compactMap { try? NowPlaying(json: $0) } }

    /// A control gives the command, and waits for what becomes of it.
    package func press(_ command: AudioCommand) async -> AudioCommandStatus? { await tell(.command(command)) }
}
