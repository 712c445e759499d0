internal import LinuxSystem

/// The apps of a system that has no daemon: nothing stays frozen that nobody would thaw.
enum Frozen {
    private static let (resume, deepest): (CInt, Int) = (18, 16)

    /// Lets every app run.
    static func thaw(home: String) {
        if let root = cgroup(home: home) {
            thaw(group: root, depth: 0)
        } else {
            continueStopped(home: home)
        }
    }

    /// The directory that holds the apps' groups; `nil` where SIGSTOP stands in for the freezer.
    static func cgroup(home: String) -> String? {
        guard let bytes = FileSystem.read(home + "/cgroup", limit: 4096) else { return nil }
        let path = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        guard path.hasPrefix("/"), !path.contains("/../"), FileSystem.exists(path + "/cgroup.freeze") else {
            return nil
        }
        return path
    }

    private static func thaw(group: String, depth: Int) {
        if FileSystem.read(group + "/cgroup.freeze", limit: 8)?.first == UInt8(ascii: "1") {
            try? Cgroup.write("0", to: group + "/cgroup.freeze")
        }
        guard depth < deepest else { return }
        for child in Cgroup.children(of: group) { thaw(group: child, depth: depth + 1) }
    }

    /// Each app's processes are known by what the daemon put into their environment.
    private static func continueStopped(home: String) {
        let apps = FileSystem.names(in: home + "/run")
        guard !apps.isEmpty else { return }
        let procFS = ProcFS()
        for pid in procFS.allProcesses() {
            guard procFS.stat(pid)?.state == "T", let process = try? PidFD(pid),
                let variables = procFS.environment(pid),
                apps.contains(where: {
                    variables.contains("GREENROOM_APP=\($0)") && variables.contains("HOME=\(home)/containers/\($0)")
                })
            else { continue }
            try? process.send(resume)
        }
    }
}
