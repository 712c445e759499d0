internal import CPipeWire
internal import Dispatch
internal import Glibc
internal import Synchronization
internal import SystemPackage

/// The connection of all streams of a process to a daemon, with the thread that serves it. It is there as long as a
/// stream is.
///
/// Unchecked: the library's functions lock; the rest is used on its queue only.
@safe final class StreamEngine: @unchecked Sendable {
    private struct Reference { weak var engine: StreamEngine? }

    /// What the library's thread may call while this object ends.
    private final class Callback: Sendable {
        private let engine = Mutex(Reference())

        func connect(to engine: StreamEngine) { self.engine.withLock { $0.engine = engine } }

        func ended() {
            guard let engine = engine.withLock({ $0.engine }) else { return }
            engine.queue.async { engine.lose() }
        }
    }

    private static let engines = Mutex<[AudioServer: Reference]>([:])

    let handle: OpaquePointer
    private let server: AudioServer
    private let queue = DispatchQueue(label: "greenroom.audio-streams")
    private let callback: Callback
    private var watch: ServerWatch?

    /// The one of this process.
    static func shared(_ server: AudioServer) throws(AudioError) -> StreamEngine {
        let result: Result<StreamEngine, AudioError> = engines.withLock { engines in
            if let engine = engines[server]?.engine { return .success(engine) }
            do throws(AudioError) {
                let engine = try StreamEngine(server)
                engines[server] = Reference(engine: engine)
                return .success(engine)
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    private init(_ server: AudioServer) throws(AudioError) {
        self.server = server
        callback = Callback()
        let owner = unsafe Unmanaged.passUnretained(callback).toOpaque()
        let ended: @convention(c) (UnsafeMutableRawPointer, CInt) -> Void = { owner, _ in
            unsafe Unmanaged<Callback>.fromOpaque(owner).takeUnretainedValue().ended()
        }
        guard let handle = unsafe gr_engine_start(ended, owner) else {
            throw .cannotBegin(Errno(rawValue: errno))
        }
        unsafe self.handle = unsafe handle
        callback.connect(to: self)
        queue.sync {
            let watch = ServerWatch(server, queue: queue) { [weak self] in self?.connect() ?? false }
            self.watch = watch
            watch.begin()
        }
    }

    deinit {
        watch?.stop()
        // Its thread has ended when this returns.
        unsafe gr_engine_stop(handle)
    }

    var isConnected: Bool { unsafe gr_engine_is_connected(handle) }

    private func connect() -> Bool { unsafe gr_engine_connect(handle, server.socket) == 0 }

    private func lose() {
        unsafe gr_engine_disconnect(handle)
        watch?.ended()
    }
}
