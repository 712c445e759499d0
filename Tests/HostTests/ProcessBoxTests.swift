import Host
import LinuxSystem
import Testing

/// A process to be boxed: `sleep`s below a shell, so that there is a tree.
private func start(_ script: String, in box: any ProcessBox) throws -> PidFD {
    let null = try Descriptor.open("/dev/null", .readWrite)
    let (ours, theirs) = try UnixSocket.pair()
    var spawn = Spawn(path: "/bin/sh", arguments: ["sh", "-c", script], environment: ["PATH=/usr/bin:/bin"])
    spawn.cgroup = box.birthplace
    spawn.descriptors = [(null, 0), (theirs, 1), (null, 2)]
    let process = try spawn.start()
    // The script says when its tree is complete.
    var said: [UInt8] = []
    _ = try ours.read(into: &said, upTo: 16)
    return process
}

/// Runs a loop until a condition holds that a box announces; fails after ten seconds.
private func run(_ loop: Loop, until condition: @escaping () -> Bool, _ comment: Comment) throws {
    var isOver = false
    loop.after(nanoseconds: 10_000_000_000) {
        isOver = true
        loop.stop()
    }
    try loop.run {
        if condition() { loop.stop() }
        return nil
    }
    #expect(!isOver, comment)
}

let cgroupRoot = CgroupRoot.detect(isRoot: CurrentProcess.isRoot)

/// What the Core relies on, for every mechanism.
@Suite("A process box")
struct ProcessBoxTests {
    enum Mechanism: CaseIterable {
        case cgroup, session
    }

    static var mechanisms: [Mechanism] { cgroupRoot == nil ? [.session] : [.cgroup, .session] }

    @Test(
        "This machine has a cgroup that can be written, so that the freezer is tested",
        .enabled(if: CurrentProcess.isRoot, "NOT TESTED: needs root"))
    func machine() {
        #expect(cgroupRoot != nil, "no cgroup v2 can be written: only the SIGSTOP fallback is tested here")
    }

    private func withBox(
        _ mechanism: Mechanism, _ script: String, _ body: (any ProcessBox, PidFD) throws -> Void
    ) throws {
        let box: any ProcessBox
        var root: String?
        switch mechanism {
        case .session: box = SessionBox()
        case .cgroup:
            let path = "\(cgroupRoot ?? "")/greenroom-test-\(Clock.boot())"
            root = path
            box = try CgroupBox(path: path)
        }
        let process = try start(script, in: box)
        (box as? SessionBox)?.begin(with: process.pid)
        defer {
            try? box.thaw()
            try? box.kill()
            _ = process.waitUntilDead(milliseconds: 5_000)
            _ = process.reap()
            box.remove()
            if let root { try? Cgroup.remove(at: root) }
        }
        try body(box, process)
    }

    @Test("A freeze is announced, stops the whole tree, and a thaw undoes it", arguments: mechanisms)
    func freeze(_ mechanism: Mechanism) throws {
        try withBox(mechanism, "sleep 600 >&2 & sleep 600 >&2 & echo ready; wait") { box, process in
            #expect(box.processes().count == 3)
            let frozen = try Loop()
            try box.watch(frozen) {}
            try box.freeze()
            try run(frozen, until: { box.isFrozen }, "the freeze was never announced")
            try box.thaw()
            #expect(!box.isFrozen)
            #expect(box.processes().contains(process.pid))
        }
    }

    @Test("A kill ends a frozen tree, and the emptiness is announced", arguments: mechanisms)
    func kill(_ mechanism: Mechanism) throws {
        try withBox(mechanism, "sleep 600 >&2 & sleep 600 >&2 & echo ready; wait") { box, process in
            let loop = try Loop()
            try box.watch(loop) {}
            try box.freeze()
            try run(loop, until: { box.isFrozen }, "the freeze was never announced")
            let end = try Loop()
            try box.watch(end) {}
            try box.kill()
            try run(end, until: { !box.isPopulated }, "the end was never announced")
            #expect(process.waitUntilDead(milliseconds: 5_000))
        }
    }

    @Test("A process whose first thread has ended is in the box, is frozen, and is killed", arguments: mechanisms)
    func headless(_ mechanism: Mechanism) throws {
        let program = """
            import ctypes, os, platform, threading, time

            def go_on():
                while open("/proc/self/stat").read().rpartition(")")[2].split()[0] != "Z": time.sleep(0.001)
                os.write(1, b"ready")
                time.sleep(600)

            threading.Thread(target=go_on).start()
            ctypes.CDLL(None).syscall({"x86_64": 60, "aarch64": 93}[platform.machine()], 0)
            """
        try withBox(mechanism, "exec python3 -c '\(program)'") { box, process in
            #expect(box.processes() == [process.pid] && box.isPopulated && !box.isFrozen)
            let loop = try Loop()
            try box.watch(loop) {}
            try box.freeze()
            try run(loop, until: { box.isFrozen }, "the freeze was never announced")
            let end = try Loop()
            try box.watch(end) {}
            try box.kill()
            try run(end, until: { !box.isPopulated }, "the end was never announced")
            #expect(process.waitUntilDead(milliseconds: 5_000))
            // To be asked again is no mistake.
            try box.kill()
        }
    }

    @Test(
        "A tree that forks all the time freezes and dies as a whole",
        .enabled(if: cgroupRoot != nil, "NOT TESTED: needs a writable cgroup v2"))
    func forks() throws {
        try withBox(.cgroup, "echo ready; i=0; while [ $i -lt 3000 ]; do sleep 0.2 >&2 & i=$((i+1)); done; wait") {
            box, _ in
            let loop = try Loop()
            try box.watch(loop) {}
            try box.freeze()
            try run(loop, until: { box.isFrozen }, "a forking tree was never frozen")
            let before = box.processes().sorted()
            #expect(box.processes().sorted() == before, "a frozen tree forked")
            let end = try Loop()
            try box.watch(end) {}
            try box.kill()
            try run(end, until: { !box.isPopulated }, "a forking tree was never ended")
        }
    }
}
