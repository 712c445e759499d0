internal import Glibc
internal import LinuxSystem

/// Tests that talk to servers over sockets come one after another, and not before those are over that keep all
/// processors busy: both ends have limits of time, which would pass while a test waits for a processor.
package actor Turn {
    package static let shared = Turn()

    @TaskLocal private static var isMine = false

    private var isTaken = false
    private var waiters: [CheckedContinuation<Void, Never>] = []
    private var isQuiet = false

    /// Nothing of this process is waited for longer.
    private static let longestWait = 900

    nonisolated(nonsending) package func take<Result>(
        _ body: nonisolated(nonsending) () async throws -> Result
    ) async throws -> Result {
        // A test with two servers has one turn.
        if Self.isMine { return try await body() }
        await begin()
        do {
            let result = try await Self.$isMine.withValue(true) { try await body() }
            await end()
            return result
        } catch {
            await end()
            throw error
        }
    }

    private func begin() async {
        if isTaken { await withCheckedContinuation { waiters.append($0) } }
        isTaken = true
        guard !isQuiet else { return }
        isQuiet = true
        await Self.untilQuiet()
    }

    /// The next one has it at once, so that nobody comes between.
    private func end() {
        if waiters.isEmpty { isTaken = false } else { waiters.removeFirst().resume() }
    }

    /// Nothing tells when a process has little to do, so its processor time is looked at.
    private static func untilQuiet() async {
        for _ in 0..<longestWait {
            let before = processorTime
            // How busy a process is shows over a while only.
            try? await Task.sleep(for: .seconds(1))
            if processorTime - before < 700_000_000 { return }
        }
    }

    /// In nanoseconds.
    private static var processorTime: Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
