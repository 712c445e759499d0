internal import Model

// Pictures of apps (R7): one is taken when an app has left the screen and its delegate has had the time to hide what is
// nobody's business, and anew when it says that it has something else to show. Who has none to give is not asked, so
// its suspension takes no longer. To wait for the picture is a step of the host's `prepare`.
extension System {
    mutating func provideSnapshots(_ provides: Bool, _ i: Int, _ id: RequestID) {
        apps[i].providesSnapshots = provides ? true : nil
        reply(i, id, .noted)
    }

    /// It has changed in the background: a background completion handler was called.
    mutating func refreshSnapshot(_ i: Int, _ id: RequestID) {
        reply(i, id, .noted)
        takeSnapshot(i)
    }

    mutating func takeSnapshot(_ i: Int) {
        guard apps[i].providesSnapshots == true, apps[i].isConnected, apps[i].process == .alive, apps[i].ending == nil,
            apps[i].state == .background, !apps[i].suspension.isUnderWay
        else { return }
        emit(.takeSnapshot(apps[i].index, apps[i].generation), cause: apps[i].cause)
    }
}
