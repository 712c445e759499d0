package import Model
internal import PolicyCore

/// Which apps have a process that may run. What is looked at again and again is looked at in these alone: ten thousand
/// that stand still cost nothing.
package struct AwakeApps: Sendable {
    private var members: Set<AppIndex> = []

    package init() {}

    /// It got a process, runs again, or lost what it had.
    package mutating func insert(_ app: AppIndex) { members.insert(app) }

    /// Leaves out those that `stays` says do not belong here any more.
    package mutating func settle(_ stays: (AppIndex) -> Bool) {
        for app in members where !stays(app) { members.remove(app) }
    }

    /// In the order of their numbers, so that nothing depends on how a set is laid out.
    package var inOrder: [AppIndex] { members.sorted() }
}

extension Host {
    /// Called wherever an app may begin to run, or ends.
    func moved(_ index: AppIndex) {
        awake.insert(index)
        memory?.moved(index)
    }

    /// Before the loop waits.
    func settleAwake() {
        awake.settle { index in
            guard let process = host(index)?.process else { return false }
            guard system.app(index)?.state == .suspended else { return true }
            // Of what nobody has measured yet, nobody knows whether it grew before it was frozen.
            if let memory, !memory.rests(index) { return true }
            process.rest()
            return false
        }
    }

    /// Those that have a process and are not suspended.
    var runningApps: [AppHost] {
        awake.inOrder.compactMap(host).filter { $0.process != nil && system.app($0.index)?.state.isRunning == true }
    }
}
