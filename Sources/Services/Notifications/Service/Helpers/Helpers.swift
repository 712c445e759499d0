internal import Dispatch
internal import LinuxSystem
internal import Model
internal import NotificationsCore
internal import NotificationsWire
internal import Wire

/// Has the helpers of apps change pushes: one process an app, while there is something to change, and a few in all.
///
/// Unchecked: used on the service's queue only.
final class Helpers: @unchecked Sendable {
    static let mostProcesses = 4

    private struct Order {
        let id: MutationID
        let program: HelperProgram
        let params: JSONValue
        let answer: (NotificationContentInfo?) -> Void
    }

    private struct Running {
        let process: HelperProcess
        /// What it was asked and has not answered.
        var orders: [MutationID: Order] = [:]
    }

    private let queue: DispatchQueue
    private let worker = DispatchQueue(label: "greenroom.notifications.helpers")
    private let file: String
    private let time: Span
    private var running: [String: Running] = [:]
    private var waiting: [Order] = []
    /// Each that runs, by its app, as its process is found again.
    private var traces: [String: String] = [:]
    private var isEnding = false
    /// A sentence for the log.
    var onTrouble: (String) -> Void = { _ in }

    /// - Parameters:
    ///   - folder: where it is kept which processes run.
    ///   - time: what a helper has for each; its last tenth begins with a warning.
    init(_ queue: DispatchQueue, folder: String, time: Span) {
        (self.queue, self.time) = (queue, time)
        file = folder + "/helpers"
        endLeftovers()
    }

    /// What the process before this one has left behind.
    private func endLeftovers() {
        for line in String(decoding: FileSystem.read(file, limit: 4096) ?? [], as: UTF8.self).split(separator: "\n") {
            let numbers = line.split(separator: " ").compactMap { UInt64($0) }
            guard numbers.count == 2, let pid = CInt(exactly: numbers[0]), let process = try? PidFD(pid),
                ProcFS().stat(pid)?.startTime == numbers[1]
            else { continue }
            try? process.send(9)
        }
        FileSystem.remove(file)
    }

    // MARK: Orders

    /// - Parameter answer: called once, with `nil` if the original is to be shown.
    func mutate(
        _ id: MutationID, _ program: HelperProgram, _ request: NotificationRequestInfo,
        _ answer: @escaping (NotificationContentInfo?) -> Void
    ) {
        let order = Order(
            id: id, program: program, params: NotificationRequestParameters(request: request).json, answer: answer)
        let seconds = time.seconds
        queue.asyncAfter(deadline: .now() + seconds * 0.9) { [weak self] in self?.warn(id, program.app) }
        queue.asyncAfter(deadline: .now() + seconds) { [weak self] in self?.giveUp(id, program.app) }
        place(order)
    }

    private func place(_ order: Order) {
        guard !isEnding else { return order.answer(nil) }
        let app = order.program.app
        if running[app]?.process.isOpen == true { return give(order, app) }
        // One that is about to end has its place until it has.
        guard running[app] == nil, running.count < Self.mostProcesses else { return waiting.append(order) }
        let process = HelperProcess(order.program, on: queue, worker: worker)
        process.onStart = { [weak self] in self?.trace(app, $0) }
        process.onEnd = { [weak self] in self?.ended(app, $0) }
        running[app] = Running(process: process)
        give(order, app)
    }

    private func give(_ order: Order, _ app: String) {
        running[app]?.orders[order.id] = order
        running[app]?.process.ask(Int64(clamping: order.id.rawValue), .mutate, order.params) { [weak self] result in
            self?.answered(order.id, app, result)
        }
    }

    private func answered(_ id: MutationID, _ app: String, _ result: Result<JSONValue, RPCError>) {
        guard let order = running[app]?.orders.removeValue(forKey: id) else { return }
        var content: NotificationContentInfo?
        do throws(RPCError) {
            content = try NotificationMutated(json: try result.get()).content
        } catch {
            onTrouble("\(app): its notification extension has no answer: \(error.message.prefix(200))")
        }
        order.answer(content)
        if running[app]?.orders.isEmpty == true { running[app]?.process.finish() }
    }

    // MARK: Time

    private func warn(_ id: MutationID, _ app: String) {
        if running[app]?.orders[id] != nil { running[app]?.process.tell(.expires) }
    }

    private func giveUp(_ id: MutationID, _ app: String) {
        if let place = waiting.firstIndex(where: { $0.id == id }) { return waiting.remove(at: place).answer(nil) }
        // What else it was asked goes with it: it may hang for good.
        if running[app]?.orders[id] != nil { running[app]?.process.fail(.overdue) }
    }

    private func ended(_ app: String, _ trouble: HelperProcess.Trouble?) {
        guard let over = running.removeValue(forKey: app) else { return }
        trace(app, nil)
        if let trouble { onTrouble("\(app): its notification extension \(trouble.sentence)") }
        for order in over.orders.values.sorted(by: { $0.id < $1.id }) { order.answer(nil) }
        let next = waiting
        waiting = []
        for order in next { place(order) }
    }

    /// The app was removed: what it was asked is of no more interest.
    func forget(_ app: String) { running[app]?.process.kill() }

    /// All of them, at once.
    func end() {
        isEnding = true
        for one in running.values { one.process.kill() }
    }

    // MARK: Found again

    private func trace(_ app: String, _ process: PidFD?) {
        traces[app] = process.flatMap { process in
            ProcFS().stat(process.pid).map { "\(process.pid) \($0.startTime)\n" }
        }
        let (file, text) = (file, traces.values.joined())
        worker.async { try? FileSystem.replace(file, with: Array(text.utf8)) }
    }
}
