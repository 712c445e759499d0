internal import LinuxSystem
internal import Model

/// What a system leaves in its home when supervisor and daemon are dead, and how to clear it away.
struct Leftovers {
    let home: GreenroomHome

    private static let limit = Model.Span.seconds(5)

    /// True while the supervisor or the daemon lives.
    var isSupervised: Bool {
        home.keeper?.isAlive == true || home.daemon?.isAlive == true || accepts(home.controlSocket)
    }

    var isEmpty: Bool {
        !home.holdsSystem && home.daemon == nil && CgroupTree(home: home) == nil && RecordedGroups(home: home).isEmpty
    }

    func accepts(_ socket: String) -> Bool {
        (try? UnixSocket.connect(to: socket)) != nil
    }

    /// Lets every app run; returns their names.
    func thaw() throws(CommandFailure) -> [String] {
        let thawed = try CgroupTree(home: home)?.thaw() ?? []
        return thawed + RecordedGroups(home: home).thaw()
    }

    /// Ends every process, removes cgroups, sockets and process files, and leaves the data. Returns how many
    /// processes it had to end.
    func clear() throws(CommandFailure) -> Int {
        var ended = 0
        // First those who would start the others again.
        for process in [home.keeper, home.daemon].compactMap(\.self) where process.end(milliseconds: 5000) {
            ended += 1
        }
        ended += try CgroupTree(home: home)?.kill(within: Self.limit) ?? 0
        ended += try RecordedGroups(home: home).kill(within: Self.limit)
        removeFiles()
        return ended
    }

    private func removeFiles() {
        for file in [home.appSocket, home.keeperFile, home.daemonFile, home.cgroupFile] { Files.remove(file) }
        for app in Files.folders(in: home.runFolder) { Files.remove("\(home.runFolder)/\(app)/birth") }
        let folders = [home.path, "\(home.path)/wire", home.runFolder]
        let apps = Files.folders(in: home.runFolder).map { "\(home.runFolder)/\($0)" }
        for folder in folders + apps {
            for name in Files.names(in: folder) where Files.isSocket("\(folder)/\(name)") {
                Files.remove("\(folder)/\(name)")
            }
        }
    }
}
