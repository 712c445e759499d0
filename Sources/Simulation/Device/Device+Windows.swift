internal import Model
package import PolicyCore

// The app's side of what it is woken for, as UIKit and BackgroundTasks do it.
extension Device {
    /// It calls a completion handler. One that was called before it calls once more.
    func complete(_ service: WindowService, _ result: WindowResult, _ place: Int) {
        guard let process = apps[place].process else { return }
        guard let number = process.windows.firstIndex(where: { $0.kind.service == service }) else {
            if let last = process.completed, last.kind.service == service { request(.complete(last.id, result), place) }
            return
        }
        let window = process.windows[number]
        apps[place].process?.windows.remove(at: number)
        apps[place].process?.completed = window
        request(.complete(window.id, result), place)
    }

    func hurry(_ window: WindowID, _ place: Int) {
        if apps[place].process?.freezer != .running { violate("a frozen app is told to hurry") }
        after(costs.message, place) { .expireWindow(window, connection: $0.connection) }
    }

    /// A program completes what it was woken for.
    package func noteCompletion(_ request: AppRequest, _ place: Int) {
        guard case .complete(let id, _) = request else { return }
        apps[place].process?.windows.removeAll { $0.id == id }
    }

    func submit(
        _ kind: BackgroundTaskRequest.Kind, _ identifier: String, after span: Span?, needs: TaskNeed?, _ place: Int
    ) {
        let earliest = span.map { WallTime(nanoseconds: now.nanoseconds &+ wallOffset &+ $0.nanoseconds) }
        let isProcessing = kind == .processing
        request(
            .submitTask(
                BackgroundTaskRequest(
                    identifier: identifier, kind: kind, earliest: earliest,
                    needsNetwork: isProcessing && needs == .network, needsPower: isProcessing && needs == .power)),
            place)
    }

    /// The handler is called once, however often the system says so.
    ///
    /// - Returns: for how long it keeps the main thread.
    func runExpiration(_ id: WindowID, _ place: Int) -> Span {
        guard let window = apps[place].process?.windows.first(where: { $0.id == id }),
            apps[place].process?.expiredWindows.insert(id).inserted == true
        else { return .zero }
        apps[place].expirations.append(window.kind.identifier ?? window.kind.service.name)
        if let program = apps[place].program {
            program.windowExpired(id)
            return .zero
        }
        return runHandlers(place)
    }
}
