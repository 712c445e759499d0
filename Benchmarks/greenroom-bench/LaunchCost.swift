internal import LinuxSystem

/// What keeping a program away from the rest of the machine costs its start.
struct LaunchCost {
    let place: String

    /// From the start of a small program to its end: with what an app is given, and with no more than its own files.
    struct Times {
        var confined = Samples()
        var bare = Samples()
    }

    /// Both take turns: whatever else the machine does disturbs both.
    func measure(rounds: Int) throws -> Times {
        let home = place + "/launches"
        let container = home + "/container"
        for folder in [home, container, container + "/tmp"] { try FileSystem.makeDirectory(folder, mode: 0o755) }
        var times = Times()
        for _ in 0..<rounds {
            times.bare.append(try start(home, container, isConfined: false))
            times.confined.append(try start(home, container, isConfined: true))
        }
        return times
    }

    private func start(_ home: String, _ container: String, isConfined: Bool) throws -> Int64 {
        var spawn = Spawn(path: "/bin/true", arguments: ["true"], environment: [])
        if CurrentProcess.isRoot {
            spawn.uid = 54_321
            var sandbox = Spawn.Sandbox(hiding: home)
            sandbox.binds = [(container, container, false)]
            if isConfined {
                sandbox.temporary = container + "/tmp"
                sandbox.sharedMemory = 256 << 20
                sandbox.ownsIPC = true
                sandbox.hidesProcesses = true
            }
            spawn.sandbox = sandbox
        }
        if isConfined { spawn.confinement = Spawn.Confinement() }
        let start = Clock.monotonic()
        let process = try spawn.start()
        guard process.waitUntilDead(milliseconds: 5_000) else { throw BenchError("/bin/true does not end") }
        let end = Clock.monotonic()
        _ = process.reap()
        return end - start
    }
}
