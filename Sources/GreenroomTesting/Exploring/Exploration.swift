extension TestDevice {
    /// What `explore(seed:)` tries, and how much of it.
    public struct Exploration: Hashable, Sendable {
        /// A kind of thing that happens in stories.
        public enum Event: String, Hashable, Sendable, CaseIterable {
            /// The user opens the app, leaves it for the home screen, or opens and closes the switcher.
            case visits
            /// The user opens a URL of the app's: those of `urls`, or else each of its schemes with nothing behind it.
            case urls
            /// The screen is locked and unlocked; the device sleeps and wakes.
            case locking
            /// A call, a message or an alert comes, and is dismissed, or accepted and ended.
            case interruptions
            /// Time passes: from a second to a day, so that whatever has a limit meets it.
            case time
            /// The app is warned that memory is short, or is ended for it while it is suspended.
            case memory
            /// The user closes the app in the switcher.
            case closing
            /// The device is started again.
            case reboots
            /// The network is lost, and returns.
            case network
            /// The battery runs low and is charged, low-power mode goes on and off, the device becomes hot and cools.
            case power
            /// The app is fetched in the background. Only where it declares the background mode `fetch`.
            case fetches
            /// All transfers of a background session end: of those that `sessions` names.
            case transfers
            /// The user does something in the app: what the argument `touches` names.
            case touches
        }

        /// How many stories are told, unless one of them fails.
        public var stories = 500
        /// How many things happen in a story.
        public var steps = 16
        /// What happens.
        public var events = Set(Event.allCases)
        /// URLs that the user opens with the app.
        public var urls: [String] = []
        /// Identifiers of background sessions whose transfers end.
        public var sessions: [String] = []
        /// What is no finding.
        public var ignored: Set<Finding.Problem> = []
        /// How much of a processor's time a step may take until the app counts as hanging. One that only waits counts
        /// so after two seconds.
        public var patience: Duration = .seconds(5)
        /// How long a story that fails is made shorter, in real time.
        public var shrinking: Duration = .seconds(30)

        /// Five hundred stories of sixteen steps, of everything.
        public init() {}

        /// Who uses no processor for so long, and says nothing, is in a deadlock.
        var idlePatience: Duration { min(.seconds(2), patience) }

        /// Where a story is known to hang, its shorter ones need less to convince.
        var impatient: Exploration {
            var copy = self
            copy.patience = patience / 3
            return copy
        }
    }

    /// What `explore(seed:)` found: the shortest story that ends so.
    public struct Finding: Hashable, Sendable, CustomStringConvertible {
        /// What is wrong with the app.
        public enum Problem: String, Hashable, Sendable, CaseIterable, Codable {
            /// Its process ended by a signal, or by itself.
            case crash
            /// One of its methods does not return, or its main thread never comes to rest.
            case hang
            /// The system ended it, and wrote a report: for a task that was not ended in time, for example.
            case termination
            /// It did not say in time that it had done what it was woken for.
            case unfinished
            /// After a launch it is not as it was when it was ended while suspended.
            case lostState
            /// Each time that it is left, notification centers have more observers, or more timers wait.
            case leftBehind
            /// It ended a task that had ended, called a completion handler again, or did something else to which the
            /// system objects.
            case misuse
            /// A rule of Greenroom's own was broken, which is a fault in Greenroom and not in the app.
            case greenroom
        }

        /// What is wrong.
        public let problem: Problem
        /// Why, in a sentence.
        public let reason: String
        /// The steps, as lines of Swift.
        public let steps: [String]
        /// The source of a test that fails in this way; paste it into a suite with the trait `.simulatedDevice`.
        public let test: String

        /// The sentence and the test.
        public var description: String { "\(reason)\n\n\(test)" }
    }
}

/// What a story ended with.
struct Failure: Hashable, Codable {
    var problem: TestDevice.Finding.Problem
    var reason: String
    /// The expectation that states it in a test.
    var expectation: String?

    /// The same in other stories: without numbers and what is in quotation marks.
    var signature: String {
        problem.rawValue + " "
            + reason.split(whereSeparator: \.isWhitespace).filter { !$0.contains(where: \.isNumber) }
            .joined(separator: " ")
    }
}
