import Foundation
import Glibc
import Synchronization
import Testing
import UIKit

extension UIKitTests {
    /// Threads of this process on one processor; who has how much of it, their own clocks say.
    @Suite("Quality of service", .serialized)
    struct QualityOfServiceTests {
        /// Needs CAP_SYS_NICE or RLIMIT_NICE of 20.
        static let mayRise: Bool = {
            let answer = Mutex<CInt>(0)
            Self.run { answer.withLock { $0 = setpriority(0, 0, 1) == 0 ? setpriority(0, 0, 0) : -1 } }
            return answer.withLock { $0 } == 0
        }()
        static let stays = "NOT TESTED: a thread that gave way may not come back (RLIMIT_NICE, CAP_SYS_NICE)"

        /// To its end, in a thread of its own.
        private static func run(_ quality: QualityOfService = .default, _ body: @escaping @Sendable () -> Void) {
            let end = DispatchSemaphore(value: 0)
            let thread = Thread {
                body()
                end.signal()
            }
            thread.qualityOfService = quality
            thread.start()
            end.wait()
        }

        private func run(_ quality: QualityOfService = .default, _ body: @escaping @Sendable () -> Void) {
            Self.run(quality, body)
        }

        private static var ownNumber: id_t {
            let link = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")) ?? ""
            return link.split(separator: "/").last.flatMap { id_t($0) } ?? 0
        }

        private static func nice(_ thread: id_t = 0) -> CInt { getpriority(0, thread) }

        /// Two that count until one of them has had half a second.
        private final class Race: Sendable {
            private let times = Mutex<[Double]>([0, 0])
            private let ready = Atomic(0)
            private let isOver = Atomic(false)
            private let end = DispatchSemaphore(value: 0)

            func run(_ runner: Int) {
                // A worker runs others' work afterwards.
                let before = Self.pin()
                defer { before.map(Self.use) }
                ready.add(1, ordering: .relaxed)
                while ready.load(ordering: .relaxed) < 2 { sched_yield() }
                let begin = Self.clock
                while !isOver.load(ordering: .relaxed) {
                    if Self.clock - begin > 0.5 { isOver.store(true, ordering: .relaxed) }
                }
                let time = Self.clock - begin
                times.withLock { $0[runner] = time }
                end.signal()
            }

            /// What the second one has had of both, in hundredths.
            var share: Double {
                for _ in 0..<2 { end.wait() }
                return times.withLock { 100 * $0[1] / ($0[0] + $0[1]) }
            }

            private static var clock: Double {
                var time = timespec()
                unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
                return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
            }

            /// Not in the module map of glibc. A mask is large enough for every kernel.
            private typealias Affinity = @convention(c) (pid_t, Int, UnsafeMutablePointer<UInt64>?) -> CInt

            private static func call(_ name: String, _ mask: inout [UInt64]) -> Bool {
                guard let function = unsafe dlsym(nil, name) else { return false }
                let affinity = unsafe unsafeBitCast(function, to: Affinity.self)
                let size = mask.count * 8
                return unsafe mask.withUnsafeMutableBufferPointer { unsafe affinity(0, size, $0.baseAddress) } >= 0
            }

            private static func use(_ mask: [UInt64]) {
                var mask = mask
                _ = call("sched_setaffinity", &mask)
            }

            /// To the first processor that there is for this process; returns what the thread had.
            private static func pin() -> [UInt64]? {
                var all = [UInt64](repeating: 0, count: 128)
                guard call("sched_getaffinity", &all), let word = all.firstIndex(where: { $0 != 0 }) else { return nil }
                var first = [UInt64](repeating: 0, count: 128)
                first[word] = 1 << UInt64(all[word].trailingZeroBitCount)
                use(first)
                return all
            }
        }

        private func share(of second: QualityOfService, beside first: QualityOfService) -> Double {
            let race = Race()
            for (runner, quality) in [first, second].enumerated() {
                let thread = Thread { race.run(runner) }
                thread.qualityOfService = quality
                thread.start()
            }
            return race.share
        }

        @Test(
            "A thread has the share of its class",
            arguments: [
                (QualityOfService.userInitiated, QualityOfService.background, 3.0...15.0),
                (.default, .background, 3...15), (.userInteractive, .utility, 15...45), (.default, .default, 40...60),
            ])
        func threads(first: QualityOfService, second: QualityOfService, expected: ClosedRange<Double>) {
            let share = share(of: second, beside: first)
            #expect(expected.contains(share), "\(share) of 100")
        }

        @Test("So has a queue")
        func queues() {
            let race = Race()
            DispatchQueue.global(qos: .userInitiated).async { race.run(0) }
            DispatchQueue(label: "later", qos: .background).async { race.run(1) }
            let share = race.share
            #expect((3...15).contains(share), "\(share) of 100")
        }

        @Test(
            "A thread that has chosen a higher class is as any other", .enabled(if: mayRise, Comment(rawValue: stays)))
        func rise() {
            let race = Race()
            for runner in 0..<2 {
                Thread {
                    #expect(pthread_set_qos_class_self_np(QOS_CLASS_BACKGROUND, 0) == 0)
                    #expect(Self.nice() == 10 && qos_class_self() == QOS_CLASS_BACKGROUND)
                    #expect(pthread_set_qos_class_self_np(QOS_CLASS_DEFAULT, 0) == 0)
                    race.run(runner)
                }.start()
            }
            let share = race.share
            #expect((40...60).contains(share), "\(share) of 100")
        }

        @Test("What is no class is refused, and a worker of a queue keeps that of the queue")
        func refused() {
            run {
                #expect(pthread_set_qos_class_self_np(qos_class_t(1), 0) == EINVAL)
                #expect(pthread_set_qos_class_self_np(QOS_CLASS_UTILITY, 1) == EINVAL)
                #expect(Self.nice() == 0 && qos_class_self() == QOS_CLASS_DEFAULT)
            }
            let answer = Mutex<CInt>(0)
            let end = DispatchSemaphore(value: 0)
            DispatchQueue(label: "later", qos: .utility).async {
                answer.withLock { $0 = pthread_set_qos_class_self_np(QOS_CLASS_DEFAULT, 0) }
                #expect(Self.nice() == 2 && qos_class_self() == QOS_CLASS_UTILITY)
                end.signal()
            }
            end.wait()
            #expect(answer.withLock { $0 } == EPERM)
        }

        @Test("What a background thread begins has its own class", .enabled(if: mayRise, Comment(rawValue: stays)))
        func notInherited() {
            run(.background) {
                #expect(Self.nice() == 10)
                Self.run { #expect(Self.nice() == 0) }
                let end = DispatchSemaphore(value: 0)
                for quality in [DispatchQoS.default, .userInitiated] {
                    DispatchQueue(label: "sooner", qos: quality).async {
                        #expect(Self.nice() <= 0)
                        end.signal()
                    }
                    end.wait()
                }
            }
        }

        @Test(
            "A thread that waits in `sync` lends its place until its block has run",
            .enabled(if: mayRise, Comment(rawValue: stays)))
        func lent() throws {
            let queue = DispatchQueue(label: "later", qos: .background)
            let worker = Mutex<id_t>(0)
            let (began, goOn, waited) = (
                DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
            )
            queue.async {
                worker.withLock { $0 = Self.ownNumber }
                began.signal()
                goOn.wait()
            }
            began.wait()
            let number = worker.withLock { $0 }
            #expect(Self.nice(number) == 10)
            let thread = Thread {
                queue.sync { #expect(Self.nice(number) == 0) }
                // A worker without work ends after a while.
                #expect([10, -1].contains(Self.nice(number)))
                waited.signal()
            }
            thread.start()
            let patience = Date(timeIntervalSinceNow: 10)
            while Self.nice(number) != 0, Date() < patience { sched_yield() }
            #expect(Self.nice(number) == 0)
            goOn.signal()
            waited.wait()
            #expect(queue.sync { 7 } == 7)
        }
    }
}
