import Host
import LinuxSystem
import Testing

@Suite("News of groups", .enabled(if: cgroupRoot != nil, "NOT TESTED: needs a writable cgroup v2"))
struct GroupEventsTests {
    /// Groups of a test's own, removed at its end.
    private final class Groups {
        let paths: [String]

        init(_ count: Int) throws {
            let base = "\(cgroupRoot ?? "")/greenroom-test-events-\(Clock.boot())"
            paths = (0..<count).map { "\(base)-\($0)" }
            for path in paths { try FileSystem.makeDirectory(path, mode: 0o755) }
        }

        deinit { for path in paths { try? Cgroup.remove(at: path) } }
    }

    private func openDescriptors() -> Int { FileSystem.names(in: "/proc/self/fd").count }

    private func run(_ loop: Loop, until condition: @escaping () -> Bool) throws {
        var isOver = false
        loop.after(nanoseconds: 10_000_000_000) {
            isOver = true
            loop.stop()
        }
        try loop.run {
            if condition() { loop.stop() }
            return nil
        }
        #expect(!isOver, "nothing was told in ten seconds")
    }

    @Test("However many groups are watched, it takes no descriptor more, and each is told of for itself")
    func descriptors() throws {
        let loop = try Loop()
        let groups = try Groups(60)
        var told: [Int] = []
        let boxes = try groups.paths.map { try CgroupBox(path: $0) }
        _ = loop.groupEvents
        for box in boxes { box.rest() }
        let before = openDescriptors()
        for (number, box) in boxes.enumerated() { try box.watch(loop) { told.append(number) } }
        // Other tests of this process open and close some meanwhile.
        #expect(openDescriptors() - before < 30)
        try boxes[41].freeze()
        try run(loop) { boxes[41].isFrozen && told.contains(41) }
        #expect(Set(told) == [41])
        try boxes[41].thaw()
        for box in boxes { box.remove() }
        #expect(groups.paths.allSatisfy { !FileSystem.exists($0) })
    }

    @Test("What changed before anybody claimed the watch is told when somebody does")
    func early() throws {
        let loop = try Loop()
        let groups = try Groups(1)
        let events = try #require(loop.groupEvents)
        let number = try GroupEvents.begin(groups.paths[0], events.inotify)
        let group = try Cgroup(creating: groups.paths[0])
        try group.setFrozen(true)
        // The loop reads it, and nobody wants it yet.
        var isRead = false
        loop.after(nanoseconds: 50_000_000) { isRead = true }
        try run(loop) { isRead }
        var calls = 0
        let watch = events.claim(number) { calls += 1 }
        try run(loop) { calls == 1 }
        try group.setFrozen(false)
        withExtendedLifetime(watch) {}
    }

    @Test("A watch that is let go ends, and leaves a later one of the same group alone")
    func ended() throws {
        let loop = try Loop()
        let groups = try Groups(1)
        let events = try #require(loop.groupEvents)
        var (first, second) = (0, 0)
        var old: GroupEvents.Watch? = events.claim(try GroupEvents.begin(groups.paths[0], events.inotify)) {
            first += 1
        }
        let new = events.claim(try GroupEvents.begin(groups.paths[0], events.inotify)) { second += 1 }
        withExtendedLifetime(old) {}
        old = nil
        let group = try Cgroup(creating: groups.paths[0])
        try group.setFrozen(true)
        try run(loop) { second > 0 }
        #expect(first == 0)
        try group.setFrozen(false)
        withExtendedLifetime(new) {}
    }
}
