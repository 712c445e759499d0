internal import Foundation
internal import Glibc

/// The process that runs a target, and dies of it.
enum Child {
    static let brokenPromise: Int32 = 65

    struct Order {
        var target: FuzzTarget
        var folder: String
        var recorder: String
        var seed: UInt64
        var seconds: Double
        /// A single input, instead of all those that can be made.
        var only: String?
    }

    static func run(_ order: Order) -> Int32 {
        guard let recorder = FlightRecorder(order.recorder, longest: max(order.target.longest, 1 << 20)) else {
            say("\(order.recorder) cannot be written")
            return 1
        }
        Execution.limit()
        // Whatever happens, it does not stay.
        _ = alarm(UInt32(order.seconds) + 120)
        if let only = order.only {
            guard let input = Corpus.contents(only) else {
                say("\(only) cannot be read")
                return 1
            }
            return run(order.target, input, recorder) == nil ? brokenPromise : 0
        }
        quieten()
        return explore(order, recorder)
    }

    /// What the code under test complains of, thousands of times a second, is of no interest; of a finding it is, and
    /// the supervisor runs that alone once more.
    private static func quieten() {
        let null = unsafe open("/dev/null", O_WRONLY | O_CLOEXEC)
        _ = dup2(null, 2)
    }

    /// `nil`: the promise is broken, and it was said how.
    private static func run(_ target: FuzzTarget, _ input: [UInt8], _ recorder: FlightRecorder) -> Verdict? {
        recorder.begin(input)
        Execution.windUp()
        do throws(BrokenPromise) {
            return try Execution.run(target, input)
        } catch {
            say("\(error)")
            return nil
        }
    }

    /// The committed files first, then what can be made of them.
    private static func explore(_ order: Order, _ recorder: FlightRecorder) -> Int32 {
        let mostKept = 512
        let clock = ContinuousClock()
        let end = clock.now + .seconds(order.seconds)
        var kinds: Set<String> = []
        var pool: [[UInt8]] = []
        for (_, input) in Corpus.inputs(of: order.target.name, in: order.folder) {
            guard let verdict = run(order.target, input, recorder) else { return brokenPromise }
            kinds.insert(verdict.kind)
            pool.append(input)
        }
        var mutator = Mutator(
            seed: order.seed, tokens: Corpus.words(of: order.target.name, in: order.folder),
            longest: order.target.longest)
        while clock.now < end {
            let input = mutator.input(from: pool)
            guard let verdict = run(order.target, input, recorder) else { return brokenPromise }
            if pool.count < mostKept, kinds.insert(verdict.kind).inserted { pool.append(input) }
        }
        return 0
    }

    static func say(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }
}
