internal import LinuxSystem
internal import Model

/// What a system leaves in its home when supervisor and daemon are dead, and how to clear it away.
struct Leftovers {
    let home: GreenroomHome

    private static let limit = Model.Span.seconds(5)
    private static let rounds = 5

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
        var ended = endSupervision()
        ended += try CgroupTree(home: home)?.kill(within: Self.limit) ?? 0
        ended += try RecordedGroups(home: home).kill(within: Self.limit)
        // What they keep is on disk, and the next system goes on with it.
        ended += home.serviceFiles.compactMap(RecordedProcess.init(file:)).count { $0.end(milliseconds: 5000) }
        // These go by themselves when the last process of their terminal has gone.
        let holders = ProcessTable.terminalHolders(below: home.runFolder)
        ended += holders.count { !$0.isDead(within: 500) && $0.end(milliseconds: 5000) }
        removeFiles()
        return ended
    }

    /// Supervisor and daemon start each other again: the first is stopped until the second is dead. One that had begun
    /// to take the other's place is found in the next round.
    func endSupervision() -> Int {
        var ended = 0
        for _ in 0..<Self.rounds {
            let (keeper, daemon) = (home.keeper, home.daemon)
            keeper?.send(Signal.stop)
            let dead = [daemon, keeper].compactMap(\.self).count { $0.end(milliseconds: 5000) }
            guard dead > 0 else { break }
            ended += dead
        }
        return ended
    }

    private func removeFiles() {
        let files = [
            home.appSocket, home.keeperFile, home.daemonFile, home.cgroupFile, "\(home.path)/daemon.arguments",
            "\(home.path)/service",
        ]
        for file in files + home.serviceFiles { Files.remove(file) }
        // The next `up` is a boot: the journal still has log entries to give, but nothing that lives.
        if FileSystem.exists("\(home.path)/journal") { try? FileSystem.replace("\(home.path)/ended", with: []) }
        for app in Files.folders(in: home.runFolder) { Files.remove("\(home.runFolder)/\(app)/birth") }
        let folders = [home.path, "\(home.path)/wire", home.runFolder]
        let apps = Files.folders(in: home.runFolder).map { "\(home.runFolder)/\($0)" }
        let services = Files.folders(in: home.servicesFolder).map { "\(home.servicesFolder)/\($0)" }
        for folder in folders + apps + services {
            for name in Files.names(in: folder) where Files.isSocket("\(folder)/\(name)") {
                Files.remove("\(folder)/\(name)")
            }
        }
    }
}
