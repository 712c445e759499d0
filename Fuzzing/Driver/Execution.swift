internal import CAllocations
internal import Glibc

/// One run of a target, with its limits.
enum Execution {
    /// Seconds of processor time for one input. Nothing that is read takes a thousandth of it; a machine that has
    /// other things to do does not count.
    static let longest = 5
    /// Bytes of address space, beyond what a target may ask for: a limit that no mistake of the count can miss.
    static let addressSpace: UInt = 4 << 30

    static func run(_ target: FuzzTarget, _ input: [UInt8]) throws(BrokenPromise) -> Verdict {
        let before = gr_allocated()
        let verdict = try target.run(input)
        let asked = gr_allocated() &- before
        let most = target.memory.base + target.memory.perByte * input.count
        try promise(asked <= UInt64(most), "\(input.count) bytes made it ask for \(asked) bytes of memory, not \(most)")
        return verdict
    }

    /// Everything of this process is limited from now on; a core file of it would help nobody.
    static func limit() {
        lower(RLIMIT_AS, to: addressSpace)
        lower(RLIMIT_CORE, to: 0)
    }

    private static func lower(_ resource: __rlimit_resource, to limit: UInt) {
        var current = rlimit()
        guard unsafe getrlimit(Int32(resource.rawValue), &current) == 0 else { return }
        current.rlim_cur = min(current.rlim_cur, limit)
        _ = unsafe setrlimit(Int32(resource.rawValue), &current)
    }

    /// Ends this process by SIGPROF when the next run takes longer than it may.
    static func windUp() {
        var timer = itimerval()
        timer.it_value.tv_sec = longest
        _ = unsafe setitimer(__itimer_which_t(ITIMER_PROF.rawValue), &timer, nil)
    }
}
