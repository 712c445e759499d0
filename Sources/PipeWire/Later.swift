internal import Dispatch

extension DispatchQueue {
    /// Runs a function of this queue after what runs now.
    func later(_ run: @escaping () -> Void) {
        let function = Function(run: run)
        async { function.run() }
    }
}

/// Unchecked: made and run on the same queue.
private struct Function: @unchecked Sendable {
    let run: () -> Void
}
