internal import AudioCore
internal import Model
internal import ServiceCore

/// Whose process is whose, as the daemon says it; asked once for each process while something of it is there.
struct Owners {
    /// An app that a process is of.
    struct App: Hashable {
        let description: AppDescription
    }

    enum Answer: Hashable {
        case app(App)
        /// It is none of the apps.
        case outsider
    }

    private var known: [Int32: Answer] = [:]
    private var waiting: [Int32: [(Answer) -> Void]] = [:]

    func answer(_ pid: Int32) -> Answer? { known[pid] }

    /// - Returns: whether the daemon has to be asked.
    mutating func wait(for pid: Int32, _ body: @escaping (Answer) -> Void) -> Bool {
        let isFirst = waiting[pid] == nil
        waiting[pid, default: []].append(body)
        return isFirst
    }

    mutating func learn(_ pid: Int32, _ answer: Answer) -> [(Answer) -> Void] {
        known[pid] = answer
        return waiting.removeValue(forKey: pid) ?? []
    }

    /// Nothing of it is there any more; its number may be given to another one.
    mutating func forget(_ pid: Int32) { known[pid] = nil }

    /// The daemon that was asked is gone.
    mutating func forgetQuestions() { known = [:] }

    var unanswered: [Int32] { waiting.keys.sorted() }
}
