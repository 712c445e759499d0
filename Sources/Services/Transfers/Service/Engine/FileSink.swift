package import LinuxSystem
internal import Synchronization

/// Where a download's bytes go: appended to a file by a worker while more come, and made durable by another while
/// more are written. What waits in memory is bounded; whoever appends waits for room.
///
/// Three counts only grow: `accepted` (in memory or further), `written` (in the file: survives the end of this process)
/// and `durable` (on the disk: survives the machine's end).
package final class FileSink: Sendable {
    package struct Bounds: Sendable {
        /// Bytes in memory at which the flow waits, and at which it goes on. The end of the process loses no more.
        package var high = 768 << 10
        package var low = 256 << 10
        /// Bytes in the file that are made durable together; less when nothing more comes for a while.
        package var batch: Int64 = 1 << 20
        /// Bytes that may be written and not durable yet.
        package var undurable: Int64 = 16 << 20

        package init() {}
    }

    /// Threads for all sinks; the disk has no use for one each.
    package struct Workers: Sendable {
        package let writers = WorkerPool(label: "greenroom.transfers.writers", width: 2)
        package let syncers = WorkerPool(label: "greenroom.transfers.syncers", width: 4)

        package init() {}
    }

    /// What whoever brings bytes is told.
    package enum Room: Sendable {
        case more
        /// More is taken, and had better wait until `onRoom` is called.
        case full
        /// Nothing more can be written.
        case none
    }

    /// Bytes that are written together.
    private static let piece = 256 << 10

    private struct State {
        var pending: [[UInt8]] = []
        var pendingBytes = 0
        var owesRoom = false
        var isWriting = false
        var isSyncing = false
        var cannotSync = false
        var written: Int64
        var durable: Int64
        var failure: SystemError?
        var completion: (@Sendable (Result<Int64, SystemError>) -> Void)?
        var hasEnded = false
        var hash: RunningHash?
    }

    private let file: Descriptor
    private let bounds: Bounds
    private let workers: Workers
    private let onRoom: @Sendable () -> Void
    private let onDurable: @Sendable (Int64) -> Void
    private let state: Mutex<State>

    /// `onRoom` is called on a worker when there is room again, or when nothing more can be written, and `onDurable`
    /// with each new durable length.
    package init(
        _ file: Descriptor, from offset: Int64, hash: RunningHash?, bounds: Bounds = Bounds(), workers: Workers,
        onRoom: @escaping @Sendable () -> Void, onDurable: @escaping @Sendable (Int64) -> Void
    ) {
        self.file = file
        self.bounds = bounds
        self.workers = workers
        self.onRoom = onRoom
        self.onDurable = onDurable
        state = Mutex(State(written: offset, durable: offset, hash: hash))
    }

    var written: Int64 { state.withLock { $0.written } }

    /// What so many bytes hash to, once everything has been written; reads what has not passed by.
    func digest(of length: Int64) -> [UInt8]? {
        guard var hash = state.withLock({ $0.hash }) else { return nil }
        do throws(SystemError) {
            try hash.catchUp(to: length, in: file)
        } catch {
            return nil
        }
        return hash.finalized
    }

    /// Takes a copy of bytes.
    package func append(_ bytes: UnsafeRawBufferPointer) -> Room {
        // They are copied before this returns.
        nonisolated(unsafe) let bytes = unsafe bytes
        let count = unsafe bytes.count
        let (room, mustStart) = state.withLock { state -> (Room, Bool) in
            guard state.failure == nil, !state.hasEnded else { return (.none, false) }
            if let last = state.pending.indices.last, state.pending[last].count + count <= Self.piece {
                unsafe state.pending[last].append(contentsOf: bytes)
            } else {
                var piece: [UInt8] = []
                // While one is written, the next ones fill up.
                piece.reserveCapacity(state.isWriting ? Self.piece : count)
                unsafe piece.append(contentsOf: bytes)
                state.pending.append(piece)
            }
            state.pendingBytes += count
            let mustStart = !state.isWriting
            state.isWriting = true
            guard state.pendingBytes > bounds.high else { return (.more, mustStart) }
            defer { state.owesRoom = true }
            // It is owed once.
            return (state.owesRoom ? .more : .full, mustStart)
        }
        if mustStart { startWriting() }
        return room
    }

    /// Writes what waits, makes everything durable, and says how much it is. Nothing may be appended afterwards.
    package func finish(_ completion: @escaping @Sendable (Result<Int64, SystemError>) -> Void) {
        state.withLock { state in
            state.hasEnded = true
            state.completion = completion
        }
        startSyncing(always: true)
    }

    /// What little has come in the meantime becomes durable too: for a flow that pauses.
    func settle() { startSyncing(always: true) }

    // MARK: Writing

    private func startWriting() {
        workers.writers.run { [self] in write() }
    }

    private func write() {
        while true {
            let next = state.withLock { state -> (buffers: [[UInt8]], offset: Int64, hash: RunningHash?)? in
                // The disk is behind: the worker comes back when it has caught up.
                let isFarAhead = state.written - state.durable > bounds.undurable && state.isSyncing
                guard state.failure == nil, !state.pending.isEmpty, !isFarAhead else {
                    state.isWriting = false
                    return nil
                }
                let buffers = state.pending
                state.pending = []
                let hash = state.hash
                state.hash = nil
                return (buffers, state.written, hash)
            }
            guard let next else { break }
            var hash = next.hash
            do throws(SystemError) {
                let end = try write(next.buffers, at: next.offset, &hash)
                wrote(upTo: end, count: Int(end - next.offset), hash)
            } catch {
                failedToWrite(next.buffers, at: next.offset, error)
                return
            }
            startSyncing(always: false)
        }
        startSyncing(always: false)
        completeIfDone()
    }

    private func write(_ buffers: [[UInt8]], at start: Int64, _ hash: inout RunningHash?) throws(SystemError)
        -> Int64
    {
        var offset = start
        try hash?.catchUp(to: start, in: file)
        for buffer in buffers {
            let failure: SystemError? = unsafe buffer.withUnsafeBytes { bytes in
                do throws(SystemError) {
                    try DiskRoom.check(file, for: Int64(buffer.count))
                    unsafe try file.write(bytes, at: offset)
                    unsafe hash?.update(bytes)
                    return nil
                } catch {
                    return error
                }
            }
            if let failure { throw failure }
            offset += Int64(buffer.count)
        }
        return offset
    }

    /// What went into the file before the disk was full counts.
    private func failedToWrite(_ buffers: [[UInt8]], at offset: Int64, _ error: SystemError) {
        let most = buffers.reduce(offset) { $0 + Int64($1.count) }
        let size = (try? file.identity().size) ?? offset
        state.withLock { $0.written = min(max(size, offset), most) }
        fail(error)
        startSyncing(always: true)
    }

    private func wrote(upTo end: Int64, count: Int, _ hash: RunningHash?) {
        let hasRoom = state.withLock { state -> Bool in
            state.written = end
            state.hash = hash
            state.pendingBytes -= count
            guard state.owesRoom, state.pendingBytes <= bounds.low else { return false }
            state.owesRoom = false
            return true
        }
        if hasRoom { onRoom() }
    }

    // MARK: Making durable

    private func startSyncing(always: Bool) {
        let mustStart = state.withLock { state -> Bool in
            let ahead = state.written - state.durable
            let isDue = ahead >= bounds.batch || ((always || state.hasEnded) && ahead > 0)
            guard !state.cannotSync, !state.isSyncing, isDue else { return false }
            state.isSyncing = true
            return true
        }
        if mustStart {
            workers.syncers.run { [self] in synchronize() }
        } else {
            completeIfDone()
        }
    }

    private func synchronize() {
        while true {
            let target = state.withLock { $0.written }
            do throws(SystemError) {
                try file.synchronize()
            } catch {
                state.withLock { state in
                    state.isSyncing = false
                    state.cannotSync = true
                }
                fail(error)
                return
            }
            // While `isSyncing` is set, the end cannot be reported. A length that is reported after the end is lost.
            onDurable(target)
            let (goesOn, mustWrite) = state.withLock { state -> (Bool, Bool) in
                state.durable = target
                let ahead = state.written - target
                let goesOn = ahead >= bounds.batch || ((state.hasEnded || state.failure != nil) && ahead > 0)
                if !goesOn { state.isSyncing = false }
                let mustWrite = !state.pending.isEmpty && !state.isWriting && state.failure == nil
                if mustWrite { state.isWriting = true }
                return (goesOn, mustWrite)
            }
            if mustWrite { startWriting() }
            if !goesOn { break }
        }
        completeIfDone()
    }

    // MARK: The end

    private struct Outcome {
        let result: Result<Int64, SystemError>
    }

    private static func takeOutcome(_ state: inout State) -> Outcome? {
        guard state.completion != nil, !state.isWriting, !state.isSyncing else { return nil }
        if let failure = state.failure {
            guard state.durable == state.written || state.cannotSync else { return nil }
            state.completion = nil
            return Outcome(result: .failure(failure))
        }
        guard state.pending.isEmpty, state.durable == state.written else { return nil }
        state.completion = nil
        return Outcome(result: .success(state.durable))
    }

    private func completeIfDone() {
        let done = state.withLock { state -> (Outcome, @Sendable (Result<Int64, SystemError>) -> Void)? in
            guard let completion = state.completion, let outcome = Self.takeOutcome(&state) else { return nil }
            return (outcome, completion)
        }
        if let (outcome, completion) = done { completion(outcome.result) }
    }

    private func fail(_ error: SystemError) {
        let owesRoom = state.withLock { state -> Bool in
            state.failure = state.failure ?? error
            state.isWriting = false
            state.pending = []
            state.pendingBytes = 0
            defer { state.owesRoom = false }
            return state.owesRoom
        }
        if owesRoom { onRoom() }
        completeIfDone()
    }
}
