internal import Dispatch

extension DispatchQueue {
    /// Runs a function of this queue after what runs now.
    func later(_ run: @escaping () -> Void) {
        let function = Function(run: run)
        async { function.run() }
    }
}

/// Unchecked: run on the queue, and used nowhere else from then on.
private struct Function: @unchecked Sendable {
    let run: () -> Void
}
