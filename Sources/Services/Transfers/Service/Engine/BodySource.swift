internal import Curl
internal import LinuxSystem
internal import Synchronization
internal import SystemPackage
internal import TransferCore

/// What a request's body is read from: bytes, or a file, of which a worker reads the next pieces while one is sent.
final class BodySource: Sendable {
    private static let piece = 256 << 10
    /// Pieces that are ready or being read.
    private static let ahead = 2

    private struct State {
        var file: Descriptor?
        var ready: [[UInt8]] = []
        /// Of the first piece, what has been sent.
        var used = 0
        /// Where the next piece begins.
        var next: Int64
        var isReading = false
        var isBroken = false
    }

    /// Opens the file, which must be as long as it was.
    private let open: @Sendable () throws(SystemError) -> Descriptor
    private let length: Int64
    private let workers: WorkerPool
    private let onReady: @Sendable () -> Void
    private let state: Mutex<State>

    /// A file from an offset to its end.
    ///
    /// - Parameter onReady: called on a worker when there is more, or when there will be none.
    init(
        from start: Int64, length: Int64, workers: WorkerPool,
        open: @escaping @Sendable () throws(SystemError) -> Descriptor, onReady: @escaping @Sendable () -> Void
    ) {
        (self.length, self.workers, self.open, self.onReady) = (length, workers, open, onReady)
        state = Mutex(State(next: start))
    }

    init(_ bytes: [UInt8], workers: WorkerPool) {
        (length, self.workers, onReady) = (Int64(bytes.count), workers, {})
        open = { () throws(SystemError) in throw SystemError("open", .noSuchFileOrDirectory) }
        state = Mutex(State(ready: bytes.isEmpty ? [] : [bytes], next: Int64(bytes.count)))
    }

    /// Puts the next bytes there.
    func supply(into space: UnsafeMutableRawBufferPointer) -> CurlSupply {
        // It is written to before this returns.
        nonisolated(unsafe) let space = unsafe space
        let most = unsafe space.count
        let (supply, mustRead) = state.withLock { state -> (CurlSupply, Bool) in
            guard !state.isBroken else { return (.abort, false) }
            guard let first = state.ready.first else { return (.wait, takeTurn(&state)) }
            let count = min(most, first.count - state.used)
            unsafe first[state.used..<state.used + count].withUnsafeBytes { unsafe space.copyMemory(from: $0) }
            state.used += count
            if state.used == first.count {
                state.ready.removeFirst()
                state.used = 0
            }
            return (.bytes(count), takeTurn(&state))
        }
        if mustRead { workers.run { [self] in read() } }
        return supply
    }

    private func takeTurn(_ state: inout State) -> Bool {
        guard !state.isReading, state.ready.count < Self.ahead, state.next < length else { return false }
        state.isReading = true
        return true
    }

    private func read() {
        while true {
            let (file, offset) = state.withLock { ($0.file, $0.next) }
            let piece = piece(of: file, at: offset)
            let goesOn = state.withLock { state -> Bool in
                state.isReading = false
                guard let piece else {
                    state.isBroken = true
                    return false
                }
                state.ready.append(piece.bytes)
                state.next += Int64(piece.bytes.count)
                state.file = piece.file
                return takeTurn(&state)
            }
            onReady()
            if !goesOn { return }
        }
    }

    private func piece(of file: Descriptor?, at offset: Int64) -> (file: Descriptor, bytes: [UInt8])? {
        let most = Int(min(Int64(Self.piece), length - offset))
        do throws(SystemError) {
            let file = if let file { file } else { try open() }
            var failure: SystemError?
            let bytes = unsafe [UInt8](unsafeUninitializedCapacity: most) { buffer, count in
                do throws(SystemError) {
                    count = unsafe try file.read(into: UnsafeMutableRawBufferPointer(buffer), at: offset)
                } catch {
                    failure = error
                }
            }
            // It is shorter than it was, or cannot be read.
            return bytes.isEmpty || failure != nil ? nil : (file, bytes)
        } catch {
            return nil
        }
    }
}
