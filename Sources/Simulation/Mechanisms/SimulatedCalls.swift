internal import Model
internal import PolicyCore

// Calls over a message bus, which wait in the program's queue until it runs.
extension Device {
    func callMethod(of name: String) {
        guard let place = place(named: name), let process = apps[place].process, process.status == nil else { return }
        apps[place].process?.sockets.calls += 1
        if !process.isFrozen {
            readCalls(place)
        } else if process.sockets.isCallable, daemon == .running {
            apps[place].process?.sockets.isCallable = false
            after(costs.news, place) { .mechanism(.sockets(.called($0.suspension))) }
        }
    }

    func readCalls(_ place: Int) {
        guard let process = apps[place].process, process.status == nil, process.sockets.calls > 0 else { return }
        apps[place].process?.sockets.calledAt = now
        guard !process.manners.ignoresPeers else {
            apps[place].process?.sockets.hasIgnored = true
            return
        }
        apps[place].process?.sockets.calls = 0
        apps[place].process?.sockets.hasUnread = false
    }

    /// Of a call that waits for a frozen program; without one, the next call is told of.
    func tellOfCall(_ place: Int) {
        guard let process = apps[place].process, process.status == nil, process.isFrozen else { return }
        guard process.sockets.calls > 0 else {
            apps[place].process?.sockets.isCallable = true
            return
        }
        apps[place].process?.sockets.hasUnread = true
        send(.sockets(.called(method: "org.example.Method", isUnread: process.sockets.hasUnread)), of: place)
    }
}
